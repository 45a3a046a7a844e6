"""A set in words: its page, and the sheet for the stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any, ClassVar

from ...core.errors import InputError
from ...core.events import Event
from ...core.languages import NOT_ENGLISH, is_english
from ...core.pages import Mark, MarkedText, Page, Row, Table
from ...core.texts import listed
from ...core.verdict_kinds import Subject, dumped, foot_of, notes_of
from ...core.words import WORD, a_minute, quoted_words, sentences
from ..judged_kind import JudgedKind, Work, part_by_part, without_events
from ..rating.kind import RATING
from ..rating.record import RatingRequest, RatingResult
from ..rating.words import room_row, sure_turn
from .record import Bit, SetRequest, SetResult

_FIRST, _LAST, _LONGEST = 6, 5, 16
"""Numbers of words by which a bit is named, and by which its end is where no punchline was heard; the most of its first
sentence that are shown."""
_FILE_NAME = 40
"""The most characters of the name of a set's file."""
_EVEN = 5.0
"""Seconds by which a set may miss its time."""
_HEAD = ("", "Bit", "Begins", "Punchline, or last words", "Seconds", "Total")


def minutes_in_words(seconds: float) -> str:
    """ "4 min 32 s", "45 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return " ".join(filter(None, (f"{minutes} min" if minutes else "", f"{rest} s" if rest or not minutes else "")))


def name_of(result: SetResult) -> str:
    """Return the set's name, or that of the bit that was given first, wherever it is, and the number of the others."""
    if result.title or not result.bits:
        return result.title or "Set"
    others = len(result.bits) - 1
    return f"{bit_name(min(result.bits, key=lambda bit: int(bit.id)))}{f' and {others} more' if others else ''}"


def file_name(result: SetResult) -> str:
    """Return the set's name as that of a file without its ending: whole words, at most 40 characters."""
    words = re.sub(r"[^\w\s'’&,-]", " ", name_of(result).partition("…")[0])
    return shorten(words, _FILE_NAME, placeholder="").strip(" ,-") or "Set"


def bit_name(bit: Bit) -> str:
    return bit.title or _begin(bit, 0, len(bit.text), _FIRST)


def _begin(bit: Bit, start: int, end: int, most: int) -> str:
    """Return a part of the text on one line, of a longer one its first words."""
    words = [*WORD.finditer(bit.text, start, end)]
    return _between(bit, start, end) if len(words) <= most else f"{_between(bit, start, words[most - 1].end())} …"


def last_words(bit: Bit) -> str:
    """Return the punchline, or else the words with which a bit ends."""
    if bit.punchline is not None and (words := quoted_words(bit.punchline.text)):
        return words
    spans = [*WORD.finditer(bit.text)]
    return f"… {_between(bit, spans[-_LAST].start(), len(bit.text))}" if len(spans) > _LAST else ""


def _between(bit: Bit, start: int, end: int) -> str:
    return " ".join(bit.text[start:end].split())


def time_in_words(result: SetResult) -> str:
    """Return how the set stands to the time to fill; empty without one."""
    if result.minutes is None or result.left is None:
        return ""
    of = f"{result.minutes:g} minute{'' if result.minutes == 1 else 's'}"
    if abs(result.left) < _EVEN:
        return f"just {of}"
    return f"{minutes_in_words(abs(result.left))} {'under' if result.left > 0 else 'over'} {of}"


def glance(result: SetResult) -> Page:
    """Return the set in words for a row of a list."""
    headline = (
        f"{len(result.bits)} bit{'' if len(result.bits) == 1 else 's'}, {minutes_in_words(result.spoken)} of words"
    )
    return Page(", ".join(filter(None, (headline, time_in_words(result)))), badge=str(len(result.bits)))


def page(result: SetResult) -> Page:
    """Return a set in words: how long it is, what comes back, where the laughs are, and every bit."""
    facts = Row(" · ".join(filter(None, (result.title, f"{result.words:,} words"))), quiet=True)
    return replace(
        glance(result),
        notes=(*notes_of(result), *([] if all(is_english(bit.text) for bit in result.bits) else [NOT_ENGLISH])),
        texts=tuple(marked(result, number) for number in range(len(result.bits))),
        rows=(facts, *_rows(result)),
        tables=(Table("", _HEAD[:2] + _HEAD[3:], tuple(line[:2] + line[3:] for line in lines(result))),),
        foot=foot_of(result),
    )


def _rows(result: SetResult) -> Iterator[Row]:
    for place, (bit, back) in enumerate(zip(result.bits, result.callbacks(), strict=True), 1):
        for of in dict.fromkeys(of for _, _, of in back):
            its = [f"“{bit.text[start:end].lower()}”" for start, end, one in back if one == of]
            yield Row(f"{listed(its)} from {of + 1} come{'s' * (len(its) == 1)} back in {place}.", "Callback")
    if long := [bit for bit in result.bits if bit.laughs]:
        likely = sum(laugh.mark == "likely" for bit in long for laugh in bit.laughs)
        yield Row(_rate("likely", likely, long, result, "in the longer bits ({})"), "Laughs")
    if roomed := [bit for bit in result.bits if bit.room]:
        laughs = sum(len(bit.room) for bit in roomed)
        words = _rate("laugh" if laughs == 1 else "laughs", laughs, roomed, result)
        numbered = enumerate(result.bits, 1)
        rows = (room_row(str(number), bit.text, bit.laughs, bit.room) for number, bit in numbered if bit.room)
        yield Row(words, "Your room", rows=tuple(rows))
    for number, bit in enumerate(result.bits, 1):
        if bit.error is not None:
            yield Row(str(bit.error), f"{number} not read")


