"""The state of a duel in the Duel tab, folded from events or read from the history."""

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
    """The duel shown. ``swapped``: A and B are exchanged compared with its row in the history."""

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
        """Update the state from one event of the job."""
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


# -- sentences about it ------------------------------------------------------------------------------------------------

Spans = tuple[tuple[int, int], ...]
"""(start, end) in characters."""
_HOW = ("clearly", "probably", "", "probably", "clearly")
_NAMED = 0.95
"""The probability from which on the fault of the weaker draft is named."""
_MOST_QUOTED = 60
"""The number of characters quoted of a passage; of a longer one, its beginning and end."""
_MOST_PIECES = 3
_POINTS = ' \n\t.,;:!?…–—“”"()'
UNLEARNED = "It hasn't learned this kind of text."
_HEADLINES = "Where edits of a headline differ in a word"
"""The pairs of drafts for which people's agreement was measured."""
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
    """Return the chance of A in 100. Below a half it is 100 less B's, so that a swapped verdict shows the same
    figures."""
    p_a = result.p_a if result.p_a is not None else 0.5
    return 100 - _hundredths(1.0 - p_a) if p_a < 0.5 else _hundredths(p_a)


def _hundredths(p: float) -> int:
    return min(99, round(100 * p))  # certainty is never claimed


def unlearned(result: DuelResult) -> bool:
    """Whether the audience's estimate alone decides, on texts of a kind that it wasn't trained on."""
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
    """Return the answer in a few words, and its probability in words; that is empty if the answer is undecided."""
    chance = chance_of_a(result)
    sure = max(chance, 100 - chance)
    if result.within_noise or sure < PROBABLE or unlearned(result):
        return "Can't tell", ""
    return f"{'A' if chance > 50 else 'B'}, {_HOW[part_of(chance)]}", f"{sure} in 100"


def nothing_turns(result: DuelResult) -> str:
    """Return the sentence shown instead of the verdict if one or both texts have no turn; empty if both have one."""
    sides = unturned(result)
    where = {"A": "in A", "B": "in B", "AB": "in either of them"}.get(sides, "")
    return f"Nothing turns {where} that I can find." if where else ""


def difference_words(result: DuelResult) -> str:
    """Return the difference of the two in a sentence."""
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
    """Return the sentence on the weaker draft's fault, if that is almost certain; else empty."""
    drafts = result.drafts
    if not verdict_words(result)[1]:
        return ""
    sure = drafts is not None and drafts.fault is not None and (drafts.fault_p or 0.0) >= _NAMED
    return (result.explanation or "").strip() if sure and not result.orders else ""


def known_words(result: DuelResult) -> tuple[str, int] | None:
    """Return the measured agreement on such pairs: a sentence, and the number of 100 in which people agree; None if
    nothing was measured."""
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
    """Return the answers in each order, whether they agree, and the gain of the first place; empty if the model wasn't
    asked."""
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
    """Return the explanation by a model that was asked, and a note if there is none; empty if no model was asked."""
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
    """Return a probability in words; certainty is never claimed."""
    return f"{min(99, max(1, round(100 * p)))} in 100"


def _of_100(number: int, of: str = "of") -> str:
    """Return a figure that isn't broken over two lines."""
    return f"{number} {of} 100".replace(" ", "\u00a0")


def marks_of(text_a: str, text_b: str) -> tuple[Marks, Marks]:
    """Return the marks in each of two versions: (start, end) in characters of the words that only it has, and the
    places at which it lacks words of the other and has nothing instead."""
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
    """Return the differing passages of two texts; passages with only blanks between them are joined."""
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
    """Whether there is a single passage, at the text's end."""
    return len(spans) == 1 and not text[spans[0][1] :].strip(_POINTS)


def _passages(text: str, spans: Spans) -> list[str]:
    """Return the words of the passages, each once, without the punctuation around them."""
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
    """Return the banner's text if the two orders disagree; None if they agree."""
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
