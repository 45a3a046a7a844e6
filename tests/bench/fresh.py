"""Verdicts on texts that nothing has learned from: python -m tests.bench.fresh [--model …] [--pages] [--bits|--second].

tests/bench/fresh: 100 jokes of twenty forms and 72 texts that are none, 16 jokes in their variants, 100 first drafts
with what an editor would cut, 130 puns and broken puns, ten bits with marks where a room would laugh and six longer
texts that are none; then, by a writer who hadn't seen these, 60 jokes of the same forms, 60 texts that are none, and
12 jokes in their variants (``second_…``), and as many by a third (``third_…``). Written by large language models for
this bench, so labels are a machine's.
Prints figures of sense, pages, devices, turns, duels, edits, second meanings and laughs; with ``--pages`` the page of
each text before them, whose sentences a reader must judge; with ``--bits`` of longer texts alone, with ``--second`` of
the second and third part alone. Asserts nothing. No head may learn from these texts.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.pages import as_lines
from jokejudge_gui.core.room import without_marks
from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.verdicts import LIKELY
from jokejudge_gui.core.words import WORD
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.session.session import Session
from tests.ends import finished

from .common import model_parser, open_session

FOLDER = Path(__file__).with_name("fresh")
DEVICES = {
    "pun": {"Pun", "Double entendre", "Literalism"}, "phrase": {"Literalism", "Pun", "Bent phrase"},
    "sound_pun": {"Pun", "Homophone"}, "misdirection": {"Misdirection"}, "absurd": {"Absurdity", "Silliness"},
    "irony": {"Irony", "Sarcasm"}, "self_mockery": {"Self-mockery"}, "callback": {"Callback"},
    "light_bulb": {"Light bulb joke"}, "anti_joke": {"Anti-joke"}, "exaggeration": {"Exaggeration"},
    "understatement": {"Dry wit"}, "observation": {"Observation"}, "satire": {"Satire", "Parody"},
    "dark": {"Dark humour"},
}  # fmt: skip
"""The kinds, by name, that are right for a text with a device."""
OF_DEVICES = frozenset[str]().union(*DEVICES.values())
WEAKER = ("torso", "flat", "foreign_end", "explained", "padded", "word_killed", "plain_added")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def rated(session: Session, text: str, pages: bool) -> dict[str, Any]:
    """Return a rating's JSON object, having printed its page with ``pages``."""
    last = finished(session.rate(text, record=False))
    if pages:
        page = RATING.words(last)  # type: ignore[arg-type]
        print("", text, *(f"    {line}" for line in as_lines(page)), sep="\n")
    return RATING.contract(last)  # type: ignore[arg-type]


def chance(session: Session, a: str, b: str) -> tuple[float, str]:
    """Return the chance that ``a`` is the better one, and the winner that is named."""
    last = finished(session.duel(a, b, record=False))
    verdict = DUEL.contract(last)  # type: ignore[arg-type]
    return verdict["p_a"], verdict["winner"]


def share(right: int, of: int) -> str:
    return f"{right} of {of}" + (f" ({right / of:.2f})" if of else "")


def texts(session: Session, pages: bool, file: str = "texts") -> Iterator[str]:
    jokes: list[bool] = []
    chances: list[float] = []
    said: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    telling = two = stated = right = turned = turn_right = last_five = 0
    for row in rows(file):
        verdict = rated(session, row["text"], pages)
        sense = verdict["sense"] or {"joke": 0.5, "said": "unheard"}
        jokes.append(row["joke"])
        chances.append(sense["joke"])
        said[f"{'joke' if row['joke'] else 'other'}: {sense['said']}"] += 1
        if (sense["said"] == "joke") != row["joke"]:
            forms[f"{row['form']}: {sense['said']}"] += 1
        if not row["joke"]:
            turned += verdict["turn"] is not None
            continue
        kinds = {kind["name"] for kind in verdict["categories"]}
        leans = (verdict["audience"] or {"said": "unclear"})["said"] != "unclear"
        named = sum(bool(part) for part in (kinds, verdict["wordplay"], leans))
        remarks = len(verdict["notes"]) + named
        telling += remarks > 0
        two += remarks > 1
        found = kinds & OF_DEVICES or ({"Pun"} if verdict["wordplay"] else set())
        stated += bool(found)
        right += bool(found & DEVICES.get(row["device"], set()))
        own = words_of(row["text"], row["text"].rfind(row["turn"]), len(row["turn"]))
        if verdict["turn"]:
            shown = words_of(row["text"], verdict["turn"]["start"], len(verdict["turn"]["text"]))
            turn_right += alike(shown, own)
        last_five += alike(words_of(row["text"], 0, len(row["text"]))[-5:], own)
    above = auc(np.array(chances), np.array(jokes))
    count = sum(jokes)
    yield f"joke against no joke: AUC {above:.3f}; {dict(sorted(said.items()))}"
    yield f"  otherwise than labelled: {dict(forms.most_common())}"
    yield f"turns marked in texts that are no jokes: {share(turned, len(jokes) - count)}"
    yield f"pages of jokes with more than the underline: {share(telling, count)}; two things: {share(two, count)}"
    yield f"device named: {share(stated, count)}; right: {share(right, stated)}"
    turns = f"{share(turn_right, count)}; the last five words: {share(last_five, count)}"
    yield f"turn shares half of its words with the label: {turns}"


def words_of(text: str, start: int, length: int) -> list[int]:
    """Return the numbers of the words that a part of a text touches."""
    spans = [match.span() for match in WORD.finditer(text)]
    return [number for number, (a, b) in enumerate(spans) if a < start + length and b > start]


