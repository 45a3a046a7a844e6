"""What the head for wordplay is worth, and forty puns with what is said of each:

    python -m tests.bench.wordplay            # the figures measured when the head was fitted, on pun words left out
    python -m tests.bench.wordplay --forty    # the puns of forty_puns.txt by the embedded model

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
from jokejudge_gui.library.embedded import EMBEDDED_SHA256

ASKED = (
    ("sound puns: said", ("pun", "other", "said"), 0.50),
    ("sound puns: right where said", ("pun", "other", "right where said"), 0.90),
    ("sound puns: first of all other words", ("pun", "other", "first of all other words"), 0.65),
    ("sound puns: first, the pun's word known", ("pun", "other", "first, the word known"), None),
    ("same word: pun's word found", ("pun", "same", "word found"), None),
    ("same word: said", ("pun", "same", "said"), None),
    ("same word: supports stated", ("pun", "same", "supports stated"), 0.40),
    ("same word: supports right, of two", ("pun", "same", "supports right, of two"), 0.75),
    ("said of texts that are no puns", ("no pun", "said"), 0.05),
    ("said of broken puns: nonsense", ("broken ns", "said"), 0.25),
    ("said of broken puns: synonym of the pun's word", ("broken sp", "said"), 0.25),
    ("said of broken puns: synonym of the other word", ("broken sa", "said"), 0.25),
    ("said of broken puns: random word", ("broken ra", "said"), 0.25),
    ("said of plain texts of families", ("family plain", "said"), 0.02),
    ("said of flat texts of families", ("family flat", "said"), 0.02),
    ("families' bests: said (sound)", ("family best", "other", "said"), None),
    ("families' bests: right where said (sound)", ("family best", "other", "right where said"), None),
    ("AUC of puns above their broken forms, mean", ("AUC", "broken, mean"), 0.75),
    ("AUC of patterns: daughter", ("AUC", "pattern daughter"), 0.65),
    ("AUC of patterns: doctor", ("AUC", "pattern doctor"), 0.65),
    ("AUC of patterns: never die", ("AUC", "pattern never_die"), 0.65),
)
"""Figures by their place in the card, and what was asked for."""


def figures() -> None:
    card = json.loads((models_dir() / "wordplay" / f"{EMBEDDED_SHA256[:16]}.json").read_text("utf-8"))
    for name, path, asked in ASKED:
        found: Any = card["figures"]
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        print(f"{name:<52}{'–' if found is None else f'{found:.3f}':>8}{'' if asked is None else f'{asked:>8.2f}'}")


def forty() -> None:
    judge = JokeJudge()
    for line in Path(__file__).with_name("forty_puns.txt").read_text("utf-8").splitlines():
        sort, text = line.split("\t")
        begin = time.perf_counter()
        found = judge.rate_joke(text)
        said = found.wordplay.sentence if found.wordplay else "–"
        print(f"{sort:<12}{time.perf_counter() - begin:5.2f} s  {said:<60}  {text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forty", action="store_true")
    if parser.parse_args().forty:
        forty()
    else:
        figures()


if __name__ == "__main__":
    main()
