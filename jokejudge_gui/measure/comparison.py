"""Two runs on the same labelled rows: which one is right more often, and whether the difference is more than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from pydantic import Field

from ..core.errors import InputError, JokeJudgeError, UsageError, info
from ..core.events import Event, Failed, Finished, last_of
from ..core.files import parse_json, whole_lines
from ..core.outputs import CsvLines
from ..core.statistics import Correlation, Difference, Fraction, Vector, bootstrap, fraction, pearson, ranks, spearman
from ..core.tables import read_bytes
from ..core.verdicts import Frozen, Mode, ModelRef
from ..engine.base import CancelToken
from ..judge.duel.record import side_of
from ..session.session import Session
from .audit import SHIPPED, shipped_cases
from .evaluating import RUN, Answer, AnswersFile, Plan, ask, items_csv, key_of, pair_hit, read_files
from .evaluation import draw, percentile_of
from .kept import KeptEvaluations
from .labelled import LabelledPair, LabelledText, PairsFile, ReadText, Row, labels_of
from .reference import kind_hit, turn_hit


class RunRef(Frozen):
    """One of the two runs. ``file``: its name; ``answers``: their number, of them ``unused``: without an answer of the
    other run, without a label, or an error."""

    file: str
    model: ModelRef | None
    mode: Mode
    program: str
    answers: int
    unused: int


class PairedTest(Frozen):
    """Right or wrong on the same rows (½: a tie). ``only_first``, ``only_second``: number of rows on which that run did
    better; ``p``: McNemar's exact test, two-sided, over those rows; ``difference``: the first's share right less the
    second's, its interval by bootstrap over rows. None where there is no row."""

    first: Fraction
    second: Fraction
    only_first: int
    only_second: int
    p: float | None
    difference: Difference | None


class PairedRank(Frozen):
    """Rank correlation with people's ratings of the same texts; ``difference`` as in ``PairedTest``."""

    first: Correlation
    second: Correlation
    difference: Difference | None


class Comparison(Frozen):
    """The comparison of two runs. ``duels``: pairs with a winner by people; ``admission``: texts with a label humour or
    not; ``ratings``: the audience's estimate where both runs have one (else the score), and people's ratings;
    ``kinds``, ``turns``: texts with readings: whether the most probable kind is one of a reader's, and whether the turn
    is found."""

    first: RunRef
    second: RunRef
    duels: PairedTest | None = None
    admission: PairedTest | None = None
    ratings: PairedRank | None = None
    kinds: PairedTest | None = None
    turns: PairedTest | None = None

    @property
    def parts(self) -> tuple[tuple[str, PairedTest], ...]:
        """The parts that were compared as right or wrong, by name."""
        named = (
            ("Pairs, people's winner", self.duels),
            ("Admission of humour", self.admission),
            ("Likeliest kind, beside readings", self.kinds),
            ("Words on which it turns, beside readings", self.turns),
        )
        return tuple((name, part) for name, part in named if part is not None)


class ComparedRow(Frozen):
    """A row that both runs answered. ``what``: pair, admission, rating, kind or turn; ``people``: their label;
    ``first``, ``second``: each run's answer, and whether it is right (1, ½, 0; None for a rating). ``key``: of the row;
    ``numbers``: people's, the first's and the second's, of a rating."""

    what: str
    text_a: str
    text_b: str = ""
    people: str
    first: str
    second: str
    first_right: float | None = None
    second_right: float | None = None
    key: str = Field(default="", exclude=True)
    numbers: tuple[float, float, float] = Field(default=(0.0, 0.0, 0.0), exclude=True)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return p of McNemar's exact test, two-sided: the probability that a fair coin splits the rows on which two judges
    differ at least as unevenly. 1 where they differ on none."""
    n, least = only_first + only_second, min(only_first, only_second)
    # Sums of logarithms: a binomial coefficient of thousands of rows overflows a float.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0) for k in range(least + 1)
    ]
    return min(1.0, 2.0 * math.fsum(map(math.exp, terms)))


def paired(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> PairedTest:
    """Compare hits (1, ½ or 0) of two judges on the same rows."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    return PairedTest(
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
    """Compare two judges' numbers by their rank correlation with ``people``'s on the same texts."""
    scale, one, two = (np.asarray(values, dtype=np.float64) for values in (people, first, second))
    found = spearman(scale, one), spearman(scale, two)

    def apart(times: Vector) -> float | None:
        drawn = np.repeat(np.arange(len(scale)), times.astype(np.int64))
        order = ranks(scale[drawn])
        a, b = pearson(order, ranks(one[drawn])).value, pearson(order, ranks(two[drawn])).value
        return None if a is None or b is None else a - b

    difference = None
    if found[0].value is not None and found[1].value is not None:
        value = found[0].value - found[1].value
        low, high = bootstrap(len(scale), apart)
        if math.isfinite(low) and math.isfinite(high):
            difference = Difference(value=value, low=min(low, value), high=max(high, value))
    return PairedRank(first=found[0], second=found[1], difference=difference)


