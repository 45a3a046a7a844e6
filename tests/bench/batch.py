"""A batch of duels: python -m tests.bench.batch [--model PATH|NAME] [--pairs 200] [--threads N] [--explain].

Runs ``jokejudge duel --batch`` in a process of its own and prints its rate and the number of cores that it kept busy:
CPU seconds over wall seconds, for the whole and for each stretch of five seconds. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.loader import physical_cores
from jokejudge_gui.library.finder import resolve_model
from jokejudge_gui.rubric.xml_parser import load_criteria

from .verdicts import processor

_STRETCH = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.batch", description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    model = resolve_model(options.model, Profile.default())
    print(f"machine: {processor()}, {physical_cores()} cores; model: {model.name}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "jokejudge_gui", "duel", "--data-dir", str(folder / "profile")]
        command += ["--model", str(model.path)]
        command += ["--threads", str(options.threads)] if options.threads else []
        command += [] if options.explain else ["--no-explain"]
        # The model is hashed, tried and its constant prompts read before the clock starts: that cost occurs once.
        table(folder / "first.csv", 1, skip=options.pairs)
        ready = [*command, "--batch", str(folder / "first.csv"), "--out", str(folder / "first.jsonl")]
        subprocess.run(ready, check=True, capture_output=True)
        table(folder / "pairs.csv", options.pairs)
        run(
            [*command, "--batch", str(folder / "pairs.csv"), "--out", str(folder / "out.jsonl")],
            folder / "out.jsonl",
            options.pairs,
        )


def table(path: Path, count: int, *, skip: int = 0) -> None:
    """A CSV file of ``count`` pairs of the baseline jokes."""
    pairs = itertools.islice(itertools.combinations(load_criteria().contrast.baseline, 2), skip, skip + count)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text_a", "text_b"])
        writer.writerows([number, *pair] for number, pair in enumerate(pairs))


def run(command: list[str], out: Path, count: int) -> None:
    """Run the batch and sample its CPU time along the way, from its first line on."""
    marks: list[tuple[float, float]] = []
    words = out.with_suffix(".txt")
    with words.open("wb") as stream, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stream) as process:
        while process.poll() is None:
            time.sleep(0.05)
            if out.is_file() and out.stat().st_size:
                now = time.perf_counter()
                cpu = cpu_seconds(process.pid)
                if cpu and (not marks or now - marks[-1][0] >= _STRETCH):
                    marks.append((now, cpu))
        end = time.perf_counter()
    last = words.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    lines = len(out.read_bytes().splitlines()) - 1 if out.is_file() else 0  # the first names the run
    print(f"exit status {process.returncode}; {lines} lines of {count}; {' '.join(last)}")
    if len(marks) < 2:
        print("too short to tell how busy the cores were")
        return
    wall, cpu = marks[-1][0] - marks[0][0], marks[-1][1] - marks[0][1]
    busy = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(marks)]
    print(f"rate: {(lines - 1) / (end - marks[0][0]):.2f} duels a second ({end - marks[0][0]:.0f} s)")
    print(f"cores kept busy: {cpu / wall:.2f} (stretches of {_STRETCH:.0f} s: least {min(busy):.2f}, ", end="")
    print(f"median {statistics.median(busy):.2f}); load of the machine {os.getloadavg()[0]:.1f}")


def cpu_seconds(pid: int) -> float:
    """User and system seconds of a running process, all its threads (Linux); 0 when it has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
