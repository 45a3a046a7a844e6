"""The least probability of an edit that the program may propose.

Drafts with words too many or in the wrong order, and the best versions of the same jokes, none of which could be
better: an edit is right if it brings a text nearer to its best version, word by word. The card of the editor's heads
gets the least probability from which on 90 in 100 are right; thresholds are chosen and measured on different folds. The
draft heads were trained on the drafts, the heads for sense on the families."""

from __future__ import annotations

import difflib
import json
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shipping import Shipping

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.files import atomic_write
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.core.words import WORD
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.judge.rating.edits import try_edits
from jokejudge_gui.judge.rating.note import LEAST_P
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.learning.editor_data import fold_of
from jokejudge_gui.learning.editor_report import precise_from
from jokejudge_gui.session.session import Session

_WITHIN_REACH = ("padding", "tail", "explains", "wrong_order")


def pairs_of(drafts: Path, families: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield a text and its best version, which may be the text itself."""
    for line in drafts.read_text("utf-8").splitlines():
        row = json.loads(line)
        best = clean_text(row["best"])
        yield best, best
        yield from ((clean_text(each["text"]), best) for each in row["worse"] if each["fault"] in _WITHIN_REACH)
    for family in families:
        best = clean_text(family["best"])
        yield best, best
        for each in family["variants"]:
            if each["type"] == "spoiled" and set(each.get("faults") or ()) & {*_WITHIN_REACH}:
                yield clean_text(each["text"]), best


def distance(a: str, b: str) -> int:
    """Number of words of either text that the other doesn't have at the same place."""
    left, right = ([word.lower() for word in WORD.findall(text)] for text in (a, b))
    same = sum(block.size for block in difflib.SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks())
    return len(left) + len(right) - 2 * same


def edited(reader: Reader, text: str, best: str) -> tuple[float, bool] | None:
    """Return the stated probability of the edit to be shown, and whether the edit is right."""
    found = reader.read(text)
    if found.editor is None or (found.sense is not None and found.sense.sense.said == "no turn"):
        return None
    turn = found.editor.turn
    draft = RatingResult(id="", text=text)
    draft.turn = Span(**turn.model_dump()) if turn is not None and turn.p >= LEAST_P else None
    trials = try_edits(reader, draft, found.editor.cuts, least=0.5)
    return (trials[0].p_better, distance(trials[0].text, best) < distance(text, best)) if trials else None


def measure_edits(of: Shipping) -> None:
    chosen = sorted({*pairs_of(of.drafts, of.families())}, key=lambda pair: zlib.crc32(pair[0].encode()))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=str(of.model)))
        try:
            list(session.load())
            assert session.judge is not None
            for place, (text, best) in enumerate(chosen):
                found = edited(session.judge.reader, text, best)
                if found is not None:
                    rows.append((*found, fold_of(best)))
                if not place % 100:
                    print(f"read {place} of {len(chosen)}", flush=True)
        finally:
            session.close()
    figure = precise_from(rows)
    print(f"from {figure.least:.3f} on: {figure.cases} edits, right {figure.right:.3f}")
    path = of.path("editor", "json")
    card = EditorCard.load(path)
    atomic_write(path, card.replaced(notes={**card.notes, "edit": figure}).text())
