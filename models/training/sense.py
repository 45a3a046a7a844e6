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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import data
import numpy as np
from shipping import Shipping, wide

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.engine.base import CancelToken, Scan
from jokejudge_gui.heads.audience import pool
from jokejudge_gui.heads.drafts import DraftHeads, differences, reading
from jokejudge_gui.heads.intent import form_of
from jokejudge_gui.heads.near_duplicates import same_joke
from jokejudge_gui.heads.sense import SenseHeads
from jokejudge_gui.heads.sense_features import SenseRow, end_alone, measure_sense
from jokejudge_gui.learning.drafts_fit import (
    alpha_of,
    calibrated,
    load_drafts,
    odd_kernel,
    pairs_of,
    spread,
    table_of,
)
from jokejudge_gui.learning.drafts_fit import folds_of as folds_of_jokes
from jokejudge_gui.learning.figures import calibration_error
from jokejudge_gui.learning.sense_fit import FOLDS, VARIANTS, FittedSense, SenseItem, SensePair, fit_sense
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

HERE = Path(__file__).resolve().parent
VERSION = "6"
_COUNTS = COUNTS | {
    "draft": 1.25,
    "swap_end": 0.4,
    "flat_cut": 0.5,
    "torso_pad": 0.5,
}
"""Weight of pairs of a sort, where it isn't 1: a torso never wins; drafts are few beside other ends."""
# Target of "a joke" for each sort of text: authors call a foreign end a joke of a kind.
_JOKE = JOKE | {"swap_end": 0.0, "flat_cut": 0.7, "torso_pad": 0.7}
_OWN_FUNNY = {"swap_end": 12.0, "flat_cut": 6.0, "torso_pad": 6.0}
_BEST, _MORE_WEIGHT = 72.0, 0.35
_MORE_FUNNY = {"torso": 12.0, "flat": 8.0, "wrong_end": 14.0, "lost_word": 18.0, "plain": 3.0, "nonsense": 8.0}
"""Targets of the texts of further families, which have no number of their own, and the weight of their labels "a joke":
some of their plain texts are too good."""
_TOGETHER_SAID = {"human, all": "human", "not jokes, all": "not_"}
_HUMAN = {"readings": 160, "hahackathon": 130, "ukp": 130, "rjokes": 130, "plain": 200, "mechanics": 40, "puns": 330}
_FACTS = 36
"""Number of sentences of harmless.txt that state a plain fact; those after them look back at what was told."""
_DRAFTS, _HEADLINES = 300, 160
"""Number of jokes in drafts and of satirical headlines, chosen by a number that depends on their text alone."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The training data. ``fold``: by text, and pairs of its fold alone."""

    items: list[SenseItem]
    pairs: list[SensePair]


def clean(text: str) -> str | None:
    try:
        return clean_text(text)
    except InputError:
        return None


# -- families, and cheap variants that break their tells -----------------------------------------------------------


def stem_of(family: Mapping[str, Any]) -> str | None:
    """The best's beginning up to the end of its torso; None without such a beginning."""
    torso = next(each["text"] for each in family["variants"] if each["type"] == "torso")
    stem = torso.rstrip(" .!?…,;:-—–”\"'’")
    return stem if family["best"].startswith(stem) and len(family["best"]) - len(stem) > 3 else None


def joint(end: str) -> str:
    """The joint of an end to its set-up: its marks, and whether it begins with a capital."""
    marks = re.match(r"\W*", end)[0]  # type: ignore[index]
    plain = re.sub(r"[.!?]", ".", re.sub(r"[\"“”‘’']", "q", marks.replace("\n", " "))).strip()
    return plain + ("U" if end[len(marks) : len(marks) + 1].isupper() else "l")


