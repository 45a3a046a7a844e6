"""Pages of ratings: how many say something beyond the marked turn, and for how many drafts an edit is offered.

    python -m tests.bench.page FILE.jsonl [--pages]

FILE has a ``text`` a line, and for drafts ``could_go``, the words that an editor would cut; lines with ``joke`` false
are left out. ``--pages`` prints each page, to be read by eye."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from jokejudge_gui.core.events import result_of
from jokejudge_gui.core.pages import as_lines
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.rating.words import NOTES, page

from .common import model_parser, open_session


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def sentences(record: RatingResult) -> list[str]:
    """What a page says of the text beyond the turn and counted facts, and not of the audience where it is even."""
    shown = page(record)
    said = [
        row.text or row.name for row in shown.rows if row.name in {*NOTES, "Kinds"} or row.text == "What stands out"
    ]
    return [*([shown.headline] if shown.headline and shown.headline not in said else []), *said]


def agreed(record: RatingResult, could_go: list[str]) -> bool:
    """Whether an editor would cut all words of the offered edit."""
    remark = next(remark for remark in record.remarks if remark.about == "cut")
    assert record.note is not None
    trial = record.note.trials[remark.trial or 0]
    gone = words(record.text)
    for word in words(trial.text):
        gone.remove(word) if word in gone else None
    return set(gone) <= {word for piece in could_go for word in words(piece)}


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row.get("joke", True)]
    counts, offered, right, seconds = [], 0, 0, []
    with open_session(options) as session:
        for row in rows:
            began = time.perf_counter()
            record = result_of(session.run(RATING, RatingRequest(text=row["text"]), record=False))
            seconds.append(time.perf_counter() - began)
            counts.append(len(sentences(record)))
            edit = any(remark.about == "cut" for remark in record.remarks)
            offered += edit
            right += edit and agreed(record, row.get("could_go", []))
            if options.pages:
                print("", row["text"], *as_lines(page(record)), sep="\n")
    size = len(rows)
    print(f"{size} texts; {sum(seconds) / size:.2f} s each")
    print(f"say something beyond the turn: {sum(n >= 1 for n in counts) / size:.2f}; two things or more: "
          f"{sum(n >= 2 for n in counts) / size:.2f}")  # fmt: skip
    print(f"an edit offered: {offered} of {size}; all of its words among those that an editor would cut: {right}")


if __name__ == "__main__":
    main()
