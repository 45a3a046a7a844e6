"""A person's pun beside a machine's nonsense with the same word: python -m tests.bench.nonsense --data FOLDER.

The puns are Reddit's (rjokes_sample.csv in FOLDER): one-liners whose turn is one word by the second round of readings.
The nonsense is written by the model itself, asked for a sentence with that word, at temperature 1. Prints how often the
audience estimate prefers the pun, and how often the longer text is the pun. No such texts were trained on.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

from jokejudge_gui.engine.base import Engine, Sampling, Segment

from .judge import model_parser, open_judge

READINGS = Path(__file__).parents[2] / "models" / "training" / "second.jsonl"
_LONGEST = 140
_ASKED = "Here is a pun with the word “{word}”, in one sentence:\n"
_BEGINNINGS = ("The", "A", "I", "My", "Why", "When")
_SAMPLING = Sampling(max_tokens=40, temperature=1.0, stop=("\n",))


def puns(folder: Path, most: int) -> Iterator[tuple[str, str]]:
    """Yield texts with the word on which they turn."""
    with (folder / "rjokes_sample.csv").open(newline="", encoding="utf-8") as stream:
        texts = {row["id"]: row["text"].replace("\r\n", "\n").strip() for row in csv.DictReader(stream)}
    seen: set[str] = set()
    for line in READINGS.read_text("utf-8").splitlines():
        row = json.loads(line)
        text = texts.get(row["id"], "") if row["source"] == "rjokes_sample" and row["turn"] else ""
        word = text[slice(*row["turn"])].lower() if text else ""
        known = {"pun", "homophone"} & set(row["kinds"][:1])
        if (
            known
            and len(text) <= _LONGEST
            and re.fullmatch(r"[a-z]{3,}", word)
            and text not in seen
            and most > len(seen)
        ):
            seen.add(text)
            yield text, word


def nonsense(engine: Engine, word: str) -> str | None:
    """Return a sentence of the model's own with the word; None if none of a few has it."""
    prompt = (Segment(_ASKED.format(word=word)),)
    branches = [(Segment(beginning),) for beginning in _BEGINNINGS]
    texts = list(_BEGINNINGS)
    for piece in engine.generate(prompt, branches, _SAMPLING):
        texts[piece.branch] += piece.text
    for text in texts:
        found = re.match(r".{15,}?[.!?](?=\s|$)", text)
        if found and re.search(rf"\b{word}\b", found[0].lower()):
            return found[0]
    return None


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    with open_judge(options) as judge:
        right: list[bool] = []
        longer: list[bool] = []
        for text, word in puns(options.data, options.pairs):
            other = nonsense(judge.engine, word)
            if other is None:
                continue
            odds = judge.reader.difference(judge.reader.read(text), judge.reader.read(other))
            right.append(odds > 0)
            longer.append(len(text) > len(other))
            if len(right) <= options.show:
                print(f"{odds:+.2f}  {text}  |  {other}")
        print(f"{len(right)} pairs: the person's preferred in {sum(right) / len(right):.3f}")
        print(f"the person's is the longer one in {sum(longer) / len(longer):.3f}")


if __name__ == "__main__":
    main()
