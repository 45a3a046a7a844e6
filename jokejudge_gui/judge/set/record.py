"""A set: its request and its record, an ordered list of bits. What depends on their order is counted when it is asked
for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from ...core.errors import ErrorInfo
from ...core.room import RoomLaugh, into_room
from ...core.texts import clean_text, word_set
from ...core.verdict_kinds import Request, repeated
from ...core.verdicts import Frozen, Laugh, Span, VerdictResult
from ...core.words import SPOKEN_PER_SECOND, WORD
from ...heads.features import STOP_WORDS
from ...heads.words import stem, words_named

_SHORTEST = 3
"""Least number of letters of a word that may come back."""
_BEFORE_LAUGH = 12
"""Number of words before a laugh that count as a punchline."""
_SUBJECT = 3
"""A word in more bits than this is what the set is about."""
_LISTS = STOP_WORDS | words_named("common") | words_named("plain at an end") | words_named("general")
_OTHERS = (
    "against along among around away back before behind between beyond days down during else enough find first give "
    "good keep know last leave left let like little look make need new next night old own people put right run see "
    "show since still take talk tell think through time today try turn under until use want way while whole without "
    "work year years"
)
_LIST_MARK = re.compile(r"\s*(?:[*•]\s+)?\(?\d{1,3}[.)]\s+|\s*[*•]\s+")
_HEADING = re.compile(r"\s*(#*)[ \t]*(\S+(?:[ \t]+\S+){0,7})[ \t]*\n\s*(?=\S)")
_USUAL = frozenset(map(stem, _LISTS | word_set(_OTHERS))) | _LISTS
"""Words that nearly every text has, and their stems."""


class Bit(Frozen):
    """A bit, as given and with its findings. ``title``: the writer's own; ``room``: where a room laughed; ``rating``:
    id of its own verdict, None before it is read; ``punchline``: the words on which it turns, where they are sure
    enough; ``laughs``: of a longer one, the chance of a laugh after each sentence."""

    id: str
    text: Annotated[str, AfterValidator(clean_text)]
    title: str = ""
    room: tuple[RoomLaugh, ...] = ()
    rating: str | None = None
    punchline: Span | None = None
    laughs: tuple[Laugh, ...] = ()
    error: ErrorInfo | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_marks(cls, given: Any) -> Any:
        return into_room(given)

    @property
    def given(self) -> Bit:
        """The bit without its findings."""
        return Bit(id=self.id, text=self.text, title=self.title, room=self.room)

    @property
    def words(self) -> int:
        return sum(1 for _ in WORD.finditer(self.text))

    @property
    def spoken(self) -> float:
        """The seconds that it takes to speak."""
        return self.words / SPOKEN_PER_SECOND

    def punchlines(self) -> Iterator[str]:
        """Yield the punchline, and the last words before each laugh of the room and each likely one."""
        if self.punchline is not None:
            yield self.punchline.text
        likely = (laugh.end for laugh in self.laughs if laugh.mark == "likely")
        for end in (*likely, *(laugh.at for laugh in self.room)):
            yield " ".join(WORD.findall(self.text, 0, end)[-_BEFORE_LAUGH:])


class SetResult(VerdictResult):
    """The bits in the order of the set. ``minutes``: the time to fill, None without one; ``contest``: id of the contest
    whose kept jokes they are."""

    kind: ClassVar[str] = "set"
    title: str = ""
    bits: tuple[Bit, ...] = ()
    minutes: float | None = None
    contest: str | None = None

    @property
    def words(self) -> int:
        return sum(bit.words for bit in self.bits)

    @property
    def spoken(self) -> float:
        """The seconds that it takes to speak."""
        return self.words / SPOKEN_PER_SECOND

    @property
    def left(self) -> float | None:
        """The seconds that are left of the time to fill; negative: it is over by as many."""
        return None if self.minutes is None else 60.0 * self.minutes - self.spoken

    def made_of(self, bits: Sequence[Bit], contest: str | None) -> bool:
        """Whether the set was made of these bits in this order, whatever their order is by now, kept in this contest,
        and each of them was read."""
        made = sorted(self.bits, key=lambda bit: int(bit.id))
        same = [(bit.text, bit.room) for bit in made] == [(bit.text, bit.room) for bit in bits]
        return same and self.contest == contest and all(bit.rating for bit in made)

    def times(self) -> Iterator[tuple[int, int]]:
        """Yield each bit's seconds and those up to its end, whole ones that add up."""
        ends = [round(end) for end in accumulate(bit.spoken for bit in self.bits)]
        return ((end - before, end) for before, end in zip((0, *ends), ends, strict=False))

    def callbacks(self) -> list[list[tuple[int, int, int]]]:
        """Return for each bit the words of earlier punchlines that come back, by their stems: start and end of the
        first place of each (characters), and the index of the bit from whose punchline it comes. Words that nearly
        every text has are left out, and those that more than ``_SUBJECT`` bits have."""
        places = [_content(bit.text) for bit in self.bits]
        told: dict[str, int] = {}
        back = []
        for number, (bit, words) in enumerate(zip(self.bits, places, strict=True)):
            again = [word for word in words if word in told and sum(word in one for one in places) <= _SUBJECT]
            back.append([(*words[word], told[word]) for word in again])
            for word in (word for line in bit.punchlines() for word in _content(line)):
                told.setdefault(word, number)
        return back


def _content(text: str) -> dict[str, tuple[int, int]]:
    """Return the stems of a text's content words, each with its first place."""
    places: dict[str, tuple[int, int]] = {}
    for match in WORD.finditer(text):
        word = match[0].lower().replace("’", "'").removesuffix("'s")
        if len(word) >= _SHORTEST and word.isalpha() and not {word, stem(word)} & _USUAL:
            places.setdefault(stem(word), match.span())
    return places


class SetRequest(Request):
    """Bits in their order; those that have their findings aren't read again. ``title``: the set's name."""

    title: str = Field(default="", max_length=200)
    bits: tuple[Bit, ...] = ()
    minutes: float | None = Field(default=None, gt=0.0, le=600.0)
    contest: str | None = None

    @classmethod
    def of(cls, texts: Sequence[str | tuple[str, str]], **options: Any) -> Self:
        """Make a request from texts, or pairs of a title and a text. A first line in capitals, or with a # before it,
        is the title; a number or bullet before either goes. Raises the fields' errors."""
        return cls.model_validate({"bits": _added((), texts), **options})

    @classmethod
    def going_on(cls, result: SetResult, texts: Sequence[str | tuple[str, str]] = (), **options: Any) -> Self:
        """Make a request from the bits of ``result`` and more of them. Raises the fields' errors."""
        given = {"bits": _added(result.bits, texts), "continues": result.id}
        return cls.model_validate({**repeated(cls, result), **given, **options})


def _added(bits: Sequence[Bit], texts: Sequence[str | tuple[str, str]]) -> list[dict[str, Any]]:
    added = [dict(bit) for bit in bits]
    first = max((int(bit.id) for bit in bits if bit.id.isdecimal()), default=0) + 1
    for number, one in enumerate(texts, first):
        title, text = (
            part[mark.end() :] if (mark := _LIST_MARK.match(part)) else part
            for part in (("", one) if isinstance(one, str) else one)
        )
        if (heading := _HEADING.match(text)) and (heading[1] or heading[2].isupper()):
            title, text = heading[2], text[heading.end() :]
        added.append({"id": str(number), "title": title, "text": text})
    return added
