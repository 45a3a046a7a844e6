"""Shuffled rounds of a contest: chunk by chunk, what is known already isn't asked again."""

from __future__ import annotations

from collections.abc import Iterator

from ...events import Event, Stage, StageProgress
from ..duel.weights import rounds_weight
from ..judged_kind import Work
from .round_questions import RoundQuestions
from .round_table import RoundTable
from .rounds import Chunk, schedule
from .standing import Standings
from .steps import ChunkScored
from .types import ContestRequest, ScoredChunk

USUAL = 3
"""Rounds where nobody says how many."""
NOTE = "Scoring the jokes in shuffled order"


class ShuffledRounds:
    """``count``: rounds to be asked; ``words``: version of their questions; ``weight``: log-odds that a point of humor
    is worth on this model, 0 where that wasn't measured."""

    def __init__(self, request: ContestRequest, work: Work) -> None:
        self._request = request
        self._work = work
        self._questions = RoundQuestions(work.judge, request.context)
        self.words = self._questions.version
        self.weight = rounds_weight(work.judge, self.words)
        wanted = USUAL if self.weight > 0 or request.ask == "all" else 0
        self.count = wanted if request.shuffled is None else request.shuffled

    def run(self, standings: Standings, table: RoundTable) -> Iterator[Event]:
        """Ask all rounds about the ``standings``' texts. Yields after every chunk; raises what the engine raises."""
        rounds = schedule(standings.ranked, self.count, self._request.seed)
        total = sum(len(chunk) for chunks in rounds for chunk in chunks)
        done = 0
        for number, chunks in enumerate(rounds, start=1):
            for texts in chunks:
                yield StageProgress(stage=Stage.ROUNDS, done=done, total=total, note=NOTE)
                for part, chunk in table.known(texts) or self._ask(texts, number, standings):
                    table.take(part, chunk)
                    yield ChunkScored(chunk=chunk, texts=part)
                done += len(texts)
        table.leave_spares()
        yield StageProgress(stage=Stage.ROUNDS, done=total, total=total, note=NOTE)

    def _ask(self, texts: Chunk, number: int, standings: Standings) -> list[tuple[Chunk, ScoredChunk]]:
        return [
            (
                part,
                ScoredChunk(
                    round=number,
                    ids=tuple(standings.id_of(text) for text in part),
                    scores=scores,
                    words=self.words,
                ),
            )
            for part, scores in self._questions.ask(texts, self._work.cancel)
        ]
