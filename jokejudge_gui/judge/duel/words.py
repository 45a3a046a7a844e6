"""A duel in words: the one source of every sentence that a surface shows about it."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.languages import NOT_ENGLISH, is_english
from ...core.pages import Mark, MarkedText, Page, Row, Tone
from ...core.verdict_kinds import NOTHING, foot_of, notes_of, told_in_words
from ...core.words import differing, fact_lines
from ...heads.near_duplicates import same_joke
from ..ensemble_words import panel_rows
from .record import DECIDED, DuelResult

CLEAR, PROBABLE = 85, round(100 * DECIDED)
"""The chances in 100 from which on one of the two is clearly, or probably, the funnier."""
SAME = "The two texts are the same, so neither is funnier."
CLOSE = "Too close"
SUCH_PAIRS = {
    "cut": "Where one draft is the beginning of the other",
    "explained": "Where one draft has an explanation behind it",
    "tagged": "Where one draft goes on after the joke",
    "added": "Where one draft has words that the other doesn't have",
    "moved": "Where drafts have the same words in another order",
    "word": "Where drafts differ in a word or a few",
    "end": "Where drafts differ in their end",
    "reworded": "Where drafts say it in other words",
    "different": "Of two different jokes",
}
_HEADLINES = "Where edits of a headline differ in a word"
"""The pairs of drafts for which people's agreement was measured."""


def page(result: DuelResult) -> Page:
    """Return a duel in words. Where no winner is named there is no figure either that would name one."""
    badge, tone, headline = _headline(result)
    disagrees = disagreement(result)
    orders = (f"The two orders disagree. {disagrees}".strip(),) if disagrees is not None else ()
    return Page(
        headline=headline,
        badge=badge,
        tone=tone,
        lead=_lead(result),
        notes=(*notes_of(result), *orders),
        texts=tuple(_texts(result)),
        rows=(*_facts(result), *_details(result)),
        foot=foot_of(result),
    )


# -- The answer --------------------------------------------------------------------------------------------------------


def _headline(result: DuelResult) -> tuple[str, Tone, str]:
    if result.winner is None or result.p_a is None:
        return NOTHING, "none", "No answer"
    if blank := nothing_turns(result):
        return NOTHING, "none", blank.removesuffix(".")
    sure = max(chance_of_a(result), 100 - chance_of_a(result))
    if result.winner == "tie" or sure < PROBABLE:
        return "=", "middle", CLOSE
    return result.winner, result.winner, f"{result.winner}, {how_sure(sure / 100)} ({sure} in 100)"


def chance_of_a(result: DuelResult) -> int:
    """Return the chance of A in 100; certainty is never claimed. Below a half it is 100 less B's, so that a swapped
    verdict shows the same figures."""
    p_a = result.p_a if result.p_a is not None else 0.5
    sure = min(99, round(100 * max(p_a, 1.0 - p_a)))
    return 100 - sure if p_a < 0.5 else sure


def chance_in_100(p: float) -> str:
    """Return a probability in words; certainty is never claimed."""
    return f"{min(99, max(1, round(100 * p)))} in 100"


def how_sure(p: float) -> str:
    """Return "clearly" or "probably" for the probability of the one that is named."""
    return "clearly" if round(100 * p) >= CLEAR else "probably"


def nothing_turns(result: DuelResult) -> str:
    """Return the sentence shown instead of the verdict if one or both texts aren't English or have no punchline; empty
    if both are and have one."""
    if not result.everything_asked and not all(map(is_english, (result.text_a, result.text_b))):
        return NOT_ENGLISH
    where = {"A": "in A", "B": "in B", "AB": "in either of them"}.get(result.unturned, "")
    return f"Nothing turns {where} that I can find." if where else ""


def is_different(result: DuelResult) -> bool:
    """Whether the two are different jokes, not versions of one."""
    if result.edit is not None:
        return result.edit == "different"
    return result.drafts is None and not same_joke(result.text_a, result.text_b)


def disagreement(result: DuelResult) -> str | None:
    """Return what follows if the two orders disagree, which is empty where nothing turns; None if they agree."""
    if result.consistent is not False:
        return None
    if withheld(result):
        return ""
    if result.audience is not None:
        return "That answer hardly counts; the audience estimate, which reads each joke alone, decides."
    if result.winner == "tie":
        return "Each joke wins in one order only."
    won = [order.first for order in result.orders if (order.p_a > 0.5) == (result.winner == "A")]
    return f"{result.winner} wins only when it comes {'first' if result.winner in won else 'second'}."


# -- The difference of the two -----------------------------------------------------------------------------------------


def _lead(result: DuelResult) -> tuple[str, ...]:
    """The one sentence beside the marked texts."""
    if result.text_a == result.text_b:
        return (SAME,)
    if result.p_a is None or is_different(result):
        return ()
    reason = result.explanation if result.winner in ("A", "B") and not result.orders else None
    return (reason,) if reason else ()


