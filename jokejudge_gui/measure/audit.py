"""An audit as a run: its pairs of jokes, and where its result is kept."""

from __future__ import annotations

import random
from collections.abc import Iterator

from .. import __version__
from ..core.errors import JokeJudgeError
from ..core.events import Event, Finished, Last, last_event, last_of
from ..core.texts import clean_text
from ..core.verdicts import Side
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..judge.audit.record import AuditPair, AuditRequest, AuditResult
from ..judge.audit.trials import digest
from ..judge.audit.words import AUDIT, FEW
from ..session.session import Session
from .evaluation import draw
from .labelled import read_pairs

SHIPPED = "jokes that come with the program"
USUAL = 200
"""Default number of pairs of an audit."""
_TRIES = 50
_SEED = 1


def shipped_cases(number: int = USUAL) -> tuple[AuditPair, ...]:
    """Return pairs of rated jokes that share no joke and differ in their rating, the same ones for the same number.
    Raises ``ModelError`` where the ratings can't be read."""
    rated = list(shipped_votes().ratings)
    # A shorter audit's pairs are the first ones of a longer audit.
    order = sorted({row.text: row for row in rated}.values(), key=lambda row: digest(row.text))
    shuffled = random.Random(_SEED).sample(order, len(order))
    cases: list[AuditPair] = []
    while len(cases) < number and len(shuffled) > 1:
        one = shuffled.pop()
        other = next((row for row in reversed(shuffled[-_TRIES:]) if abs(row.value - one.value) > 1e-6), None)
        if other is None:
            continue
        shuffled.remove(other)
        cases.append(case_of(one.text, other.text, "A" if one.value > other.value else "B"))
    return tuple(cases)


def own_cases(source: str, number: int | None = None) -> tuple[AuditPair, ...]:
    """Return at most ``number`` pairs of a labelled file, drawn at random. Raises what ``read_pairs`` raises."""
    file = read_pairs(source)
    cases: dict[str, AuditPair] = {}
    for place in draw(len(file.rows), number, _SEED):
        row = file.rows[place]
        try:
            case = case_of(row.texts[0], row.texts[1], row.winner)
        except JokeJudgeError:
            continue  # a text that can't be judged at all
        if case.text_a != case.text_b:
            cases.setdefault(case.id, case)
    return tuple(cases.values())


def case_of(text_a: str, text_b: str, winner: Side | None) -> AuditPair:
    """Return a pair with its id. Raises what ``clean_text`` raises."""
    one, two = clean_text(text_a), clean_text(text_b)
    return AuditPair(id=digest("\0".join((one, two))), text_a=one, text_b=two, winner=winner)


@last_event
def audit(
    session: Session, request: AuditRequest, *, record: bool = True, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Audit the session's model. Yields what ``Session.run`` yields, the model's loading first.

    An audit that is stopped leaves no row in the history; the same ``request`` goes on from there. A recorded audit of
    30 pairs or more is kept as the model's audit (``MeasuredFiles``), without the jokes: they are in the history, where
    the user may delete them."""
    last: Last = Finished()
    request = request.replaced(program=__version__)
    judge = yield from session.ready(cancel)
    # The second time all results are known, and only the summary is left to compute.
    for recorded in (False, True) if record else (False,):
        last = yield from last_of(session.run(AUDIT, request, record=recorded, cancel=cancel))
        if not isinstance(last, Finished):
            break
    enough = record and len(request.cases) >= FEW
    if enough and isinstance(last, Finished) and isinstance(last.result, AuditResult):
        bare = tuple(pair.replaced(text_a="", text_b="") for pair in last.result.pairs)
        judge.files.update(judge.model.sha256, {"audit": AUDIT.contract(last.result.replaced(pairs=bare))})
    yield last
