"""Two runs on the same labelled rows: which one is right more often, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..core.errors import InputError, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished
from ..core.files import parse_json, whole_lines
from ..core.statistics import Correlation, Difference, Fraction, Vector, bootstrap, fraction, ranks, spearman
from ..core.tables import read_bytes
from ..core.verdicts import DuelResult, Frozen, Mode, ModelRef, RatingResult, Result, side_of
from ..engine.base import CancelToken
from ..history.database import CsvLines
from ..session.session import Session
from .audit_pairs import SHIPPED, shipped_cases
from .evaluating import AnswersFile, Plan, ask, key_of, label_in, result_of
from .evaluation import LabelledPair, LabelledText, PairAnswer, TextAnswer, draw
from .kept import KeptEvaluations
from .labelled import PairsFile, items_csv, labels_of, read_pairs, read_ratings
from .reference import ReadText, ReferenceAnswer, kind_hit, read_reference, turn_hit


class RunRef(Frozen):
    """One of the two runs. ``file``: its name; ``answers`` in it, of them ``unused``: without an answer of the other
    run, without a label, or an error."""

    file: str
    model: ModelRef | None
    mode: Mode
    program: str
    answers: int
    unused: int


class Paired(Frozen):
    """Right or wrong on the same rows (½: a tie). ``only_first``, ``only_second``: rows on which that run did better;
    ``p``: McNemar's exact test, two-sided, over those rows; ``difference``: the first's share right less the second's,
    its interval by bootstrap over rows. None where there is no row."""

    first: Fraction
    second: Fraction
    only_first: int
    only_second: int
    p: float | None
    difference: Difference | None


class PairedRank(Frozen):
    """Rank correlation with people's ratings of the same texts; ``difference`` as in ``Paired``."""

    first: Correlation
    second: Correlation
    difference: Difference | None


class Comparison(Frozen):
    """``duels``: pairs in which people named a winner; ``admission``: texts of which is known whether they are humour;
    ``ratings``: the audience's estimate where both runs have one (else the score), and people's ratings; ``kinds``,
    ``turns``: texts that were read with the rubric in hand, and whether the likeliest kind is one of a reader's and the
    words on which it turns are found."""

    first: RunRef
    second: RunRef
    duels: Paired | None = None
    admission: Paired | None = None
    ratings: PairedRank | None = None
    kinds: Paired | None = None
    turns: Paired | None = None

    @property
    def parts(self) -> tuple[tuple[str, Paired], ...]:
        """What is right or wrong, by name, as far as it was compared."""
        named = (
            ("Pairs, people's winner", self.duels),
            ("Admission of humour", self.admission),
            ("Likeliest kind, beside readings", self.kinds),
            ("Words on which it turns, beside readings", self.turns),
        )
        return tuple((name, part) for name, part in named if part is not None)


class ComparedRow(Frozen):
    """A row that both runs answered. ``what``: pair, admission, rating, kind or turn; ``people``: their word;
    ``first``, ``second``: what each run says, and whether that is right (1, ½, 0; None for a rating)."""

    what: str
    text_a: str
    text_b: str = ""
    people: str
    first: str
    second: str
    first_right: float | None = None
    second_right: float | None = None


def mcnemar(only_first: int, only_second: int) -> float:
    """p of McNemar's exact test, two-sided: how often a fair coin would split the rows on which two judges differ at
    least as unevenly. 1 where they differ on none."""
    n, least = only_first + only_second, min(only_first, only_second)
    # Sums of logarithms: a binomial coefficient of thousands of rows is beyond a float.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0) for k in range(least + 1)
    ]
    return min(1.0, 2.0 * math.fsum(map(math.exp, terms)))


