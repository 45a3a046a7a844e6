"""Make the index of what is told, for heads/told.py.

python models/training/told.py CLONES READINGS/drafts.jsonl CONTRASTS/families.jsonl [models/told.npz]

takes tellings.txt, $JOKEJUDGE_DATA and CLONES, a folder with clones of the repositories below, and with the files of
the package fortunes. No text is kept. Jokes of one star of links are one joke; a link is a Dice coefficient over stems
by their rarity.
"""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import pickle
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import data
import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.told import LEAST, LEAST_WORTH, MEASURES, WORD, Asked, Index, hash_of, profile, stem_of
from jokejudge_gui.heads.words import words_named
from jokejudge_gui.learning.ridge import likeliest

Floats = npt.NDArray[np.float64]
Link = tuple[int, int, float, float]
SHORT, LINES = "amoudgl+short-jokes-dataset", "CrowdTruth+Short-Text-Corpus-For-Humor-Detection"
SOURCES = (
    *((site, SHORT, f"data/{site}.csv", "Joke") for site in ("funjokes", "joke-db", "funtweets", "thejokecafe")),
    ("r/cleanjokes", SHORT, "data/reddit-cleanjokes.csv", "Joke"),
    ("onelinefun", SHORT, "data/onelinefun.csv", "Joke"),
    ("onelinefun", "faiyaz26+one-liner-joke", "jokes.json", "body"),
    ("r/Jokes", "orionw+rJokesData", "data/dev.tsv.gz", ""),
    ("r/Jokes", "orionw+rJokesData", "data/test.tsv.gz", ""),
    ("r/Jokes", "bfinan+joke-dataset", "sources/reddit.csv", "Question Answer"),
    ("one-liners", LINES, "datasets/humorous_oneliners.pickle", ""),
    ("lists", "15Dkatz+official_joke_api", "jokes/index.json", "setup punchline"),
    ("lists", "yesinteractive+dadjokes", "controllers/jokes.txt", ""),
    ("wocka", "aadhyap+MIT-Hack2018", "wocka.json", "body"),
    ("Jester", "hslord+Joke-Recommender-System", "jokes.csv", "joke_text"),
)
OWN = {
    "rjokes_sample": "r/Jokes", "hahackathon": "r/Jokes", "stupidstuff": "stupidstuff", "puns": "puns",
    "ukp_items": "puns", "chatgpt_jokes": "models", "humor_mechanics": "models",
}  # fmt: skip
FORTUNES = "riddles humorists law medicine kids men-women people politics food pets sports work computers"
PLACES = [*dict.fromkeys((*(source[0] for source in SOURCES), *OWN.values(), "fortunes", "well-known"))]
MOST_WORDS, MOST_COMMON = 220, 0.035
SUBSTITUTES, LEAST_LINK, SAME_END, SURE, FALSE, MOST_HOLDERS, RIDGE = 6, 0.6, 0.5, 0.8, 0.0125, 1500, 0.3


class Plain(pickle.Unpickler):
    """Reads lists of strings alone."""

    def find_class(self, module: str, name: str) -> Any:
        raise ValueError(f"{module}.{name} in a list of texts")


def texts_in(content: bytes, name: str, fields: str) -> Iterator[str]:
    """Yield the jokes of a file; ``fields``: those that make up a joke, where it is a table or JSON."""
    if name.endswith(".pickle"):
        yield from Plain(io.BytesIO(content), encoding="latin1").load()
        return
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode("utf-8", "replace")
    if not fields:
        yield from (line.rpartition("\t")[2] for line in text.split("\n"))
        return
    for row in json.loads(text) if name.endswith(".json") else csv.DictReader(io.StringIO(text, newline="")):
        yield " ".join(row[field] or "" for field in fields.split())


def collected(clones: Path) -> Iterator[tuple[int, str]]:
    """Yield all tellings with the number of their collection."""
    for place, repository, path, fields in SOURCES:
        folder = next(folder for folder in (clones / repository).rglob("HEAD") if (folder.parent / "objects").is_dir())
        git = ["git", "--git-dir", str(folder.parent), "show", f"HEAD:{path}"]
        content = subprocess.run(git, check=True, capture_output=True).stdout
        yield from ((PLACES.index(place), text) for text in texts_in(content, path, fields))
    for name, place in OWN.items():
        for row in data.rows(name):
            jokes = {"hahackathon": row.get("is_humor") == "1", "puns": row.get("pun") == "1"}
            jokes |= {"ukp_items": row.get("category", "").startswith("jokes")}
            if jokes.get(name, float(row.get("is_known") or 1) >= 0.4):
                yield PLACES.index(place), row["text"]
    for name in FORTUNES.split():
        cookies = (clones / "fortunes" / name).read_text("utf-8").split("\n%\n")
        yield from ((PLACES.index("fortunes"), text) for text in cookies)


