"""What a longer text shows: whether its parts work as jokes, and what it costs to leave out each sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from ...core.statistics import sigmoid
from ...core.texts import word_set
from ...core.verdicts import Laugh, Sense
from ...core.words import SPOKEN_PER_SECOND, WORD, quoted_words, sentences
from ...engine.base import CancelToken, Scan
from ...heads.audience import pool
from ..reader import STRAIGHT, Reader
from .against_itself import without
from .note import Piece
from .record import Remark, Trial
from .words import stretches_of

_MOST_WORDS = 90
"""The most words of a part, unless a sentence has more."""
_SURE = 0.6
"""Share of the heads' own limit from which a longer text is a joke: bits of tests/bench/fresh have .47 and more, six
plain texts less than what turns nowhere."""


def parts_of(text: str) -> Iterator[Piece]:
    """Yield parts of a text, whole sentences of about the same length together, which the heads for sense can read."""
    spans = sentences(text)
    ends = list(accumulate(len(WORD.findall(text[slice(*span)])) for span in spans))
    count, start = math.ceil(ends[-1] / _MOST_WORDS) if ends else 0, 0
    for part in range(1, count + 1):
        last = min(range(len(ends)), key=lambda place: abs(ends[place] - ends[-1] * part / count))
        if last >= start:
            yield spans[start][0], spans[last][1]
            start = last + 1


_APART = 0.3
"""Least difference in the probabilities of the best and the weakest part at which the latter is mentioned."""


def sense_of(reader: Reader, text: str, cancel: CancelToken | None = None) -> tuple[Sense | None, Piece | None]:
    """Read a cleaned text in parts. Return whether it works as one of jokes, None without heads for sense, and the part
    that does least, if it lies far below the best. Raises the engine's and the heads' errors."""
    heads = reader.sense
    pieces = list(parts_of(text))
    if heads is None or not pieces:
        return None, None
    plain = [text[slice(*piece)].translate(STRAIGHT) for piece in pieces]
    odds, whole = [], 0.0
    for part, scan in zip(plain, reader.engine.scan_together(plain, cancel), strict=True):
        intent = reader.head.joke_odds(pool(scan.states, part)) if reader.head is not None else None
        sensed = heads.read(part, scan, intent or 0.0).sense
        odds.append(math.log(max(sensed.joke, 1e-6) / max(1.0 - sensed.joke, 1e-6)))
        whole = sensed.whole or 0.0
    joke = sigmoid(sum(odds) / len(odds))
    verdict = "no turn" if joke < heads.meta.no_turn else "joke" if joke >= _SURE * heads.meta.sure else "unsure"
    weakest = pieces[odds.index(min(odds))] if sigmoid(max(odds)) - sigmoid(min(odds)) >= _APART else None
    return Sense(joke=joke, whole=whole, said=verdict), weakest


_A_SECOND, _LEAST, _MOST = 0.142, 0.26, 0.5
"""Laughs a second of speech in the recordings that the head learned from; the least and the most behind a sentence that
a text is given beforehand."""
_STEPS = 30


def in_a_room(text: str, laughs: Sequence[Laugh]) -> tuple[Laugh, ...]:
    """Return the chances in a text that works: with as many laughs a second as in the recordings."""
    spoken = len(WORD.findall(text)) / SPOKEN_PER_SECOND / max(1, len(laughs))
    usual, more = min(_MOST, max(_LEAST, _A_SECOND * spoken)), 1.0
    chances = [min(0.999, max(0.001, one.p)) for one in laughs]
    given = chances
    for _ in range(_STEPS if chances else 0):
        mean = sum(given) / len(given)
        more *= usual / (1.0 - usual) * (1.0 - mean) / mean
        given = [p * more / (p * more + 1.0 - p) for p in chances]
    return tuple(one.replaced(p=p) for one, p in zip(laughs, given, strict=True))


_BEFORE, _AFTER = 2, 3
"""Sentences before a stretch that are read with it, and the most behind a sentence that show what it is for."""
_MOST_LETTERS = 1600
"""The most characters that are read to find what could go."""
_LEAST_WORDS = 4
_LOST = 0.05
"""The most of the next laugh's chance that a sentence may cost that could go."""


Cut = tuple[Piece, float, bool]
"""A sentence that is left out; by how much less the model expects what follows without it, in nats; and whether it
could go: it hardly lessens the chance of the next laugh, is short, and the model expected it, so that it is hardly a
laugh that the head doesn't know."""