BY_ROWS = (
    "Intervals (95 %) are by bootstrap over rows, which takes rows as independent; where one text stands in many pairs "
    "they are wider in truth."
)
COMPARED = f"Plus: the first does better. {BY_ROWS}"


def rank_words(found: PairedRank) -> str:
    """Return a sentence on which run correlates better with people's ratings."""
    first, second, gap = found.first.value, found.second.value, found.difference
    if first is None or second is None or gap is None:
        return "For at least one of the two the correlation with people's ratings isn't known."
    text = f"Ranked beside people's ratings the first has {first:.2f}, the second {second:.2f}".replace("-", "−")
    if gap.low > 0 or gap.high < 0:
        return f"{text}. The {'first' if gap.value > 0 else 'second'} does better by more than chance."
    return f"{text}. The difference may be chance."


def comparison_words(found: PairedTest) -> str:
    """Return a sentence or two on which run does better."""
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


# -- Two saved evaluations compared row by row, with the labels of the files that people judged ------------------------

_MOST_BYTES = 1 << 30
Labels: TypeAlias = dict[str, Row]
"""People's labels by key."""


def read_labels(pairs: Sequence[str], ratings: Sequence[str], reference: Sequence[str] = ()) -> Labels:
    """Read labelled files, and files of readings. Raises what ``read_pairs`` and ``read_reference`` raise."""
    found: Labels = {}
    for file in read_files(pairs, ratings, reference):
        for row in file.rows:
            found.setdefault(key_of(row), row)
    return found


@dataclass(frozen=True)
class SavedRun:
    """A run's answers by key. ``name``: its name in reports."""

    path: Path
    name: str
    answers: dict[str, Answer] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, name: str = "") -> SavedRun:
        """Read a file that ``evaluate --out`` wrote. Raises ``InputError`` ``E_COMPARE_FILE``."""
        answers: dict[str, Answer] = {}
        number = 0
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            with path.open("rb") as stream:
                for number, line in enumerate(whole_lines(stream), start=1):
                    if not line.endswith(b"\n"):
                        break  # an unfinished last line means that the run was interrupted
                    value = parse_json(line)
                    if number == 1 and "run" in value:
                        if value["run"] != RUN:
                            raise ValueError("it is of another kind of run")
                    else:
                        answer = Answer.in_line(value)
                        answers[answer.result.id] = answer
        except OSError as error:
            raise InputError(
                "E_COMPARE_FILE", f"{path} can't be read: {error.strerror or error}.", "Check its name."
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                "E_COMPARE_FILE",
                f"{path} isn't a file of answers that evaluate wrote (line {number}: {str(error)[:80]}).",
                "Make one for each run: jokejudge evaluate --pairs votes.csv --out run.jsonl",
            ) from error
        if not answers:
            raise InputError("E_COMPARE_FILE", f"{path} holds no answer.", "Run the evaluation again.")
        return cls(path, name or path.name, answers)

    @property
    def labels(self) -> Labels:
        """People's labels in the file, where it has them; files of earlier versions have none."""
        return {key: answer.label for key, answer in self.answers.items() if answer.label is not None}

    def ref(self, used: int) -> RunRef:
        """Return a reference to the run. ``used``: number of its answers that are compared."""
        one = next(iter(self.answers.values())).result
        program = [answer.program for answer in self.answers.values()][-1][:40]
        return RunRef(
            file=self.name, model=one.model, mode=one.mode, program=program, answers=len(self.answers),
            unused=len(self.answers) - used,
        )  # fmt: skip


def drawn(first: SavedRun, second: SavedRun, limit: int | None, seed: int) -> SavedRun:
    """Return the first run with at most ``limit`` of the rows that both answered, drawn at random; all with None."""
    both = [key for key in first.answers if key in second.answers]
    if limit is None or limit >= len(both):
        return first
    return replace(first, answers={both[place]: first.answers[both[place]] for place in draw(len(both), limit, seed)})


