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
from typing import Any

from jokejudge_gui import JokeJudge
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.sounds import load_sounds
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

FORMS = ("daughter", "doctor", "never_die")
BROKEN = {
    "ns": "nonsense",
    "sp": "synonym of the pun's word",
    "sa": "synonym of the other word",
    "ra": "random word",
}
ASKED = (
    ("pun's word inside what is marked", ("pun", "marked"), 0.93),
    *((f"  forms left out: {form}", ("forms left out", "marked", f"pattern {form}"), 0.90) for form in FORMS),
    ("sound puns: said", ("pun", "other", "said"), 0.50),
    ("sound puns: right where said", ("pun", "other", "right where said"), 0.90),
    ("sound puns: first of all other words", ("pun", "other", "first of all other words"), 0.65),
    ("sound puns: right one among the readings", ("pun", "other", "right one among the readings"), 0.94),
    ("sound puns: first, the pun's word known", ("pun", "other", "first, the word known"), None),
    ("same word: pun's word found", ("pun", "same", "word found"), None),
    ("same word: said", ("pun", "same", "said"), None),
    ("said of texts that are no puns", ("no pun", "said"), 0.05),
    *((f"said of broken puns: {name}", (f"broken {sort}", "said"), 0.25) for sort, name in BROKEN.items()),
    ("said of plain texts of families", ("family plain", "said"), 0.02),
    ("said of flat texts of families", ("family flat", "said"), 0.02),
    ("families' bests: said (sound)", ("family best", "other", "said"), None),
    ("families' bests: right where said (sound)", ("family best", "other", "right where said"), None),
    ("AUC of puns above their broken forms, mean", ("AUC", "broken, mean"), 0.75),
    *((f"  {name}", ("AUC", f"broken {sort}"), None) for sort, name in BROKEN.items()),
    *((f"AUC of forms left out: {form}", ("forms left out", "AUC", f"pattern {form}"), 0.65) for form in FORMS),
)
"""Figures by their place in the card, and the goals."""


def figures() -> None:
    card = json.loads((models_dir() / "wordplay" / f"{EMBEDDED_SHA256[:16]}.json").read_text("utf-8"))
    for name, path, asked in ASKED:
        found: Any = card["figures"]
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        print(f"{name:<52}{'–' if found is None else f'{found:.3f}':>8}{'' if asked is None else f'{asked:>8.2f}'}")
    for kind, curve in card["figures"].get("said so that so many are right", {}).items():
        for right, (said, found) in curve.items():
            shown = "" if found is None else f"{found:>8.3f}"
            print(f"{f'{kind} word: said where {right} are right, and right then':<52}{said:>8.3f}{shown}")
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
