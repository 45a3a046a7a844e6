"""Shuffled rounds of a contest, chunk by chunk; known chunks aren't asked again."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...core.errors import ErrorInfo
from ...core.events import Event, Stage, StageProgress
from ...core.paths import criteria_dir
from ...engine.base import Choice, Question
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.questions import LEAST_MASS
from ..duel.confidence_scorer import rounds_weight
from ..judged_kind import Work
from .ranking_state import RankingState
from .round_table import Chunk, RoundTable, schedule
from .types import SCALES, ContestRequest, HeldDuel, Reading, Scale, ScoredChunk

# -- The questions of a shuffled round: a chunk of jokes, each scored from 1 to 10, read from the labels' logits ------

TEN = tuple(f"{level})" for level in range(1, 11))
"""The closing bracket belongs to the label: without it 1 would be a prefix of 10."""
_ROOM = 320
"""Tokens reserved for the questions beside the jokes."""


def expected(choice: Choice) -> float | None:
    """Return the expected score 1…10; None where the model didn't answer."""
    if choice.mass < LEAST_MASS:
        return None
    shares = [math.exp(value) for value in choice.logprobs]
    return math.fsum(level * share for level, share in enumerate(shares, start=1)) / math.fsum(shares)


# -- Events of a running contest, beside those of all verdicts --------------------------------------------------------


class EntryRead(Event):
    """A joke was read, or couldn't be; identified by its ``text``, which several entries may have."""

    text: str
    reading: Reading | None = None
    error: ErrorInfo | None = None


class ChunkScored(Event):
    """Jokes were scored together in a shuffled round; ``texts``: their texts in the order shown."""

    chunk: ScoredChunk
    texts: tuple[str, ...]


class DuelHeld(Event):
    """A duel is over: ``done`` of at most ``budget``. ``text_a``, ``text_b``: the texts that were compared."""

    duel: HeldDuel
    text_a: str
    text_b: str
    done: int
    budget: int


USUAL = 3
"""The default number of rounds."""
NOTE = "Scoring the jokes in shuffled order"


class ShuffledRounds:
    """Asks one model about chunks of a list. ``count``: number of rounds; ``words``: version of their questions;
    ``weight``: log-odds per point of humor on this model, 0 where that wasn't measured."""

    def __init__(self, request: ContestRequest, work: Work) -> None:
        """Raises ``CriteriaError`` when criteria/rounds.xml is wrong."""
        self._seed = request.seed
        self._cancel = work.cancel
        self._engine = work.judge.engine
        self._topic = " ".join(request.context.split())
        prompts = parse_prompts(criteria_dir() / "rounds.xml")
        self._prompts = PromptBuilder(prompts, self._engine.frame, {})
        self._name = "list_on_topic" if self._topic else "list"
        """Without a topic there is no question about relevance."""
        self._scales: tuple[Scale, ...] = tuple(each for each in SCALES if each in prompts.prompts[self._name].answers)
        self.words = prompts.version
        self.weight = rounds_weight(work.judge, self.words)
        wanted = USUAL if self.weight > 0 or request.ask == "all" else 0
        self.count = wanted if request.shuffled is None else request.shuffled

    def run(self, state: RankingState, table: RoundTable) -> Iterator[Event]:
        """Ask all rounds about the texts of ``state``. Yields after every chunk; raises the engine's errors."""
        rounds = schedule(state.ranked, self.count, self._seed)
        total = sum(len(chunk) for chunks in rounds for chunk in chunks)
        done = 0
        for number, chunks in enumerate(rounds, start=1):
            for texts in chunks:
                yield StageProgress(stage=Stage.ROUNDS, done=done, total=total, note=NOTE)
                for part, chunk in table.known(texts) or self._ask(texts, number, state):
                    table.take(part, chunk)
                    yield ChunkScored(chunk=chunk, texts=part)
                done += len(texts)
        table.leave_spares()
        yield StageProgress(stage=Stage.ROUNDS, done=total, total=total, note=NOTE)

    def _ask(self, texts: Chunk, number: int, state: RankingState) -> list[tuple[Chunk, ScoredChunk]]:
        """Ask for scores 1…10 of the texts in this order; None where the model gave none. A chunk that doesn't fit into
        the context is asked in halves, and a single text that doesn't fit is left out. Raises the engine's
        errors."""
        answers = self._answers(texts)
        if answers is None:
            middle = len(texts) // 2
            halves = (texts[:middle], texts[middle:]) if middle else ()
            return [each for half in halves for each in self._ask(half, number, state)]
        scores = {
            scale: tuple(map(expected, answers[place * len(texts) : (place + 1) * len(texts)]))
            for place, scale in enumerate(self._scales)
        }
        ids = tuple(map(state.id_of, texts))
        return [(texts, ScoredChunk(round=number, ids=ids, scores=scores, words=self.words))]

    def _answers(self, texts: Chunk) -> list[Choice] | None:
        """Return the answers about each text, scale by scale; None where they don't fit into the context together."""
        lines = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1)]
        prompt = self._prompts.prompt(self._name, {"jokes": "\n".join(lines), "topic": self._topic})
        if self._engine.count(prompt) + _ROOM > self._engine.info.context:
            return None
        questions = [
            Question(self._prompts.answer(self._name, scale, {"number": str(number)}), TEN)
            for scale in self._scales
            for number in range(1, len(texts) + 1)
        ]
        return self._engine.choose(prompt, questions, self._cancel)
