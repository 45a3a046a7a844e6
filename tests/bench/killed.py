"""Contests killed at many moments: python -m tests.bench.killed [--moments 50] [--jokes 60] [--real].

Ranks a list once undisturbed, then again with ``kill -9`` at so many moments between its first line and its last: each
run continues where the one before was killed. Prints the number of whole lines lost, the number of runs, and whether
the ranking equals the undisturbed one to the last bit. ``--real``: the embedded model (readings and the duels that
it holds) in place of a fake engine, which holds duels of every kind. Asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from jokejudge_gui.rubric.xml_parser import load_criteria

from .verdicts import processor


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.killed", description=__doc__)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--jokes", type=int, default=60)
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    program = "jokejudge_gui" if options.real else "tests.cluster_program"
    print(f"machine: {processor()}; {'the embedded model' if options.real else 'a fake engine'}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jokes = load_criteria().contrast.baseline
        texts = [f"{jokes[n % len(jokes)]} Number {n}." for n in range(options.jokes)]
        (folder / "jokes.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", program, "contest", str(folder / "jokes.txt"), "--json", "--quiet"]
        command += ["--data-dir", str(folder / "profile"), "--threads", "1", "--out"]
        whole = finished([*command, str(folder / "whole.jsonl")])
        total = len(lines(folder / "whole.jsonl"))
        print(f"{options.jokes} jokes, {whole['duels']} duels: {total} lines")
        disturbed(command, folder / "killed.jsonl", total, options.moments, whole)


def disturbed(command: list[str], out: Path, total: int, moments: int, whole: dict[str, Any]) -> None:
    """Kill runs as their file grows, then let one end."""
    chance = random.Random(14)
    kills = lost = cut = 0
    before: list[bytes] = []
    for moment in range(moments):
        target = 1 + (moment + 1) * (total - 2) // moments
        with subprocess.Popen([*command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and (not out.exists() or len(lines(out)) < min(target, total - 1)):
                time.sleep(0.001)
            time.sleep(chance.uniform(0.0, 0.01))
            if process.poll() is None:
                process.kill()
                kills += 1
        now = lines(out)
        cut += bool(out.read_bytes()) and not out.read_bytes().endswith(b"\n")
        lost += before != now[: len(before)]
        before = now
    last = finished([*command, str(out)])
    lost += before != lines(out)[: len(before)]
    print(f"{kills} runs killed, {cut} of them in the middle of a line; {lost} lost what was written before")
    same = essence(last) == essence(whole)
    print(f"the ranking is {'the undisturbed one to the last bit' if same else 'ANOTHER ONE'}")


def finished(command: list[str]) -> dict[str, Any]:
    """The JSON object of a run that ends by itself."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def lines(path: Path) -> list[bytes]:
    """The whole lines of a file."""
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def essence(found: dict[str, Any]) -> list[Any]:
    """Return a ranking without its cost, its verdict's id, and whether the history had its jokes."""
    ranked = [{**entry, "seen": None} for entry in found["entries"]]
    return [ranked, found["held"], found["decisive"], found["cycles"], found["agreement"]]


if __name__ == "__main__":
    main()
