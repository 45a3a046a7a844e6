"""The rows of an evaluation one by one, as a table for other programs: what people said and what the judge said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from ..history.writing import CsvLines
from ..verdicts import Frozen, Side, Winner, side_of
from .evaluation_types import LabelledPair, LabelledText, PairAnswer, TextAnswer
from .reading_labels import ReadText
from .reference import ReferenceAnswer, kind_hit


class Item(Frozen):
    """A row that was drawn. ``file``: the labelled file's name, ``row``: the row's id in it, else its place from 1
    among the rows that can be used. People's side: ``winner`` and votes, or ``rating`` and ``is_humor`` (0, 1); the
    judge's: the fields from ``judge`` (its winner) on. ``right`` is 1, ½ for even odds, or 0: of a pair whether it
    leans to people's winner, of a text whether admission goes with ``is_humor``. ``error``: the code of the error that
    stands for an answer, empty if there is none. Of a ``reading``: the reader's ``kinds`` and ``turn`` (several are
    parted by `` / ``), the verdict's ``judge_kinds`` (those named) and ``judge_turn``, and whether it is admitted as a
    joke; ``right``: whether the likeliest kind is one of the reader's. What a row doesn't have is None or empty."""

    file: str
    row: str
    kind: Literal["pair", "text", "reading"]
    text_a: str = ""
    text_b: str = ""
    text: str = ""
    winner: Side | None = None
    votes_a: float | None = None
    votes_b: float | None = None
    rating: float | None = None
    is_humor: int | None = None
    judge: Winner | None = None
    p_a: float | None = None
    right: float | None = None
    consistent: int | None = None
    position_bias: float | None = None
    admissible: int | None = None
    score: float | None = None
    audience: float | None = None
    error: str = ""
    kinds: str = ""
    judge_kinds: str = ""
    turn: str = ""
    judge_turn: str = ""

    @classmethod
    def of_pair(cls, file: str, row: str, label: LabelledPair, answer: PairAnswer | None, error: str = "") -> Item:
        """``error``: of a row that the judge refused."""
        named = side_of(answer.p_a) if answer is not None else None
        # Half right only at even odds, as the report counts: a slight lean is the judge's word, too.
        lean = None if answer is None else (answer.p_a > 0.5) - (answer.p_a < 0.5)
        right = None if lean is None else 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)
        return cls(
            file=file, row=row, kind="pair", text_a=label.text_a, text_b=label.text_b, winner=label.winner,
            votes_a=label.votes_a, votes_b=label.votes_b, judge=named, p_a=answer.p_a if answer else None, right=right,
            consistent=_whole(answer.consistent) if answer else None,
            position_bias=answer.position_bias if answer else None, error=error,
        )  # fmt: skip

    @classmethod
    def of_text(cls, file: str, row: str, label: LabelledText, answer: TextAnswer | None, error: str = "") -> Item:
        """``error``: of a row that the judge refused."""
        admitted = answer.admissible if answer is not None else None
        both = label.is_humor is not None and admitted is not None
        return cls(
            file=file, row=row, kind="text", text=label.text, rating=label.rating, is_humor=_whole(label.is_humor),
            right=float(label.is_humor == admitted) if both else None, admissible=_whole(admitted),
            score=answer.score if answer else None, audience=answer.audience if answer else None, error=error,
        )  # fmt: skip

    @classmethod
    def of_reading(
        cls, file: str, row: str, read: ReadText, answer: ReferenceAnswer | None, admitted: bool | None, error: str = ""
    ) -> Item:
        """``admitted``: whether the verdict takes the text for a joke; ``error``: of a row that the judge refused."""
        turn = answer.turn if answer is not None else None
        return cls(
            file=file, row=row, kind="reading", text=read.text, is_humor=int(read.joke >= 0.5),
            right=kind_hit(read, answer) if answer is not None and read.joke >= 0.5 else None,
            admissible=_whole(admitted), error=error, kinds=_PARTED.join(sorted(read.kinds)),
            judge_kinds=_PARTED.join(answer.chosen) if answer is not None else "", turn=_PARTED.join(read.turns),
            judge_turn=read.text[turn.start : turn.end] if turn is not None else "",
        )  # fmt: skip


_PARTED = " / "


def _whole(value: bool | None) -> int | None:
    return None if value is None else int(value)


COLUMNS = tuple(Item.model_fields)


def items_csv(items: Iterable[Item]) -> Iterator[bytes]:
    """The table as CSV (UTF-8), a line at a time, the columns' names first."""
    lines = CsvLines()
    yield lines.line(COLUMNS)
    for item in items:
        values = item.model_dump()
        yield lines.line(values[name] for name in COLUMNS)
