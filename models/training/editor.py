"""Fit the editor's heads of one model to readings, and print their figures out of fold.

python models/training/editor.py MODEL.gguf CACHE --readings readings.jsonl --drafts drafts.jsonl
    [--second models/training/second.jsonl] [--write models]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from second import first_and_second

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.engine.base import Engine
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.editor import TextRow, measure
from jokejudge_gui.heads.editor_file import EditorCard
from jokejudge_gui.learning.editor_data import read_drafts
from jokejudge_gui.learning.editor_fit import BUCKETS, fit_editor
from jokejudge_gui.learning.editor_lesson import editor_card, save_editor

_TOGETHER = 50
_NAMES = ("readings", "drafts", "editor")
Array = npt.NDArray[np.floating]


def rows_of(engine: Engine, folder: Path, texts: Sequence[str]) -> list[TextRow]:
    """Return the measurements of each text; states in ``folder`` (CACHE) aren't read again."""
    found = {
        text: measure(states.astype(np.float32), text, engine.spans(text), BUCKETS, logprobs)
        for text, states, logprobs in scans_of(engine, folder, texts)
    }
    return [found[text] for text in texts]


def scans_of(engine: Engine, folder: Path, texts: Sequence[str]) -> Iterator[tuple[str, Array, Array]]:
    """Yield each text once, in no particular order, with its states (tokens, size) and log-probabilities (tokens,).
    States that CACHE holds aren't read again, except those without log-probabilities."""
    left = dict.fromkeys(texts)
    for path in sorted(path for name in _NAMES for path in folder.glob(f"{name}-*.npz")):
        with np.load(path) as shard:
            ends, states = np.cumsum(shard["lengths"]), shard["states"]
            logprobs = shard.get("logprobs")
            for text, end, length in zip(map(str, shard["texts"]), ends, shard["lengths"], strict=True):
                if text in left and logprobs is not None:
                    del left[text]
                    yield text, states[end - length : end], logprobs[end - length : end]
    folder.mkdir(parents=True, exist_ok=True)
    unread = list(left)
    for start in range(0, len(unread), _TOGETHER):
        part = unread[start : start + _TOGETHER]
        scans = engine.scan_together(part)
        read = [scan.states.astype(np.float16) for scan in scans]
        np.savez(
            folder / f"editor-{time.time_ns()}.npz",
            texts=np.array(part),
            lengths=np.array([len(s) for s in read]),
            states=np.concatenate(read),
            logprobs=np.concatenate([scan.logprobs for scan in scans]),
        )
        yield from zip(part, read, [scan.logprobs for scan in scans], strict=True)
        print(f"read {start + len(part)} of {len(unread)}", flush=True)


def table(card: EditorCard) -> str:
    """The card's figures as lines for the terminal."""
    f = card.figures
    lines = [
        f"{card.model.name}: {card.readings} texts read, {card.drafts} drafts; all out of fold by text",
        f"16 core factors, mean r                        {f.factors:.3f}   ({f.factors_shown} of 16 at .35 or more)",
        f"kinds, mean AUC                                {f.kinds:.3f}",
        f"kinds, the first is right                      {f.kinds_first:.3f}   of all jokes",
        f"  where one is stated at p >= .5               {f.kinds_first_shown:.3f}   ({f.kinds_any:.2f} of jokes)",
        f"kinds at p >= .5: precision, recall            {f.kinds_precision:.3f} {f.kinds_recall:.3f}",
        f"kinds, calibration error                       {f.kinds_error:.3f}",
        f"faults, mean AUC                               {f.faults:.3f}",
        f"faults at p >= .5: precision, recall           {f.faults_precision:.3f} {f.faults_recall:.3f}",
        f"faults, calibration error                      {f.faults_error:.3f}",
        f"the turn: nearly the same, its last word in it   {f.turn:.3f}  (calibration error {f.turn_error:.3f})",
        f"joke or not, AUC                               {f.joke:.3f}",
        f"complete, AUC                                  {f.complete:.3f}",
        f"words that could go (drafts), AUC              {f.cut:.3f}",
    ]
    for section, found in card.items.items():
        ranked = sorted(found.items(), key=lambda item: -item[1].worth)
        lines.append(f"{section}: " + ", ".join(f"{name} {figure.worth:.2f}" for name, figure in ranked))
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--readings", type=Path, required=True)
    parser.add_argument("--second", type=Path, help="readings of the second round; they take $JOKEJUDGE_DATA")
    parser.add_argument("--drafts", type=Path, required=True)
    parser.add_argument("--write", type=Path, help="folder models: heads and card go to its folder editor")
    given = parser.parse_args(argv)
    drafts = read_drafts(given.drafts)
    readings = first_and_second(given.readings, given.second)
    sha256 = sha256_of(given.model)
    engine = load_engine(given.model, sha256=sha256, threads=1)
    try:
        folder = given.cache / sha256[:16]
        rows = rows_of(engine, folder, readings.texts)
        draft_rows = rows_of(engine, folder, [draft.text for draft in drafts])
        name = engine.info.name
    finally:
        engine.close()
    began = time.perf_counter()
    fitted = fit_editor(rows, readings, draft_rows, drafts)
    print(f"fitted in {time.perf_counter() - began:.0f} s")
    model = ModelRef(name=name, sha256=sha256)
    card = editor_card(model, readings, len(drafts), fitted, command="python models/training/editor.py")
    print(table(card))
    if given.write:
        save_editor(given.write / "editor", fitted, card)


if __name__ == "__main__":
    main()