def different(tellings: Iterable[tuple[int, str]]) -> tuple[list[str], list[dict[str, bool]], list[list[int]]]:
    """Return the texts, their profiles and their places, each text once whatever its signs."""
    seen: dict[str, int] = {}
    texts: list[str] = []
    profiles: list[dict[str, bool]] = []
    places: list[list[int]] = []
    for place, given in tellings:
        text = html.unescape(" ".join(given.split()))
        if not 3 <= len(text.split()) <= MOST_WORDS or len(marked := profile(text)) < 2:
            continue
        at = seen.setdefault(re.sub(r"\W", "", text.lower()), len(texts))
        if at == len(texts):
            texts.append(text)
            profiles.append(marked)
            places.append([])
        places[at].append(place)
    return texts, profiles, places


def names_in(texts: Iterable[str]) -> set[str]:
    """Return the stems of words that are mostly written with a capital inside a sentence."""
    capital, all_words = Counter[str](), Counter[str]()
    for text in texts:
        for word in WORD.finditer(text):
            before = text[max(0, word.start() - 2) : word.start()]
            if before and not re.search(r"[.!?:\"“”'‘(\[*\n-]", before) and (stem := stem_of(word[0])):
                all_words[stem] += 1
                capital[stem] += word[0][0].isupper() and not word[0].isupper()
    return {stem for stem, count in all_words.items() if count >= 3 and capital[stem] >= 0.7 * count}


def linked(profiles: list[dict[str, bool]], number: dict[str, int], worth: Floats) -> Iterator[Link]:
    """Yield pairs of texts with what they share, of all their stems and of their punchlines'."""
    known = [{number[stem]: end for stem, end in marked.items() if stem in number} for marked in profiles]
    total = np.array([sum(worth[id] for id in one) + 1e-9 for one in known])
    total_end = np.array([sum(worth[id] for id, end in one.items() if end) + 1e-9 for one in known])
    holders: list[list[int]] = [[] for _ in worth]
    for at, one in enumerate(known):
        for id in one:
            holders[id].append(at)
    rare = {id: np.array(have) for id, have in enumerate(holders) if len(have) <= MOST_HOLDERS}
    for at, one in enumerate(known):
        mine = [id for id in one if id in rare]
        if len(one) < 2 or not mine:
            continue
        others, which = np.unique(np.concatenate([rare[id] for id in mine]), return_inverse=True)
        shared = np.bincount(which, np.repeat(worth[mine], [len(rare[id]) for id in mine]))
        for other in others[(others > at) & (2 * shared >= 0.35 * (total[others] + total[at]))].tolist():
            both = [id for id in one if id in known[other]]
            dice = 2 * sum(worth[id] for id in both) / (total[at] + total[other])
            end = 2 * sum(worth[id] for id in both if one[id] and known[other][id]) / (total_end[at] + total_end[other])
            if dice >= 0.5 and dice * (total[at] + total[other]) >= 20:
                yield at, other, float(dice), float(end)


def exchanged(profiles: list[dict[str, bool]], links: list[Link]) -> dict[str, Counter[str]]:
    """Return by stem those that other tellings of one joke have instead of it, more often than by chance."""
    pairs, alone, uses = Counter[tuple[str, str]](), Counter[str](), Counter[int]()
    for a, b, dice, end in links:
        gone, new = profiles[a].keys() - profiles[b].keys(), profiles[b].keys() - profiles[a].keys()
        if 0.55 <= dice < 0.97 and end >= 0.3 and 0 < len(gone) * len(new) <= 12:
            uses.update((a, b))
            worth = 1.0 / max(uses[a], uses[b]) ** 0.5 / max(len(gone), len(new))
            for pair in ((one, other) for one in gone for other in new):
                pairs.update({pair: worth, pair[::-1]: worth})
                alone.update(dict.fromkeys(pair, worth))
    all_of, result = sum(alone.values()), defaultdict[str, Counter[str]](Counter)
    for (one, other), count in pairs.items():
        chance = alone[one] * alone[other] / all_of
        if count >= 1.0 and count >= 15 * chance and count >= 0.04 * min(alone[one], alone[other]):
            result[one][other] = count / chance  # type: ignore[assignment]
    return result


