"""Fits the draft heads of a model and prints their figures on jokes that they weren't fitted on.

    python models/training/drafts.py MODEL.gguf CACHE [--write models]

CACHE: a folder for the model's states of the drafts, so that it reads them once. With --write the heads and their card
go into models/drafts.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jokejudge_gui.core.files import atomic_writer, sha256_of
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.drafts import DraftHeads, DraftReading, reading
from jokejudge_gui.learning.drafts_fit import DraftFigures, FittedDrafts, draft_card, fit_draft_heads, load_drafts

DRAFTS = Path(__file__).resolve().parents[1] / "drafts" / "drafts.jsonl"
_TOGETHER = 20


def scans(model: Path, sha256: str, cache: Path, texts: list[str]) -> dict[str, Scan]:
    """Return the scan of every text; read once and kept in ``cache``."""
    path = cache / f"drafts-{sha256[:16]}.npz"
    if path.is_file():
        return _kept(path)
    engine = load_engine(model, sha256=sha256)
    found: list[Scan] = []
    for first in range(0, len(texts), _TOGETHER):
        found += engine.scan_together(texts[first : first + _TOGETHER])
        print(f"\r{len(found)} of {len(texts)} drafts read", end="", flush=True)
    engine.close()
    print()
    cache.mkdir(parents=True, exist_ok=True)
    with atomic_writer(path) as stream:
        np.savez(
            stream,
            texts=np.array(texts),
            lengths=np.array([len(scan.spans) for scan in found]),
            states=np.concatenate([scan.states for scan in found]).astype(np.float16),
            lp=np.concatenate([scan.logprobs for scan in found]),
            spans=np.concatenate([np.array(scan.spans) for scan in found]),
        )
    return _kept(path)


def _kept(path: Path) -> dict[str, Scan]:
    with np.load(path) as kept:
        states, scores, spans = kept["states"], kept["lp"], kept["spans"]
        found, end = {}, 0
        for text, length in zip(kept["texts"], kept["lengths"], strict=True):
            start, end = end, end + int(length)
            places = tuple((int(first), int(last)) for first, last in spans[start:end])
            found[str(text)] = Scan(states[start:end].astype(np.float32), scores[start:end], places)
    return found


def show(figures: DraftFigures) -> None:
    """Print the table."""
    low, high = figures.interval
    print(f"{figures.jokes} jokes, five folds by joke")
    print(f"best over worse         {figures.agreement:.3f} ({low:.3f} to {high:.3f}); shorter {figures.shorter:.3f}")
    print(f"calibration error       {figures.calibration_error:.3f}")
    print(f"two equally good drafts {figures.equal_distance:.3f} mean |p - 1/2|")
    print(f"reworded over worse     {figures.rewritten:.3f}")
    print(f"the fault, first choice {figures.fault_right:.3f}")
    print(f"a fault is named in     {figures.shown:.3f}, and is right in {figures.shown_right or 0:.3f}")
    for name, share in sorted(figures.by_fault.items(), key=lambda item: -item[1]):
        count, right = figures.by_shown.get(name, (0, 0.0))
        print(f"  {name:13} over it {share:.2f}; named {count:4}, right {right:.2f}")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--drafts", type=Path, default=DRAFTS)
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    given = parser.parse_args(argv)
    jokes = load_drafts(given.drafts)
    sha256 = sha256_of(given.model)
    texts = list(dict.fromkeys(text for joke in jokes for text in joke.texts))
    read: dict[str, DraftReading] = {
        text: reading(text, scan) for text, scan in scans(given.model, sha256, given.cache, texts).items()
    }
    steps = fit_draft_heads(jokes, read, sha256)
    found: FittedDrafts | None = None
    while found is None:
        try:
            step = next(steps)
        except StopIteration as end:
            found = end.value
        else:
            if step.done % 500 == 0:
                print(f"{step.done} of {step.total}", flush=True)
    assert found is not None
    show(found.figures)
    if given.write:
        stem = given.write / "drafts" / sha256[:16]
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        with atomic_writer(stem.with_suffix(".npz")) as stream:
            DraftHeads.write(stream, found.meta, found.arrays)
        with atomic_writer(stem.with_suffix(".json")) as stream:
            card = draft_card(found.figures, sha256, given.model.stem, date)
            stream.write((json.dumps(card, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
