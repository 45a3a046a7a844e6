"""The listeners that a model distinguishes; only these are asked.

Each text gives a listener the log-odds that the listener laughs, less those of an ordinary one. A listener is asked if

* these differences vary over jokes more than those of the ordinary listener in other words, which are noise: the
  ratio of variances is at least 1.54 (F of 60 and 60 texts at 95 %), and
* they are higher on the texts that such a listener likes than on those that the others like: the area under the
  curve, with its standard error after Hanley and McNeil, lies above .5 at 95 %.

A listener that was only described has no texts of its own: it needs only its variance, and a model that distinguishes
half of the shipped listeners.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from ...core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...core.files import model_file, read_json, write_model_file
from ...core.paths import criteria_dir
from ...core.verdicts import Frozen
from ...engine.base import CancelToken, Engine
from ...rubric.audiences import PROMPTS, Audiences, Listener, parse_audiences
from ...rubric.prompts import PromptBuilder, PromptSet, parse_prompts
from ..asking.questions import deviation, for_and_against, mean, yes_no

LISTENER_TEXTS = 60
LEAST_RATIO = 1.54
"""Least ratio of variances."""
_MOST_BYTES = 1 << 20
_OWN = "-own"
_MOST_OWN = 200
"""Number of the user's own listeners whose worth is stored for a model, the newest."""
LISTENERS_UNMEASURED = (
    "It wasn't measured yet whether this model distinguishes listeners (jokejudge models listeners --measure)."
)
SAME = "This model answers for them as it does for anyone."
ASTRAY = "This model's answers for them don't match what such people laugh at."
UNMEASURED_OWN = (
    "It wasn't measured yet whether this model distinguishes them from anyone (jokejudge models listeners --measure)."
)
OWN = "This model distinguishes too few listeners to answer for one of your own."


class ListenerWorth(Frozen):
    """``ratio``: variance of a listener's differences divided by that of the noise; ``area`` 0…1 on the texts that it
    likes, with the lower end ``low`` of its interval, both None for a listener without such texts."""

    ratio: float
    area: float | None = None
    low: float | None = None

    @property
    def reason(self) -> str:
        """Why the listener isn't asked; empty where it is."""
        astray = self.low is not None and self.low <= 0.5
        return SAME if self.ratio < LEAST_RATIO else ASTRAY if astray else ""


class ListenerWorths(Frozen):
    """One model's measurements, by the id of a shipped listener, or the key of one of the user's own. ``version``: of
    the shipped listeners, whose texts all are compared with, and of the prompts; ``texts``: number of texts behind the
    noise, 0 for the user's own."""

    model_sha256: str
    version: str
    texts: int = 0
    worth: dict[str, ListenerWorth]

    @property
    def own(self) -> bool:
        """Whether a listener in the user's own words may be asked: the model must distinguish half of the known
        ones."""
        return 2 * sum(not each.reason for each in self.worth.values()) >= max(1, len(self.worth))


class ListenerFiles:
    """The files of listeners' worth: ``shipped`` with the program, ``own`` on this machine; the latter take
    precedence."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._folders = own, shipped

    def load(self, sha256: str, version: str) -> ListenerWorths | None:
        """Return the measurements with these listeners and prompts; None if there are none, or the file is damaged."""
        found = (_read(folder, sha256, version) for folder in self._folders)
        return next((each for each in found if each is not None), None)

    def save(self, found: ListenerWorths) -> None:
        """Raises ``SettingsError`` ``E_WRITE``."""
        write_model_file(self._folders[0], found.model_dump())

    def load_own(self, sha256: str, version: str) -> Mapping[str, ListenerWorth]:
        """Return the measurements of the user's own listeners, by key; empty where they no longer apply."""
        found = _read(self._folders[0], sha256, version, _OWN)
        return found.worth if found is not None else {}

    def save_own(self, sha256: str, version: str, found: Mapping[str, ListenerWorth]) -> None:
        """Add these to the stored measurements. Raises ``SettingsError`` ``E_WRITE``."""
        kept = {key: each for key, each in self.load_own(sha256, version).items() if key not in found}
        worth = dict(list({**kept, **found}.items())[-_MOST_OWN:])
        own = ListenerWorths(model_sha256=sha256, version=version, worth=worth)
        write_model_file(self._folders[0], own.model_dump(exclude={"texts"}), _OWN)


