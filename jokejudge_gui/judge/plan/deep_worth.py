"""Deep's worth compared with Quick on a model: measured on jokes that an editor read and on pairs that people voted on,
and stored by model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError, model_validator

from ...core.files import read_model_file, write_model_file
from ...core.verdicts import Asked, Frozen
from .question_keys import QuestionKeys

FORMAT = 1
_MOST_BYTES = 1 << 20
_ASKED = {"checks", "categories", "relevance", "scores", "duel", "prose"}
"""Keys of the questions that ratings and duels ask; there may be others."""


class ModeComparison(Frozen):
    """A measure of Quick and of Deep on the same ``n`` texts or pairs, −1…1 or a share 0…1; the difference Deep − Quick
    has the 95 % interval ``low`` … ``high`` (bootstrap over texts, paired)."""

    quick: float = Field(ge=-1, le=1, allow_inf_nan=False)
    deep: float = Field(ge=-1, le=1, allow_inf_nan=False)
    low: float = Field(ge=-2, le=2, allow_inf_nan=False)
    high: float = Field(ge=-2, le=2, allow_inf_nan=False)
    n: int = Field(ge=1, le=10**6)

    @model_validator(mode="after")
    def _in_order(self) -> ModeComparison:
        if not self.low <= self.high:
            raise ValueError("the interval ends before it begins")
        return self

    @property
    def difference(self) -> float:
        return self.deep - self.quick


class Spent(Frozen):
    """The mean cost of one verdict: ``tokens`` read or written by the model, and ``seconds`` on the machine that
    measured it. Deep's cost includes Quick's, which comes first."""

    tokens: float = Field(ge=0, le=1e9, allow_inf_nan=False)
    seconds: float = Field(ge=0, le=1e6, allow_inf_nan=False)


class Costs(Frozen):
    """The costs of Quick and Deep, without reading the constant prompts."""

    quick: Spent
    deep: Spent

    @property
    def times(self) -> float | None:
        """Deep's tokens divided by Quick's; None where Quick needs none."""
        return self.deep.tokens / self.quick.tokens if self.quick.tokens else None


class DeepRatings(Frozen):
    """Ratings of ``texts`` that an editor read. ``ask``: the questions, by the model's plan or all; ``factors``: mean
    correlation of the core factors' scores with the reading, over the ``counted`` factors scored in enough verdicts;
    ``kinds``: share of jokes whose likeliest kind is one of the reader's; None where too few can be compared.
    ``moved``: share 0…1 of the texts for which Deep changed a score or a kind; ``branches``: further readings per
    text."""

    ask: Asked
    texts: int = Field(ge=1, le=10**6)
    factors: ModeComparison | None = None
    counted: int = Field(default=0, ge=0, le=1000)
    kinds: ModeComparison | None = None
    costs: Costs
    moved: float = Field(ge=0, le=1, allow_inf_nan=False)
    branches: float = Field(ge=0, le=1e6, allow_inf_nan=False)


class DeepDuels(Frozen):
    """Duels of pairs that people voted on and that share no text; ``right``: share in which the judge prefers the same
    joke as people, ties half. ``moved``: share 0…1 of the pairs for which Deep prefers the other joke."""

    right: ModeComparison
    costs: Costs
    moved: float = Field(ge=0, le=1, allow_inf_nan=False)


class DeepWorth(Frozen):
    """All measurements of one model. ``questions``: version of the wording (``questions_mark``); ``program``: the
    version of JokeJudge that measured it. Ratings are measured once for each ``ask``; duels only with the plan, as
    Quick with everything asked is the same as Deep."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    questions: str = Field(max_length=200)
    program: str = Field(default="", max_length=40)
    ratings: tuple[DeepRatings, ...] = Field(default=(), max_length=2)
    duels: DeepDuels | None = None

    def of(self, ask: Asked) -> DeepRatings | None:
        return next((each for each in self.ratings if each.ask == ask), None)

    def with_ratings(self, found: DeepRatings) -> DeepWorth:
        """Return a copy with newly measured ratings in place of the earlier ones."""
        others = tuple(each for each in self.ratings if each.ask != found.ask)
        return self.replaced(ratings=tuple(sorted((*others, found), key=lambda each: each.ask != "plan")))


def questions_mark(deep_prompts: str, keys: QuestionKeys) -> str:
    """Return a version mark of Quick's and Deep's questions. ``deep_prompts``: version of their file."""
    digest = hashlib.sha256(keys.model_dump_json(include=_ASKED).encode("utf-8")).hexdigest()[:16]
    return f"{deep_prompts}/{digest}"


class DeepFiles:
    """The files of Deep's worth: ``shipped`` with the program, ``own`` on this machine; the latter take precedence."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._folders = own, shipped

    def load(self, sha256: str) -> DeepWorth | None:
        """Return a model's measurements; None if there are none, or the file is invalid."""
        for folder in self._folders:
            data = read_model_file(folder, sha256, format=FORMAT, most=_MOST_BYTES)
            data.pop("format", None)
            with suppress(ValidationError, RecursionError):
                return DeepWorth.model_validate(data)
        return None

    def save(self, found: DeepWorth) -> Path:
        """Write measurements to the user's own and return the path. Raises ``SettingsError``."""
        content = {"format": FORMAT, **found.model_dump(mode="json", exclude_none=True)}
        return write_model_file(self._folders[0], content)