def paired(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> Paired:
    """Compare hits (1, ½ or 0) of two judges on the same rows."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    return Paired(
        first=fraction(one),
        second=fraction(two),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar(only_first, only_second) if len(one) else None,
        difference=_difference(one - two),
    )


def _difference(gap: Vector) -> Difference | None:
    if not len(gap):
        return None
    low, high = bootstrap(len(gap), lambda times: float(times @ gap) / len(gap), repeats=1000)
    value = float(gap.mean())
    return Difference(value=value, low=min(low, value), high=max(high, value))


def paired_rank(people: Sequence[float], first: Sequence[float], second: Sequence[float]) -> PairedRank:
    """Compare two judges' numbers by how they go with ``people``'s on the same texts."""
    scale, one, two = (np.asarray(values, dtype=np.float64) for values in (people, first, second))
    found = spearman(scale, one), spearman(scale, two)

    def apart(times: Vector) -> float | None:
        drawn = np.repeat(np.arange(len(scale)), times.astype(np.int64))
        order = ranks(scale[drawn])
        a, b = _correlation(order, ranks(one[drawn])), _correlation(order, ranks(two[drawn]))
        return None if a is None or b is None else a - b

    difference = None
    if found[0].value is not None and found[1].value is not None:
        value = found[0].value - found[1].value
        low, high = bootstrap(len(scale), apart)
        if math.isfinite(low) and math.isfinite(high):
            difference = Difference(value=value, low=min(low, value), high=max(high, value))
    return PairedRank(first=found[0], second=found[1], difference=difference)


def _correlation(x: Vector, y: Vector) -> float | None:
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / size if size > 0 else None


BY_ROWS = (
    "Intervals (95 %) are by bootstrap over rows, which takes rows as independent; where one text stands in many pairs "
    "they are wider in truth."
)
COMPARED = f"Plus: the first does better. {BY_ROWS}"


def rank_words(found: PairedRank) -> str:
    """Which run goes better with people's ratings, in a sentence."""
    first, second, gap = found.first.value, found.second.value, found.difference
    if first is None or second is None or gap is None:
        return "How the two go with people's ratings can't be told."
    text = f"Ranked beside people's ratings the first has {first:.2f}, the second {second:.2f}".replace("-", "−")
    if gap.low > 0 or gap.high < 0:
        return f"{text}. The {'first' if gap.value > 0 else 'second'} does better by more than chance."
    return f"{text}. The difference may be chance."


def comparison_words(found: Paired) -> str:
    """Which run does better, in a sentence or two."""
    if found.p is None or found.difference is None:
        return "No row has an answer in both runs."
    n, gap = found.first.n, 100 * found.difference.value
    first, second = (100 * (share.share or 0.0) for share in (found.first, found.second))
    text = f"The first is right in {first:.0f} of 100, the second in {second:.0f}, on the same {n:,}"
    if found.only_first == found.only_second:
        return f"{text}. Neither does better."
    better = "first" if gap > 0 else "second"
    low, high = sorted(abs(end) if (end > 0) == (gap > 0) else -abs(end) for end in (
        100 * found.difference.low, 100 * found.difference.high
    ))  # fmt: skip
    span = f"{abs(gap):.1f} more of 100 ({low:.1f} to {high:.1f})".replace("-", "−")
    sure = "That is more than chance" if found.p < 0.05 else "That may be chance"
    return f"{text}. The {better} has {span}. {sure} (McNemar, p = {found.p:.2g})."


# --------------------------------------------------------------------------------------------------------------------
# Two saved evaluations held against each other, row by row, with the labels of the files that people judged.

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


# --------------------------------------------------------------------------------------------------------------------
# Two models on the same labelled rows, one after another: what each says is kept as the Trust tab keeps it, so that
# nothing is asked twice, and then they are held against each other row by row.

SHIPPED_PAIRS = 200
SessionOf = Callable[[str], AbstractContextManager[Session]]
"""Opens a session that loads the model with this path or name; it is closed at the end."""


class OneOfTwo(Event):
    """A model's turn: ``place`` 0 or 1, by its path or name."""

    spec: str
    place: int


class Beside(Event):
    """How the two compare; the one event before the last."""

    found: Comparison


@dataclass(frozen=True)
class Lists:
    """What both models judge: labelled files, by kind. None at all: pairs of the rated jokes that come with the
    program."""

    pairs: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Sequence[str]) -> Lists:
        """Files by what they hold: readings by their ending, the others by their header. Raises what ``labels_of``
        raises."""
        if "-" in files:
            raise InputError("E_INPUT_FILE", "Both models read the list, so it can't be stdin.", "Name a file.")
        read = tuple(name for name in files if Path(name).suffix.lower() in (".jsonl", ".ndjson"))
        kinds = {name: labels_of(name) for name in files if name not in read}
        pairs = tuple(name for name in kinds if kinds[name] == "pairs")
        return cls(pairs, tuple(name for name in kinds if kinds[name] == "ratings"), read)

    @property
    def files(self) -> tuple[str, ...]:
        return (*self.pairs, *self.ratings, *self.reference)

    @property
    def name(self) -> str:
        """The files' names, for people."""
        return ", ".join(Path(file).name for file in self.files) or SHIPPED

    def plan(self, limit: int | None, seed: int) -> Plan:
        """The rows to ask about. Raises what ``Plan.read`` raises."""
        if self.files:
            return Plan.read(self.pairs, self.ratings, limit, seed, self.reference)
        file = PairsFile(SHIPPED)
        for case in shipped_cases(limit or SHIPPED_PAIRS):
            assert case.winner is not None
            file.rows.append(LabelledPair(case.text_a, case.text_b, case.winner, None, None))
            file.ids.append(case.id)
        return Plan(limit, seed, pairs=[(file, list(range(len(file.rows))))])

    def content(self, plan: Plan) -> bytes:
        """Names what is judged, as the Trust tab does of the files that are chosen there."""
        if self.files:
            return b"\0".join(read_bytes(name) for name in self.files)
        return "\0".join(task.key for task in plan.tasks()).encode()

    def labels(self) -> Labels:
        """Readings stand in no file of answers, so they are given beside."""
        found = Labels()
        for source in self.reference:
            for read in read_reference(source).rows:
                found.reference.setdefault(key_of("read", read.text), read)
        return found


