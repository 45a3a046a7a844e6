"""Two saved evaluations on the same labelled rows: which judge is right more often, and whether the difference is more
than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import InputError, UsageError
from ..core.files import parse_json, whole_lines
from ..core.outputs import CsvLines
from ..core.statistics import Correlation, Difference, Fraction, Vector, bootstrap, fraction, pearson, ranks, spearman
from ..core.verdicts import Frozen
from ..judge.duel.record import side_of
from .evaluating import Answer, pair_hit
from .evaluation import draw, percentile_of
from .labelled import LabelledPair, LabelledText, ReadText
from .reference import kind_hit, turn_hit

_MOST_BYTES = 1 << 30
PARTS = {
    "pair": ("duels", "Pairs, people's winner"),
    "admission": ("admission", "Admission of humour"),
    "rating": ("ratings", "People's ratings, rank correlation"),
    "kind": ("kinds", "Likeliest kind, beside readings"),
    "turn": ("turns", "Words on which it turns, beside readings"),
}
"""What is compared: its name in a ``Comparison``, and in words."""


class Paired(Frozen):
    """Two judges on the same rows: their shares right (½: a tie), or of ratings their rank correlations with people's.
    ``only_first``, ``only_second``: number of rows on which that judge did better; ``p``: McNemar's exact test,
    two-sided, over those rows, None of ratings; ``difference``: the first's figure less the second's, its interval by
    bootstrap over rows, None where there is no row."""

    first: Fraction | Correlation
    second: Fraction | Correlation
    only_first: int = 0
    only_second: int = 0
    p: float | None = None
    difference: Difference | None = None


class Comparison(Frozen):
    """The comparison of two runs. ``first``, ``second``: the file's name, model, mode and program, the number of
    ``answers``, of them ``unused``: without an answer of the other run, without a label, or an error. ``duels``: pairs
    with a winner by people; ``admission``: texts with a label humour or not; ``ratings``: the audience's estimate where
    both runs have one (else the score), and people's ratings; ``kinds``, ``turns``: texts with readings: whether the
    most probable kind is one of a reader's, and whether the turn is found."""

    first: dict[str, Any]
    second: dict[str, Any]
    duels: Paired | None = None
    admission: Paired | None = None
    ratings: Paired | None = None
    kinds: Paired | None = None
    turns: Paired | None = None


@dataclass(frozen=True)
class SavedRun:
    """A run's answers by key."""

    path: Path
    answers: dict[str, Answer]

    @classmethod
    def read(cls, path: Path) -> SavedRun:
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
                        if value["run"] != "evaluate":
                            raise ValueError("it is of another kind of run")
                        continue
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
        return cls(path, answers)

    def described(self, used: int) -> dict[str, Any]:
        """Return the run in a ``Comparison``. ``used``: number of its answers that are compared."""
        last = list(self.answers.values())[-1]
        model = last.result.model
        return {
            "file": self.path.name, "model": model.model_dump() if model is not None else None,
            "mode": last.result.mode, "program": last.program[:40], "answers": len(self.answers),
            "unused": len(self.answers) - used,
        }  # fmt: skip


def drawn(first: SavedRun, second: SavedRun, limit: int | None, seed: int) -> SavedRun:
    """Return the first run with at most ``limit`` of the rows that both answered, drawn at random; all with None."""
    both = [key for key in first.answers if key in second.answers]
    if limit is None or limit >= len(both):
        return first
    return replace(first, answers={both[place]: first.answers[both[place]] for place in draw(len(both), limit, seed)})


def compare(first: SavedRun, second: SavedRun) -> tuple[Comparison, list[dict[str, Any]]]:
    """Compare on the rows that both answered: return the figures, and the rows as in ``compared_csv``. Raises
    ``UsageError`` ``E_COMPARE_NOTHING`` where no row has both answers and a label."""
    rows = _rows(first, second)
    if not rows:
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{first.path.name} and {second.path.name} share no row with an answer in both and a label.",
            "Compare runs on the same file.",
        )
    parts: dict[str, Paired] = {}
    for what, (name, _) in PARTS.items():
        some = [row for row in rows if row["what"] == what]
        if some and what == "rating":
            parts[name] = paired_rank(*zip(*(row["numbers"] for row in some), strict=True))
        elif some:
            parts[name] = paired(*([row[side] for row in some] for side in ("first_right", "second_right")))
    used = len({row["key"] for row in rows})
    return Comparison(first=first.described(used), second=second.described(used), **parts), rows


