"""Measures the share of length in a shipped head's answers, by kind of text, and writes it into the head.

    JOKEJUDGE_DATA=… python models/training/length.py MODEL.gguf CACHE [--write models] [--also SHA256 …]

On pairs of texts that people voted on or graded, the head's log-odds D are split into D′ + γ·tanh(Δlength/sd), γ by
least squares: D′ doesn't depend on length on those pairs. ``--also``: heads of other models that get the same
figures, where reading every set with those models takes too long.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from data import items, ukp_pairs

from jokejudge_gui.core.files import atomic_writer, sha256_of
from jokejudge_gui.engine.loader import load_engine
from jokejudge_gui.heads.audience import AudienceHead, Features, pool

SETS = {"ukp": "ukp", "hahackathon": "hahackathon", "other": "mechanics"}
"""The head's kind, and the set that it is measured on. Headlines of one pair differ by a word only."""
_PAIRS = 6000
_MOST = 3000
_TOGETHER = 20
Array = npt.NDArray[np.float64]


def pairs_of(name: str, known: set[str]) -> list[tuple[str, str, bool]]:
    """Texts and whether people prefer the first; of one-liners, only jokes that were voted on as pairs."""
    if name == "ukp":
        pairs = [pair for pair in ukp_pairs() if pair.jokes and pair.votes_a != pair.votes_b]
        return [(pair.a, pair.b, pair.votes_a > pair.votes_b) for pair in pairs if pair.a in known and pair.b in known]
    jokes = [item for item in items(name) if item.joke and item.text in known]
    chance = np.random.default_rng(1)
    found = []
    for a, b in chance.integers(0, len(jokes), (_PAIRS, 2)):
        if jokes[a].target != jokes[b].target:
            found.append((jokes[a].text, jokes[b].text, jokes[a].target > jokes[b].target))
    return found


def pooled(model: Path, sha256: str, cache: Path, name: str) -> dict[str, Array]:
    """Return the pooled states of a set's texts, read once and kept."""
    path = cache / f"length-{name}-{sha256[:16]}.npz"
    if not path.is_file():
        texts = [item.text for item in items(name)][:_MOST]
        engine = load_engine(model, sha256=sha256)
        values: list[Array] = []
        for first in range(0, len(texts), _TOGETHER):
            some = texts[first : first + _TOGETHER]
            values += [pool(states, text) for states, text in zip(engine.embed_together(some), some, strict=True)]
            print(f"\r{len(values)} of {len(texts)} {name} read", end="", flush=True)
        engine.close()
        print()
        cache.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            np.savez(stream, texts=np.array(texts), values=np.array(values, dtype=np.float32))
    with np.load(path) as kept:
        return dict(zip(map(str, kept["texts"]), kept["values"].astype(np.float64), strict=True))


def split(head: AudienceHead, values: dict[str, Array], pairs: list[tuple[str, str, bool]]) -> tuple[float, float]:
    """Return γ and sd; print the agreement with and without length."""
    read: dict[str, Features] = {}
    for text in {text for a, b, _ in pairs for text in (a, b)}:
        read[text] = head.features_of(values[text], text)
    odds = np.array([head.difference(read[a], read[b]) for a, b, _ in pairs])
    gaps = np.array([float(len(a) - len(b)) for a, b, _ in pairs])
    first = np.array([better for _, _, better in pairs])
    sd = float(np.sqrt((gaps**2).mean()))
    bend = np.tanh(gaps / sd)
    gamma = float(bend @ odds / (bend @ bend))
    rest = odds - gamma * bend
    print(
        f"{len(pairs)} pairs: gamma {gamma:.3f}, sd {sd:.1f}; right {np.mean((odds > 0) == first):.3f}, without length"
        f" {np.mean((rest > 0) == first):.3f}; the longer one preferred in {np.mean((odds > 0) == (gaps > 0)):.3f},"
        f" without length {np.mean((rest > 0) == (gaps > 0)):.3f}"
    )
    return round(gamma, 3), round(sd, 1)


def write(path: Path, lengths: dict[str, tuple[float, float]]) -> None:
    with np.load(path) as kept:
        parts = {name: kept[name] for name in kept.files}
    meta = json.loads(parts["meta"].tobytes())
    meta["length"] = {kind: list(found) for kind, found in lengths.items()}
    parts["meta"] = np.frombuffer(json.dumps(meta, sort_keys=True).encode(), np.uint8)
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **parts)
    with atomic_writer(path) as target:
        target.write(stream.getvalue())
    path.chmod(0o644)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--write", type=Path, metavar="FOLDER")
    parser.add_argument("--also", nargs="*", default=[], metavar="SHA256")
    given = parser.parse_args(argv)
    sha256 = sha256_of(given.model)
    heads = (given.write or Path(__file__).resolve().parents[1]) / "heads"
    head = AudienceHead.load(heads / f"{sha256[:16]}.npz")
    lengths = {}
    for kind, name in SETS.items():
        values = pooled(given.model, sha256, given.cache, name)
        print(f"{kind}: ", end="")
        lengths[kind] = split(head, values, pairs_of(name, set(values)))
    if given.write:
        for each in (sha256, *given.also):
            write(heads / f"{each[:16]}.npz", lengths)


if __name__ == "__main__":
    main()