def _rate(what: str, count: int, bits: Sequence[Bit], result: SetResult, where: str = "in {} bits") -> str:
    """ "9 laughs, 3.1 a minute, in 3 of 12 bits." """
    these = "" if len(bits) == len(result.bits) else ", " + where.format(f"{len(bits)} of {len(result.bits)}")
    return f"{count} {what}{a_minute(count, sum(bit.spoken for bit in bits))}{these}."


def marked(result: SetResult, number: int) -> MarkedText:
    """Return the bit with this index, with its punchline and the words that come back."""
    bit = result.bits[number]
    turn = (Mark(bit.punchline.start, bit.punchline.end, "turn"),) if bit.punchline is not None else ()
    back = (Mark(start, end, "callback") for start, end, _ in result.callbacks()[number])
    return MarkedText(bit.text, f"{number + 1} {bit.title}".strip(), (*turn, *back))


def sheet(result: SetResult) -> Page:
    """Return the sheet for the stage: one line a bit."""
    rows = tuple(lines(result))
    columns = [column for column, name in enumerate(_HEAD) if name != "Begins" or any(row[column] for row in rows)]
    shown = (tuple(row[column] for column in columns) for row in (_HEAD, *rows))
    return Page(glance(result).headline, tables=(Table("", next(shown), tuple(shown)),))


def lines(result: SetResult) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each bit: number, name, first words under a title, punchline, seconds, time at its end."""
    for number, (bit, (seconds, total)) in enumerate(zip(result.bits, result.times(), strict=True), 1):
        begins = ""
        if not bit.text.casefold().startswith(bit.title.casefold()):  # the first sentence
            begins = _begin(bit, *(sentences(bit.text)[0] if WORD.search(bit.text) else (0, len(bit.text))), _LONGEST)
        clock = f"{total // 60}:{total % 60:02}"
        yield str(number), bit_name(bit), begins, last_words(bit), str(seconds), clock


def bit_fields(result: SetResult) -> list[dict[str, Any]]:
    """Return the bits for the JSON object, in their order."""
    back, times = result.callbacks(), [*result.times()]
    return [
        {
            **bit.model_dump(include={"id", "title", "text"}),
            "words": bit.words,
            "seconds": times[number][0],
            "total": times[number][1],
            "callbacks": [
                {"start": start, "end": end, "text": bit.text[start:end], "of": result.bits[of].id}
                for start, end, of in back[number]
            ],
            **bit.model_dump(include={"punchline", "laughs", "room", "rating", "error"}),
        }
        for number, bit in enumerate(result.bits)
    ]


Step = Event | SetResult
MOST_BITS = 200


class SetKind(JudgedKind[SetRequest, SetResult]):
    """An ordered list of bits for the stage."""

    name: ClassVar[str] = "set"
    noun: ClassVar[str] = "set"
    verb: ClassVar[str] = "Set"
    request = SetRequest
    result = SetResult

    def subjects(self, request: SetRequest) -> tuple[Subject, ...]:
        """Return one text with all bits under the set's name, so that a search for any of them finds it."""
        lines = [name_of(self.empty(request, "")), *(bit.text for bit in request.bits)]
        return (Subject(text="\n".join(lines)),)

    def given(self, result: SetResult) -> dict[str, Any]:
        return {"bits": tuple(bit.given for bit in result.bits)}

    def run(self, draft: SetResult, request: SetRequest, work: Work) -> Iterator[Step]:
        """Read the bits that aren't known yet. A bit that can't be read has its own error; an error that would stop
        every other one too is raised."""
        if not 1 <= (count := len(request.bits)) <= MOST_BITS:
            raise InputError(
                "E_SET_BITS", f"A set has 1 to {MOST_BITS} bits; this one has {count}.", "Choose its bits."
            )
        draft.calibrated = True
        yield from part_by_part(draft, "bits", "Reading the bits", lambda bit: _rated(bit, request, work))

    def contract(self, result: SetResult) -> dict[str, Any]:
        return {
            **dumped(result, "id", "title", "minutes"),
            "words": result.words,
            "seconds": round(result.spoken),
            "left": None if result.left is None else round(result.left),
            "bits": bit_fields(result),
            **result.contract_end(),
        }

    def words(self, result: SetResult) -> Page:
        return page(result)

    def glance(self, result: SetResult) -> Page:
        return glance(result)

    def columns(self, result: SetResult) -> dict[str, object]:
        return {"text_a": name_of(result), "bits": len(result.bits), "seconds": round(result.spoken)}


def _rated(bit: Bit, request: SetRequest, work: Work) -> Bit:
    # It is going to be told, whatever a check finds, and nobody asks for edits of it here.
    asked = RatingRequest(
        text=bit.text, room=bit.room, forced=True, edits=False, explain=False, mode=request.mode, ask=request.ask,
        seed=request.seed,
    )  # fmt: skip
    rating: RatingResult = without_events(work.child(RATING, asked))
    return bit.replaced(rating=rating.id, punchline=sure_turn(rating), laughs=rating.laughs, error=None)


SET = SetKind()
