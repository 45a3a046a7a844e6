"""What the Duel tab knows of a duel: folded from events as they come, or read from the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...core.events import Interim
from ...core.verdicts import DuelResult, DuelText, OrderResult
from ...core.words import changed_words, differing
from ...heads.near_duplicates import same_joke
from ...judge.duel.kind import unturned
from ..look import wording
from ..look.wording import Run
from ..verdict.tab import VerdictState
from ..widgets.duel_scale import PROBABLE, part_of


@dataclass
class DuelState(VerdictState):
    """One duel as it is shown. ``swapped``: A and B are exchanged against its row in the history."""

    text_a: str = ""
    text_b: str = ""
    result: DuelResult | None = field(default=None, kw_only=True)
    swapped: bool = field(default=False, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return self.text_a, self.text_b

    @property
    def measured(self) -> bool:
        """Whether there is an answer to show."""
        return self.result is not None and self.result.winner is not None and self.result.confidence_factor is not None

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        if isinstance(event, Interim) and isinstance(event.result, DuelResult):
            self._take(event.result)

    def swap(self) -> None:
        """Exchange A and B; the verdict stays that of the stored row."""
        self.text_a, self.text_b = self.text_b, self.text_a
        self.swapped = not self.swapped
        if self.result is not None:
            self.explanation = ""
            self._take(self.result.mirrored())

    def as_stored(self, choice: str) -> str:
        return {"A": "B", "B": "A"}.get(choice, choice) if self.swapped else choice

    def _take(self, result: DuelResult) -> None:
        self.result = result
        if result.explanation:
            self.explanation = result.explanation


# -- what is said of it ------------------------------------------------------------------------------------------------

Spans = tuple[tuple[int, int], ...]
"""(start, end) in characters."""
_HOW = ("clearly", "probably", "", "probably", "clearly")
_NAMED = 0.95
"""Probability from which on the fault of the weaker draft is named."""
_MOST_QUOTED = 60
"""Characters of a passage that are quoted; of a longer one its beginning and its end are."""
_MOST_PIECES = 3
_POINTS = ' \n\t.,;:!?…–—“”"()'
UNLEARNED = "It hasn't learned this kind of text."
_HEADLINES = "Where edits of a headline differ in a word"
"""Of other drafts it wasn't asked what people think."""
SUCH_PAIRS = {
    "cut": "Where one draft has words that the other doesn't have",
    "added": "Where one draft has words that the other doesn't have",
    "moved": "Where drafts have the same words in another order",
    "word": "Where drafts differ in a word or a few",
    "end": "Where drafts differ in their end",
    "reworded": "Where drafts say it in other words",
    "different": "Of two different jokes",
}


def chance_of_a(result: DuelResult) -> int:
    """The chance for A in 100. Under a half it is what is left of B's, so that a swapped verdict says the same."""
    p_a = result.p_a if result.p_a is not None else 0.5
    return 100 - _hundredths(1.0 - p_a) if p_a < 0.5 else _hundredths(p_a)


def _hundredths(p: float) -> int:
    return min(99, round(100 * p))  # certainty is never claimed


def unlearned(result: DuelResult) -> bool:
    """Whether the audience's estimate alone decides, of texts of a kind that it hasn't learned."""
    reads = (result.read_a, result.read_b)
    return not result.orders and is_different(result) and any(read is not None and _strange(read) for read in reads)


def _strange(read: DuelText) -> bool:
    return not read.heard or not read.kind


def is_different(result: DuelResult) -> bool:
    """Whether the two are different jokes, not versions of one."""
    if result.edit is not None:
        return result.edit == "different"
    return result.drafts is None and not same_joke(result.text_a, result.text_b)


def verdict_words(result: DuelResult) -> tuple[str, str]:
    """The answer in a few words, and the chance behind it; that is empty where nothing can be told."""
    chance = chance_of_a(result)
    sure = max(chance, 100 - chance)
    if result.within_noise or sure < PROBABLE or unlearned(result):
        return "Can't tell", ""
    return f"{'A' if chance > 50 else 'B'}, {_HOW[part_of(chance)]}", f"{sure} in 100"