def _rows(first: SavedRun, second: SavedRun) -> list[dict[str, Any]]:
    """Return the rows that can be compared, in the first run's order, part by part. ``what``: pair, admission, rating,
    kind or turn; ``people``: their label; ``first``, ``second``: each run's answer, and whether it is right (1, ½, 0;
    None for a rating)."""
    both = [(key, one, second.answers[key]) for key, one in first.answers.items() if key in second.answers]
    # The same measure for both runs: an audience estimate and a rubric's score can't be compared.
    texts = [(one.of_text, two.of_text) for _, one, two in both if getattr(one.label, "rating", None) is not None]
    estimated = any(a and b and a.audience is not None and b.audience is not None for a, b in texts)
    rows: list[dict[str, Any]] = []
    for key, one, two in both:
        if one.label is None:
            continue
        others = {side[0]: side for side in _sides(one.label, two, estimated)}
        names = (*one.label.texts, "")
        for what, people, word, right, numbers in _sides(one.label, one, estimated):
            if what in others:
                _, _, other, other_right, other_numbers = others[what]
                rows.append(
                    {
                        "what": what, "text_a": names[0], "text_b": names[1], "people": people, "first": word,
                        "second": other, "first_right": right, "second_right": other_right, "key": key,
                        "numbers": (*numbers, other_numbers[1]) if numbers else (),
                    }
                )  # fmt: skip
    return sorted(rows, key=lambda row: list(PARTS).index(row["what"]))


def _sides(
    label: object, answer: Answer, estimated: bool
) -> Iterator[tuple[str, str, str, float | None, tuple[float, ...]]]:
    """Yield for each part its name, people's label and the judge's, whether that is right, and of a rating both as
    numbers."""
    match label:
        case LabelledPair():
            if (won := answer.of_pair) is not None and won.p_a is not None:
                yield "pair", label.winner, side_of(won.p_a), pair_hit(won.p_a, label), ()
        case LabelledText():
            if (text := answer.of_text) is None:
                return
            if label.is_humor is not None and text.admissible is not None:
                people, judge = ("joke" if joke else "no joke" for joke in (label.is_humor, text.admissible))
                yield "admission", people, judge, float(people == judge), ()
            number = percentile_of(text) if estimated else text.mean_score
            if label.rating is not None and number is not None:
                yield "rating", f"{label.rating:g}", f"{number:g}", None, (label.rating, number)
        case ReadText():
            if label.joke < 0.5 or (read := answer.found) is None:
                return
            if (hit := kind_hit(label, read)) is not None:
                named = max(read.kinds, key=read.kinds.__getitem__)
                yield "kind", ", ".join(sorted(label.kinds)), named, hit, ()
            if (hit := turn_hit(label, read)) is not None:
                yield "turn", " / ".join(label.turns), read.turn_in(label.text), hit, ()


def compared_csv(rows: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """Yield the rows of a comparison as CSV (UTF-8), a line at a time, the columns' names first."""
    table = CsvLines()
    names = ("what", "text_a", "text_b", "people", "first", "second", "first_right", "second_right")
    yield table.line(names)
    for row in rows:
        yield table.line(row[name] for name in names)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return p of McNemar's exact test, two-sided: the probability that a fair coin splits the rows on which two judges
    differ at least as unevenly. 1 where they differ on none."""
    n, least = only_first + only_second, min(only_first, only_second)
    # Sums of logarithms: a binomial coefficient of thousands of rows overflows a float.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0) for k in range(least + 1)
    ]
    return min(1.0, 2.0 * math.fsum(map(math.exp, terms)))


def paired(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> Paired:
    """Compare hits (1, ½ or 0) of two judges on the same rows."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    gap, difference = one - two, None
    if len(gap):
        low, high = bootstrap(len(gap), lambda times: float(times @ gap) / len(gap), repeats=1000)
        value = float(gap.mean())
        difference = Difference(value=value, low=min(low, value), high=max(high, value))
    return Paired(
        first=fraction(one),
        second=fraction(two),
        only_first=only_first,
        only_second=only_second,
        p=mcnemar(only_first, only_second) if len(one) else None,
        difference=difference,
    )


def paired_rank(people: Sequence[float], first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two judges' numbers by their rank correlation with ``people``'s on the same texts."""
    scale, one, two = (np.asarray(values, dtype=np.float64) for values in (people, first, second))
    a, b = spearman(scale, one), spearman(scale, two)

    def apart(times: Vector) -> float | None:
        sample = np.repeat(np.arange(len(scale)), times.astype(np.int64))
        order = ranks(scale[sample])
        r, s = pearson(order, ranks(one[sample])).value, pearson(order, ranks(two[sample])).value
        return None if r is None or s is None else r - s

    difference = None
    if a.value is not None and b.value is not None:
        value = a.value - b.value
        low, high = bootstrap(len(scale), apart)
        if math.isfinite(low) and math.isfinite(high):
            difference = Difference(value=value, low=min(low, value), high=max(high, value))
    return Paired(first=a, second=b, difference=difference)
