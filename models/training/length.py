"""Measures the share of length in a shipped head's answers, by kind of text, and writes it into the head.

On pairs of texts that people voted on or graded, the head's log-odds D are split into D′ + γ·tanh(Δlength/sd), γ by
least squares: D′ doesn't depend on length on those pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from data import items, ukp_pairs
from joint import write_head
from shipping import Shipping
from solvers import pull

from jokejudge_gui.heads.audience import AudienceHead, Features, pool

SETS = {"ukp": "ukp", "hahackathon": "hahackathon", "other": "mechanics"}
"""The head's kind, and the set that it is measured on. Headlines of one pair differ by a word only."""
_PAIRS = 6000
_MOST = 3000
Array = npt.NDArray[np.float64]


def pairs_of(name: str, known: set[str]) -> list[tuple[str, str, bool]]:
    """Texts and whether people prefer the first; of one-liners, only jokes that were voted on as pairs."""
    if name == "ukp":
        pairs = [pair for pair in ukp_pairs() if pair.jokes and pair.a in known and pair.b in known]
        return [(pair.a, pair.b, pair.gap > 0) for pair in pairs]
    jokes = [item for item in items(name) if item.joke and item.text in known]
    chance = np.random.default_rng(1)
    found = []
    for a, b in chance.integers(0, len(jokes), (_PAIRS, 2)):
        if jokes[a].target != jokes[b].target:
            found.append((jokes[a].text, jokes[b].text, jokes[a].target > jokes[b].target))
    return found


def split(head: AudienceHead, values: dict[str, Array], pairs: list[tuple[str, str, bool]]) -> tuple[float, float]:
    """Return γ and sd; print the agreement with and without length."""
    read: dict[str, Features] = {}
    for text in {text for a, b, _ in pairs for text in (a, b)}:
        read[text] = head.features_of(values[text], text)
    odds = np.array([head.difference(read[a], read[b]) for a, b, _ in pairs])
    gaps = np.array([float(len(a) - len(b)) for a, b, _ in pairs])
    first = np.array([better for _, _, better in pairs])
    gamma, sd = pull(odds, gaps)
    rest = odds - gamma * np.tanh(gaps / sd)
    print(
        f"{len(pairs)} pairs: gamma {gamma:.3f}, sd {sd:.1f}; right {np.mean((odds > 0) == first):.3f}, without length"
        f" {np.mean((rest > 0) == first):.3f}; the longer one preferred in {np.mean((odds > 0) == (gaps > 0)):.3f},"
        f" without length {np.mean((rest > 0) == (gaps > 0)):.3f}"
    )
    return round(gamma, 3), round(sd, 1)


def measure_length(of: Shipping) -> None:
    head = of.head
    lengths = {}
    for kind, name in SETS.items():
        texts = [item.text for item in items(name)][:_MOST]
        values = {text: pool(scan.states.astype(np.float32), text) for text, scan in of.reads.each(texts)}
        print(f"{kind}: ", end="")
        lengths[kind] = list(split(head, values, pairs_of(name, set(values))))
    write_head(of.path("heads", "npz"), {"length": lengths}, {})
