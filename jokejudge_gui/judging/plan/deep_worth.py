"""What Deep is worth beside Quick on a model: measured on jokes that an editor read and on pairs that people voted on,
and kept by model."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from ...files import atomic_write, read_json
from ...verdicts import Asked, Frozen
from .question_keys import QuestionKeys

FORMAT = 1
_MOST_BYTES = 1 << 20
_ASKED = {"checks", "categories", "relevance", "scores", "duel", "check_words", "alone_words", "prose"}
"""Keys of the questions that ratings and duels ask; others may come beside them."""


class Compared(Frozen):
    """A figure of Quick and of Deep on the same ``n`` texts or pairs, −1…1 or a share 0…1; Deep's less Quick's with its
    95 % interval ``low`` … ``high`` (bootstrap over texts, paired)."""

    quick: float = Field(ge=-1, le=1, allow_inf_nan=False)
    deep: float = Field(ge=-1, le=1, allow_inf_nan=False)
    low: float = Field(ge=-2, le=2, allow_inf_nan=False)
    high: float = Field(ge=-2, le=2, allow_inf_nan=False)
    n: int = Field(ge=1, le=10**6)

    @model_validator(mode="after")
    def _in_order(self) -> Compared:
        if not self.low <= self.high:
            raise ValueError("the interval ends before it begins")
        return self

    @property
    def difference(self) -> float:
        return self.deep - self.quick


class Spent(Frozen):
    """What one verdict costs on average: ``tokens`` that went through the model, and ``seconds`` on the machine that
    measured it. Deep's includes Quick's, which is its beginning."""

    tokens: float = Field(ge=0, le=1e9, allow_inf_nan=False)
    seconds: float = Field(ge=0, le=1e6, allow_inf_nan=False)


class Costs(Frozen):
    """What Quick and Deep cost, the constant prompts being read already."""

    quick: Spent
    deep: Spent

    @property
    def times(self) -> float | None:
        """Deep's tokens by Quick's; None where Quick needs none."""
        return self.deep.tokens / self.quick.tokens if self.quick.tokens else None


class DeepRatings(Frozen):
    """Ratings of ``texts`` that an editor read. ``ask``: what was asked, the model's plan or everything; ``factors``:
    mean correlation of the core factors' scores with the reading, over the ``counted`` factors that enough verdicts
    give; ``kinds``: share of jokes whose likeliest kind is one of the reader's; None where too few can be compared.
    ``moved``: share 0…1 of the texts of which Deep changed a score or a kind; ``branches``: further readings a text."""

    ask: Asked
    texts: int = Field(ge=1, le=10**6)
    factors: Compared | None = None
    counted: int = Field(default=0, ge=0, le=1000)
    kinds: Compared | None = None
    costs: Costs
    moved: float = Field(ge=0, le=1, allow_inf_nan=False)
    branches: float = Field(ge=0, le=1e6, allow_inf_nan=False)


class DeepDuels(Frozen):
    """Duels of pairs that people voted on and that share no text; ``right``: share in which the judge prefers the joke
    that people do, ties half. ``moved``: share 0…1 of the pairs of which Deep prefers the other joke."""

    right: Compared
    costs: Costs
    moved: float = Field(ge=0, le=1, allow_inf_nan=False)


class DeepWorth(Frozen):
    """All that was measured of one model. ``questions``: under which wording (``questions_mark``); ``program``: the
    version of JokeJudge that measured it. Ratings are measured once for each ``ask``; duels beside the plan alone, for
    with everything asked Quick asks what Deep asks."""

    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    questions: str = Field(max_length=200)
    program: str = Field(default="", max_length=40)
    ratings: tuple[DeepRatings, ...] = Field(default=(), max_length=2)
    duels: DeepDuels | None = None

    def of(self, ask: Asked) -> DeepRatings | None:
        """What was measured of ratings that ask so."""
        return next((each for each in self.ratings if each.ask == ask), None)

    def with_ratings(self, found: DeepRatings) -> DeepWorth:
        """The same with newly measured ratings in the place of the earlier ones."""
        others = tuple(each for each in self.ratings if each.ask != found.ask)
        return self.replaced(ratings=tuple(sorted((*others, found), key=lambda each: each.ask != "plan")))


def questions_mark(deep_prompts: str, keys: QuestionKeys) -> str:
    """Tells one wording of Quick's and Deep's questions from another. ``deep_prompts``: version of their file."""
    digest = hashlib.sha256(keys.model_dump_json(include=_ASKED).encode("utf-8")).hexdigest()[:16]
    return f"{deep_prompts}/{digest}"


class DeepFiles:
    """Where it lies what was measured: ``shipped`` with the program, ``own`` on this machine, the latter first."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._folders = own, shipped

    def load(self, sha256: str) -> DeepWorth | None:
        """None where nothing was measured; a file that can't be true counts as none."""
        for folder in self._folders:
            try:
                data = read_json(folder / f"{sha256[:16]}.json", most=_MOST_BYTES)
                if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
                    continue
                found = DeepWorth.model_validate(data)
            except (OSError, ValueError, ValidationError, RecursionError):
                continue
            if found.model_sha256 == sha256:
                return found
        return None

    def save(self, found: DeepWorth) -> Path:
        """Write it among the user's own and return where. Raises ``SettingsError``."""
        path = self._folders[0] / f"{found.model_sha256[:16]}.json"
        content = {"format": FORMAT, **found.model_dump(mode="json", exclude_none=True)}
        atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return path
