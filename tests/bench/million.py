"""A batch of very many rows: python -m tests.bench.million [--rows 1000000] [--part 10000].

Runs ``jokejudge rate --batch`` with ``--shard 1/PART`` in a process of its own on a table of so many rows, so that all
of them are read and one in PART is judged: seconds, and its greatest memory. Then again with an output that holds a
line for every row, as in a continued run, and ``merge`` of two halves of it. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .verdicts import processor


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.million", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", type=int, default=10_000)
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, few, out = folder / "jokes.csv", folder / "few.csv", folder / "out.jsonl"
        rows(table, options.rows)
        rows(few, 20)
        print(f"{options.rows:,} rows, {table.stat().st_size / 1e6:.0f} MB")
        rate = ["rate", "--no-history", "--no-explain", "--threads", "1", "--data-dir", str(folder / "profile")]
        measured("20 rows, for comparison", [*rate, "--batch", str(few), "--out", str(folder / "few.jsonl")])
        part = ["--shard", f"1/{options.part}"]
        measured("all rows", [*rate, "--batch", str(table), *part, "--out", str(out)])
        whole = lines(out, options.rows)
        measured("all have a line but one", [*rate, "--batch", str(table), "--out", str(whole)])
        measured("merge", ["merge", str(whole), str(out), "--out", str(folder / "all.jsonl")])


def rows(path: Path, count: int) -> None:
    """Write a table of so many different one-liners."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text"])
        for n in range(count):
            said = f'He said: "Stop going there, {n % 97} is enough."'
            writer.writerow([f"row-{n}", f"I told my doctor that I broke my arm in {n} places. {said}"])


def lines(out: Path, count: int) -> Path:
    """Write a file as if every row but the last had been judged, in the form of the lines that are there."""
    head, line, *_ = out.read_text(encoding="utf-8").splitlines()
    path = out.with_name("whole.jsonl")
    value = json.loads(line)
    value["categories"] = []  # as long as a line of JSON need be, so that the file fits on any disk
    with path.open("w", encoding="utf-8") as stream:
        stream.write(head + "\n")
        for n in range(count - 1):
            value["id"] = f"row-{n}"
            stream.write(json.dumps(value, ensure_ascii=False) + "\n")
    return path


def measured(what: str, arguments: list[str]) -> None:
    """Run the program and print its seconds and memory. The memory is that of the largest child process so far."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "jokejudge_gui", *arguments], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    said = done.stderr.strip().splitlines()[-1:] or [""]
    print(f"{what}: exit status {done.returncode}, {seconds:.0f} s, at most {most:.0f} MB so far; {said[0][-100:]}")


if __name__ == "__main__":
    main()
