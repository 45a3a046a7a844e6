"""Figures of each set of answer words on a model: python -m tests.bench.words [--model PATH|NAME] [--texts N].

Asks about the funniest and the dullest of the rated texts, as many of each, in every form of the question whether a
joke is funny, and prints for each form its mean label mass and the share of pairs that it orders correctly. Verdicts
ask in the first form: on none of the shipped models was another one significantly better.
"""

from __future__ import annotations

import time

import numpy as np

from jokejudge_gui.core.vote_sets import shipped_votes
from jokejudge_gui.judge.asking.questions import yes_log_odds

from .judge import model_parser, open_judge


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--texts", type=int, default=80)
    options = parser.parse_args()
    rated = sorted(shipped_votes().ratings, key=lambda row: row.value)
    side = min(options.texts, len(rated)) // 2
    texts = [row.text for row in (*rated[:side], *rated[-side:])]
    began = time.monotonic()
    with open_judge(options) as judge:
        forms = judge.prompts.forms("alone", "verdict")
        questions = [judge.prompts.question(form) for form in forms]
        answers = [judge.engine.choose(judge.prompts.prompt("alone", {"joke": text}), questions) for text in texts]
    print(f"{len(texts)} texts, {time.monotonic() - began:.0f} s; share of pairs ordered rightly (chance .50)")
    print("| form | label mass | ordered rightly |")
    for place, form in enumerate(forms):
        odds = np.array([yes_log_odds(row[place]) for row in answers])
        mass = np.mean([row[place].mass for row in answers])
        share = (np.sign(odds[side:, None] - odds[None, :side]) + 1).mean() / 2
        print(f"| {form.name:<22} | {mass:.2f} | {share:.2f} |")


if __name__ == "__main__":
    main()
