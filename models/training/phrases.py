"""Count the phrases of jokes without readings, for heads/features.py.

python models/training/phrases.py READINGS.jsonl [models/phrases.npz]

takes $JOKEJUDGE_DATA (UKP, HaHackathon, humor_mechanics, rjokes, stupidstuff). Texts of both rounds of readings and of
the drafts are left out, so that the heads' use of phrases generalises to new texts.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import data
import numpy as np
from second import first_and_second

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.features import MOST, SIZES, Phrases, phrase_hashes

_SOURCES = ("ukp_items", "hahackathon", "humor_mechanics", "rjokes_sample", "stupidstuff")
_LEAST = 2


def letters(text: str) -> str:
    """The text's letters and digits, in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def main() -> None:
    readings = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else models_dir() / "phrases.npz"
    seen = {letters(text) for text in first_and_second(readings, Path(__file__).with_name("second.jsonl")).texts}
    counts: Counter[int] = Counter()
    texts = 0
    for source in _SOURCES:
        for row in data.rows(source):
            text = clean_text(row["text"])
            if (key := letters(text)) not in seen:
                seen.add(key)
                texts += 1
                counts.update({int(value) for size in SIZES for value in phrase_hashes(text, size)})
    kept = sorted((value, count) for value, count in counts.items() if count >= _LEAST)
    hashes = np.array([value for value, _ in kept], dtype=np.uint32)
    Phrases(hashes, np.array([min(count, MOST) for _, count in kept], dtype=np.uint8)).save(target)
    print(f"{texts} texts, {len(kept)} phrases in more than one; {target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
