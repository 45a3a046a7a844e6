"""Two saved evaluations on the same labelled rows: which judge is right more often, and whether the difference is more
than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic_core import to_jsonable_python

from ..core.errors import InputError, UsageError
from ..core.files import parse_json, whole_lines
from ..core.statistics import Difference, Vector, bootstrap, fraction, pearson, ranks, spearman
from ..judge.duel.record import side_of
from .evaluating import label_of, pair_hit
from .evaluation import Answer, Report, draw
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
"""What is compared: its name in a comparison, and in words. Pairs with a winner by people; texts with a label humour or
not; the audience's estimate where both runs have one (else the score), and people's ratings; of texts with readings
whether the most probable kind is one of a reader's, and whether the turn is found."""
ROW = ("what", "text_a", "text_b", "people", "first", "second", "first_right", "second_right")
"""Columns of a compared row: people's label, each run's answer, and whether it is right (1, ½, 0; None for a
rating)."""
Run = tuple[Path, dict[str, Answer]]
"""A run's file, and its answers by key."""


def read_run(path: Path) -> Run:
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
                answer = Answer.model_validate(value)
                answers[answer.id] = answer
    except OSError as error:
        raise InputError(
            "E_COMPARE_FILE", f"{path} can't be read: {error.strerror or error}.", "Check its name."
        ) from error
    except (ValueError, TypeError) as error:
        raise InputError(
            "E_COMPARE_FILE",
            f"{path} isn't a file of answers that evaluate wrote (line {number}: {str(error)[:80]}).",
            "Make one for each run: jokejudge evaluate --pairs votes.csv --out run.jsonl",
        ) from error
    if not answers:
        raise InputError("E_COMPARE_FILE", f"{path} holds no answer.", "Run the evaluation again.")
    return path, answers


def compare(first: Run, second: Run, limit: int | None, seed: int) -> tuple[Report, list[dict[str, Any]]]:
    """Compare on the rows that both answered, at most ``limit`` of them, drawn at random: return the figures
    (``paired``) by part, and the rows with the columns ``ROW``. ``unused``: answers without one of the other run,
    without a label, and errors. Raises ``UsageError`` ``E_COMPARE_NOTHING`` where nothing can be compared."""
    (path, answers), (other, others) = first, second
    both = [key for key in answers if key in others]
    if limit is not None and limit < len(both):
        both = [both[place] for place in draw(len(both), limit, seed)]
        answers = {key: answers[key] for key in both}
    rows = _rows([(answers[key], others[key]) for key in both])
    if not rows:
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{path.name} and {other.name} share no row with an answer in both and a label.",
            "Compare runs on the same file.",
        )
    used = len({row["key"] for row in rows})
    parts: Report = {}
    for what, (name, _) in PARTS.items():
        some = [row for row in rows if row["what"] == what]
        if some and what == "rating":
            parts[name] = paired_rank(*zip(*(row["numbers"] for row in some), strict=True))
        else:
            sides = ([row[side] for row in some] for side in ("first_right", "second_right"))
            parts[name] = paired(*sides) if some else None
    return {"first": _described(path, answers, used), "second": _described(other, others, used), **parts}, rows


def _described(path: Path, answers: dict[str, Answer], used: int) -> Report:
    last = list(answers.values())[-1]
    return {
        "file": path.name, "model": last.model.model_dump() if last.model is not None else None, "mode": last.mode,
        "program": last.program[:40], "answers": len(answers), "unused": len(answers) - used,
    }  # fmt: skip


def _rows(both: Sequence[tuple[Answer, Answer]]) -> list[dict[str, Any]]:
    """Return the rows that can be compared, in the first run's order, part by part."""
    # The same measure for both runs: an audience estimate and a rubric's score can't be compared.
    estimated = any(
        one.estimate and two.estimate and (one.people or {}).get("rating") is not None and not (one.error or two.error)
        for one, two in both
    )
    rows: list[dict[str, Any]] = []
    for one, two in both:
        label = label_of(one)
        if label is None or not one.answered or not two.answered:
            continue
        others = {side[0]: side for side in _sides(label, two, estimated)}
        names = (*label.texts, "")
        for what, people, word, right, number in _sides(label, one, estimated):
            if what in others:
                _, _, other, other_right, other_number = others[what]
                cells = (what, *names[:2], people, word, other, right, other_right)
                numbers = (getattr(label, "rating", None), number, other_number)
                rows.append(dict(zip(ROW, cells, strict=True)) | {"key": one.id, "numbers": numbers})
    return sorted(rows, key=lambda row: list(PARTS).index(row["what"]))


