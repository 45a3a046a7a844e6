"""Verdicts on the repository's own jokes, kept with their numbers: python -m tests.live.stored_verdicts

Run without arguments it judges the jokes of ``stored_verdicts.json`` anew and writes the file again; do that only after
a change that is meant to change verdicts, and say so in its commit. ``--new`` picks the jokes anew, too: the examples
and originals of ``models/readings``. The program is asked as a user asks it, with the embedded model and one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from jokejudge_gui.engine.binding import build_id

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = Path(__file__).with_name("stored_verdicts.json")
RUNS = {
    "ratings": ("rate", "--ask", "plan"),
    "asked_ratings": ("rate", "--ask", "all"),
    "duels": ("duel", "--ask", "plan"),
    "asked_duels": ("duel", "--ask", "all"),
}
TEXTS = ("text", "text_a", "text_b")


def build() -> str:
    """What the last bit of a number depends on: llama.cpp's build and kernels, and numpy's."""
    return f"{build_id()}; numpy {np.__version__}"


def judge(
    rows: Mapping[str, Sequence[Mapping[str, str]]], folder: Path, profile: Path
) -> dict[str, list[dict[str, Any]]]:
    """The verdicts on the rows of each run, reduced to what is compared, in the rows' order."""
    return {run: _judge(RUNS[run], rows[run], folder / run, profile) for run in RUNS}


def _judge(
    command: Sequence[str], rows: Sequence[Mapping[str, str]], folder: Path, profile: Path
) -> list[dict[str, Any]]:
    folder.mkdir(parents=True)
    jokes, verdicts = folder / "jokes.jsonl", folder / "verdicts.jsonl"
    lines = (json.dumps({"id": str(place), **row}) for place, row in enumerate(rows))
    jokes.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "jokejudge_gui", *command, "--batch", str(jokes), "--out", str(verdicts)]
        + ["--data-dir", str(profile), "--threads", "1", "--no-history", "--no-explain", "--quiet"]
        + (["--anyway"] if command[0] == "rate" else []),
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in verdicts.read_text(encoding="utf-8").splitlines()]
    by_id = {verdict["id"]: verdict for verdict in found if verdict["id"] is not None}
    return [reduced(by_id[str(place)]) for place in range(len(rows))]


def reduced(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict's texts and numbers by name, without wording, cost and versions."""
    assert verdict["error"] is None, verdict["error"]
    kept: dict[str, Any] = {name: verdict[name] for name in TEXTS if name in verdict}
    names = ("admissible", "pathway", "mean_score", "weighted_score", "max_score")
    names += ("winner", "band", "p_a", "confidence_factor", "consistent", "position_bias", "turn")
    kept |= {name: verdict[name] for name in names if name in verdict}
    kept |= {
        name: {one["name"]: one["p"] for one in verdict[name]} for name in ("categories", "faults") if name in verdict
    }
    if "factors" in verdict:
        kept["checks"] = {one["check"]: one["p_admit"] for one in verdict["admissibility"]}
        kept["factors"] = {one["name"]: one["expected"] for one in verdict["factors"]}
        kept["offence"] = verdict["offence"] and verdict["offence"]["p"]
    kept["audience"] = verdict["audience"]
    if "orders" in verdict:
        kept["orders"] = {one["first"]: one["p_a"] for one in verdict["orders"]}
        kept["length_controlled"] = verdict["length_controlled"]
    return kept


def picked() -> dict[str, list[dict[str, str]]]:
    """The repository's own jokes: its six examples, and originals of ``models/readings`` spread over the file."""
    examples = [joke.text or "" for joke in ElementTree.parse(ROOT / "resources" / "examples.xml").iter("joke")]
    lines = (ROOT / "models" / "readings" / "readings.jsonl").read_text(encoding="utf-8").splitlines()
    readings = [json.loads(line) for line in lines]
    originals = [one["text"] for one in readings if one["source"] == "original" and one["ship"]]
    texts = examples + originals[:: len(originals) // 24][:24]
    pairs = [{"text_a": a, "text_b": b} for a, b in zip(texts[:10], texts[10:20], strict=True)]
    return {
        "ratings": [{"text": text} for text in texts],
        "asked_ratings": [{"text": text} for text in texts[4:30:9]],
        "duels": pairs,
        "asked_duels": pairs[3:9:5],
    }


def main() -> None:
    if "--new" in sys.argv[1:]:
        rows: dict[str, list[dict[str, str]]] = picked()
    else:
        stored = json.loads(FILE.read_text(encoding="utf-8"))
        rows = {run: [{name: row[name] for name in TEXTS if name in row} for row in stored[run]] for run in RUNS}
    with tempfile.TemporaryDirectory() as folder:
        found = judge(rows, Path(folder), Path(folder) / "profile")
    FILE.write_text(json.dumps({"build": build(), **found}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
