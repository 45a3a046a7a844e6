"""A judge's answers in a long run, each kept as a line as it comes, so that the next run asks nothing twice."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..evaluation.evaluation_types import LabelledPair, LabelledText
from ..evaluation.reference import ReferenceAnswer
from ..files import parse_json
from ..judging.kinds import kind_of
from ..verdicts import DuelResult, ErrorInfo, Mode, ModelRef, RatingResult, Result, VerdictResult
from .lines import LinesFile


def key_of(kind: str, *texts: str) -> str:
    """Names what was asked, whatever file it stands in: the same texts are judged once."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return f"{kind}-{digest.hexdigest()[:24]}"


def line_of(
    key: str,
    row: str | None,
    result: VerdictResult,
    error: ErrorInfo | None,
    label: LabelledPair | LabelledText | None = None,
    found: ReferenceAnswer | None = None,
) -> dict[str, Any]:
    """A raw line: the terminal's object, with what an evaluation needs beside it. ``people``: what people said of the
    row, so that two files of answers can be compared by themselves; ``found``: what is held against a reading."""
    shares = [share.model_dump() for share in result.shares] if isinstance(result, DuelResult) else []
    return {
        **kind_of(result).contract(result),
        "id": key,
        "row": row,
        "mode": result.mode,
        "program": __version__,
        "shares": shares,
        "people": _people(label),
        **({"found": found.model_dump(mode="json")} if found is not None else {}),
        "error": error.model_dump() if error else None,
    }


def _people(label: LabelledPair | LabelledText | None) -> dict[str, Any] | None:
    if label is None:
        return None
    texts = ("text_a", "text_b", "text")
    return {name: value for name, value in asdict(label).items() if name not in texts}


def label_in(line: dict[str, Any]) -> LabelledPair | LabelledText | None:
    """What people said of a line's row; None where the line doesn't say, or says what can't be."""
    people = line.get("people")
    if not isinstance(people, dict):
        return None
    if "text_a" in line:
        votes = _number(people.get("votes_a")), _number(people.get("votes_b"))
        winner = people.get("winner")
        return LabelledPair(line["text_a"], line["text_b"], winner, *votes) if winner in ("A", "B") else None
    humor = people.get("is_humor")
    return LabelledText(line["text"], _number(people.get("rating")), humor if isinstance(humor, bool) else None)


def _number(value: Any) -> float | None:
    good = type(value) in (int, float) and math.isfinite(value)
    return float(value) if good else None


def result_of(line: dict[str, Any]) -> Result:
    """What ``line_of`` wrote, as far as an evaluation reads it. Raises ``ValueError`` for anything else."""
    kind: type[Result] = DuelResult if "text_a" in line else RatingResult
    names = (
        ("text_a", "text_b", "winner", "p_a", "confidence_factor", "band", "consistent", "position_bias", "shares")
        if kind is DuelResult
        else ("text", "admissible", "mean_score", "max_score")
    )
    extra = ("audience", "model", "mode", "error", *(("length_controlled",) if kind is DuelResult else ()))
    return kind.model_validate({"id": line["id"], **{name: line[name] for name in (*names, *extra)}})


class AnswersFile(LinesFile):
    """The answers of a run: whole lines, each written at once, and read back by the next run. ``results`` by key, and
    what of them is held against readings."""

    run = "evaluate"

    def __init__(self, path: Path) -> None:
        """Raises ``UsageError`` ``E_EVALUATE_OUT`` for a file that holds anything else."""
        self.results: dict[str, Result] = {}
        self.found: dict[str, ReferenceAnswer] = {}
        self._programs: set[str] = set()
        super().__init__(path)

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            result = result_of(value)
            self._programs.add(str(value["program"]))
            if value.get("found") is not None:
                self.found[result.id] = ReferenceAnswer.model_validate(value["found"])
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        self.results[result.id] = result

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_EVALUATE_OUT",
            f"Line {number} of {self.path} isn't a line of an evaluation, so nothing was written to the file.",
            "Give --out a new name.",
        )

    def check(self, model: ModelRef | None, mode: Mode) -> None:
        """Raise ``UsageError`` where the lines that are there come from another model, mode or version."""
        for result in self.results.values():
            other = model is not None and result.model is not None and result.model.sha256 != model.sha256
            if other or result.mode != mode or self._programs - {__version__}:
                what = f"the model {result.model.name}" if other and result.model else "another mode or version"
                raise UsageError(
                    "E_EVALUATE_OUT",
                    f"{self.path} holds answers of {what}, which can't be mixed with these.",
                    "Give --out a new name.",
                )
