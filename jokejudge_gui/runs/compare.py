"""Two saved evaluations held against each other, row by row, with the labels of the files that people judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..errors import InputError, UsageError
from ..evaluation.comparison import ComparedRow, Comparison, Paired, PairedRank, RunRef, paired, paired_rank
from ..evaluation.evaluation import draw
from ..evaluation.evaluation_types import LabelledPair, LabelledText, PairAnswer, TextAnswer
from ..evaluation.labelled import read_pairs, read_ratings
from ..evaluation.reading_labels import ReadText, read_reference
from ..evaluation.reference import ReferenceAnswer, kind_hit, turn_hit
from ..files import parse_json, whole_lines
from ..history.writing import CsvLines
from ..verdicts import DuelResult, RatingResult, Result, side_of
from .answers import key_of, label_in, result_of

_MOST_BYTES = 1 << 30


@dataclass
class Labels:
    """People's word on what was asked, by key."""

    pairs: dict[str, LabelledPair] = field(default_factory=dict)
    texts: dict[str, LabelledText] = field(default_factory=dict)
    reference: dict[str, ReadText] = field(default_factory=dict)

    @classmethod
    def read(cls, pairs: Sequence[str], ratings: Sequence[str], reference: Sequence[str] = ()) -> Labels:
        """From labelled files, and files of readings. Raises what ``read_pairs`` and ``read_reference`` raise."""
        found = cls()
        for source in pairs:
            for pair in read_pairs(source).rows:
                found.pairs.setdefault(key_of("duel", pair.text_a, pair.text_b), pair)
        for source in ratings:
            for text in read_ratings(source).rows:
                found.texts.setdefault(key_of("check" if text.rating is None else "rate", text.text), text)
        for source in reference:
            for read in read_reference(source).rows:
                found.reference.setdefault(key_of("read", read.text), read)
        return found


@dataclass
class SavedRun:
    """A run's answers by key, the labels that stand beside them (none in files of earlier versions), and what is
    ``found`` of texts that are held against readings. ``name``: what it is called."""

    path: Path
    results: dict[str, Result]
    labels: Labels
    program: str
    name: str
    found: dict[str, ReferenceAnswer] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, name: str = "") -> SavedRun:
        """A file that ``evaluate --out`` wrote. Raises ``InputError`` ``E_COMPARE_FILE``."""
        found = cls(path, {}, Labels(), "", name or path.name)
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            with path.open("rb") as stream:
                for number, line in enumerate(whole_lines(stream), start=1):
                    if line.endswith(b"\n"):  # a torn last line is a run cut off
                        found._take(line, number)
        except OSError as error:
            raise InputError(
                "E_COMPARE_FILE", f"{path} can't be read: {error.strerror or error}.", "Check its name."
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                "E_COMPARE_FILE",
                f"{path} isn't a file of answers that evaluate wrote ({error}).",
                "Make one for each run: jokejudge evaluate --pairs votes.csv --out run.jsonl",
            ) from error
        if not found.results:
            raise InputError("E_COMPARE_FILE", f"{path} holds no answer.", "Run the evaluation again.")
        return found

    def _take(self, line: bytes, number: int) -> None:
        value = parse_json(line)
        if not isinstance(value, dict):
            raise ValueError(f"line {number} is no object")
        if number == 1 and "run" in value:
            if value["run"] != "evaluate":
                raise ValueError("it is of another kind of run")
            return
        try:
            result = result_of(value)
            self.program = str(value["program"])[:40]
            if value.get("found") is not None:
                self.found[result.id] = ReferenceAnswer.model_validate(value["found"])
        except (ValueError, KeyError, TypeError) as fault:
            raise ValueError(f"line {number} is no answer") from fault
        self.results[result.id] = result
        label = label_in(value)
        if isinstance(label, LabelledPair):
            self.labels.pairs[result.id] = label
        elif label is not None:
            self.labels.texts[result.id] = label

    def ref(self, used: int) -> RunRef:
        one = next(iter(self.results.values()))
        return RunRef(
            file=self.name, model=one.model, mode=one.mode, program=self.program, answers=len(self.results),
            unused=len(self.results) - used,
        )  # fmt: skip


def drawn(first: SavedRun, second: SavedRun, limit: int | None, seed: int) -> SavedRun:
    """The first run with at most ``limit`` of the rows that both answered, drawn at random; all with None."""
    both = [key for key in first.results if key in second.results]
    if limit is None or limit >= len(both):
        return first
    return replace(first, results={both[place]: first.results[both[place]] for place in draw(len(both), limit, seed)})


def compare(first: SavedRun, second: SavedRun, given: Labels) -> Comparison:
    """Compare on the rows that both answered; ``given`` labels before those in the files. Raises ``UsageError``
    ``E_COMPARE_NOTHING`` where no row has both answers and a label."""
    rows = Rows.of(first, second, given)
    if not rows.keys:
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{first.name} and {second.name} share no row with an answer in both and a label.",
            "Compare runs on the same file, and name it where an earlier version wrote them (--pairs or --ratings), or "
            "where they were held against readings (--reference).",
        )
    used = len(rows.keys)
    return Comparison(
        first=first.ref(used),
        second=second.ref(used),
        duels=_paired(rows.duels),
        admission=_paired(rows.admission),
        ratings=_ranked(rows.ratings),
        kinds=_paired(rows.kinds),
        turns=_paired(rows.turns),
    )