def nothing_turns(result: DuelResult) -> str:
    """What is said in the verdict's place where nothing turns in one or both; empty where it does."""
    sides = unturned(result)
    where = {"A": "in A", "B": "in B", "AB": "in either of them"}.get(sides, "")
    return f"Nothing turns {where} that I can find." if where else ""


def difference_words(result: DuelResult) -> str:
    """What tells the two apart, in a sentence."""
    if is_different(result):
        return "Two different jokes."
    a, b = _differing(result.text_a, result.text_b)
    said_a, said_b = _passages(result.text_a, a), _passages(result.text_b, b)
    if not said_a and not said_b:
        return "They differ in punctuation, blanks or line breaks alone."
    if not said_b and _is_end(result.text_a, a):
        return f"B is A without “{said_a[0]}”."
    if not said_a and _is_end(result.text_b, b):
        return f"A is B without “{said_b[0]}”."
    if result.edit == "moved":
        return "They have the same words in another order."
    if max(len(said_a), len(said_b)) > _MOST_PIECES:
        return "They are worded differently."
    if not said_a or not said_b:
        return f"Only {'A' if said_a else 'B'} has {_quoted(said_a or said_b)}."
    turned = not unturned(result) and _at_turn(result.read_a, a) and _at_turn(result.read_b, b)
    at = ", the words on which it turns" if turned else ""
    return f"They differ in {_quoted(said_a)} / {_quoted(said_b)}{at}."


def fault_words(result: DuelResult) -> str:
    """What holds the weaker draft back, where that is all but certain, and which one it is."""
    drafts = result.drafts
    if not verdict_words(result)[1]:
        return ""
    sure = drafts is not None and drafts.fault is not None and (drafts.fault_p or 0.0) >= _NAMED
    return (result.explanation or "").strip() if sure and not result.orders else ""


def known_words(result: DuelResult) -> tuple[str, int] | None:
    """What was measured of such pairs: a sentence, and in how many of 100 people agree; None where nothing was."""
    if result.people is not None and result.edit is not None:
        pairs = _HEADLINES if result.edit == "word" else SUCH_PAIRS[result.edit]
        return f"{pairs}, people agree with it in {_of_100(result.people)}.", result.people
    if result.drafts is not None and result.edit not in (None, "different") and not result.orders:
        right = round(100 * result.drafts.agreement)
        marked = f"it prefers the one that a language model with a rubric prefers in {_of_100(right)}"
        return f"{SUCH_PAIRS[result.edit]}, {marked}.", right
    a, b = result.read_a, result.read_b
    if not is_different(result) or a is None or b is None or a.kind != b.kind or a.agreement is None:
        return None
    right = round(100 * a.agreement)
    return f"Of two {a.kind} it picks the one that people found funnier {_of_100(right, 'times in')}.", right


def orders_words(orders: Sequence[OrderResult], consistent: bool | None, bias: float | None) -> str:
    """What was answered in each order, whether these agree, and how far the first place gains; empty where the model
    wasn't asked."""
    if not orders:
        return ""
    first = ", ".join(f"{chance_in_100(order.p_a)} with {order.first} first" for order in orders)
    found = [f"The chance for A: {first}."]
    if consistent is not None:
        found.append("Both orders prefer the same one." if consistent else "The orders disagree.")
    if bias is not None and consistent is not None:
        gains = (
            "The first place neither gains nor loses"
            if abs(bias) < 0.005
            else (f"The {'first' if bias > 0 else 'second'} place gains {max(1, round(100 * abs(bias)))} in 100")
        )
        found.append(f"{gains}.")
    return " ".join(found)


def why_words(state: DuelState) -> tuple[list[Run], str]:
    """Why, in the words of a model that was asked, and why there are none; nothing where no model was."""
    asked = state.result is not None and bool(state.result.orders)
    text = state.explanation.strip() if asked else ""
    note = ""
    if not text and state.live and asked:
        note = "Writing the explanation…"
    elif state.phase in ("stopped", "interrupted") and asked and not text:
        note = "Stopped while the explanation was being written. The verdict is whole."
    elif state.phase == "failed" and state.error is not None:
        note = str(state.error)
    return wording.in_paragraphs(wording.explanation_runs(text, [state.text_a, state.text_b])), note