def main() -> None:
    clones, drafts, families = map(Path, sys.argv[1:4])
    target = Path(sys.argv[4]) if len(sys.argv) > 4 else models_dir() / "told.npz"
    texts, profiles, places = different(collected(clones))
    common, names = Counter(stem for marked in profiles for stem in marked), names_in(texts)
    vocabulary = sorted((stem for stem in common if common[stem] < MOST_COMMON * len(texts)), key=hash_of)
    number = {stem: id for id, stem in enumerate(vocabulary)}
    worth = np.round(np.minimum(9.0, np.log([len(texts) / common[stem] for stem in vocabulary])) * 10).astype(np.uint8)
    minor = [number[stem] for stem in {*map(stem_of, words_named("of stock forms")), *names} if stem in number]
    worth[minor] = worth[minor] * 0.35
    plain = {stem: id for stem, id in number.items() if stem not in names and common[stem] > 1}
    links = list(linked(profiles, plain, worth / 10.0))
    instead = exchanged(profiles, links)
    substitutes = np.zeros((len(vocabulary), SUBSTITUTES), dtype=np.uint16)
    for stem, id in number.items():
        near = [number[one] + 1 for one, _ in instead[stem].most_common() if one in plain][:SUBSTITUTES]
        substitutes[id, : len(near)] = near
    neighbours = defaultdict[int, list[int]](list)
    for a, b, dice, end in links:
        if (dice >= LEAST_LINK and end >= SAME_END) or dice >= SURE:
            neighbours[a].append(b)
            neighbours[b].append(a)
    stars, taken = [], {at for at, marked in enumerate(profiles) if number.keys().isdisjoint(marked)}
    for centre in sorted(range(len(texts)), key=lambda at: -len(neighbours[at])):
        if centre not in taken:
            stars.append([centre, *(other for other in neighbours[centre] if other not in taken)])
            taken.update(stars[-1])
    counts, stems, marks = [], [], []
    for star in stars:
        have = Counter(stem for at in star for stem in profiles[at] if stem in number)
        ends = Counter(stem for at in star for stem, end in profiles[at].items() if end)
        kept = [stem for stem, count in have.items() if count >= 0.12 * len(star) or len(star) < 4]
        counts.append(len(kept))
        stems += [number[stem] for stem in kept]
        marks += [min(3, 4 * have[one] // len(star)) << 1 | (2 * ends[one] > have[one]) for one in kept]
    arrays: dict[str, Any] = {
        "hashes": np.array([hash_of(stem) for stem in vocabulary], dtype=np.uint32),
        "weights": worth,
        "substitutes": substitutes,
        "counts": np.array(counts, dtype=np.uint8),
        "stems": np.array(stems, dtype=np.uint16),
        "marks": np.array(marks, dtype=np.uint8),
        "times": np.array([min(255, sum(len(places[at]) for at in star)) for star in stars], dtype=np.uint8),
        "places": np.array([sum({1 << one for at in star for one in places[at]}) for star in stars], dtype=np.uint16),
        "of": np.array([len(PLACES)], dtype=np.uint8),
        "fit": np.zeros(MEASURES, dtype=np.float32),
    }
    arrays["fit"] = fitted(Index(arrays), drafts, families)
    arrays = with_tellings(arrays)
    np.savez_compressed(target, **arrays)
    several = sum(int(one).bit_count() > 1 for one in arrays["places"])
    print(f"{len(texts)} texts, {len(stars)} jokes, {several} in several places, {len(stems)} stems")
    print(f"{target.stat().st_size / 1e6:.2f} MB")


def with_tellings(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the index with tellings.txt, the last of the collections: widely told jokes, each as it is usually told
    and, after "- ", in words of ours. A telling is known as what stands wherever the usual one does,
    and doesn't count as one."""
    index, places = Index(arrays), arrays["places"].copy()
    more: dict[str, list[Any]] = {name: [] for name in ("counts", "stems", "marks", "times", "places")}
    for block in re.split(r"\n(?!- )", Path(__file__).with_name("tellings.txt").read_text("utf-8").strip()):
        tellings = block.split("\n- ")
        usual = index.asked(tellings[0])
        jokes = index.candidates(usual)
        likeness = index.likeness(index.measures(usual, jokes))
        place, listed = 1 << PLACES.index("well-known"), bool(likeness.max() >= LEAST)
        if listed:
            place |= int(places[jokes[likeness.argmax()]])
            places[jokes[likeness.argmax()]] = place
        profiles = [{index.number.get(hash_of(stem)): end for stem, end in profile(one).items()} for one in tellings]
        uses = Counter(id for marked in profiles for id in marked)
        for marked in profiles[listed:]:
            marked.pop(None, None)
            more["counts"].append(len(marked))
            more["stems"] += marked
            more["marks"] += [(3 if uses[id] > 1 else 1) << 1 | end for id, end in marked.items()]
            more["times"].append(0)
            more["places"].append(place)
    arrays |= {"places": places, "of": np.array([len(PLACES)], dtype=np.uint8)}
    return arrays | {name: np.append(arrays[name], values).astype(arrays[name].dtype) for name, values in more.items()}


def fitted(index: Index, drafts: Path, families: Path) -> np.ndarray:
    """Fit the weights: jokes with words left out and others put in, and retellings by us, against what new jokes,
    headlines, captions and dialogues come nearest to."""
    random.seed(1)
    rows: list[Floats] = []
    groups: list[int] = []  # 0: of one joke, else the number of a new text
    weights: list[float] = []

    def add(measured: Floats, group: int, weight: float) -> None:
        rows.extend(measured)
        groups.extend([group] * len(measured))
        weights.extend([weight] * len(measured))

    stems = np.split(index.stems, index.starts[1:-1])
    marks = np.split(index.marks, index.starts[1:-1])
    for joke in random.sample(np.nonzero(index.times > 2)[0].tolist(), 3000):
        keep, parts = random.uniform(0.35, 0.95), zip(stems[joke].tolist(), marks[joke].tolist(), strict=True)
        marked = {id: bool(mark & 1) for id, mark in parts if mark >= 4 or random.random() < 0.5}
        retold = {id: end for id, end in marked.items() if random.random() < keep}
        others = [int(id) for other in random.sample(range(len(stems)), 2) for id in stems[other]]
        more = random.sample(others, min(len(others), int(len(marked) * random.uniform(0.0, 0.7))))
        if len(retold) > 1:
            asked = Asked(index, {**{id: random.random() < 0.4 for id in more}, **retold})
            jokes = index.candidates(asked)
            add(index.measures(asked, jokes)[jokes == joke], 0, 0.15)
    for line in Path(__file__).with_name("retold.tsv").read_text("utf-8").splitlines():
        asked, usual = map(index.asked, line.split("\t"))
        jokes = index.candidates(asked)
        there, here = index.measures(usual, jokes)[:, 1:3].T
        same = (np.maximum(there, here) >= 0.6) & (np.minimum(there, here) >= 0.3)
        add(index.measures(asked, jokes)[same], 0, 8.0 / max(1, same.sum()))
    new = [draft[name] for draft in data.lines(drafts) for name in ("best", "equal")]
    new += [family["best"] for family in data.lines(families)]
    for name, count in (("hashtagwars", 150), ("newyorker_captions", 400), ("humicroedit_ratings", 200)):
        new += [row["text"] for row in random.sample(data.rows(name), count)]
    stretches = [row["lines"] for row in data.packed_lines("laughs")]
    new += [" ".join(line["text"] for line in lines[:6]) for lines in random.sample(stretches, 200)]
    for number, text in enumerate(new, 1):
        if (asked := index.asked(text)).total >= LEAST_WORTH:
            add(index.measures(asked, index.candidates(asked)), number, 1.0)
    x, group, w = np.array(rows), np.array(groups), np.array(weights)
    z = x[:, 1] + x[:, 2]
    for _ in range(4):  # each new text by what it comes nearest to
        order = np.lexsort((-z, group))
        rank = np.arange(len(order)) - np.searchsorted(group[order], group[order])
        kept = order[(group[order] == 0) | (rank < 4)]
        fit = likeliest(x[kept], (group[kept] == 0).astype(float), np.full(x.shape[1], RIDGE), counts=w[kept])
        z = x @ fit
    nearest = np.array([z[group == number].max() for number in np.unique(group[group > 0])])
    fit[-1] -= np.quantile(nearest, 1 - FALSE)
    told = (x @ fit)[group == 0] > 0
    print(np.round(fit, 2), f"{np.average(told, weights=w[group == 0]):.3f} of the told")
    return fit.astype(np.float32)


if __name__ == "__main__":
    main()
