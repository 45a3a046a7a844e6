"""Two saved evaluations on the same labelled rows, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydantic_core import to_jsonable_python

from ..core.errors import InputError, UsageError
from ..core.files import parse_json, whole_lines
from ..core.statistics import difference, fraction, spearman
from .evaluating import label_of, pair_hit
from .evaluation import Answer, Report, draw
from .labelled import LabelledPair, LabelledText

_MOST_BYTES = 1 << 30
PARTS = {
    "duels": "Pairs, people's winner",
    "admission": "Admission of humour",
    "ratings": "People's ratings, rank correlation",
}
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
        if not answers:
            raise ValueError("it holds no answer")
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
    return path, answers


def compare(first: Run, second: Run, limit: int | None, seed: int) -> Report:
    """Compare on the rows that both answered, at most ``limit`` of them, drawn at random. By part: the share right, or
    of ratings the rank correlation, of each run; the ``difference`` of the shares with its interval. Raises
    ``UsageError`` ``E_COMPARE_NOTHING`` where nothing can be compared."""
    (path, answers), (other, others) = first, second
    both = [key for key in answers if key in others and answers[key].answered and others[key].answered]
    both = [both[place] for place in sorted(draw(len(both), limit, seed))]
    # The same measure for both runs: an audience estimate and a rubric's score can't be compared.
    estimated = all(one.estimate is not None for key in both for one in (answers[key], others[key]) if one.text)
    cells: dict[str, list[tuple[Any, ...]]] = {name: [] for name in PARTS}
    for key in both:
        if (label := label_of(answers[key])) is not None:
            one, two = (_figures(label, run[key], estimated) for run in (answers, others))
            for part in one.keys() & two.keys():
                cells[part].append((*one[part], two[part][1]))
    if not any(cells.values()):
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{path.name} and {other.name} share no row with an answer in both and a label.",
            "Compare runs on the same file.",
        )
    return {
        "first": _described(path, answers), "second": _described(other, others),
        **{part: _paired(part, rows) if rows else None for part, rows in cells.items()},
    }  # fmt: skip


def _described(path: Path, answers: dict[str, Answer]) -> Report:
    last = list(answers.values())[-1]
    return {
        "file": path.name, "model": last.model.model_dump() if last.model is not None else None, "mode": last.mode,
        "program": last.program[:40], "answers": len(answers),
    }  # fmt: skip


def _figures(label: object, answer: Answer, estimated: bool) -> dict[str, tuple[float, float]]:
    """Return by part people's rating (0 where there is none) and the judge's number: 1, ½ or 0 for right or wrong."""
    figures: dict[str, tuple[float, float]] = {}
    if isinstance(label, LabelledPair) and answer.p_a is not None:
        figures["duels"] = 0.0, pair_hit(answer.p_a, label)
    elif isinstance(label, LabelledText):
        if label.is_humor is not None and answer.admissible is not None:
            figures["admission"] = 0.0, float(label.is_humor == answer.admissible)
        number = answer.percentile if estimated else answer.mean_score
        if label.rating is not None and number is not None:
            figures["ratings"] = label.rating, number
    return figures


def _paired(part: str, rows: list[tuple[float, float, float]]) -> Report:
    people, one, two = np.array(rows).T
    figures: dict[str, Any]
    if part == "ratings":
        figures = {"first": spearman(people, one), "second": spearman(people, two), "difference": None}
    else:
        figures = {"first": fraction(one), "second": fraction(two), "difference": difference(one, two)}
    plain: Report = to_jsonable_python(figures)
    return plain