def _read(folder: Path, sha256: str, version: str, ending: str = "") -> ListenerWorths | None:
    path = model_file(folder, sha256, ending)
    try:
        stat = path.stat()
    except OSError:
        return None
    found = _worths(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return found if found is not None and (found.model_sha256, found.version) == (sha256, version) else None


@lru_cache(16)
def _worths(path: Path, *_state: int) -> ListenerWorths | None:
    """A file's content, read once for each of its states, as the window needs it whenever it draws a verdict."""
    try:
        return ListenerWorths.model_validate(read_json(path, most=_MOST_BYTES))
    except (OSError, ValueError, ValidationError):
        return None


def listener_version() -> str:
    """Return the version of the shipped listeners and prompts. Raises ``CriteriaError``."""
    return f"{parse_audiences().version}-{_prompts().version}"


def _prompts() -> PromptSet:
    return parse_prompts(criteria_dir() / PROMPTS, criteria_dir() / "prompts.rng")


class ListenerAsker:
    """Asks one model whether listeners would laugh."""

    def __init__(self, engine: Engine, audiences: Audiences) -> None:
        """``audiences``: all listeners, including the user's own. Raises ``CriteriaError``."""
        prompts = _prompts()
        self._engine = engine
        self._prompts = PromptBuilder(prompts, engine.frame, {})
        self.audiences = audiences
        self.shipped = parse_audiences()
        self.version = f"{self.shipped.version}-{prompts.version}"

    def ask(self, joke: str, listeners: Sequence[str], cancel: CancelToken | None = None) -> list[float]:
        """Return the log-odds, in nats, that each listener would laugh at a cleaned joke, all asked on one reading of
        it: the mean of a question for and one against. Raises the engine's errors."""
        questions = [
            yes_no(self._prompts.answer("listener", answer, {"listener": words}))
            for words in listeners
            for answer in ("laughs", "cold")
        ]
        found = self._engine.choose(self._prompts.prompt("listener", {"joke": joke}), questions, cancel)
        return [odds.value for odds in for_and_against(found)]

    def measure(
        self, texts: Sequence[str], asked: Sequence[Listener], cancel: CancelToken | None = None
    ) -> Generator[Event, None, dict[Listener, ListenerWorth]]:
        """Measure the worth of these listeners, compared with the texts that the shipped listeners like. ``texts``:
        jokes of all kinds, for the noise."""
        ids = {each.id for each in asked}
        others = [each for each in self.shipped.listeners if each.id not in ids]
        # Liked texts matter only to listeners that have some.
        rivals = [*asked, *others] if any(each.likes for each in asked) else []
        liked = [(text, listener) for listener in rivals for text in listener.likes]
        words = [*self.shipped.anyone, *(listener.words for listener in asked)]
        total = len(texts) + len(liked)
        yield StageStarted(stage=Stage.CALIBRATION, total=total)
        rows: list[list[float]] = []
        for done, text in enumerate([*texts, *(text for text, _ in liked)]):
            note = "asking for each listener"
            yield StageProgress(stage=Stage.CALIBRATION, done=done, total=total, note=note)
            usual, again, *answers = self.ask(text, words, cancel)
            rows.append([again - usual, *(answer - usual for answer in answers)])
        noise = deviation([row[0] for row in rows[: len(texts)]]) ** 2
        worth = {}
        for place, listener in enumerate(asked, start=1):
            spread = deviation([row[place] for row in rows[: len(texts)]]) ** 2
            values = [(row[place], who) for row, (_, who) in zip(rows[len(texts) :], liked, strict=True)]
            own = [value for value, who in values if who == listener]
            # Only shipped listeners among the others, so that the result doesn't depend on what else is measured.
            rest = [value for value, who in values if who != listener and not who.own]
            area, low = area_of(own, rest) if own else (None, None)
            worth[listener] = ListenerWorth(ratio=spread / max(noise, 1e-9), area=area, low=low)
        yield StageFinished(stage=Stage.CALIBRATION, seconds=None)
        return worth


def area_of(own: Sequence[float], rest: Sequence[float]) -> tuple[float, float]:
    """Return the area under the curve, ties half, and the lower end of its 95 % interval (Hanley and McNeil 1982)."""
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in own for b in rest]
    area = mean(wins)
    above, below = area / (2.0 - area), 2.0 * area * area / (1.0 + area)
    variance = area * (1 - area) + (len(own) - 1) * (above - area**2) + (len(rest) - 1) * (below - area**2)
    return area, area - 1.96 * math.sqrt(max(0.0, variance) / len(wins))


def worth_of(
    listener: Listener, worths: ListenerWorths | None, own: Mapping[str, ListenerWorth]
) -> ListenerWorth | None:
    """Return a listener's measured worth; ``own``: of the user's own, by key. None: not measured."""
    if listener.own:
        return own.get(listener.key)
    return worths.worth.get(listener.id) if worths is not None else None


def reason_of(listener: Listener, worths: ListenerWorths | None, own: Mapping[str, ListenerWorth]) -> str:
    """Return why this listener isn't asked; empty where it is."""
    described = listener.own and not listener.likes
    if described and worths is not None and not worths.own:
        return OWN
    found = worth_of(listener, worths, own)
    if found is None or (described and worths is None):
        return UNMEASURED_OWN if listener.own and worths is not None else LISTENERS_UNMEASURED
    return found.reason
