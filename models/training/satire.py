"""Adds the map that tells satire from news to the head behind a topic or scene, with the adapter of ``adapter.py``.

    python models/training/satire.py MODEL.gguf TOKENS.json     # what adapter.py learns from
    python models/training/ship.py … --only satire             # needs CACHE/adapter.gguf and CACHE/adapter.npz

The adapter never meets headlines that people edited, nor their edits; on these the map is scaled, and measured.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

import data
import numpy as np
from context import gain_of
from shipping import Shipping

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.core.texts import clean_context, clean_text
from jokejudge_gui.engine.base import Segment
from jokejudge_gui.heads.audience import BEFORE_HEADLINE, AudienceHead, plain_headline, pool
from jokejudge_gui.heads.files import read_archive
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.ridge import platt

AWAY = {"captions": 12, "hashtags": 14}
"""Number of contests that the adapter never sees."""
PAIRS = 240
"""Pairs of a satirical headline and a person's serious form of it that are read."""
_LONGEST, _MOST_ALIKE = 80, 0.2
"""Tokens of the longest caption; largest share of a contest's captions with the same rating: some contests are nearly
all at the lowest."""


def contests(kind: str) -> list[list[tuple[str, str, float, float]]]:
    """Return each contest's (text, context, rating, error of the rating), those that are left out first."""
    captions = kind == "captions"
    sources = (
        [data.packed("newyorker_more"), data.rows("newyorker_captions")] if captions else [data.rows("hashtagwars")]
    )
    found: dict[str, dict[str, tuple[str, str, float, float]]] = {}
    for row in (row for source in sources for row in source):
        try:
            text, context = (
                clean_text(row["text"]).translate(STRAIGHT),
                clean_context(row["context"]).translate(STRAIGHT),
            )
        except InputError:
            continue
        error = float(row.get("se") or (0.65 / np.sqrt(float(row["n"])) if "n" in row else 0.0))
        found.setdefault(row["group"], {}).setdefault(text, (text, context, float(row["rating"]), error))
    order = sorted(found, key=lambda group: hashlib.sha256(f"contest{group}".encode()).digest())
    each = [list(found[group].values()) for group in order]
    counts = [np.unique([one[2] for one in contest], return_counts=True)[1].max() / len(contest) for contest in each]
    return [one for one, most in zip(each, counts, strict=True) if not captions or most < _MOST_ALIKE]


def edited() -> list[tuple[str, str, float]]:
    """Return pairs of a satirical headline and a serious form of it, by people, with the share of those who took it for
    serious."""
    edits = sorted(data.rows("unfunned_headlines"), key=lambda row: data.fraction(row["id"], "satire"))
    return [(row["original"], row["edited"], float(row["seriousness"])) for row in edits if row["edited"].strip()]


def write_tokens(model: Path, out: Path) -> None:
    """Write the tokens and ratings of every text, and whether its contest is left out. The pairs of headlines are by
    machines, of others than people edited."""
    from jokejudge_gui.engine.binding import NativeModel

    tokens = partial(NativeModel(str(model)).tokenize, special=False)
    away, pairs = {data.key(row["original"]) for row in data.rows("unfunned_headlines")}, []
    for row in data.packed("unfunned_by_machines"):
        if data.key(row["original"]) not in away and row["original"] != row["edited"]:
            both = [tokens(plain_headline(row[name])) for name in ("original", "edited")]
            pairs.append(both if row["kind"] == "unfun" else both[::-1])
    kinds: dict[str, Any] = {"satire": {"lead": tokens(BEFORE_HEADLINE + "\n"), "pairs": [p for p in pairs if all(p)]}}
    for kind, count in AWAY.items():
        for number, contest in enumerate(contests(kind)):
            texts = [(tokens(text), rating, error) for text, _, rating, error in contest]
            kept = [one for one in texts if 0 < len(one[0]) <= _LONGEST]
            part = {"lead": tokens(contest[0][1] + "\n"), "texts": kept, "away": number < count}
            kinds.setdefault(kind, []).append(part)
    out.write_text(json.dumps(kinds))


def fit_satire(of: Shipping) -> None:
    adapter, layers = of.cache / "adapter.gguf", np.load(of.cache / "adapter.npz")
    half, last = layers["satire"]
    weights = np.concatenate([half / 2, half / 2, 0 * half, last, np.zeros(3)])  # of what ``pool`` returns
    pairs = edited()[:PAIRS]
    texts = [plain_headline(text.translate(STRAIGHT)) for pair in pairs for text in pair[:2]]
    states = of.reads.engine.embed(texts, prompt=(Segment(BEFORE_HEADLINE + "\n", constant=True),), adapter=adapter)
    score = np.array([pool(each, text) @ weights for each, text in zip(states, texts, strict=True)])
    score += float(layers["satire_bias"][0])
    truth = np.array([target for pair in pairs for target in (1.0, 1.0 - pair[2])])
    slope, constant = platt(score, truth)
    serious, apart = np.array([pair[2] >= 0.75 for pair in pairs]), score[::2] - score[1::2]
    figures = {
        "pairs": len(pairs),
        "agreement": round(float(np.mean(apart > 0)), 3),
        "agreement, surely serious": round(float(np.mean(apart[serious] > 0)), 3),
    }
    print(json.dumps(figures), slope, constant, "factor of pairs", gain_of(slope * apart, np.arange(len(apart))))
    meta, arrays = read_archive(of.path("heads/context", "npz"), AudienceHead.most_bytes)
    shutil.copyfile(adapter, of.path("heads/context", "lora"))
    of_satire = np.append(slope * weights, slope * float(layers["satire_bias"][0]) + constant)
    its = json.loads(meta or b"") | {"adapter": sha256_of(adapter), "version": "context 1, satire 1"}
    card = of.card("heads/context")
    card["data"]["satire"] = (
        "zacharyhorvitz/Getting-Serious-With-LLMs (learned), epfl-dlab/unfun (scaled and measured); no terms stated"
    )
    card |= {"version": its["version"], "figures": card["figures"] | {"satire": figures}}
    of.save("heads/context", lambda out: AudienceHead.write(out, its, arrays | {"satire": of_satire}), card)


if __name__ == "__main__":
    write_tokens(Path(sys.argv[1]), Path(sys.argv[2]))