def own_variants(families: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """(family, sort, text): the ends of other bests of the same writer, flats cut to the punchline's length, torsos
    and bests with a harmless sentence."""
    facts = harmless()[:_FACTS]
    stems = {each["id"]: stem_of(each) for each in families}
    near = collections.defaultdict(list)
    for family in families:
        if stems[family["id"]]:
            near[family["id"][:2], digest(family["id"]) % 5].append(family)
    for family in families:
        stem, name = stems[family["id"]], family["id"]
        if stem:
            end = family["best"][len(stem) :]
            words = len(end.split())

            def far(
                other: Mapping[str, Any],
                words: int = words,
                end: str = end,
                form: str = family["form"],
                name: str = name,
            ) -> tuple[bool, int, int]:
                tail = other["best"][len(stems[other["id"]] or "") :]
                gap = abs(len(tail.split()) - words) - 2 * (other["form"] == form)
                return joint(tail) != joint(end), gap, digest(other["id"] + name)

            donors = sorted((each for each in near[name[:2], digest(name) % 5] if each["id"] != name), key=far)
            for donor in donors[: digest(name) % 2 + digest(name + "z") % 2]:
                yield family, "swap_end", stem + donor["best"][len(stems[donor["id"]] or "") :]
            for flat in (each["text"] for each in family["variants"] if each["type"] == "flat"):
                if flat.startswith(stem) and (cut := cut_near(flat[len(stem) :], words)):
                    yield family, "flat_cut", stem + cut
                    break
        torso = next(each["text"] for each in family["variants"] if each["type"] == "torso").rstrip(" ,;:-—–")
        if digest(name + "v") % 2:
            continue
        yield family, "torso_pad", f"{stopped(torso)} {facts[digest(name + 'x') % len(facts)]}"
        which = digest(name + "y")
        sentence = facts[(which // 7) % len(facts)]
        if which % 3 == 0:
            yield family, "best_after", f"{stopped(family['best'])} {sentence}"
        elif which % 3 == 1:
            yield family, "best_before", f"{sentence} {stopped(family['best'])}"


def cut_near(end: str, words: int) -> str | None:
    """Cut a flat end at a clause to about ``words`` words."""
    if len(end.split()) <= words + 3:
        return None
    places = [match.start() for match in re.finditer(r"(?:[,;.!?]|\s(?=and |but |because |so |while ))", end)]
    lengths = {place: len(end[:place].split()) for place in places}
    fit = [p for p in places if lengths[p] >= 3 and abs(lengths[p] - words) <= max(3, 0.5 * words)]
    if not fit:
        return None
    return end[: min(fit, key=lambda place: abs(lengths[place] - words))].rstrip(" ,;") + "."


def more_items() -> Iterator[SenseItem]:
    """The texts of families.jsonl beside this script: by sort, without a number of their own."""
    for line in (HERE / "families.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        variants = [
            {"type": sort, "text": text, "works": 0, "funny": funny}
            for sort, funny in _MORE_FUNNY.items()
            for text in ([each[sort]] if sort == "torso" else each[sort])
        ]
        for item in items_of({"id": each["id"], "best": each["best"], "funny": _BEST, "variants": variants}):
            label, weight = item.joke
            yield replace(item, joke=(label, _MORE_WEIGHT * weight))


def family_items(families: Sequence[Mapping[str, Any]]) -> Iterator[SenseItem]:
    for family in families:
        yield from items_of(family)
    for family, sort, text in own_variants(families):
        works = float(sort.startswith("best"))
        funny = family["funny"] - 12.0 if works else _OWN_FUNNY[sort]
        yield SenseItem(text, family["id"], family["id"][:2], sort, (works, _JOKE.get(sort, 0.7)), (1.0, 0.0), funny)


# -- other texts -----------------------------------------------------------------------------------------------------


def human_items() -> Iterator[SenseItem]:
    """Jokes that people wrote or rated, and texts that people didn't take for jokes."""
    for line in (HERE / "not_jokes.jsonl").read_text("utf-8").splitlines():
        each = json.loads(line)
        yield loose(each["text"], f"not_{each['sort']}", 0.0, 2.5 if each["sort"] == "form" else 1.5)
    lines = (HERE.parent / "readings" / "readings.jsonl").read_text("utf-8").splitlines()
    for line in sorted(lines, key=digest)[: _HUMAN["readings"]]:
        each = json.loads(line)
        yield loose(each["text"], "human_readings" if each["joke"] else "not_reading", float(each["joke"]), 1.0)
    shares = {
        "mechanics": [row["text"] for row in data.rows("humor_mechanics") if float(row["is_a_joke"]) >= 0.5],
        "hahackathon": [
            row["text"]
            for row in data.rows("hahackathon")
            if row["is_humor"] == "1" and float(row["humor_rating"] or 0) >= 2
        ],
        "plain": [row["text"] for row in data.rows("hahackathon") if row["is_humor"] == "0"],
        "ukp": [row["text"] for row in data.rows("ukp_items") if row["category"] != "nonjokes"],
        "rjokes": [row["text"] for row in data.rows("rjokes_sample") if float(row["log_score"]) >= 2],
        "puns": [row["text"] for row in data.rows("puns") if row["pun"] == "1"],
    }
    for name, texts in shares.items():
        short = sorted((text for text in texts if 4 <= len(text.split()) <= 70), key=digest)[: _HUMAN[name]]
        for text in short:
            yield loose(text, "not_plain" if name == "plain" else f"human_{name}", float(name != "plain"), 1.0)


def loose(text: str, sort: str, joke: float, weight: float) -> SenseItem:
    return SenseItem(text, f"x{digest(text)}", f"x{digest(text) % 97}", sort, (joke, weight), (1.0, 0.0))


def headline_items() -> Iterator[tuple[SenseItem, SenseItem]]:
    """A satirical headline, and the same after a person took its joke out."""
    for row in sorted(data.rows("unfunned_headlines"), key=lambda row: digest(row["group"]))[: 4 * _HEADLINES]:
        if float(row["seriousness"]) >= 0.75 and int(row["n"]) >= 2:
            group = f"u{row['group']}"
            yield tuple(  # type: ignore[misc]
                SenseItem(row[name], group, f"x{digest(group) % 97}", sort, (joke, 0.2), (1.0, 0.0), funny)
                for name, sort, joke, funny in (("original", "satire", 1.0, 40.0), ("edited", "unfunned", 0.0, 15.0))
            )


def pun_items() -> Iterator[tuple[SenseItem, SenseItem]]:
    """A pun, and the same text with another word in its place."""
    groups = collections.defaultdict(list)
    for row in data.rows("broken_puns"):
        groups[row["group"]].append(row)
    for name, members in groups.items():
        whole = next((row for row in members if row["type"] == "pos"), None)
        for row in members if whole else ():
            if row["label"] == "0" and whole is not None:
                group = f"p{name}"
                yield (
                    SenseItem(whole["text"], group, f"x{digest(group) % 97}", "pun", (1.0, 0.5), (1.0, 0.0), 50.0),
                    SenseItem(row["text"], group, f"x{digest(group) % 97}", row["type"], (0.0, 0.0), (1.0, 0.0), 25.0),
                )


def draft_items() -> Iterator[tuple[SenseItem, SenseItem, str]]:
    """A joke's best draft beside another one, and its fault ("" where it is as good)."""
    lines = (HERE.parent / "drafts" / "drafts.jsonl").read_text("utf-8").splitlines()
    for line in sorted(lines, key=digest)[:_DRAFTS]:
        each = json.loads(line)
        group = f"d{each['id']}"
        others = [(worse["text"], worse["fault"]) for worse in each["worse"]] + [(each["equal"], "")]
        best, *rest = (
            SenseItem(text, group, f"x{digest(group) % 97}", "draft", (1.0, 0.0), (1.0, 0.0))
            for text in (each["best"], *(text for text, _ in others))
        )
        for other, (_, fault) in zip(rest, others, strict=True):
            yield best, other, fault


def begun(families: Sequence[Mapping[str, Any]]) -> Iterator[tuple[SenseItem, SenseItem]]:
    """A joke of a family or of people, and one of its ``beginnings``."""
    jokes = [item for item in family_items(families) if item.sort == "best"]
    jokes += [item for item in human_items() if item.sort.startswith("human") and digest(item.text) % 2]
    for joke in jokes:
        for other in beginnings(joke, harmless(), 2 if joke.sort == "best" else 1):
            yield joke, other


def harmless() -> list[str]:
    return load_sentences(HERE.parent / "contrasts" / "families.jsonl")


# -- putting together ------------------------------------------------------------------------------------------------


def gather(
    families: Sequence[Mapping[str, Any]],
    scans: Mapping[str, Scan],
    heads: DraftHeads,
    held_out: Mapping[str, float],
) -> Learned:
    """Items and pairs. ``held_out``: log-odds of drafts by draft heads that weren't fitted on them."""
    items: dict[str, SenseItem] = {}

    def add(item: SenseItem) -> SenseItem | None:
        text = clean(item.text)
        if text is None or text not in scans:
            return None
        found = items.setdefault(
            text, SenseItem(text, item.group, item.writer, item.sort, item.joke, item.whole, item.funny)
        )
        return found if found.group == item.group else None

    of_family = collections.defaultdict(list)
    for item in family_items(families):
        if (kept_item := add(item)) is not None and kept_item.sort == item.sort:
            of_family[item.group].append(kept_item)
    for item in human_items():
        add(item)

    def two(better: str, worse: str, sort: str, told: float | None = None, **more: Any) -> SensePair:
        one, other = (reading(text, wide(scans[text])) for text in (better, worse))
        if told is None:
            told = heads.compare(one, other).log_odds_a if same_joke(better, worse) else 0.0
        return SensePair(better, worse, told, differences(one, other), sort, **more)

    pairs: list[SensePair] = []
    for members in of_family.values():
        pairs += pairs_of_family(members, two, _COUNTS)
    for one, other, fault in draft_items():
        a, b = add(one), add(other)
        weight = _COUNTS["draft"] if fault else EQUAL
        if a and b and a.text != b.text and (heard := held_out.get(f"{a.text}\0{b.text}")) is not None:
            sort = "draft" if fault else "draft_equal"
            pairs.append(two(a.text, b.text, sort, heard, weight=weight, equal=not fault))
    further = [(one, other, "unfunned", 0.7) for one, other in headline_items()]
    further += [(one, other, f"pun_{other.sort}", 0.7) for one, other in pun_items()]
    further += [(one, other, other.sort, _COUNTS.get(other.sort, 1.0)) for one, other in begun(families)]
    for one, other, sort, weight in further:
        if (a := add(one)) and (b := add(other)) and a.text != b.text:
            pairs.append(two(a.text, b.text, sort, weight=weight))
    return Learned(list(items.values()), pairs)


def drafts_held_out(scans: Mapping[str, Scan]) -> dict[str, float]:
    """Log-odds that the first of two drafts of drafts.jsonl is the better one, by heads fitted without their joke; by
    both texts with a zero character between them."""
    jokes = [
        joke
        for joke in load_drafts(HERE.parent / "drafts" / "drafts.jsonl")
        if all(text in scans for text in joke.texts)
    ]
    if len(jokes) < 20:
        return {}
    readings = {text: reading(text, wide(scans[text])) for joke in jokes for text in joke.texts}
    pairs = pairs_of(jokes)
    table = table_of(pairs, [differences(readings[pair.first], readings[pair.second]) for pair in pairs])
    odd, _ = odd_kernel(table, CancelToken())
    fold = folds_of_jokes(jokes)[[pair.joke for pair in pairs]]
    score = np.zeros(len(pairs))
    for away in range(FOLDS):
        inside, outside = np.flatnonzero(fold != away), np.flatnonzero(fold == away)
        score[outside] = odd[np.ix_(outside, inside)] @ alpha_of(odd, pairs, inside)
    gain, gamma = calibrated(score, table)
    odds = gain * table.overlap * score + gamma * np.tanh(table.lengths / spread(table.lengths))
    return {f"{pair.first}\0{pair.second}": float(odd) for pair, odd in zip(pairs, odds, strict=True)}


def folds_of(items: Sequence[SenseItem]) -> Any:
    """The fold of each item: writers of families whole; other texts by their group."""
    names = sorted({item.writer for item in items if not item.writer.startswith("x")})
    return np.array(
        [names.index(item.writer) % FOLDS if item.writer in names else digest(item.group) % FOLDS for item in items]
    )


def calibration(log_odds: Any, equal: Any) -> float:
    """Mean distance of the stated from the right share, in ten bins of the likelier one's stated probability."""
    stated, right = 1.0 / (1.0 + np.exp(-np.abs(log_odds))), np.where(equal, 0.5, log_odds > 0)
    return calibration_error(stated, right, tuple(round(0.5 + 0.05 * step, 2) for step in range(11)))


def figures(learned: Learned, found: FittedSense) -> dict[str, Any]:
    """The figures out of fold."""
    sorts, edits = np.array([pair.sort for pair in learned.pairs]), np.array(found.edits)
    log_odds, equal = found.log_odds, np.array([pair.equal for pair in learned.pairs])
    counted = ~equal & ~np.char.startswith(sorts, "equal_")
    stated = 1.0 / (1.0 + np.exp(-np.abs(log_odds)))
    family = counted & np.isin(sorts, ["torso", "plain", "flat", "wrong_end", "nonsense", "lost_word"])
    sure = family & (stated >= 0.85)
    p = np.array([sense.joke for sense in found.senses])
    kind = np.array([item.sort for item in learned.items])
    forms = [bool(form_of(item.text)) for item in learned.items]
    said = np.array(["no turn" if form else sense.said for form, sense in zip(forms, found.senses, strict=True)])
    plain = np.isin(kind, ["best", "plain", "flat"])
    whole = np.array([sense.whole for sense in found.senses])

    def told(mine: Any) -> list[float]:
        """Number of texts, and the share of each answer."""
        shares = [round(float((said[mine] == name).mean()), 3) for name in ("joke", "unsure", "no turn")]
        return [int(mine.sum()), *shares] if mine.any() else [0, 0.0, 0.0, 0.0]

    torso = np.isin(kind, ["best", "torso"])
    return {
        "pairs": {
            sort: [int((sorts == sort).sum()), round(float((log_odds[sorts == sort] > 0).mean()), 3)]
            for sort in dict.fromkeys(sorts.tolist())
            if sort != "equal"
        },
        "stated .85 or more": [
            round(float(sure.sum() / max(1, family.sum())), 3),
            round(float((log_odds[sure] > 0).mean()), 3) if sure.any() else None,
        ],
        "calibration": {
            edit: [
                int((mine := (edits == edit) & (counted | equal)).sum()),
                round(calibration(log_odds[mine], equal[mine]), 3),
            ]
            for edit in dict.fromkeys(found.edits)
        },
        "drafts, by edit": {
            edit: [int(mine.sum()), round(float((log_odds[mine] > 0).mean()), 3)]
            for edit in dict.fromkeys(found.edits)
            if (mine := (sorts == "draft") & (edits == edit)).sum() >= 20
        },
        "AUC best against plain and flat": round(auc(p[plain], kind[plain] == "best") or 0.0, 3),
        "AUC whole, best against torso": round(auc(whole[torso], kind[torso] == "best") or 0.0, 3),
        "said": {sort: told(kind == sort) for sort in sorted(set(kind.tolist()))}
        | {name: told(np.char.startswith(kind, start)) for name, start in _TOGETHER_SAID.items()},
    }


def fit_families(of: Shipping) -> None:
    families = of.families()
    every = [*family_items(families), *human_items(), *more_items()]
    every += [item for two in (*headline_items(), *pun_items(), *begun(families)) for item in two]
    every += [item for one, other, _ in draft_items() for item in (one, other)]
    texts = dict.fromkeys(text for item in every if (text := clean(item.text)) is not None)
    scans = dict(of.reads.each([part for text in texts for part in (text, end_alone(text))]))
    heads = DraftHeads.load(of.path("drafts", "npz"))
    learned = gather(families, scans, heads, drafts_held_out(scans))
    audience = of.head
    usual = usual_state([item for item in learned.items if item.sort not in VARIANTS], scans)
    measured: dict[str, SenseRow] = {}
    known_texts = {item.text for item in learned.items}
    more = [
        item
        for item in {item.text: item for item in more_items()}.values()
        if item.text in scans and item.text not in known_texts
    ]
    for item in (*learned.items, *more):
        scan = scans[item.text]
        intent = audience.joke_odds(pool(scan.states.astype(np.float32), item.text)) or 0.0
        measured[item.text] = measure_sense(item.text, scan, scans[end_alone(item.text)], usual, intent)
    counts = dict(collections.Counter(item.sort for item in learned.items))
    further = f"{len(more)} texts of further families"
    print(f"{len(learned.items)} texts, {len(learned.pairs)} pairs, {further}: {counts}", flush=True)
    folds = folds_of(learned.items)
    found = fit_sense(learned.items, learned.pairs, measured, usual, of.sha256, VERSION, folds, more=more)
    said = figures(learned, found)
    print(json.dumps(said, indent=1))
    card = {
        "version": VERSION,
        "labels": "Families of texts around one joke: written and labelled by a large language model with care; not"
        " people's votes. Jokes and plain texts of people: HaHackathon, UKP's one-liners, rjokes, humor_mechanics"
        " (MIT). Headlines whose joke people took out: unfun. Puns: SemEval-2017 task 7, punintended."
        " 945 plain texts that a large language model wrote for this project, 374 of them in forms of jokes; and,"
        " for the networks alone, 2,118 further families, unchecked but for their form.",
        "split": "5 folds by writer of families, by text of others; the heads that are kept are fitted on all",
        "texts": counts | {"further families": len(more)},
        "figures": said,
    }
    of.save("sense", lambda out: SenseHeads.write(out, found.meta, found.arrays), card)


def usual_state(items: Sequence[SenseItem], scans: Mapping[str, Scan]) -> Any:
    """The mean state of a token."""
    states = [scans[item.text].states.astype(np.float32).mean(axis=0) for item in items]
    return np.mean(states, axis=0).astype(np.float32)
