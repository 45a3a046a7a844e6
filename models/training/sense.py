"""Fits the heads for sense of one model to families of texts around one joke, with figures on writers left out of
training.

The families are a large language model's texts and labels, made with care, not people's votes. families.jsonl beside
this script holds 2,118 more of eight other writers, made likewise and faster, from which the networks alone learn. The
labelled data has jokes that people rated, plain texts, headlines whose joke people took out, broken puns.
"""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import corrections
import data
import numpy as np
from data import HERE, MODELS, clean, lines
from shipping import Array, Shipping, wide

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.engine.base import CancelToken, Scan
from jokejudge_gui.heads.audience import AudienceHead, pool
from jokejudge_gui.heads.drafts import DraftHeads, differences, reading
from jokejudge_gui.heads.near_duplicates import same_joke
from jokejudge_gui.heads.sense import SenseHeads
from jokejudge_gui.heads.sense_features import SenseRow, measure_sense
from jokejudge_gui.learning import drafts_fit
from jokejudge_gui.learning.figures import FOLDS, out_of_fold
from jokejudge_gui.learning.sense_fit import ALWAYS, VARIANTS, FittedSense, SenseItem, SensePair, fit_sense
from jokejudge_gui.learning.sense_lesson import (
    COUNTS,
    EQUAL,
    JOKE,
    beginnings,
    digest,
    items_of,
    load_sentences,
    pairs_of_family,
    stopped,
)

VERSION = "11"
_COUNTS = COUNTS | {"draft": 1.25, "swap_end": 0.4, "flat_cut": 0.5, "torso_pad": 0.5}
"""Weight of pairs of a sort, where it isn't 1: a torso never wins; drafts are few beside other ends."""
# Target of "a joke" for each sort of text: authors call a foreign end a joke of a kind.
_JOKE = JOKE | {"swap_end": 0.0, "flat_cut": 0.7, "torso_pad": 0.7}
_OWN_FUNNY = {"swap_end": 12.0, "flat_cut": 6.0, "torso_pad": 6.0}
_BEST, _MORE_WEIGHT = 72.0, 0.35
_MORE_FUNNY = {"torso": 12.0, "flat": 8.0, "wrong_end": 14.0, "lost_word": 18.0, "plain": 3.0, "nonsense": 8.0}
"""Targets of the texts of further families, which have no number of their own, and the weight of their labels "a joke":
some of their plain texts are too good."""
_HUMAN = {"readings": 160, "mechanics": 40, "hahackathon": 130, "plain": 200, "ukp": 130, "rjokes": 130, "puns": 330}
_FACTS = 36
"""Number of sentences of harmless.txt that state a plain fact; those after them look back at what was told."""
_DRAFTS, _HEADLINES = 300, 160
"""Number of jokes in drafts and of satirical headlines, chosen by a number that depends on their text alone."""
Family = Mapping[str, Any]


# -- families, and cheap variants that break their tells


def variants(family: Family, sort: str) -> list[str]:
    return [each["text"] for each in family["variants"] if each["type"] == sort]


def stem_of(family: Family) -> str | None:
    """The best's beginning up to the end of its torso; None without such a beginning."""
    stem = variants(family, "torso")[0].rstrip(" .!?…,;:-—–”\"'’")
    return stem if family["best"].startswith(stem) and len(family["best"]) - len(stem) > 3 else None


def joint(end: str) -> str:
    """The joint of an end to its set-up: its marks, and whether it begins with a capital."""
    marks = re.match(r"\W*", end)[0]  # type: ignore[index]
    plain = re.sub(r"[.!?]", ".", re.sub(r"[\"“”‘’']", "q", marks.replace("\n", " "))).strip()
    return plain + ("U" if end[len(marks) : len(marks) + 1].isupper() else "l")


