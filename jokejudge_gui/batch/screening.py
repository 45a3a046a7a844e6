"""The votes on a screened list, and a person's own scores of its jokes."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ..core.errors import InputError, UsageError
from ..core.files import remember, remembered
from ..core.outputs import CsvLines, write_export
from ..core.paths import Profile
from ..core.tables import read_rows
from ..core.verdicts import Frozen
from ..judge.contest.desk import chance
from ..judge.contest.notes import Ballot, OwnScale, belongs, digest_of
from ..judge.contest.record import ContestMadeBy, ContestResult, RankedEntry
from ..learning.taste import BEST, GOOD_FROM, OwnScore, fit_scale


def of_list(ballots: Sequence[Ballot], texts: Mapping[str, str]) -> list[Ballot]:
    """Return the votes on jokes of a list (``texts`` by id), oldest first."""
    return sorted((ballot for ballot in ballots if belongs(ballot, texts)), key=lambda ballot: ballot.when)


DRAWN = 24
"""Number of jokes drawn to be scored."""
_HINT = "The first line names the columns: id and score; each score is a number from 0 to 10."


class OwnScores(Frozen):
    """The scores of one person, with the estimates of one model and head. ``model``: its name."""

    model: str = ""
    head: str = ""
    good_from: int = Field(default=GOOD_FROM, ge=1, le=BEST)
    scores: tuple[OwnScore, ...] = ()

    def scale(self) -> OwnScale | None:
        """Return the scale fitted to the scores; None while there are too few."""
        return fit_scale(self.scores, self.good_from)

    def with_scores(self, given: Mapping[str, tuple[float, float]]) -> OwnScores:
        """Return a copy with more scores: for each text its probability 0…1 of being funnier than a typical joke to
        most people, and the score 0…10."""
        new = {digest_of([text]): pair for text, pair in given.items()}
        kept = [score for score in self.scores if score.text not in new]
        added = [OwnScore(text=digest, chance=p, score=score) for digest, (p, score) in new.items()]
        return self.replaced(scores=(*kept, *added))


class OwnScoreFiles:
    """The file of a profile's own scores, by model, without the texts."""

    def __init__(self, profile: Profile) -> None:
        self._path = profile.own_scores / "scores.json"

    def get(self, made_by: ContestMadeBy, model: str = "") -> OwnScores:
        """Return the scores for a model with its head; none where another head gave their probabilities."""
        scores = self._all().get(made_by.model)
        return scores if scores and scores.head == made_by.head else OwnScores(model=model, head=made_by.head)

    def put(self, made_by: ContestMadeBy, scores: OwnScores) -> None:
        """Save the scores. Raises ``SettingsError`` where nothing can be written."""
        if made_by.model:
            remember(self._path, made_by.model, scores.model_dump())

    def all(self) -> list[OwnScores]:
        """Return the scores for every model, by its name."""
        return sorted(self._all().values(), key=lambda scores: scores.model)

    def forget(self, model: str | None = None) -> int:
        """Remove the scores for a model, or (None) all of them, and return their number."""
        gone = {name: scores for name, scores in self._all().items() if model in (None, name)}
        for name in gone:
            remember(self._path, name, None)
        return sum(len(scores.scores) for scores in gone.values())

    def _all(self) -> dict[str, OwnScores]:
        scores = {}
        for name, value in remembered(self._path).items():
            with contextlib.suppress(ValidationError):
                scores[name] = OwnScores.model_validate(value)
        return scores


def to_score(result: ContestResult) -> list[RankedEntry]:
    """Draw jokes for a person to score blind: over the whole range of probabilities (one from each of 24 equal parts of
    the list in the order of probability), in random order. The contest's seed draws the same."""
    draw = random.Random(f"{result.seed}/own scores")
    chances = [(p, entry) for entry in result.ranked if (p := chance(entry)) is not None]
    chances.sort(key=lambda pair: pair[0])
    parts = min(DRAWN, len(chances))
    edges = [round(at * len(chances) / parts) for at in range(parts + 1)] if parts else []
    drawn = [draw.choice(chances[low:high])[1] for low, high in pairwise(edges)]
    draw.shuffle(drawn)
    return drawn


def write_to_score(result: ContestResult, path: Path) -> int:
    """Write the jokes to be scored as a table with an empty column ``score``, and return their number."""
    drawn = to_score(result)
    lines = CsvLines()
    write_export(path, (lines.line(row) for row in [("id", "score", "text"), *((e.id, "", e.text) for e in drawn)]))
    return len(drawn)


def read_scores(source: str, result: ContestResult) -> dict[str, tuple[float, float]]:
    """Read the scores in a table; return by text the joke's probability and score. Rows without a score are ignored.
    Raises ``UsageError`` ``E_SCREEN_SCORES`` for any other table, and ``InputError`` for a file that isn't CSV."""
    table, rows = read_rows(source, asked=("score",))
    if not {"id", "score"} <= set(table.names):
        raise UsageError("E_SCREEN_SCORES", f"{source} has no column id, or none with the score.", _HINT)
    entries = {entry.id: entry for entry in result.ranked}
    scores: dict[str, tuple[float, float]] = {}
    for line, cells in rows:
        if cells.problem is not None:
            raise cells.problem
        cell = cells.get("score", "").strip()
        if not cell:
            continue
        entry = entries.get(cells.get("id", "").strip())
        p = chance(entry) if entry is not None else None
        if entry is None or p is None:
            raise UsageError("E_SCREEN_SCORES", f"Line {line} of {source} scores no joke of this list.", _HINT)
        scores[entry.text] = (p, _score(cell, line, source))
    if not scores:
        raise InputError("E_SCREEN_SCORES", f"{source} holds no score yet.", _HINT)
    return scores


def _score(cell: str, line: int, source: str) -> float:
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= BEST:
        raise UsageError("E_SCREEN_SCORES", f"Line {line} of {source} has no score from 0 to 10.", _HINT)
    return value


def calibration_object(scores: OwnScores) -> dict[str, Any]:
    """Return a calibration as in the terminal's JSON."""
    scale = scores.scale()
    return {
        "model": scores.model,
        "scored": len(scores.scores),
        "good_from": scores.good_from,
        "used": scale is not None and scale.kept,
        "scale": scale.model_dump() if scale is not None else None,
    }