def _texts(result: DuelResult) -> Iterator[MarkedText]:
    """The texts; in two versions of one joke the differing passages are marked, as one where only blanks lie between
    them."""
    texts = result.text_a, result.text_b
    for side, text, spans in zip("AB", texts, differing(*texts), strict=True):
        joined: list[tuple[int, int]] = []
        for start, end in () if is_different(result) else spans:
            begin = joined.pop()[0] if joined and not text[joined[-1][1] : start].strip() else start
            joined.append((begin, end))
        yield MarkedText(text, side, tuple(Mark(*span, "differs") for span in joined))


# -- The findings ------------------------------------------------------------------------------------------------------


def _facts(result: DuelResult) -> Iterator[Row]:
    for side, text, read in (("A", result.text_a, result.read_a), ("B", result.text_b, result.read_b)):
        blank = read is not None and read.said == "no turn" and is_english(text)
        turn = read.turn if read is not None and read.said in (None, "joke") else None
        lines = fact_lines(text, turn) if text else ()
        told = told_in_words(read.told if read is not None else None)
        if facts := " · ".join(filter(None, (*lines, "no turn found" if blank else "", told))):
            yield Row(facts, side, quiet=True)


def withheld(result: DuelResult) -> bool:
    """Whether figures that would name a winner are left out: there is no answer, or none that counts."""
    return result.p_a is None or bool(nothing_turns(result))


def _details(result: DuelResult) -> Iterator[Row]:
    """Yield the rows below the answer: people's agreement, the answers in both orders, the reasons, and figures."""
    if not withheld(result) and (agreement := known_words(result)):
        yield Row(agreement, "What is known of such pairs")
    if result.orders:
        yield Row(_orders_words(result), "Asked in both orders")
        if result.explanation and result.text_a != result.text_b:
            yield Row(result.explanation, "Why")
    if result.context:
        yield Row(result.context, "Topic or scene", quiet=True)
    if not withheld(result):
        yield from _figures(result)
    yield from panel_rows(result.panel)


def _figures(result: DuelResult) -> Iterator[Row]:
    # Beside a tie that isn't nearly even the factor would name a winner.
    if result.confidence_factor is not None and (result.winner != "tie" or result.band == "nearly identical"):
        measured = result.measured_factor
        limited = "" if measured in (None, result.confidence_factor) else f" ({measured:.2f} before it was limited)"
        yield Row(f"{result.confidence_factor:.2f}{limited}", "Confidence factor", quiet=True)
    # Two forms of one headline are compared by how satirical they are: no drafts of a joke have votes.
    drafts = "A is the more satirical one" if result.people is not None else "an editor prefers A"
    for name, part in (
        ("Chance for A from people's votes alone", result.audience),
        (f"Chance that {drafts}", result.drafts),
        ("Chance for A with length taken out", result.length_controlled),
    ):
        if part is not None:
            yield Row(chance_in_100(part.p_a), name, quiet=True)


def known_words(result: DuelResult) -> str:
    """Return the measured agreement on such pairs in a sentence; empty if nothing was measured."""
    a, b, edit, people = result.read_a, result.read_b, result.edit, result.people
    if people is not None and result.drafts is not None:
        return f"Of a satirical headline and a serious form of it by people it prefers the first in {_of_100(people)}."
    if people is not None and edit is not None:
        return f"{_HEADLINES if edit == 'word' else SUCH_PAIRS[edit]}, people agree with it in {_of_100(people)}."
    if result.drafts is not None and edit not in (None, "different") and not result.orders:
        right = _of_100(round(100 * result.drafts.agreement))
        return f"{SUCH_PAIRS[edit]}, it prefers the one that a language model with a rubric prefers in {right}."
    if is_different(result) and a is not None and b is not None and a.kind == b.kind and a.agreement is not None:
        right = _of_100(round(100 * a.agreement), "times in")
        return f"Of two {a.kind} it picks the one that people found funnier {right}."
    return ""


def _of_100(number: int, of: str = "of") -> str:
    """Return a figure that isn't broken over two lines."""
    return f"{number} {of} 100".replace(" ", "\u00a0")


def _orders_words(result: DuelResult) -> str:
    """Return the answers in each order, whether they agree, and the gain of the first place."""
    first = ", ".join(f"{chance_in_100(order.p_a)} with {order.first} first" for order in result.orders)
    if result.consistent is None:
        return f"The chance for A: {first}."
    agree = "Both orders prefer the same one." if result.consistent else "The orders disagree."
    gains, bias = "", result.position_bias
    if bias is not None and abs(bias) < 0.005:
        gains = " The first place neither gains nor loses."
    elif bias is not None:
        gains = f" The {'first' if bias > 0 else 'second'} place gains {max(1, round(100 * abs(bias)))} in 100."
    return f"The chance for A: {first}. {agree}{gains}"