def chance_in_100(p: float) -> str:
    """A chance as it is said; certainty is never claimed."""
    return f"{min(99, max(1, round(100 * p)))} in 100"


def _of_100(number: int, of: str = "of") -> str:
    """A figure that isn't broken over two lines."""
    return f"{number} {of} 100".replace(" ", "\u00a0")


def marks_of(text_a: str, text_b: str) -> tuple[Marks, Marks]:
    """What to mark in each of two versions: (start, end) in characters of the words that it alone has, and the places
    at which it lacks some of the other's, where it has nothing instead."""
    if text_b < text_a:
        second, first = marks_of(text_b, text_a)
        return first, second
    spans_a, spans_b = _differing(text_a, text_b)
    lacks: tuple[list[int], list[int]] = ([], [])
    at = [0, 0]
    pieces = changed_words(text_a, text_b)
    for number, piece in enumerate(pieces):
        near = {each.mark for each in pieces[max(0, number - 1) : number + 2]}
        if piece.mark == "gone" and "new" not in near and piece.text.strip():
            lacks[1].append(at[1])
        elif piece.mark == "new" and "gone" not in near and piece.text.strip():
            lacks[0].append(at[0])
        at[0] += len(piece.text) if piece.mark != "new" else 0
        at[1] += len(piece.text) if piece.mark != "gone" else 0
    return Marks(spans_a, tuple(lacks[0])), Marks(spans_b, tuple(lacks[1]))


@dataclass(frozen=True)
class Marks:
    """``spans``: (start, end) in characters; ``carets``: places between characters."""

    spans: Spans = ()
    carets: tuple[int, ...] = ()


def _differing(text_a: str, text_b: str) -> tuple[Spans, Spans]:
    """Where two texts differ; passages with nothing but blanks between them are one."""
    a, b = differing(text_a, text_b)
    return _joined(text_a, a), _joined(text_b, b)


def _joined(text: str, spans: Spans) -> Spans:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and not text[found[-1][1] : start].strip():
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return tuple(found)


def _is_end(text: str, spans: Spans) -> bool:
    """Whether the passage is a single one, at the text's end."""
    return len(spans) == 1 and not text[spans[0][1] :].strip(_POINTS)


def _passages(text: str, spans: Spans) -> list[str]:
    """The passages in words, each once, without the points around them."""
    found = (_short(text[start:end].strip(_POINTS)) for start, end in spans)
    return list(dict.fromkeys(passage for passage in found if passage))


def _quoted(passages: list[str]) -> str:
    return ", ".join(f"“{passage}”" for passage in passages)


def _short(passage: str) -> str:
    line = " ".join(passage.split())
    if len(line) <= _MOST_QUOTED:
        return line
    half = _MOST_QUOTED // 2
    return f"{line[:half].rsplit(' ', 1)[0]} … {line[-half:].split(' ', 1)[-1]}"


def _at_turn(read: DuelText | None, spans: Spans) -> bool:
    turn = read.turn if read is not None else None
    return turn is not None and any(start < turn.end and turn.start < end for start, end in spans)


def disagreement(result: DuelResult) -> str | None:
    """What the banner says when the two orders disagree; None when they don't."""
    if result.consistent is not False:
        return None
    if result.audience is not None:
        return (
            "Asked for the funnier of the two, the model names the joke in the same place both times. "
            "That answer hardly counts here; the audience estimate, which reads each joke alone, decides."
        )
    if result.winner == "tie":
        return "Each joke wins in one order only."
    won = [o.first for o in result.orders if (o.p_a > 0.5) == (result.winner == "A")]
    where = "first" if result.winner in won else "second"
    text = f"{result.winner} wins only when it comes {where}"
    measured, factor = result.measured_factor, result.confidence_factor
    if measured is not None and factor is not None and measured > factor * 1.005:
        held, found = (100 * odds / (1 + odds) for odds in (factor, measured))
        return f"{text}, so its chance is held at {held:.0f} in 100 ({found:.0f} was measured)."
    return f"{text}."