def compare(first: SavedRun, second: SavedRun, given: Labels) -> Comparison:
    """Compare on the rows that both answered; ``given`` labels take precedence over those in the files. Raises
    ``UsageError`` ``E_COMPARE_NOTHING`` where no row has both answers and a label."""
    rows = compared_rows(first, second, given)
    if not rows:
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{first.name} and {second.name} share no row with an answer in both and a label.",
            "Compare runs on the same file, and name it where an earlier version wrote them (--pairs or --ratings), or "
            "where they were compared with readings (--reference).",
        )

    def part(what: str) -> PairedTest | None:
        found = [(row.first_right or 0.0, row.second_right or 0.0) for row in rows if row.what == what]
        return paired(*zip(*found, strict=True)) if found else None

    numbers = [row.numbers for row in rows if row.what == "rating"]
    used = len({row.key for row in rows})
    return Comparison(
        first=first.ref(used),
        second=second.ref(used),
        duels=part("pair"),
        admission=part("admission"),
        ratings=paired_rank(*zip(*numbers, strict=True)) if numbers else None,
        kinds=part("kind"),
        turns=part("turn"),
    )


def compared_rows(first: SavedRun, second: SavedRun, given: Labels) -> list[ComparedRow]:
    """Return the rows that can be compared, in the first run's order, part by part."""
    labels = second.labels | first.labels | given
    both = [
        (key, label, answer, second.answers[key])
        for key, answer in first.answers.items()
        if key in second.answers and (label := labels.get(key)) is not None
    ]
    # The same measure for both runs: an audience estimate and a rubric's score can't be compared.
    texts = [(one.of_text, two.of_text) for _, label, one, two in both if getattr(label, "rating", None) is not None]
    estimated = any(a and b and a.audience is not None and b.audience is not None for a, b in texts)
    rows = [row for key, label, one, two in both for row in _rows_of(key, label, one, two, estimated)]
    return sorted(rows, key=lambda row: _PARTS.index(row.what))


_PARTS = ("pair", "admission", "rating", "kind", "turn")


def _rows_of(key: str, label: Row, one: Answer, two: Answer, estimated: bool) -> Iterator[ComparedRow]:
    found = {what: (word, right, numbers) for what, _, word, right, numbers in _said(label, two, estimated)}
    texts = (*label.texts, "")
    for what, people, word, right, numbers in _said(label, one, estimated):
        if what in found:
            second, second_right, others = found[what]
            row = ComparedRow(
                what=what, key=key, text_a=texts[0], text_b=texts[1], people=people, first=word, second=second,
                first_right=right, second_right=second_right,
            )  # fmt: skip
            yield row.replaced(numbers=(*numbers, others[1])) if numbers and others else row


def _said(
    label: Row, answer: Answer, estimated: bool
) -> Iterator[tuple[str, str, str, float | None, tuple[float, float] | None]]:
    """Yield for each part its name, people's label and the judge's, whether that is right, and of a rating both as
    numbers."""
    match label:
        case LabelledPair():
            if (won := answer.of_pair) is not None and won.p_a is not None:
                yield "pair", label.winner, side_of(won.p_a), pair_hit(won.p_a, label), None
        case LabelledText():
            if (text := answer.of_text) is None:
                return
            if label.is_humor is not None and text.admissible is not None:
                people, judge = ("joke" if each else "no joke" for each in (label.is_humor, text.admissible))
                yield "admission", people, judge, float(people == judge), None
            number = percentile_of(text) if estimated else text.mean_score
            if label.rating is not None and number is not None:
                yield "rating", f"{label.rating:g}", f"{number:g}", None, (label.rating, number)
        case ReadText():
            if label.joke < 0.5 or (found := answer.found) is None:
                return
            if (hit := kind_hit(label, found)) is not None:
                named = max(found.kinds, key=found.kinds.__getitem__)
                yield "kind", ", ".join(sorted(label.kinds)), named, hit, None
            if (hit := turn_hit(label, found)) is not None:
                yield "turn", " / ".join(label.turns), found.turn_in(label.text), hit, None


def compared_csv(first: SavedRun, second: SavedRun, given: Labels) -> Iterator[bytes]:
    """Yield the rows of a comparison as CSV (UTF-8), a line at a time, the columns' names first."""
    lines = CsvLines()
    yield lines.line([name for name, field in ComparedRow.model_fields.items() if not field.exclude])
    for row in compared_rows(first, second, given):
        yield lines.line(row.model_dump().values())


# -- two models on the same labelled rows ------------------------------------------------------------------------------