# -- Deep's worth in words

TITLE = "Deep against Quick"
DEEP_UNMEASURED = "What Deep adds to Quick wasn't measured on this model."
REWORDED = "Its questions were reworded since, so these figures are of the earlier ones."
_WAYS: dict[Asked, str] = {"plan": "", "all": "with every question asked"}


class Row(NamedTuple):
    """A line of the table: the verdicts (``section``) and the measure, Quick's value, Deep's, their difference with its
    interval, and the number of texts or pairs."""

    section: str
    name: str
    quick: str
    deep: str
    difference: str
    n: int


def verdict_line(found: DeepWorth | None, ask: Asked) -> str:
    """Return a sentence on the worth of ratings with this ``ask``; empty where it wasn't measured."""
    ratings = found.of(ask) if found is not None else None
    if ratings is None:
        return ""
    if not ratings.moved:
        # The verdict itself says that nothing is asked, and why.
        return f"Measured on {ratings.texts} jokes: Deep's scores and kinds are Quick's, at {_times(ratings.costs)}."
    return ratings_line(ratings)


def lines(found: DeepWorth, mark: str = "") -> tuple[str, ...]:
    """Return a sentence for each part of the measurements. ``mark``: of today's questions; empty: unknown."""
    said = [ratings_line(each) for each in found.ratings]
    if found.duels is not None:
        said.append(duels_line(found.duels))
    if mark and found.questions != mark:
        said.append(REWORDED)
    return tuple(said)


def ratings_line(found: DeepRatings) -> str:
    way = f", {_WAYS[found.ask]}," if _WAYS[found.ask] else ""
    at = f"at {_times(found.costs)}, measured on {found.texts} jokes that an editor read"
    if not found.moved:
        return f"On this model{way} Deep adds nothing to ratings: scores and kinds are Quick's, {at}."
    said = _judged([("scores", found.factors), ("kinds", found.kinds)])
    if not said:
        some = f"Deep changes {100 * found.moved:.0f} of 100 ratings"
        return f"On this model{way} {some}, {at}; whether for the better can't be told."
    return f"On this model{way} {said}, {at}."


def duels_line(found: DeepDuels) -> str:
    at = f"at {_times(found.costs)}, measured on {found.right.n} pairs that people voted on"
    if not found.moved:
        return f"In duels Deep prefers the same joke as Quick each time, {at}."
    return f"In duels {_judged([('preferences', found.right)])}, {at}."


def rows(found: DeepWorth) -> Iterator[Row]:
    for each in found.ratings:
        section = f"Ratings {_WAYS[each.ask]}".strip()
        if each.factors is not None:
            yield _row(section, "Scores, correlation with an editor's", each.factors)
        if each.kinds is not None:
            yield _row(section, "Likeliest kind is one of an editor's", each.kinds)
        yield _cost(section, "Tokens a rating", each.costs, each.texts)
    if found.duels is not None:
        yield _row("Duels", "As people voted", found.duels.right)
        yield _cost("Duels", "Tokens a duel", found.duels.costs, found.duels.right.n)


def figure(value: float, *, signed: bool = False) -> str:
    """Format as ``.57``, ``-.02``, ``1.00``; signed as ``+.02``, and as ``.00`` for zero."""
    text = f"{value:.2f}"
    text = "0.00" if text == "-0.00" else text
    sign = "+" if signed and float(text) > 0 else ""
    return sign + text.replace("0.", ".", 1)


def between(found: ModeComparison) -> str:
    """Format as ``+.02 (-.01 to +.05)``."""
    low, high = figure(found.low, signed=True), figure(found.high, signed=True)
    return f"{figure(found.difference, signed=True)} ({low} to {high})"


def _row(section: str, name: str, found: ModeComparison) -> Row:
    return Row(section, name, figure(found.quick), figure(found.deep), between(found), found.n)


def _cost(section: str, name: str, costs: Costs, n: int) -> Row:
    times = f"× {costs.times:.1f}" if costs.times is not None else ""
    return Row(section, name, f"{costs.quick.tokens:,.0f}", f"{costs.deep.tokens:,.0f}", times, n)


def _judged(parts: list[tuple[str, ModeComparison | None]]) -> str:
    """A sentence on the parts that Deep improves, makes worse or leaves undecided; empty where none was measured."""
    better = [name for name, found in parts if found is not None and found.low > 0]
    worse = [name for name, found in parts if found is not None and found.high < 0]
    unsure = [name for name, found in parts if found is not None and found.low <= 0 <= found.high]
    said = []
    if better:
        said.append(f"Deep's {' and '.join(better)} are better than Quick's")
    if worse:
        what = " and ".join(worse)
        said.append(f"its {what} are worse" if said else f"Deep's {what} are worse than Quick's")
    if unsure:
        rest = " and ".join(unsure)
        if said:
            said.append(f"of {rest} it can't be told whether they are")
        else:
            said.append(f"it can't be told that Deep adds anything to {rest}")
    return "; ".join(said)


def _times(costs: Costs) -> str:
    return f"{costs.times:.1f} times Quick's tokens" if costs.times is not None else f"{costs.deep.tokens:,.0f} tokens"
