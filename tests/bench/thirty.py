"""Thirty jokes of our own, and each verdict beside an editor's view: python -m tests.bench.thirty.

Ten good ones, ten weak ones, ten odd forms (tests/bench/thirty.jsonl). Prints each verdict, then how often a good
one is put above a weak one, how often one of the editor's kinds is named first and how often the turn is found; asserts
nothing. With --json the rows as JSON lines.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import RatingResult
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.session.session import Session

from .judge import model_parser
from .verdicts import processor

FILE = Path(__file__).with_name("thirty.jsonl")


@dataclass(frozen=True)
class Row:
    """A joke with an editor's view of it. ``group``: good, weak or odd."""

    group: str
    text: str
    kinds: tuple[str, ...]
    turn: str
    faults: tuple[str, ...]
    editor: str


def rows() -> list[Row]:
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.append(Row(**{**row, "kinds": tuple(row["kinds"]), "faults": tuple(row["faults"])}))
    return found


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        try:
            list(session.load())
            if not options.json:
                assert session.model is not None
                print(f"machine: {processor()}; model: {session.model.name}\n")
            judged = [(row, verdict(session, row)) for row in rows()]
        finally:
            session.close()
    for row, result in judged:
        print(json.dumps(as_json(row, result), ensure_ascii=False) if options.json else in_words(row, result))
    if not options.json:
        summary(judged)


def verdict(session: Session, row: Row) -> RatingResult:
    *_, last = session.rate(row.text, force=True, record=False)
    assert isinstance(last, Finished), last
    assert isinstance(last.result, RatingResult)
    return last.result


def as_json(row: Row, result: RatingResult) -> dict[str, object]:
    return {"group": row.group, "editor": row.editor, **RATING.contract(result)}


def in_words(row: Row, result: RatingResult) -> str:
    audience = f"{result.audience.percentile:.0f}" if result.audience else "-"
    kinds = ", ".join(f"{kind.name} {kind.p:.2f}" for kind in result.categories if kind.chosen) or "none"
    faults = ", ".join(f"{fault.name} {fault.p:.2f}" for fault in result.faults) or "none"
    turn = result.turn.text if result.turn else "-"
    lines = [f"[{row.group}] {row.text}"]
    lines.append(f"  people: {audience} in 100; kinds: {kinds}; faults: {faults}; turn: {turn}")
    lines += [f"  says: {line}" for line in (result.explanation or "").splitlines()]
    lines.append(f"  editor: {row.editor} ({', '.join(row.kinds)}; turn: {row.turn or '-'}; {', '.join(row.faults)})\n")
    return "\n".join(lines)


def summary(judged: list[tuple[Row, RatingResult]]) -> None:
    place = {row.text: result.audience.percentile for row, result in judged if result.audience}
    mean = {row.text: result.mean_score for row, result in judged if result.mean_score is not None}
    good, weak = ([row.text for row, _ in judged if row.group == group] for group in ("good", "weak"))
    for name, values in (("audience", place), ("mean of the factors", mean)):
        pairs = [(a, b) for a, b in itertools.product(good, weak) if a in values and b in values]
        right = sum(values[a] > values[b] for a, b in pairs)
        print(f"{name}: a good one above a weak one in {right} of {len(pairs)} pairs")
    shown = [(row, [kind.id for kind in result.categories if kind.chosen]) for row, result in judged]
    told = [(row, kinds) for row, kinds in shown if kinds]
    print(
        f"kinds: one shown for {len(told)} of {len(judged)}, the first right in {sum(k[0] in r.kinds for r, k in told)}"
    )
    turns = [(row, result.turn) for row, result in judged if row.turn]
    found = sum(turn is not None and overlaps(row, turn.start, turn.end) for row, turn in turns)
    print(f"turn: shown and overlapping in {found} of {len(turns)}")
    named = [(row, fault.id) for row, result in judged for fault in result.faults]
    print(f"faults: {len(named)} named, {sum(fault in row.faults for row, fault in named)} of them the editor's too")


def overlaps(row: Row, start: int, end: int) -> bool:
    place = row.text.find(row.turn)
    return place < end and start < place + len(row.turn)


if __name__ == "__main__":
    main()
