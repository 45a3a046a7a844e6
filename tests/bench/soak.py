"""Memory over many real verdicts: python -m tests.bench.soak [--model PATH|NAME] [--verdicts 30].

Ratings without explanation, and the process's resident memory along the way. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import threading
import time
from pathlib import Path

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.finder import ModelFile, resolve_model
from jokejudge_gui.rubric.xml_parser import load_criteria

from .contenders.ours import Ours, make_ready
from .verdicts import processor


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--model", default=None)
    parser.add_argument("--verdicts", type=int, default=30)
    options = parser.parse_args()
    jokes = load_criteria().contrast.baseline
    given = resolve_model(options.model, Profile.default())
    model = ModelFile(given.path, given.name, given.sha256 or sha256_of(given.path, lambda _done: None))
    print(f"machine: {processor()}; model: {model.name}, {model.path.stat().st_size / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as name:
        profile, states = Profile.at(Path(name)), Path(name) / "states"
        make_ready(profile, model, jokes[-4:], states=states)
        ours = Ours(profile, model, states=states)
        print(f"{'loaded':24}{state()}")
        begin = time.perf_counter()
        for number, joke in zip(range(options.verdicts), itertools.cycle(jokes), strict=False):
            ours.verdict((f"{joke} ({number})",), explain=False)
            if number in (0, 1, 2) or (number + 1) % 5 == 0:
                print(f"{f'after verdict {number + 1}':24}{state()}", flush=True)
        seconds = (time.perf_counter() - begin) / max(options.verdicts, 1)
        ours.close()
        print(f"{'closed':24}{state()}\n{seconds:.2f} s a verdict")


def state() -> str:
    """Resident memory in MB (and the anonymous part, if the system reports it), threads and open files."""
    figures = {"VmRSS": 0, "RssAnon": 0}
    files = 0
    if Path("/proc/self/status").is_file():
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name in figures:
                figures[name] = int(value.split()[0])
        files = len(os.listdir("/proc/self/fd"))
    resident, own = (value / 1024 for value in figures.values())
    return (
        f"{resident:7.0f} MB resident, {own:6.0f} MB of it its own, "
        f"{threading.active_count()} Python threads, {files} files"
    )


if __name__ == "__main__":
    main()
