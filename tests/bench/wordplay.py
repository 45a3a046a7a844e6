"""Figures of the head for wordplay, and puns with the verdict on each:

    python -m tests.bench.wordplay            # the figures measured when the head was fitted, on pun words left out
    python -m tests.bench.wordplay --forty    # the puns of forty_puns.txt, the last ten newer than any fit
    python -m tests.bench.wordplay --kinds    # those of six_kinds.txt: spoonerisms, malapropisms, Tom Swifties …

``models/training/wordplay.py`` measures the figures anew.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from jokejudge_gui import JokeJudge
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.sounds import load_sounds
from jokejudge_gui.library.embedded import EMBEDDED_SHA256


def figures() -> None:
    card = json.loads((models_dir() / "wordplay" / f"{EMBEDDED_SHA256[:16]}.json").read_text("utf-8"))
    for name, row in card["figures"].items():
        print(f"{name:<28}{row}")
    table = models_dir() / "sounds.npz"
    begin = time.perf_counter()
    load_sounds(table)
    seconds = time.perf_counter() - begin
    print(f"table of sounds: {table.stat().st_size / 1e6:.2f} MB (2), read in {seconds:.3f} s (0.1)")


def told(name: str) -> None:
    judge = JokeJudge()
    for line in Path(__file__).with_name(name).read_text("utf-8").splitlines():
        sort, second, text = line.split("\t")
        begin = time.perf_counter()
        found = judge.rate_joke(text)
        seconds = time.perf_counter() - begin
        play = found.wordplay
        said = play.sentence if play else "–"
        right = "" if not play else "right" if play.second in second.split("|") else "wrong" if play.second else "sense"
        print(f"{sort:<12}{seconds:5.2f} s  {right:<6}{said:<50}  {second:<16}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forty", dest="name", action="store_const", const="forty_puns.txt")
    parser.add_argument("--kinds", dest="name", action="store_const", const="six_kinds.txt")
    name = parser.parse_args().name
    if name:
        told(name)
    else:
        figures()


if __name__ == "__main__":
    main()