def own_variants(families: Sequence[Family]) -> Iterator[tuple[Family, str, str]]:
    """(family, sort, text): the ends of other bests of the same writer, flats cut to the punchline's length, torsos
    and bests with a harmless sentence."""
    facts = harmless()[:_FACTS]
    stems = {each["id"]: stem_of(each) for each in families}
    near = collections.defaultdict(list)
    for family in families:
        if stems[family["id"]]:
            near[family["id"][:2], digest(family["id"]) % 5].append(family)

    def end_of(family: Family) -> str:
        return str(family["best"][len(stems[family["id"]] or "") :])

    def far(other: Family, family: Family) -> tuple[bool, int, int]:
        tail, end = end_of(other), end_of(family)
        gap = abs(len(tail.split()) - len(end.split())) - 2 * (other["form"] == family["form"])
        return joint(tail) != joint(end), gap, digest(other["id"] + family["id"])

    for family in families:
        stem, name, best = stems[family["id"]], family["id"], family["best"]
        if stem:
            others = [each for each in near[name[:2], digest(name) % 5] if each["id"] != name]
            donors = sorted(others, key=lambda other: far(other, family))
            for donor in donors[: digest(name) % 2 + digest(name + "z") % 2]:
                yield family, "swap_end", stem + end_of(donor)
            for flat in variants(family, "flat"):
                words = len(end_of(family).split())
                if flat.startswith(stem) and (cut := cut_near(flat[len(stem) :], words)):
                    yield family, "flat_cut", stem + cut
                    break
        if digest(name + "v") % 2:
            continue
        torso = variants(family, "torso")[0].rstrip(" ,;:-—–")
        yield family, "torso_pad", f"{stopped(torso)} {facts[digest(name + 'x') % len(facts)]}"
        which = digest(name + "y")
        sentence = facts[(which // 7) % len(facts)]
        if which % 3 == 0:
            yield family, "best_after", f"{stopped(best)} {sentence}"
        elif which % 3 == 1:
            yield family, "best_before", f"{sentence} {stopped(best)}"


def cut_near(end: str, words: int) -> str | None:
    """Cut a flat end at a clause to about ``words`` words."""
    if len(end.split()) <= words + 3:
        return None
    places = [match.start() for match in re.finditer(r"(?:[,;.!?]|\s(?=and |but |because |so |while ))", end)]
    lengths = {place: len(end[:place].split()) for place in places}
    fit = [p for p in places if lengths[p] >= 3 and abs(lengths[p] - words) <= max(3, 0.5 * words)]
    return end[: min(fit, key=lambda place: abs(lengths[place] - words))].rstrip(" ,;") + "." if fit else None


def more_items() -> Iterator[SenseItem]:
    """The texts of families.jsonl beside this script: by sort, without a number of their own."""
    for each in lines(HERE / "families.jsonl"):
        texts = {sort: [each[sort]] if sort == "torso" else each[sort] for sort in _MORE_FUNNY}
        own = [
            {"type": sort, "text": text, "works": 0, "funny": _MORE_FUNNY[sort]}
            for sort, of_sort in texts.items()
            for text in of_sort
        ]
        for item in items_of({"id": each["id"], "best": each["best"], "funny": _BEST, "variants": own}):
            yield replace(item, joke=(item.joke[0], _MORE_WEIGHT * item.joke[1]))


def family_items(families: Sequence[Family]) -> Iterator[SenseItem]:
    for family in families:
        yield from items_of(family)
    for family, sort, text in own_variants(families):
        works = float(sort.startswith("best"))
        funny = family["funny"] - 12.0 if works else _OWN_FUNNY[sort]
        yield SenseItem(text, family["id"], family["id"][:2], sort, (works, _JOKE.get(sort, 0.7)), (1.0, 0.0), funny)


# -- other texts


def human_items() -> Iterator[SenseItem]:
    """Jokes that people wrote or rated, and texts that people didn't take for jokes."""

    def loose(text: str, sort: str, joke: float, weight: float = 1.0) -> SenseItem:
        return SenseItem(text, f"x{digest(text)}", f"x{digest(text) % 97}", sort, (joke, weight), (1.0, 0.0))

    for each in lines(HERE / "not_jokes.jsonl"):
        yield loose(each["text"], f"not_{each['sort']}", 0.0, 2.5 if each["sort"] == "form" else 1.5)
    readings = (MODELS / "readings" / "readings.jsonl").read_text("utf-8").splitlines()
    for each in map(json.loads, sorted(readings, key=digest)[: _HUMAN["readings"]]):
        yield loose(each["text"], "human_readings" if each["joke"] else "not_reading", float(each["joke"]))
    shares: dict[str, tuple[str, Callable[[data.Row], bool]]] = {
        "mechanics": ("humor_mechanics", lambda row: float(row["is_a_joke"]) >= 0.5),
        "hahackathon": ("hahackathon", lambda row: row["is_humor"] == "1" and float(row["humor_rating"] or 0) >= 2),
        "plain": ("hahackathon", lambda row: row["is_humor"] == "0"),
        "ukp": ("ukp_items", lambda row: row["category"] != "nonjokes"),
        "rjokes": ("rjokes_sample", lambda row: float(row["log_score"]) >= 2),
        "puns": ("puns", lambda row: row["pun"] == "1"),
    }
    for name, (file, wanted) in shares.items():
        texts = [row["text"] for row in data.rows(file) if wanted(row)]
        for text in sorted((text for text in texts if 4 <= len(text.split()) <= 70), key=digest)[: _HUMAN[name]]:
            yield loose(text, "not_plain" if name == "plain" else f"human_{name}", float(name != "plain"))


def paired_items(families: Sequence[Family]) -> Iterator[tuple[SenseItem, SenseItem, str, float]]:
    """Two texts, the better one first, their sort and weight: satirical headlines whose joke a person took out, puns
    with another word in place, jokes and their ``beginnings``."""
    for row in sorted(data.rows("unfunned_headlines"), key=lambda row: digest(row["group"]))[: 4 * _HEADLINES]:
        if float(row["seriousness"]) >= 0.75 and int(row["n"]) >= 2:
            satire = SenseItem(row["original"], *_group(f"u{row['group']}"), "satire", (1.0, 0.2), (1.0, 0.0), 40.0)
            serious = SenseItem(row["edited"], *_group(f"u{row['group']}"), "unfunned", (0.0, 0.2), (1.0, 0.0), 15.0)
            yield satire, serious, "unfunned", 0.7
    groups = collections.defaultdict(list)
    for row in data.rows("broken_puns"):
        groups[row["group"]].append(row)
    for name, members in groups.items():
        whole = next((row for row in members if row["type"] == "pos"), None)
        for row in members if whole else ():
            if row["label"] == "0" and whole is not None:
                pun = SenseItem(whole["text"], *_group(f"p{name}"), "pun", (1.0, 0.5), (1.0, 0.0), 50.0)
                broken = SenseItem(row["text"], *_group(f"p{name}"), row["type"], (0.0, 0.0), (1.0, 0.0), 25.0)
                yield pun, broken, f"pun_{row['type']}", 0.7
    jokes = [one for one in family_items(families) if one.sort == "best"]
    jokes += [one for one in human_items() if one.sort.startswith("human") and digest(one.text) % 2]
    for joke in jokes:
        for other in beginnings(joke, harmless(), 2 if joke.sort == "best" else 1):
            yield joke, other, other.sort, _COUNTS.get(other.sort, 1.0)


def _group(name: str) -> tuple[str, str]:
    return name, f"x{digest(name) % 97}"


def draft_items() -> Iterator[tuple[SenseItem, SenseItem, str]]:
    """A joke's best draft beside another one, and its fault ("" where it is as good)."""
    drafts = (MODELS / "drafts" / "drafts.jsonl").read_text("utf-8").splitlines()
    for each in map(json.loads, sorted(drafts, key=digest)[:_DRAFTS]):
        others = [(worse["text"], worse["fault"]) for worse in each["worse"]] + [(each["equal"], "")]
        best, *rest = (
            SenseItem(text, *_group(f"d{each['id']}"), "draft", (1.0, 0.0), (1.0, 0.0))
            for text in (each["best"], *(text for text, _ in others))
        )
        for other, (_, fault) in zip(rest, others, strict=True):
            yield best, other, fault


def harmless() -> list[str]:
    return load_sentences(MODELS / "contrasts" / "families.jsonl")


# -- putting together


def gather(
    families: Sequence[Family], scans: Mapping[str, Scan], heads: DraftHeads
) -> tuple[list[SenseItem], list[SensePair]]:
    """Items and pairs."""
    items: dict[str, SenseItem] = {}
    held_out = drafts_held_out(scans)

    def add(one: SenseItem) -> SenseItem | None:
        text = clean(one.text)
        if text is None or text not in scans:
            return None
        found = items.setdefault(text, replace(one, text=text))
        return found if found.group == one.group else None

    of_family = collections.defaultdict(list)
    for one in family_items(families):
        if (kept := add(one)) is not None and kept.sort == one.sort:
            of_family[one.group].append(kept)
    for one in human_items():
        add(one)

    def two(better: str, worse: str, sort: str, told: float | None = None, **more: Any) -> SensePair:
        one, other = (reading(text, wide(scans[text])) for text in (better, worse))
        if told is None:
            told = heads.compare(one, other).log_odds_a if same_joke(better, worse) else 0.0
        return SensePair(better, worse, told, differences(one, other), sort, **more)

    pairs: list[SensePair] = []
    for members in of_family.values():
        pairs += pairs_of_family(members, two, _COUNTS)
    for best, draft, fault in draft_items():
        a, b = add(best), add(draft)
        if a and b and a.text != b.text and (odds := held_out.get(f"{a.text}\0{b.text}")) is not None:
            sort, weight = ("draft", _COUNTS["draft"]) if fault else ("draft_equal", EQUAL)
            pairs.append(two(a.text, b.text, sort, odds, weight=weight, equal=not fault))
    for better, worse, sort, weight in paired_items(families):
        if (a := add(better)) and (b := add(worse)) and a.text != b.text:
            pairs.append(two(a.text, b.text, sort, weight=weight))
    return list(items.values()), pairs


def drafts_held_out(scans: Mapping[str, Scan]) -> dict[str, float]:
    """Log-odds that the first of two drafts of drafts.jsonl is the better one, by heads fitted without their joke; by
    both texts with a zero character between them."""
    jokes = drafts_fit.load_drafts(MODELS / "drafts" / "drafts.jsonl")
    jokes = tuple(joke for joke in jokes if all(text in scans for text in joke.texts))
    if len(jokes) < 20:
        return {}
    readings = {text: reading(text, wide(scans[text])) for joke in jokes for text in joke.texts}
    pairs = drafts_fit.pairs_of(jokes)
    table = drafts_fit.table_of(pairs, [differences(readings[pair.first], readings[pair.second]) for pair in pairs])
    odd, _ = drafts_fit.odd_kernel(table, CancelToken())
    fold = drafts_fit.folds_of(jokes)[[pair.joke for pair in pairs]]
    score = out_of_fold(
        fold, lambda inside, outside: odd[np.ix_(outside, inside)] @ drafts_fit.alpha_of(odd, pairs, inside)
    )
    odds = drafts_fit.log_odds_of(score, table, *drafts_fit.calibrated(score, table))
    return {f"{pair.first}\0{pair.second}": float(value) for pair, value in zip(pairs, odds, strict=True)}


def folds_of(items: Sequence[SenseItem]) -> Array:
    """The fold of each item: writers of families whole; other texts by their group."""
    names = sorted({one.writer for one in items if not one.writer.startswith("x")})
    return np.array([(names.index(o.writer) if o.writer in names else digest(o.group)) % FOLDS for o in items])


def figures(items: Sequence[SenseItem], pairs: Sequence[SensePair], found: FittedSense) -> dict[str, Any]:
    """The figures out of fold: by sort the number of pairs and the share right, and of texts the share called a joke,
    in doubt, no joke."""
    sorts, kind = np.array([pair.sort for pair in pairs]), np.array([one.sort for one in items])
    p, whole = (np.array([getattr(sense, name) for sense in found.senses]) for name in ("joke", "whole"))
    said = np.array([sense.said for sense in found.senses])
    plain, torso = np.isin(kind, ["best", "plain", "flat"]), np.isin(kind, ["best", "torso"])

    def shares(mine: Array, *flags: Array) -> list[float]:
        return [int(mine.sum()), *(round(float(flag[mine].mean()), 3) for flag in flags)]

    right, verdicts = found.log_odds > 0, [said == one for one in ("joke", "unsure", "no turn")]
    return {
        "pairs": {sort: shares(sorts == sort, right) for sort in dict.fromkeys(sorts.tolist()) if sort != "equal"},
        "AUC best against plain and flat": round(auc(p[plain], kind[plain] == "best") or 0.0, 3),
        "AUC whole, best against torso": round(auc(whole[torso], kind[torso] == "best") or 0.0, 3),
        "said": {sort: shares(kind == sort, *verdicts) for sort in sorted(set(kind.tolist()))},
    }


def measured(
    items: Sequence[SenseItem], scans: Mapping[str, Scan], usual: Array, audience: AudienceHead
) -> dict[str, SenseRow]:
    rows = {}
    for text in (one.text for one in items):
        intent = audience.joke_odds(pool(scans[text].states.astype(np.float32), text)) or 0.0
        rows[text] = measure_sense(text, scans[text], usual, intent)
    return rows


def fit_families(of: Shipping) -> None:
    families = of.families()
    every = [*family_items(families), *human_items(), *more_items()]
    every += [one for two in paired_items(families) for one in two[:2]]
    every += [one for two in draft_items() for one in two[:2]]
    texts = dict.fromkeys(text for one in every if (text := clean(one.text)) is not None)
    correcting = corrections.labelled(of)
    scans = dict(of.reads.each([*texts, *(one.text for one in correcting)]))
    items, pairs = gather(families, scans, DraftHeads.load(of.path("drafts", "npz")))
    shaping = [scans[one.text].states for one in items if one.sort not in VARIANTS]
    usual = np.mean([states.astype(np.float32).mean(axis=0) for states in shaping], axis=0).astype(np.float32)
    learned = {one.text for one in items}
    more = {one.text: (one.item, one.fold) for one in correcting if one.text not in learned}
    more |= {
        one.text: (one, ALWAYS) for one in more_items() if one.text in scans and one.text not in learned | more.keys()
    }
    counts = dict(collections.Counter(one.sort for one in items))
    print(f"{len(items)} texts, {len(pairs)} pairs, {len(more)} texts for the networks alone: {counts}", flush=True)
    rows = measured([*items, *(one for one, _ in more.values())], scans, usual, of.head)
    found = fit_sense(items, pairs, rows, usual, of.sha256, VERSION, folds_of(items), more=list(more.values()))
    said = figures(items, pairs, found)
    print(json.dumps(said, indent=1))
    meta, arrays, corrected = corrections.corrected(found, correcting, rows)
    counted = collections.Counter(one.sort for one in correcting)
    card = {
        "version": VERSION,
        "labels": "Families of texts around one joke: written and labelled by a large language model with care; not"
        " people's votes. Jokes and plain texts of people: HaHackathon, UKP's one-liners, rjokes, humor_mechanics"
        " (MIT). Headlines whose joke people took out: unfun. Puns: SemEval-2017 task 7, punintended."
        " 945 plain texts that a large language model wrote for this project, 374 of them in forms of jokes; and,"
        " for the networks alone, 2,118 further families, unchecked but for their form. Corrected by"
        f" {counted['negative']} texts that are no jokes, {counted['positive']} jokes and {counted['twin']} plain texts"
        " on their subjects, written by large language models.",
        "split": "5 folds by writer of families, by text of others; the heads that are kept are fitted on all",
        "texts": counts | {"further families": len(more) - sum(fold != ALWAYS for _, fold in more.values())},
        "figures": said,
        "corrected": corrected,
    }
    of.save("sense", lambda out: SenseHeads.write(out, meta, arrays), card)
