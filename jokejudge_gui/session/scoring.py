"""Scores of texts from one reading each: no second meanings, no notes, no row in the history."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import TypeAlias

from ..core.errors import EngineError, InputError
from ..core.events import Event
from ..core.languages import is_english
from ..core.texts import plain_rejection
from ..engine.base import CancelToken
from ..heads.bare import bare, is_unmarked, parts
from ..heads.told import heard
from ..judge.main_judge import MainJudge
from ..judge.reader import Reader, Standing

Asked: TypeAlias = tuple[str, str]
"""A text and its context, which may be empty."""
Ready: TypeAlias = Callable[[CancelToken | None, int], Generator[Event, None, MainJudge]]
_LIKED = 0.4
"""Least score that a text's parts are read for."""
_WHOLE = 0.7
"""Least chance that a text without its first sentence is complete, from which that sentence adds nothing."""
_WORKS = 0.5
"""Least chance that a widely told part works as a joke by itself."""
_BESIDE = 1e-6
"""By how much a text stands below its part that stands as high."""
_BEHIND = 8
"""Number of texts that are read before the parts of the first of them are, so that other processes have read these."""
MANY = 24
"""Least number of texts for which other processes read, too."""


class Scorer:
    """Scores texts with the judge that ``ready`` loads, in its thread. Other processes that help with long lists stay
    until it is closed, or until the judge has another reader."""

    def __init__(self, ready: Ready) -> None:
        self._ready = ready
        self._of: Reader | None = None
        self._brief: Reader | None = None
        self._ahead = _Ahead()
        self._helpers = ExitStack()

    def standings(
        self, texts: Sequence[Asked], cancel: CancelToken | None = None
    ) -> Generator[Event, None, Iterator[Standing]]:
        """Load the model if there is none, and return an iterator over the texts' standings, in order. A text that
        can't be judged (empty, too long, not English) stands at 0. Raises the errors of loading."""
        judge = yield from self._ready(cancel, len(texts))
        if self._brief is None or self._of is not judge.reader:
            self.close()
            self._of, self._brief = judge.reader, judge.reader.brief()
        return self._read(self._brief, texts, cancel)

    def _read(self, reader: Reader, texts: Sequence[Asked], cancel: CancelToken | None) -> Iterator[Standing]:
        texts = [(_bare(text), context) for text, context in texts]
        self._ahead.extend(texts)
        if len(texts) >= MANY and not self._ahead.open:
            self._ahead.open = True
            self._helpers.enter_context(reader.expecting(self._ahead, len(texts)))
        read = deque[Asked]()
        for text, context in texts:
            read.append((text, context))
            if self._ahead.open and self._alone(reader, text, context, cancel).score > _LIKED:
                self._ahead.extendleft((part, context) for part in parts(text) if part)
            if len(read) > _BEHIND * self._ahead.open:
                yield self._standing(reader, *read.popleft(), cancel)
        for text, context in read:
            yield self._standing(reader, text, context, cancel)

    def _standing(self, reader: Reader, text: str, context: str, cancel: CancelToken | None) -> Standing:
        standing = self._alone(reader, text, context, cancel)
        # What is a joke without a part of the text isn't made a better one by it.
        for number, part in enumerate(parts(text) if standing.score > _LIKED else ()):
            if not part:
                continue
            alone = reader.read(part, cancel, context=context)
            sense = alone.sense and alone.sense.sense
            if sense and sense.joke < _WORKS and (told := heard(part)) is not None and told.settles:
                continue  # told with the rest: by itself it may be a set-up
            if sense and (sense.said == "joke" or (number == 0 and (sense.whole or 0.0) > _WHOLE)):
                most = reader.standing(alone)
                standing = min(standing, most._replace(beside=most.beside - _BESIDE))
        return standing._replace(score=standing.score / 2.0) if is_unmarked(text) else standing

    def _alone(self, reader: Reader, text: str, context: str, cancel: CancelToken | None) -> Standing:
        """Return the standing of a text without a look at its parts."""
        try:
            if plain_rejection(text) is None and is_english(text):
                return reader.standing(reader.read(text, cancel, context=context))
        except (InputError, EngineError) as error:
            if isinstance(error, EngineError) and error.code != "E_CONTEXT":
                raise
        return Standing(0.0, 0.0)

    def close(self) -> None:
        """End the helping processes."""
        self._helpers.close()
        self._ahead = _Ahead()
        self._of = self._brief = None


def _bare(text: str) -> str:
    with suppress(InputError):
        return bare(text)
    return ""


class _Ahead(deque[Asked]):
    """The texts to come, as an iterator that goes on when there are more."""

    open = False

    def __iter__(self) -> Iterator[Asked]:
        return self

    def __next__(self) -> Asked:
        if not self:
            raise StopIteration
        return self.popleft()