def alike(a: list[int], b: list[int]) -> bool:
    """Whether two runs of words share half of all their words."""
    return 2 * len({*a} & {*b}) >= len({*a} | {*b})


def variants(session: Session, file: str = "variants") -> Iterator[str]:
    total: Counter[str] = Counter()
    won: Counter[str] = Counter()
    sure, sure_right, equal = 0, 0, 0
    every = rows(file)
    for row in every:
        pairs = [(name, row["best"], row[name]) for name in WEAKER]
        pairs += [("tightened", row["tightened"], row["best"])] if row["tightened"] else []
        for name, better, worse in pairs:
            p, _ = chance(session, better, worse)
            total[name] += 1
            won[name] += p > 0.5
            sure += max(p, 1 - p) >= 0.9
            sure_right += p >= 0.9
        equal += chance(session, row["best"], row["equal"])[1] == "tie"
    yield f"duels of variants right: {share(won.total(), total.total())}; from .9: {share(sure_right, sure)}"
    yield "  " + "; ".join(f"{name} {won[name]} of {count}" for name, count in total.items())
    yield f"  equals without a winner: {equal} of {len(every)}"


def drafts(session: Session, pages: bool) -> Iterator[str]:
    offered = good = carried = in_punchline = 0
    for row in rows("drafts"):
        verdict = rated(session, row["text"], pages)
        cuts = [note["text"] for note in verdict["notes"] if note["about"] == "cut"]
        carries = [note["text"] for note in verdict["notes"] if note["about"] == "carries"]
        quoted = {word.lower() for note in cuts for word in WORD.findall(note.partition("“")[2].partition("”")[0])}
        named = {word.lower() for cut in row["could_go"] for word in WORD.findall(cut)}
        offered += bool(cuts)
        good += bool(cuts) and 2 * len(quoted & named) >= len(quoted)
        carried += bool(carries)
        in_punchline += any(
            note.partition("“")[2].partition("”")[0].strip(".!?") in row["punchline"] for note in carries if "“" in note
        )
    count = len(rows("drafts"))
    yield f"edits offered for first drafts: {share(offered, count)}; an editor cuts them, too: {share(good, offered)}"
    yield f"what carries it is named: {share(carried, count)}; it lies in the punchline: {share(in_punchline, carried)}"


def puns(session: Session) -> Iterator[str]:
    said: Counter[str] = Counter()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows("puns"):
        play = rated(session, row["text"], pages=False)["wordplay"]
        total[row["sort"]] += 1
        said[row["sort"]] += play is not None
        if play is not None and row["sort"] != "broken":
            same = {*play["text"].lower().split()} & {*row["word"].lower().split()}
            right[row["sort"]] += bool(same) and (row["sort"] != "sound" or play["second"] == row["second"].lower())
    for sort, count in total.items():
        yield f"second meanings, {sort}: said {share(said[sort], count)}; right {share(right[sort], said[sort])}"


IDLE = ("It was a Tuesday, I think.", "Anyway, you know how it is.", "I suppose that's just the way things go.")
"""Sentences without a purpose."""


def bits(session: Session, pages: bool) -> Iterator[str]:
    """Figures of ten bits with marks where a room would laugh, and of longer texts that are none."""
    found = of = false = plain = others = idle = idle_said = said = 0
    chances: list[float] = []
    seconds: list[float] = []
    every = rows("bits")
    for number, row in enumerate(every):
        text, room = without_marks(row["text"])
        began = time.process_time()
        verdict = rated(session, text, pages)
        seconds.append(time.process_time() - began)
        likely = {one["end"] for one in verdict["laughs"] if one["p"] >= LIKELY}
        chances.append(verdict["sense"]["joke"])
        if not room:
            plain, others = plain + len(likely), others + 1
            continue
        ends = {next(one["end"] for one in verdict["laughs"] if one["end"] >= mark.at) for mark in room}
        found, of, false = found + len(likely & ends), of + len(ends), false + len(likely - ends)
        at = [one["end"] for one in verdict["laughs"][1:-2] if one["end"] not in ends][number % 3]
        padded = f"{text[:at]} {IDLE[number % 3]}{text[at:]}"
        cuts = [note["text"] for note in rated(session, padded, False)["notes"] if note["about"] == "cut"]
        idle, said = idle + 1, said + len(cuts)
        idle_said += any(IDLE[number % 3].rstrip(".") in cut for cut in cuts)
    count = len(every) - others
    yield f"bits, likely: marked laughs found {share(found, of)}; false ones a bit {false / count:.1f}"
    yield f"longer texts that are none, likely laughs a text: {plain / others:.1f}"
    yield f"bits above such texts, sense: AUC {auc(np.array(chances), np.arange(len(every)) < count):.3f}"
    yield f"idle sentence put in: said that it could go {share(idle_said, idle)}, other sentences {said - idle_said}"
    yield f"processor seconds a longer text: {np.mean(seconds):.1f}"


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--bits", action="store_true", help="the longer texts alone")
    parser.add_argument("--second", action="store_true", help="the second and third part alone")
    options = parser.parse_args()
    lines: list[str] = []
    with open_session(options) as session:
        if not options.second:
            lines += bits(session, options.pages)
        if not options.bits and not options.second:
            lines += [*texts(session, options.pages), *variants(session), *drafts(session, options.pages)]
            lines += puns(session)
        if not options.bits:
            for part in ("second", "third"):
                lines += [f"the {part} part:", *texts(session, options.pages, f"{part}_texts")]
                lines += variants(session, f"{part}_variants")
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