def _sides(
    label: object, answer: Answer, estimated: bool
) -> Iterator[tuple[str, str, str, float | None, float | None]]:
    """Yield for each part its name, people's label and the judge's, whether that is right, and of a rating the judge's
    number."""
    match label:
        case LabelledPair() if answer.p_a is not None:
            yield "pair", label.winner, side_of(answer.p_a), pair_hit(answer.p_a, label), None
        case LabelledText():
            if label.is_humor is not None and answer.admissible is not None:
                people, judge = ("joke" if joke else "no joke" for joke in (label.is_humor, answer.admissible))
                yield "admission", people, judge, float(people == judge), None
            number = answer.percentile if estimated else answer.mean_score
            if label.rating is not None and number is not None:
                yield "rating", f"{label.rating:g}", f"{number:g}", None, number
        case ReadText() if label.joke >= 0.5 and (read := answer.found) is not None:
            if (hit := kind_hit(label, read)) is not None:
                named = max(read.kinds, key=read.kinds.__getitem__)
                yield "kind", ", ".join(sorted(label.kinds)), named, hit, None
            if (hit := turn_hit(label, read)) is not None:
                yield "turn", " / ".join(label.turns), read.turn_in(label.text), hit, None


def mcnemar(only_first: int, only_second: int) -> float:
    """Return p of McNemar's exact test, two-sided: the probability that a fair coin splits the rows on which two judges
    differ at least as unevenly. 1 where they differ on none."""
    n, least = only_first + only_second, min(only_first, only_second)
    # Sums of logarithms: a binomial coefficient of thousands of rows overflows a float.
    terms = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0) for k in range(least + 1)
    ]
    return min(1.0, 2.0 * math.fsum(map(math.exp, terms)))


def paired(first: Sequence[float] | Vector, second: Sequence[float] | Vector) -> Report:
    """Compare hits (1, ½ or 0) of two judges on the same rows. Returns their shares right; ``only_first``,
    ``only_second``: number of rows on which that judge did better; ``p``: McNemar's exact test, two-sided, over those
    rows; ``difference``: the first's figure less the second's, its interval by bootstrap over rows."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    only_first, only_second = int((one > two).sum()), int((two > one).sum())
    gap = one - two
    ends = bootstrap(len(gap), lambda times: float(times @ gap) / len(gap), repeats=1000)
    p = mcnemar(only_first, only_second)
    return _pair(fraction(one), fraction(two), float(gap.mean()), ends, only_first, only_second, p)


def paired_rank(people: Sequence[float], first: Sequence[float], second: Sequence[float]) -> Report:
    """Compare two judges' numbers by their rank correlation with ``people``'s on the same texts, as ``paired``."""
    scale, one, two = (np.asarray(values, dtype=np.float64) for values in (people, first, second))
    a, b = spearman(scale, one), spearman(scale, two)

    def apart(times: Vector) -> float | None:
        sample = np.repeat(np.arange(len(scale)), times.astype(np.int64))
        order = ranks(scale[sample])
        r, s = pearson(order, ranks(one[sample])).value, pearson(order, ranks(two[sample])).value
        return None if r is None or s is None else r - s

    gap = a.value - b.value if a.value is not None and b.value is not None else math.nan
    return _pair(a, b, gap, bootstrap(len(scale), apart) if math.isfinite(gap) else (gap, gap), 0, 0, None)


def _pair(
    first: Any, second: Any, gap: float, ends: tuple[float, float], only_first: int, only_second: int, p: float | None
) -> Report:
    difference = None
    if math.isfinite(ends[0]) and math.isfinite(ends[1]):
        difference = Difference(value=gap, low=min(ends[0], gap), high=max(ends[1], gap))
    report: Report = to_jsonable_python(
        {
            "first": first, "second": second, "only_first": only_first, "only_second": only_second, "p": p,
            "difference": difference,
        }
    )  # fmt: skip
    return report
