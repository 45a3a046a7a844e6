"""Rates at which the admissibility checks reject texts that people found funny, and texts that aren't jokes:
python -m tests.bench.checks [--model PATH|NAME] [--threads N] [--ratings FILE.csv] [--texts N]
    [--no-limits].

The file is one of ``jokejudge evaluate --ratings``; without one, the ratings that ship. Funny: the N texts that people
rated highest. Not a joke: N of those labelled so, if the file has such labels. Without limits: without the measured
least log-odds of jokes that people liked.
"""

from __future__ import annotations

from collections.abc import Sequence

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.statistics import fraction
from jokejudge_gui.core.texts import clean_text, plain_rejection
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import Calibration
from jokejudge_gui.judge.rating.admissibility_checker import (
    INTENT,
    REJECT_BELOW,
    caught,
    check_result,
    evaluate,
    reasons_against,
)
from jokejudge_gui.measure.labelled import read_ratings

from .judge import model_parser, open_judge


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("--ratings", default=str(models_dir() / "votes" / "humor_mechanics.csv"))
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--no-limits", action="store_true")
    options = parser.parse_args()
    rows = read_ratings(options.ratings).rows
    rated = sorted(
        (row for row in rows if row.rating is not None and row.is_humor is not False), key=lambda r: -r.rating
    )
    funny = [row.text for row in rated[: options.texts]]
    plain = [row.text for row in rows if row.is_humor is False][: options.texts]
    with open_judge(options) as judge:
        list(judge.calibrate(duel=False))
        calibration = judge.calibration
        if options.no_limits:
            bare = {name: check.model_copy(update={"least": None}) for name, check in calibration.checks.items()}
            calibration = calibration.model_copy(update={"checks": bare})
        for name, check in calibration.checks.items():
            limit = "none" if check.least is None else f"{check.least:.2f}"
            print(f"{name}: d′ {check.d_prime:.2f}, limit {limit}, catches {caught(check):.3f} of its clear cases")
        told("found funny and rejected", judge, calibration, funny)
        told("no joke and rejected", judge, calibration, plain)


def told(name: str, judge: MainJudge, calibration: Calibration, texts: Sequence[str]) -> None:
    """Print the share of texts that are rejected under a calibration, and the reasons."""
    if not texts:
        print(f"{name}: the file holds none")
        return
    intent = calibration.checks[INTENT]
    reasons: list[tuple[str, ...]] = []
    by_model, by_head = 0, 0
    for text in map(clean_text, texts):
        plain = plain_rejection(text)
        joke = judge.reader.read(text).joke
        odds = judge.measure.checks(text)
        found = reasons_against(evaluate(calibration, odds, joke), judge.criteria)
        reasons.append((plain,) if plain else found)
        by_model += not check_result(INTENT, odds[INTENT], intent).passed
        by_head += joke is not None and joke < REJECT_BELOW
    share = fraction([float(bool(row)) for row in reasons])
    counted = {reason: sum(reason in row for row in reasons) for row in reasons for reason in row}
    print(f"{name}: {share.share:.3f} ({share.low:.3f} to {share.high:.3f}) of {len(texts)} {counted or ''}")
    print(
        f"  no intent to amuse, by the model's own answer: {by_model}; by the audience estimate: {by_head}", flush=True
    )


if __name__ == "__main__":
    main()