@dataclass
class SideBySide:
    """A comparison of two models. ``runs``: what each answered, once both did; ``labels`` beside them."""

    models: tuple[str, str]
    lists: Lists
    limit: int | None
    seed: int
    kept: KeptEvaluations

    def __post_init__(self) -> None:
        self.runs: list[SavedRun] = []
        self.labels = self.lists.labels()

    def run(self, session_of: SessionOf, cancel: CancelToken) -> Iterator[Event]:
        """Ask both, one after another. Yields what ``evaluation.ask`` yields, ``OneOfTwo`` before each model, and
        ``Beside`` before the last event. One that was stopped goes on where it was."""
        last: Event = Finished()
        try:
            for place, spec in enumerate(self.models):
                yield OneOfTwo(spec=spec, place=place)
                with session_of(spec) as session:
                    for event in self._ask(session, cancel):
                        if not isinstance(event, Finished | Failed | Cancelled):
                            yield event
                        last = event
                if not isinstance(last, Finished):
                    yield last
                    return
            yield Beside(found=compare(self.runs[0], self.runs[1], self.labels))
            yield Finished()
        except JokeJudgeError as error:
            yield Failed(error=info(error))

    def _ask(self, session: Session, cancel: CancelToken) -> Iterator[Event]:
        plan = self.lists.plan(self.limit, self.seed)
        stem = ""

        def answers(session: Session) -> AnswersFile:
            nonlocal stem
            model = session.model
            if session.judge is None or model is None:
                raise UsageError(
                    "E_COMPARE_PANEL", "A panel can't be compared here.", "Name two models, each by itself."
                )
            earlier = self.runs[0] if self.runs else None
            one = next(iter(earlier.results.values())).model if earlier is not None else None
            if one is not None and one.sha256 == model.sha256:
                raise UsageError("E_COMPARE_SAME", "Both names mean the same model.", "Name two different models.")
            stem = self.kept.stem_for(session, self.lists.content(plan))
            return self.kept.answers(stem)

        last: Event = Finished()
        for event in ask(session, plan, answers=answers, cancel=cancel):
            if isinstance(event, Finished | Failed | Cancelled):
                last = event
            else:
                yield event
        if isinstance(last, Finished):
            found = plan.measured(session.model, session.mode, whole=True)
            self.kept.save(stem, found, self.lists.name, b"".join(items_csv(plan.items())))
            asked = {task.key for task in plan.tasks()}
            saved = SavedRun.read(self.kept.folder / f"{stem}.jsonl", self.lists.name)
            # The file may hold answers of a longer run.
            saved.results = {key: result for key, result in saved.results.items() if key in asked}
            self.runs.append(saved)
        yield last
