"""Whether a model can tell one listener from another: a listener is asked only where it can.

Each text gives a listener the log-odds that the listener laughs, less those of an ordinary one. A listener counts where

* these differences spread over jokes more than those of the ordinary listener in other words do, which is noise: their
  variances stand as 1.54 to 1 or more (F of 60 and 60 texts at 95 %), and
* they are higher on the texts that such a listener likes than on those that the others like: the area under the curve,
  with its standard error after Hanley and McNeil, lies above .5 at 95 %.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from ...engine.base import CancelToken, Engine
from ...events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...files import atomic_write, read_json
from ...paths import criteria_dir
from ...rubric.audiences import PROMPTS, Audiences, parse_audiences
from ...rubric.prompts import PromptBuilder, PromptSet, parse_prompts
from ...verdicts import Frozen
from ..asking.answers import deviation, mean, yes_log_odds, yes_no

TEXTS = 60
LEAST_RATIO = 1.54
"""Of variances."""
_MOST_BYTES = 1 << 20
UNMEASURED = "It wasn't measured yet whether this model tells listeners apart (jokejudge models listeners --measure)."
SAME = "This model answers for them as it does for anyone."
ASTRAY = "What this model answers for them doesn't follow what such people laugh at."
OWN = "This model tells too few listeners apart to speak for one of your own."


class ListenerWorth(Frozen):
    """``ratio``: variance of a listener's differences by that of the noise; ``area`` 0…1 on the texts that it likes,
    with the lower end ``low`` of its interval."""

    ratio: float
    area: float
    low: float

    @property
    def reason(self) -> str:
        """Why the listener isn't asked; empty where it is."""
        return SAME if self.ratio < LEAST_RATIO else ASTRAY if self.low <= 0.5 else ""


class ListenerWorths(Frozen):
    """What was measured of one model, by listener. ``version``: of the listeners and of the prompts."""

    model_sha256: str
    version: str
    texts: int
    worth: dict[str, ListenerWorth]

    @property
    def own(self) -> bool:
        """Whether a listener that was written freely may be asked: half of the known ones must be told apart."""
        return 2 * sum(not each.reason for each in self.worth.values()) >= max(1, len(self.worth))


class ListenerFiles:
    """Where it lies what was measured: ``shipped`` with the program, ``own`` on this machine, the latter first."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._folders = own, shipped

    def load(self, sha256: str, version: str) -> ListenerWorths | None:
        """None where nothing was measured with these listeners and prompts; a damaged file counts as none."""
        for folder in self._folders:
            try:
                found = ListenerWorths.model_validate(read_json(folder / f"{sha256[:16]}.json", most=_MOST_BYTES))
            except (OSError, ValueError, ValidationError):
                continue
            if (found.model_sha256, found.version) == (sha256, version):
                return found
        return None

    def save(self, found: ListenerWorths) -> None:
        """Raises ``SettingsError`` ``E_WRITE``."""
        path = self._folders[0] / f"{found.model_sha256[:16]}.json"
        atomic_write(path, json.dumps(found.model_dump(), indent=1) + "\n")


def listener_version() -> str:
    """Of the listeners and of the prompts that ship. Raises ``CriteriaError``."""
    return f"{parse_audiences().version}-{_prompts().version}"


def _prompts() -> PromptSet:
    return parse_prompts(criteria_dir() / PROMPTS, criteria_dir() / "prompts.rng")


class ListenerAsker:
    """Asks one model whether listeners would laugh."""

    def __init__(self, engine: Engine, audiences: Audiences) -> None:
        """Raises ``CriteriaError``."""
        prompts = _prompts()
        self._engine = engine
        self._prompts = PromptBuilder(prompts, engine.frame, {})
        self.audiences = audiences
        self.version = f"{audiences.version}-{prompts.version}"

    def ask(self, joke: str, listeners: Sequence[str], cancel: CancelToken | None = None) -> list[float]:
        """Log-odds, in nats, that each of these would laugh at a cleaned joke, all asked on one reading of it: the mean
        of a question for and one against. Raises what the engine raises."""
        questions = [
            yes_no(self._prompts.answer("listener", answer, {"listener": words}))
            for words in listeners
            for answer in ("laughs", "cold")
        ]
        found = self._engine.choose(self._prompts.prompt("listener", {"joke": joke}), questions, cancel)
        odds = [yes_log_odds(choice) for choice in found]
        return [(laughs - cold) / 2.0 for laughs, cold in zip(odds[::2], odds[1::2], strict=True)]

    def measure(
        self, sha256: str, texts: Sequence[str], cancel: CancelToken | None = None
    ) -> Generator[Event, None, ListenerWorths]:
        """What each listener is worth. ``texts``: jokes of all kinds, by which noise is known."""
        known = self.audiences.listeners
        liked = [(text, listener.id) for listener in known for text in listener.likes]
        words = [*self.audiences.anyone, *(listener.words for listener in known)]
        yield StageStarted(stage=Stage.CALIBRATION, total=len(texts) + len(liked))
        rows: list[list[float]] = []
        for done, text in enumerate([*texts, *(text for text, _ in liked)]):
            note = "asking for each listener"
            yield StageProgress(stage=Stage.CALIBRATION, done=done, total=len(texts) + len(liked), note=note)
            usual, again, *others = self.ask(text, words, cancel)
            rows.append([again - usual, *(other - usual for other in others)])
        noise = deviation([row[0] for row in rows[: len(texts)]]) ** 2
        worth = {}
        for place, listener in enumerate(known, start=1):
            spread = deviation([row[place] for row in rows[: len(texts)]]) ** 2
            own = [row[place] for row, (_, id) in zip(rows[len(texts) :], liked, strict=True) if id == listener.id]
            rest = [row[place] for row, (_, id) in zip(rows[len(texts) :], liked, strict=True) if id != listener.id]
            area, low = area_of(own, rest)
            worth[listener.id] = ListenerWorth(ratio=spread / max(noise, 1e-9), area=area, low=low)
        yield StageFinished(stage=Stage.CALIBRATION, seconds=None)
        return ListenerWorths(model_sha256=sha256, version=self.version, texts=len(texts), worth=worth)


def area_of(own: Sequence[float], rest: Sequence[float]) -> tuple[float, float]:
    """Area under the curve, ties counted half, and the lower end of its 95 % interval (Hanley and McNeil 1982)."""
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in own for b in rest]
    area = mean(wins)
    above, below = area / (2.0 - area), 2.0 * area * area / (1.0 + area)
    variance = area * (1 - area) + (len(own) - 1) * (above - area**2) + (len(rest) - 1) * (below - area**2)
    return area, area - 1.96 * math.sqrt(max(0.0, variance) / len(wins))


def reasons(audiences: Audiences, worths: ListenerWorths | None) -> Mapping[str, str]:
    """Why each listener isn't asked, by id; empty sentences for those that are."""
    known = worths.worth if worths is not None else {}
    return {each.id: known[each.id].reason if each.id in known else UNMEASURED for each in audiences.listeners}
