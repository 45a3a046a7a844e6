"""The share of named references that a reader must really know:
python -m tests.bench.references READINGS.jsonl [--show].

The file is one of readings (models/readings/readings.jsonl, or a larger one of the same form). Of its texts with the
fault "insider" the first hundred that name something, and as many others; ``_NOT`` are the words that a person marked
by hand: no name, or one that nobody needs to know to understand the text. ``--show`` prints the names.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from jokejudge_gui.core.statistics import wilson
from jokejudge_gui.judge.rating.references import find_references
from jokejudge_gui.rubric.audiences import parse_common_names

_MOST = 100
_NOT = frozenset(
    """preparation h|elijah|rich it|spencer's big|junior|type|josé|jose|nice|bo|ross|roy moore election|greatness awaits
    |burgers never say die|burts|bees|henry solowitz|spencer|field service engineers|bark madoff|aangxiety|irisman|a-we|
    cheese detective|fitch|crew|father o'reilly|father mcmartin|o'reilly|mill street|dino-blabber|apple-grower|marshall|
    poodle|graphic artist|skeleton soup|john shit|george shit|cotton candy|reduce speed|rump|daisy|dolly|vlause|
    virtual reality|tanksgiving|abba-rigonal|texas pancake house|anti-trump republican|grey hound|jurassic'ed|abcs|
    tequila mockingbird|juan hit wonders|vida loca-tive case|katappa's birthday|horror story|donkey|tech support|
    time spent thinking about playing|jockey shorts|silk panties|heavy bosom|passionate lady|thighs|end|near|
    prison pipeline|porn industry|saudi youtuber|sarah vinson|captains log|billionaire babis|airplane|
    facebook-backed|post office|art attack|elvis stamps|conservative|orthodox|pandora"""
    .replace("\n", "").replace("    ", "").split("|")
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readings", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    common = parse_common_names()
    by_text: dict[str, bool] = {}
    for line in options.readings.read_text("utf-8").split("\n"):
        if not line:
            continue
        row = json.loads(line)
        by_text[row["text"]] = by_text.get(row["text"], False) or "insider" in row["faults"]
    for insider in (True, False):
        texts = [text for text, is_insider in by_text.items() if is_insider is insider]
        named = [found for text in texts if (found := find_references(text, common))]
        words = [reference.text.lower() for found in named[:_MOST] for reference in found]
        right = sum(word not in _NOT for word in words)
        low, high = wilson(right, len(words))
        print(
            f"{'needs knowledge' if insider else 'others'}: {len(named)} of {len(texts)} texts name something; of "
            f"{len(words)} names in the first {min(_MOST, len(named))} {right} must be known, "
            f"{right / len(words):.2f} ({low:.2f} to {high:.2f})"
        )
        if options.show:
            print("  " + ", ".join(words))


if __name__ == "__main__":
    main()
