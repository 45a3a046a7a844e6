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
from data import HERE, MODELS
from shipping import first_and_second

from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.heads.features import MOST, SIZES, phrase_hashes

_SOURCES = ("ukp_items", "hahackathon", "humor_mechanics", "rjokes_sample", "stupidstuff")


def letters(text: str) -> str:
    """The text's letters and digits, in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


if __name__ == "__main__":
    seen = {letters(text) for text in first_and_second(Path(sys.argv[1]), HERE / "second.jsonl").texts}
    counts: Counter[int] = Counter()
    for source in _SOURCES:
        for row in data.rows(source):
            text = clean_text(row["text"])
            if (name := letters(text)) not in seen:
                seen.add(name)
                counts.update({int(value) for size in SIZES for value in phrase_hashes(text, size)})
    kept = sorted((value, count) for value, count in counts.items() if count >= 2)
    np.savez_compressed(
        Path(sys.argv[2]) if len(sys.argv) > 2 else MODELS / "phrases.npz",
        hashes=np.array([value for value, _ in kept], dtype=np.uint32),
        counts=np.array([min(count, MOST) for _, count in kept], dtype=np.uint8),
    )
    print(f"{len(kept)} phrases in more than one text")
