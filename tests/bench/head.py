"""What the audience head adds to a verdict: python -m tests.bench.head [--model PATH|NAME] [--threads N].

Ten ratings and ten duels of a warm judge without explanations; prints the seconds that the head took of them.
"""

from __future__ import annotations

import itertools
import time
from statistics import median
from typing import Any

from jokejudge_gui.judging.audience import AudienceHead, Features
from jokejudge_gui.judging.main_judge import Options
from jokejudge_gui.models import DuelResult, RatingResult

from .judge import model_parser, open_judge


class Timed:
    """A head that counts the seconds it reads."""

    def __init__(self, head: AudienceHead) -> None:
        self._head, self.seconds = head, 0.0

    def read(self, *args: Any) -> Features:
        begin = time.perf_counter()
        try:
            return self._head.read(*args)
        finally:
            self.seconds += time.perf_counter() - begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._head, name)


def main() -> None:
    with open_judge(model_parser(__doc__).parse_args()) as judge:
        if judge.head is None:
            raise SystemExit("This model has no audience head.")
        list(judge.calibrate(duel=True))
        list(judge.calibrate(duel=False))
        list(judge.warm())
        head: Any = Timed(judge.head)
        judge.head = head
        jokes, options = judge.criteria.contrast.baseline[:11], Options(explain=False)
        for what in ("rating", "duel"):
            shares, whole = [], []
            for number, (a, b) in enumerate(itertools.pairwise(jokes)):
                head.seconds, begin = 0.0, time.perf_counter()
                if what == "rating":
                    list(judge.rate(RatingResult(id=str(number), text=a), options))
                else:
                    list(judge.duel(DuelResult(id=str(number), text_a=a, text_b=b), options))
                whole.append(time.perf_counter() - begin)
                shares.append(head.seconds)
            print(f"{what}: median {median(whole):.2f} s, of them the head {median(shares):.3f} s", flush=True)


if __name__ == "__main__":
    main()
