"""Whether what is told is found, and what is new is left alone: python -m tests.bench.told [--missed].

tests/bench/fresh/told.jsonl: 50 retellings of what one model tells most, 200 of well-known jokes, by a large language
model from the joke's idea alone, and 100 new jokes; texts.jsonl: 100 new ones more. The edits are made here, 40 of each
of 20 new jokes. Prints figures; with ``--missed`` the texts of the first half that are on the wrong side. No head may
learn from these texts."""

from __future__ import annotations

import itertools
import random
import sys
import time
import tracemalloc

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.near_duplicates import LEAST_OWN, likeness
from jokejudge_gui.heads.told import heard, told

from .fresh import rows

_WORDS = ("really", "just", "actually", "then", "quietly", "again", "maybe", "old", "little", "always")
_AROUND = ("Here's one.", "My uncle told me this at a wedding.", "Haha!", "So funny 😂", "True story.", "Listen to me:")


def edits(text: str, count: int, rng: random.Random) -> list[str]:
    """Return drafts of a text: words left out, put in and exchanged, sentences moved, and something around it."""
    made = []
    for number in range(count):
        words = text.split()
        for _ in range(1 + number % 4):
            at = rng.randrange(len(words))
            match rng.randrange(4):
                case 0 if len(words) > 5:
                    del words[at]
                case 1:
                    words.insert(at, rng.choice(_WORDS))
                case 2:
                    words[at] = rng.choice(_WORDS)
                case _:
                    half = len(words) // 2
                    words = words[half:] + words[:half] if rng.random() < 0.3 else words
        draft = " ".join(words)
        made.append(
            f"{rng.choice(_AROUND)} {draft}" if number % 5 == 0 else draft.upper() if number % 7 == 0 else draft
        )
    return made


def main() -> None:
    tracemalloc.start()
    assert told() is not None
    kept, most = (size / 1e6 for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    size = (models_dir() / "told.npz").stat().st_size / 1e6
    print(f"on disk {size:.2f} MB, in memory {kept:.1f} MB, {most:.1f} MB while it is read")
    listed = [*rows("told"), *({**row, "kind": "fresh bench"} for row in rows("texts") if row["joke"])]
    for kind in ("template", "famous", "fresh", "fresh bench"):
        of_kind = [row for row in listed if row["kind"] == kind]
        right = [(heard(row["text"]) is not None) is (kind[:5] != "fresh") for row in of_kind]
        half = len(right) // 2
        share = [sum(part) / len(part) for part in (right, right[half:])]
        print(f"{kind}: {len(right)}, right {share[0]:.3f}, of the second half {share[1]:.3f}")
        for row in (row for row, ok in zip(of_kind[:half], right, strict=False) if not ok and "--missed" in sys.argv):
            print(f"    {row['id']} {row['text']}")
    rng = random.Random(1)
    new = [row["text"] for row in listed if row["kind"][:5] == "fresh"]
    own = new[-50:-30]
    pairs = [(text, draft) for text in own for draft in edits(text, 40, rng)]
    own_found = sum(likeness(text, draft) >= LEAST_OWN for text, draft in pairs)
    print(f"own jokes after an edit: {own_found / len(pairs):.3f}")
    alike = sum(likeness(one, other) >= LEAST_OWN for one, other in itertools.combinations(new, 2))
    print(f"two new jokes alike: {alike} of {len(new) * (len(new) - 1) // 2} pairs")
    heard.cache_clear()
    start = time.process_time()
    for row in listed[:400]:
        heard(row["text"])
    print(f"a look-up: {1000 * (time.process_time() - start) / 400:.1f} ms of processor time")


if __name__ == "__main__":
    main()
