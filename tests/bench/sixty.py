"""Sixty texts of our own and their verdicts: python -m tests.bench.sixty [--model PATH|NAME] [--threads N]
[--texts FILE] [--beginnings].

Thirty jokes of many forms, thirty texts that are none (tests/bench/sixty.jsonl); or those of FILE, such as
tests/bench/in_forms.jsonl: seventy plain texts in forms of jokes, thirty known jokes, fifty puns. Prints of each its
sense, turn, facts, audience, remarks and what stands out, then counts by form and how often a joke ranks above another
text; asserts nothing. With --beginnings each joke of the file is compared with itself and a plain sentence after it,
and with its beginning without the last clause, and only these counts are printed. A reader must judge whether a
sentence is true. No head was trained on these texts, and none may be.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.words import facts_of
from jokejudge_gui.heads.sense_features import end_of
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.session.session import Session

from .common import model_parser

TEXTS = Path(__file__).with_name("sixty.jsonl")
TAILS = (
    "It was a hard time.",
    "That was last summer.",
    "We still talk about it.",
    "Anyway, that is my story.",
    "I was quite surprised.",
    "The weather was fine, too.",
    "It happened on a Tuesday.",
    "My wife was there as well.",
    "He drives a red car.",
    "She went to bed after that.",
    "Funny, isn't it?",
    "I still have the photograph.",
)
SURE = 0.85
"""Probability from which a duel says "clearly"."""


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--beginnings", action="store_true")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    chances: list[tuple[float, bool]] = []
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        try:
            list(session.load())
            if options.beginnings:
                rows = [json.loads(line) for line in options.texts.read_text("utf-8").splitlines()]
                beginnings(session, list(dict.fromkeys(row["text"].strip() for row in rows if row["joke"])))
                return
            for number, line in enumerate(options.texts.read_text("utf-8").splitlines(), start=1):
                row = json.loads(line)
                *_, last = session.rate(row["text"], record=False)
                assert isinstance(last, Finished)
                result = last.result
                assert isinstance(result, RatingResult)
                whole = "joke" if row["joke"] else "not one"
                print(f"\n{number}. ({whole}: {row['form']}) {row['text']}")
                for said in lines(result):
                    print(f"   {said}")
                counts[f"{whole}: {result.sense.said if result.sense else 'unheard'}"] += 1
                if result.sense is not None:
                    chances.append((result.sense.joke, bool(row["joke"])))
                    counts[f"{row['form']}: {result.sense.said}"] += 1
                counts.update(f"{whole}: {remark.about}" for remark in result.remarks)
                counts[f"{whole}: {RATING.glance(result).headline}"] += 1
        finally:
            session.close()
    print()
    for name, count in sorted(counts.items()):
        print(f"{count:3d}  {name}")
    above = auc(np.array([chance for chance, _ in chances]), np.array([joke for _, joke in chances]))
    if above is not None:
        print(f"a joke's chance to be one is above another text's in {above:.3f}")


def beginnings(session: Session, jokes: list[str]) -> None:
    """Print how often a joke is preferred to itself with a sentence of ``TAILS``, and to its beginning."""
    longer, broken = list[float](), list[float]()
    for number, joke in enumerate(joke for joke in jokes if joke[-1] in '.!?”"'):
        start = joke[: end_of(joke)].rstrip(" ,;:-—–")
        longer.append(preferred(session, joke, f"{joke} {TAILS[number % len(TAILS)]}"))
        if len(start.split()) > 3:
            broken.append(preferred(session, joke, start))
    for name, chances in (("with a plain sentence after it", longer), ("without its last clause", broken)):
        right, sure = sum(p > 0.5 for p in chances), sum(p >= SURE for p in chances)
        wrong = sum(p <= 1.0 - SURE for p in chances)
        print(
            f"{name}: the joke preferred in {right} of {len(chances)}; clearly in {sure}, the other clearly in {wrong}"
        )


def preferred(session: Session, a: str, b: str) -> float:
    *_, last = session.duel(a, b, record=False)
    assert isinstance(last, Finished)
    assert isinstance(last.result, DuelResult)
    assert last.result.p_a is not None
    return last.result.p_a


def lines(result: RatingResult) -> list[str]:
    """The verdict on a text, as lines."""
    sense = f"{result.sense.said} ({result.sense.joke:.2f})" if result.sense else "unheard"
    found = [f"{sense}; {' · '.join(facts_of(result.text, result.turn).lines())}; {RATING.glance(result).headline}"]
    if result.turn is not None:
        found.append(f"turn “{result.turn.text}” ({result.turn.p:.2f})")
    for remark in result.remarks:
        found.append(f"{remark.about}: {remark.text} ({remark.right})")
        if remark.trial is not None and result.note is not None:
            found.append(f"    → {result.note.trials[remark.trial].text}")
    stands = [f"{factor.name} {factor.stands_out}" for factor in result.factors if factor.stands_out]
    kinds = [kind.name for kind in result.categories if kind.chosen]
    return [*found, f"kinds: {', '.join(kinds) or '–'}; stands out: {', '.join(stands) or '–'}"]


if __name__ == "__main__":
    main()
