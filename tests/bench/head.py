"""The audience head's time in a verdict: python -m tests.bench.head [--model PATH|NAME] [--threads N].

Ten ratings and ten duels of a warm judge, without reasons and with them, and of jokes that it has read before; prints
the head's seconds among theirs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from jokejudge_gui.heads.audience import AudienceHead, Features
from jokejudge_gui.session.session import Session

from .judge import model_parser, open_session


class Timed:
    """A head that counts its seconds of reading."""

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
    with open_session(model_parser(__doc__).parse_args()) as session:
        judge = session.judge
        if judge is None or judge.head is None:
            raise SystemExit("This model has no audience head.")
        list(session.calibrate())
        head: Any = Timed(judge.head)
        jokes = judge.criteria.contrast.baseline
        for explain, again in ((False, False), (True, False), (False, True)):
            for what in ("rating", "duel"):
                if not again:
                    judge.head = head  # makes a new reader, without cached jokes
                took, share = zip(*(seconds(session, head, what, a, b, explain) for a, b in pairs(jokes)), strict=True)
                name = f"{what}{', with reasons' * explain}{', of jokes that were read before' * again}"
                part = median(one / whole for one, whole in zip(share, took, strict=True))
                print(
                    f"{name}: median {median(took):.2f} s, of them the head {median(share):.3f} s ({part:.1%})",
                    flush=True,
                )


def pairs(jokes: Sequence[str]) -> list[tuple[str, str]]:
    """Ten pairs without a common joke."""
    return list(zip(jokes[:20:2], jokes[1:20:2], strict=True))


def seconds(session: Session, head: Timed, what: str, a: str, b: str, explain: bool) -> tuple[float, float]:
    """Return the seconds of a verdict, and of its head."""
    before, begin = head.seconds, time.perf_counter()
    if what == "rating":
        list(session.rate(a, explain=explain, record=False))
    else:
        list(session.duel(a, b, explain=explain, record=False))
    return time.perf_counter() - begin, head.seconds - before


if __name__ == "__main__":
    main()