_SHIPPED_PAIRS = 200
SessionOf: TypeAlias = Callable[[str], AbstractContextManager[Session]]
"""Opens a session that loads the model with this path or name; it is closed at the end."""


class ModelBegun(Event):
    """A model begins: ``place`` 0 or 1, with its path or name."""

    spec: str
    place: int


class ModelsCompared(Event):
    """The comparison; the event before the last."""

    found: Comparison


class SideBySide:
    """A comparison of two ``models`` on labelled ``files``: readings are recognised by their suffix, the others by
    their header; without files, on pairs of the rated jokes that come with the program. Answers are kept as in the
    Trust tab, so that nothing is asked twice. ``runs``: each model's answers, once both are complete; ``labels``: from
    readings. Raises what ``labels_of`` and ``read_reference`` raise."""

    def __init__(
        self, models: tuple[str, str], files: Sequence[str], limit: int | None, seed: int, kept: KeptEvaluations
    ) -> None:
        if "-" in files:
            raise InputError("E_INPUT_FILE", "Both models read the list, so it can't be stdin.", "Name a file.")
        self.models = models
        self._limit, self._seed, self._kept = limit, seed, kept
        self._readings = [name for name in files if Path(name).suffix.lower() in (".jsonl", ".ndjson")]
        kinds = {name: labels_of(name) for name in files if name not in self._readings}
        self._pairs = [name for name, kind in kinds.items() if kind == "pairs"]
        self._ratings = [name for name, kind in kinds.items() if kind == "ratings"]
        self._files = [*self._pairs, *self._ratings, *self._readings]
        self.runs: list[SavedRun] = []
        # Answers don't contain readings, so their labels are kept apart.
        self.labels = read_labels((), (), self._readings)

    def run(self, session_of: SessionOf, cancel: CancelToken) -> Iterator[Event]:
        """Ask both models, one after another. Yields what ``evaluation.ask`` yields, ``ModelBegun`` before each model,
        and ``ModelsCompared`` before the last event. A comparison that was stopped continues where it was."""
        try:
            for place, spec in enumerate(self.models):
                yield ModelBegun(spec=spec, place=place)
                with session_of(spec) as session:
                    last = yield from last_of(self._ask(session, cancel))
                if not isinstance(last, Finished):
                    yield last
                    return
            yield ModelsCompared(found=compare(self.runs[0], self.runs[1], self.labels))
            yield Finished()
        except JokeJudgeError as error:
            yield Failed(error=info(error))

    def _plan(self) -> Plan:
        if self._files:
            return Plan.read(self._pairs, self._ratings, self._limit, self._seed, self._readings)
        file = PairsFile(SHIPPED)
        for case in shipped_cases(self._limit or _SHIPPED_PAIRS):
            if case.winner is not None:
                file.rows.append(LabelledPair(case.text_a, case.text_b, case.winner))
                file.ids.append(case.id)
        return Plan(self._limit, self._seed, drawn=[(file, list(range(len(file.rows))))])

    def _ask(self, session: Session, cancel: CancelToken) -> Iterator[Event]:
        plan = self._plan()
        # Identifies the rows, as the Trust tab does for the files chosen there.
        content = b"\0".join(map(read_bytes, self._files))
        if not self._files:
            content = "\0".join(key_of(row) for row, _ in plan.tasks()).encode()
        stem = ""

        def answers(session: Session) -> AnswersFile:
            nonlocal stem
            model = session.model
            if session.judge is None or model is None:
                raise UsageError(
                    "E_COMPARE_PANEL",
                    "Several models together can't be compared here.",
                    "Name two models, each by itself.",
                )
            if self.runs and (one := self.runs[0].ref(0).model) is not None and one.sha256 == model.sha256:
                raise UsageError("E_COMPARE_SAME", "Both names mean the same model.", "Name two different models.")
            stem = self._kept.stem_for(session, content)
            return self._kept.answers(stem)

        for event in ask(session, plan, answers=answers, cancel=cancel):
            if isinstance(event, Finished):
                name = ", ".join(Path(file).name for file in self._files) or SHIPPED
                found = plan.measured(session.model, session.settings.mode, whole=True)
                self._kept.save(stem, found, name, b"".join(items_csv(plan.items())))
                asked = {key_of(row) for row, _ in plan.tasks()}
                saved = SavedRun.read(self._kept.folder / f"{stem}.jsonl", name)
                # The file may contain answers of a longer run.
                answered = {key: answer for key, answer in saved.answers.items() if key in asked}
                self.runs.append(replace(saved, answers=answered))
            yield event