def cuts_of(reader: Reader, text: str, laughs: Sequence[Laugh], cancel: CancelToken | None = None) -> tuple[Cut, ...]:
    """Leave out each sentence after which a laugh is less likely than behind most others, those of longer stretches
    first. Raises the engine's and the heads' errors."""
    head = reader.laughs
    if head is None:
        return ()
    plain, mean = text.translate(STRAIGHT), sum(one.p for one in laughs) / max(1, len(laughs))
    wanted, stretches = dict[str, None](), []
    spent = 0
    for first, last in sorted(stretches_of(laughs), key=lambda part: laughs[part[0]].start - laughs[part[1] - 1].end):
        begin = laughs[max(0, first - _BEFORE)].start
        for place in range(first, last):
            one, end = laughs[place], laughs[min(len(laughs), last + 1, place + 1 + _AFTER) - 1].end
            few = len(WORD.findall(plain[one.start : one.end])) < _LEAST_WORDS
            if few or place + 1 == len(laughs) or one.p > mean:
                continue
            spent += end - one.start
            if spent > _MOST_LETTERS:
                continue
            whole = plain[begin:end]
            shorter = without(whole, (one.start - begin, one.end - begin)).strip()
            stretches.append((one, whole, shorter, end - one.end))
            wanted |= {whole: None, shorter: None}
    scans = dict(zip(wanted, reader.engine.scan_together(list(wanted), cancel), strict=True)) if wanted else {}
    cuts = []
    for one, whole, shorter, rest in stretches:
        likely = [sum(_behind(scans[part], len(part) - rest)) for part in (whole, shorter)]
        p = [head.of_scan(part, scans[part])[-1].p for part in (whole, shorter)]
        at = len(whole) - rest - (one.end - one.start)
        own = _behind(scans[whole], at)[: -len(_behind(scans[whole], at + one.end - one.start))]
        spare = _is_plain(plain[one.start : one.end], own) and not needs_before(plain[one.end :])
        cuts.append(((one.start, one.end), likely[0] - likely[1], spare and p[0] - p[1] < _LOST))
    return tuple(cuts)


def _is_plain(sentence: str, expected: Sequence[float]) -> bool:
    mean, least = _PLAIN
    return (
        len(WORD.findall(sentence)) <= _MOST_PLAIN and sum(expected) >= mean * len(expected) and min(expected) >= least
    )


def needs_before(behind: str) -> bool:
    """Whether a text begins with a word that may need what stands before it."""
    first = WORD.search(behind)
    return first is not None and first[0].lower().partition("’")[0].partition("'")[0] in _LEANING


def _behind(scan: Scan, start: int) -> list[float]:
    """The log-probabilities of the tokens behind a character."""
    return [float(p) for p, (a, _) in zip(scan.logprobs, scan.spans, strict=True) if a >= start]


_GOES, _STAYS = -0.5, 8.0
"""Nats of what follows up to which a sentence could go, and from which it is said to set something up."""
_PLAIN, _MOST_PLAIN = (-2.5, -8.0), 9
"""Least log-probabilities, in the mean and of the least likely token, and most words, of a sentence that could go.
Without these limits 7 of 16 such sentences in the bits of tests/bench/fresh were ones that people laugh after, with
them none of 3; of ten idle sentences put in 3 and 2 were among them."""
_LEANING = word_set("he she it they his her its their that this these those so but and because then which who there")
_MOST_CUTS = 2


def remarks_on(text: str, weakest: Piece | None, cuts: Sequence[Cut]) -> tuple[Remark, ...]:
    """Return the remarks on a longer text with the edits that they propose. ``weakest``: its weakest part, if it is to
    be mentioned."""
    remarks = list[Remark]()
    behind = [(needed, piece) for piece, needed, _ in cuts if piece[0] > 0]
    needed, (start, end) = max(behind, key=lambda one: one[0], default=(0.0, (0, 0)))
    if needed >= _STAYS:
        sentence = f"“{quoted_words(text[start:end])}” sets up what follows."
        remarks.append(Remark(text=sentence, about="carries", start=start, end=end))
    spare = sorted((needed, piece) for piece, needed, may_go in cuts if may_go and needed <= _GOES)
    for _, (start, end) in spare[:_MOST_CUTS]:
        seconds = max(1, round(len(WORD.findall(text[start:end])) / SPOKEN_PER_SECOND))
        sentence = f"“{quoted_words(text[start:end])}” could go: {seconds} s less, and nothing behind it needs it."
        trial = Trial(kind="cut", text=without(text, (start, end)), change=text[start:end], p_better=0.5)
        remarks.append(Remark(text=sentence, about="cut", start=start, end=end, trial=trial))
    if weakest is not None:
        own = [span for span in sentences(text) if weakest[0] <= span[0] < weakest[1]]
        first, last = (quoted_words(text[slice(*span)]) for span in (own[0], own[-1]))
        sentence = f"The weakest part is from “{first}” to “{last}”."
        remarks.append(Remark(text=sentence, about="weak", start=weakest[0], end=weakest[1]))
    return tuple(remarks)
