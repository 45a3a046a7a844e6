"""Two saved evaluations held against each other, row by row, with the labels of the files that people judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError, UsageError
from ..evaluation.comparison import Comparison, Paired, PairedRank, RunRef, paired, paired_rank
from ..evaluation.evaluation_types import LabelledPair, LabelledText, PairAnswer, TextAnswer
from ..evaluation.labelled import read_pairs, read_ratings
from ..files import parse_json
from ..verdicts import DuelResult, RatingResult, Result
from .answers import key_of, label_in, result_of

_MOST_BYTES = 1 << 30


@dataclass
class Labels:
    """People's word on what was asked, by key."""

    pairs: dict[str, LabelledPair] = field(default_factory=dict)
    texts: dict[str, LabelledText] = field(default_factory=dict)

    @classmethod
    def read(cls, pairs: Sequence[str], ratings: Sequence[str]) -> Labels:
        """From labelled files. Raises what ``read_pairs`` raises."""
        found = cls()
        for source in pairs:
            for pair in read_pairs(source).rows:
                found.pairs.setdefault(key_of("duel", pair.text_a, pair.text_b), pair)
        for source in ratings:
            for text in read_ratings(source).rows:
                found.texts.setdefault(key_of("check" if text.rating is None else "rate", text.text), text)
        return found


@dataclass
class SavedRun:
    """A run's answers by key, and the labels that stand beside them (none in files of earlier versions)."""

    path: Path
    results: dict[str, Result]
    labels: Labels
    program: str

    @classmethod
    def read(cls, path: Path) -> SavedRun:
        """A file that ``evaluate --out`` wrote. Raises ``InputError`` ``E_COMPARE_FILE``."""
        found = cls(path, {}, Labels(), "")
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            with path.open("rb") as stream:
                for number, line in enumerate(stream, start=1):
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
            file=self.path.name, model=one.model, mode=one.mode, program=self.program, answers=len(self.results),
            unused=len(self.results) - used,
        )  # fmt: skip


def compare(first: SavedRun, second: SavedRun, given: Labels) -> Comparison:
    """Compare on the rows that both answered; ``given`` labels before those in the files. Raises ``UsageError``
    ``E_COMPARE_NOTHING`` where no row has both answers and a label."""
    pairs = second.labels.pairs | first.labels.pairs | given.pairs
    texts = second.labels.texts | first.labels.texts | given.texts
    both = [key for key in first.results if key in second.results]
    duels = _duels(first.results, second.results, pairs, both)
    checked, admission = _admission(first.results, second.results, texts, both)
    rated, ratings = _ratings(first.results, second.results, texts, both)
    used = (duels.first.n if duels is not None else 0) + len(checked | rated)
    if not used:
        raise UsageError(
            "E_COMPARE_NOTHING",
            f"{first.path.name} and {second.path.name} share no row with an answer in both and a label.",
            "Compare runs on the same file, and name it where an earlier version wrote them: --pairs or --ratings.",
        )
    return Comparison(first=first.ref(used), second=second.ref(used), duels=duels, admission=admission, ratings=ratings)


def _duels(
    first: Mapping[str, Result], second: Mapping[str, Result], labels: Mapping[str, LabelledPair], both: Sequence[str]
) -> Paired | None:
    hits = []
    for key in both:
        label, one, two = labels.get(key), _pair(first[key]), _pair(second[key])
        if label is not None and one is not None and two is not None:
            hits.append((_hit(one, label), _hit(two, label)))
    return paired(*zip(*hits, strict=True)) if hits else None


def _hit(answer: PairAnswer, label: LabelledPair) -> float:
    lean = (answer.p_a > 0.5) - (answer.p_a < 0.5)
    return 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)


def _pair(result: Result) -> PairAnswer | None:
    return PairAnswer.of(result) if isinstance(result, DuelResult) and result.error is None else None


def _text(result: Result) -> TextAnswer | None:
    return TextAnswer.of(result) if isinstance(result, RatingResult) and result.error is None else None


def _admission(
    first: Mapping[str, Result], second: Mapping[str, Result], labels: Mapping[str, LabelledText], both: Sequence[str]
) -> tuple[set[str], Paired | None]:
    hits: dict[str, tuple[float, float]] = {}
    for key in both:
        label, one, two = labels.get(key), _text(first[key]), _text(second[key])
        if label is None or label.is_humor is None or one is None or two is None:
            continue
        if one.admissible is not None and two.admissible is not None:
            hits[key] = float(one.admissible == label.is_humor), float(two.admissible == label.is_humor)
    return set(hits), paired(*zip(*hits.values(), strict=True)) if hits else None


def _ratings(
    first: Mapping[str, Result], second: Mapping[str, Result], labels: Mapping[str, LabelledText], both: Sequence[str]
) -> tuple[set[str], PairedRank | None]:
    rows: dict[str, tuple[float, TextAnswer, TextAnswer]] = {}
    for key in both:
        label, one, two = labels.get(key), _text(first[key]), _text(second[key])
        if label is not None and label.rating is not None and one is not None and two is not None:
            rows[key] = label.rating, one, two
    # One measure for both: an estimate of the audience and a rubric's score are not of one kind.
    heard = any(one.audience is not None and two.audience is not None for _, one, two in rows.values())
    found: dict[str, tuple[float, float, float]] = {}
    for key, (rating, one, two) in rows.items():
        a, b = (one.audience, two.audience) if heard else (one.score, two.score)
        if a is not None and b is not None:
            found[key] = rating, a, b
    return set(found), paired_rank(*zip(*found.values(), strict=True)) if found else None