@dataclass
class Rows:
    """What can be compared, row by row in the first run's order; ``keys``: of the rows that are."""

    duels: list[ComparedRow] = field(default_factory=list)
    admission: list[ComparedRow] = field(default_factory=list)
    ratings: list[tuple[ComparedRow, tuple[float, float, float]]] = field(default_factory=list)
    kinds: list[ComparedRow] = field(default_factory=list)
    turns: list[ComparedRow] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, first: SavedRun, second: SavedRun, given: Labels) -> Rows:
        """Of two runs, with ``given`` labels before those in the files."""
        pairs = second.labels.pairs | first.labels.pairs | given.pairs
        texts = second.labels.texts | first.labels.texts | given.texts
        found = cls()
        rated: dict[str, tuple[LabelledText, TextAnswer, TextAnswer]] = {}
        for key in (key for key in first.results if key in second.results):
            one, two = first.results[key], second.results[key]
            if (pair := pairs.get(key)) is not None:
                found._duel(key, pair, _pair(one), _pair(two))
            a, b = _text(one), _text(two)
            if (text := texts.get(key)) is not None and a is not None and b is not None:
                found._admitted(key, text, a, b)
                if text.rating is not None:
                    rated[key] = text, a, b
            if (read := given.reference.get(key)) is not None and key in first.found and key in second.found:
                found._read(key, read, first.found[key], second.found[key])
        found._rated(rated)
        return found

    def all(self) -> Iterator[ComparedRow]:
        """Every row, part by part."""
        yield from (*self.duels, *self.admission, *(row for row, _ in self.ratings), *self.kinds, *self.turns)

    def _duel(self, key: str, label: LabelledPair, one: PairAnswer | None, two: PairAnswer | None) -> None:
        if one is None or two is None:
            return
        self.keys.add(key)
        self.duels.append(
            ComparedRow(
                what="pair", text_a=label.text_a, text_b=label.text_b, people=label.winner, first=side_of(one.p_a),
                second=side_of(two.p_a), first_right=_hit(one, label), second_right=_hit(two, label),
            )
        )  # fmt: skip

    def _admitted(self, key: str, label: LabelledText, one: TextAnswer, two: TextAnswer) -> None:
        if label.is_humor is None or one.admissible is None or two.admissible is None:
            return
        self.keys.add(key)
        said = [_admits(admitted) for admitted in (label.is_humor, one.admissible, two.admissible)]
        self.admission.append(
            ComparedRow(
                what="admission", text_a=label.text, people=said[0], first=said[1], second=said[2],
                first_right=float(said[1] == said[0]), second_right=float(said[2] == said[0]),
            )
        )  # fmt: skip

    def _rated(self, rows: Mapping[str, tuple[LabelledText, TextAnswer, TextAnswer]]) -> None:
        # One measure for both: an estimate of the audience and a rubric's score are not of one kind.
        heard = any(one.audience is not None and two.audience is not None for _, one, two in rows.values())
        for key, (label, one, two) in rows.items():
            a, b = (one.audience, two.audience) if heard else (one.score, two.score)
            if a is not None and b is not None and label.rating is not None:
                self.keys.add(key)
                shown = [f"{value:g}" for value in (label.rating, a, b)]
                row = ComparedRow(what="rating", text_a=label.text, people=shown[0], first=shown[1], second=shown[2])
                self.ratings.append((row, (label.rating, a, b)))

    def _read(self, key: str, read: ReadText, one: ReferenceAnswer, two: ReferenceAnswer) -> None:
        if read.joke < 0.5:
            return
        for what, rows, hit, said, people in (
            ("kind", self.kinds, kind_hit, _likeliest, ", ".join(sorted(read.kinds))),
            ("turn", self.turns, turn_hit, partial(_turn, read.text), " / ".join(read.turns)),
        ):
            hits = hit(read, one), hit(read, two)
            if hits[0] is not None and hits[1] is not None:
                self.keys.add(key)
                rows.append(
                    ComparedRow(
                        what=what, text_a=read.text, people=people, first=said(one), second=said(two),
                        first_right=hits[0], second_right=hits[1],
                    )
                )  # fmt: skip


def compared_csv(first: SavedRun, second: SavedRun, given: Labels) -> Iterator[bytes]:
    """The rows of a comparison as CSV (UTF-8), a line at a time, the columns' names first."""
    lines = CsvLines()
    columns = tuple(ComparedRow.model_fields)
    yield lines.line(columns)
    for row in Rows.of(first, second, given).all():
        values = row.model_dump()
        yield lines.line(values[name] for name in columns)


def _paired(rows: Sequence[ComparedRow]) -> Paired | None:
    if not rows:
        return None
    return paired([row.first_right or 0.0 for row in rows], [row.second_right or 0.0 for row in rows])


def _ranked(rows: Sequence[tuple[ComparedRow, tuple[float, float, float]]]) -> PairedRank | None:
    return paired_rank(*zip(*(values for _, values in rows), strict=True)) if rows else None


def _hit(answer: PairAnswer, label: LabelledPair) -> float:
    lean = (answer.p_a > 0.5) - (answer.p_a < 0.5)
    return 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)


def _pair(result: Result) -> PairAnswer | None:
    return PairAnswer.of(result) if isinstance(result, DuelResult) and result.error is None else None


def _text(result: Result) -> TextAnswer | None:
    return TextAnswer.of(result) if isinstance(result, RatingResult) and result.error is None else None


def _admits(yes: bool) -> str:
    return "joke" if yes else "no joke"


def _likeliest(answer: ReferenceAnswer) -> str:
    return max(answer.kinds, key=answer.kinds.__getitem__, default="")


def _turn(text: str, answer: ReferenceAnswer) -> str:
    return text[answer.turn.start : answer.turn.end] if answer.turn is not None else ""
