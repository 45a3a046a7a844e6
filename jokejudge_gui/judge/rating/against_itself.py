"""The text against itself: the word that carries it, and what could go.

Parts of a text are left out. The draft heads and the heads for sense tell whether such a version, read like any text,
is as good as the whole."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ...core.statistics import sigmoid
from ...core.texts import listed, word_set
from ...core.verdicts import Span
from ...core.words import WORD, quoted_words
from ...engine.base import CancelToken, Scan
from ..reader import STRAIGHT, Reader, sense_is_known
from .note import Piece
from .record import RatingResult, Remark, Trial
from .words import takes_up

_LEAST_WORDS = 4
"""A shorter text is no joke any more."""
_MOST_CUTS = 5
"""The most versions that are read to find what could go."""
_MOST_LETTERS = 700
"""The most characters of the versions behind the beginning that each shares with the text."""
_UNEXPECTED, _LATE = 8.0, 4.5
"""Least surprise of a carrying word, in nats, with what a later word of the turn is given, up to the last."""
_MARGIN, _MOST_CARRYING = 5.5, 4
"""By how much a carrying word must be less expected than any other, in nats, to be named alone; the most words that are
named together."""
_APART = re.compile(r"[.!?…;:“”\"\n]")
_GOES_ON = -1.0
"""Least log-probability at which the next word belongs to the carrying one: "guinea pig"."""
_MOST_WORDS = 45
"""The most words of a text whose asides may go: in a story they are often needed later."""
_STEM = 5
"""Letters by which a word that comes back is known."""
_LEAN = 20
"""The most words of a text of which it is said that nothing can go."""
_BETTER, _NO_WORSE = 1.5, -0.5
"""Least log-odds of the draft heads at which an aside, and a word of emphasis, may go. They nearly always prefer a text
without a sentence, a clause or its end, so none of those is proposed."""
_LOST = -0.25
"""The most that a version may be less likely to work as a joke."""
_PREFERRED = 0.6
"""Probability that the shorter text is the better draft below which words could only perhaps go."""
_SURE_TURN, _TURN_RIGHT = 0.7, 0.82
"""Least probability of the turn of a text in doubt at which it is said to be there, and on how many jokes in doubt that
shared half its words with the writer's (90 of 116, voices left out); of the others it always touched them."""
_LEAN_BELOW = 0.2
"""Probability of words too many below which nothing can go."""
_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"”’')\]]*|\n|$)\s*")
_ADVERBS = (
    r"really|very|basically|literally|actually|totally|quite|simply|honestly|obviously|completely|absolutely|"
    r"definitely|certainly|extremely|incredibly|somewhat|truly|utterly|entirely|particularly|suddenly|apparently|"
    r"eventually|perfectly|frankly|naturally|sadly|luckily|kind of|sort of|in order|so to speak|on top of that|"
    r"jokingly|as you can imagine|believe it or not|needless to say|for some reason"
)
_REMARKS = (
    r"you know|i mean|of course|in fact|to be (?:honest|fair|quite honest)|i think|i guess|i suppose|i have to say|"
    r"i swear(?: to god)?|by the way|right"
)
_TIMES = r"(?:just )?(?:the other (?:day|week|night)|yesterday|recently|lately|last (?:week|night|month|year))"
_CLOSING = (
    r"right now|at the moment|though|anyway|if you ask me|or something(?: like that)?|in my opinion|these days|"
    r"nowadays|at the time|after all|in total|in general|or anything|and stuff|and everything|and so on|"
    r"for the record|of some kind|or whatever|(?:when|if) you (?:think|come to think) (?:about|of) it"
)
_OPENING = (
    r"so(?!,?\s+(?:far|that|much|many|long)\b)|well|ok(?:ay)?|now|"
    r"anyway|look|listen|you see|yes|let me tell you|as far as i (?:can tell|know)|"
    r"(?:it(?:['’]s| is)|this is) (?:a bit |kind of |sort of |really |very )?(?:funny|weird|strange|odd|silly), but|"
    r"i don['’]t know (?:if|whether|about)[^,.]{1,40}, but|i (?:guess|suppose) you could say(?: that)?|"
    r"(?:(?:the (?:funny |strange |sad |best )?thing is|it turns out|i (?:have to say|must say|realised|realized)|"
    r"it(?:['’]s| is) (?:funny|true|strange)) that|the thing is),?"
)
_ADVERB = re.compile(rf"\b(?:{_ADVERBS})\b|,\s*(?:{_REMARKS})(?=\s*(?:[,.;:!?…\n]|$))", re.IGNORECASE)
_LAST = re.compile(rf",?\s+(?:{_TIMES}|{_CLOSING})(?=\s*(?:[,;.!?…\n]|$))", re.IGNORECASE)
_THAT = r"(?: that(?=\s+(?:an?|the|my|your|his|her|its|our|their|i|you|he|she|it|we|they|there|all|every|no)\b))?"
_FIRST = re.compile(rf"(?:(?:{_OPENING}|{_ADVERBS}|(?:{_REMARKS}){_THAT}|{_TIMES})\b,?\s+)+", re.IGNORECASE)
_BOUND = re.compile(
    r"(?:\b(?:how|not|never|no|so|too|as|the|if|what|st[ao]nds?|stood|s[ia]ts?|l[ia]es?|lay|keeps?|kept|holds?|held|"
    r"stay(?:s|ed)?)|n['’]t)\s*$",
    re.IGNORECASE,
)
"""Words before such an adverb that need it: "how still", "not really", "the very thing", "sat still"."""
_LAUGHTER = re.compile(
    r"(?:\b(?:ha(?:ha)*|lol|lmao|rofl|get it|geddit|ba dum tss|just kidding)\b[\s.!?…,]*)+"
    r"(?:(?:because|since|you see)\b[^.!?]*[.!?…]*)?$|"
    r",\s*which is (?:funny|ironic|a joke)\b.*$|\b(?:in other words|the joke is)\b.*$",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"^\W*(?:(?:this is a )?true story\.\s*|(?:so|ok(?:ay)?|well|here(?:['’]s| is)|i (?:have|know|heard)|"
    r"have you heard|did you hear|(?:do you )?wan(?:t to|na) hear|let me tell|this is)\b"
    r"(?:(?!\b(?:but|not)\b|n['’]t\b)[^.!?:\n]){0,60}\b(?:joke|funny|story|one)\b"
    r"(?:\s*:|(?: (?:about|for|from|that|which|i|we)\b)?[^,;:.!?\n]*[.!?\n])\s*)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r",[^,.!?;:–—()\n“”\"]+(?=[,.!?;:])|\s[–—][^–—.!?\n]+[–—]|\s?\([^()]+\)")
_ASIDE = re.compile(
    r"\W*(?:as|which|who|whose|by which|to be|or so|or rather|mind you|and (?:he|she|it|they|i|we|that)|"
    r"but (?:that|it) (?:is|was)|a (?:sort|kind) of|i might add|you know|being)\b",
    re.IGNORECASE,
)
_EMPTY = word_set(
    "a an the my your his her our their its i you he it she we they me him us them this that these those there here "
    "is are was were be been am do does did have has had will would can could should may might to of in on at for "
    "with by from as and but or so if not no one more most less somebody someone something anything everybody "
    "everyone nobody nothing little some any all only just still even now then once since because when while where "
    "who whose which what whatever how why than too also very ever never about up out off again every each both such "
    "other another own same real whole many much looking over under away back down through across behind around "
    "before after into onto inside outside near until upon within without"
)
_JOINS = re.compile(r"\s*(?:and|but|so|or|yet)\b", re.IGNORECASE)
_HYPHENED = re.compile(r"\w+(?:[-'’]\w+)*")
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"\s*(?:(?!uni(?!nt|mp)|us[aeiu]|eu|one\b|once\b)[aeiou]|hour|honest|honou?r|heir)", re.IGNORECASE)

Kind = Literal["aside", "weak", "around"]


@dataclass(frozen=True)
class Version:
    """A text with some ``pieces`` left out. ``kind``: an aside, words of emphasis, or what stands around the joke
    (an announcement, laughter)."""

    text: str
    pieces: tuple[Piece, ...]
    kind: Kind


def offered(kind: Kind, draft: float, joke: float) -> bool:
    """Whether a version is at least as good as the text, in nine of ten cases. ``draft``: log-odds that it is the
    better draft; ``joke``: by how much it is likelier to work as a joke."""
    least = {"aside": _BETTER, "around": 0.0, "weak": _NO_WORSE}[kind]
    return draft >= least and (joke >= _LOST or kind == "around")


def without(text: str, *pieces: Piece) -> str:
    """Return a text without some parts, mended at the seams: "a very interesting book" becomes "an interesting
    book"."""
    for start, end in sorted(pieces, reverse=True):
        before, after = text[:start], text[end:]
        article = _ARTICLE.search(before)
        if article is not None and WORD.match(after.lstrip()):
            before = before[: article.start()] + article[1][0] + ("n" if _VOWEL.match(after) else "") + article[2]
        if before[-1:].isalnum() and after[:1].isalnum():
            before += " "
        if not before.rstrip() or before.rstrip()[-1:] in ".!?…":
            after = after.lstrip(",;: ")
            after = after[:1].upper() + after[1:]
            before += " " if before and not before[-1:].isspace() and after else ""
        text = before + after
    text = re.sub(r"[ \t]{2,}", " ", text)
    text = re.sub(r"\s+([,.;:!?…])", r"\1", text)
    text = re.sub(r"[,;:]+\s*([.!?…;:])", r"\1", text)
    text = re.sub(r",\s*,", ",", text).strip().lstrip(",;: ")
    if text and text[-1] in ",;:-–—":
        text = text.rstrip(",;:-–— ") + "."
    return text[:1].upper() + text[1:]


def cuts_of(text: str, turn: Piece | None) -> Iterator[Version]:
    """Yield versions of a text that an editor could propose: whole sentences again. ``turn``: the words on which it
    turns, of which only words of emphasis are left out."""
    sentences = [match.span() for match in _SENTENCE.finditer(text) if WORD.search(match.group())]
    if not sentences:
        return
    laughter, announced = _LAUGHTER.search(text), _ANNOUNCED.match(text)
    if laughter is not None and WORD.search(text, 0, laughter.start()):
        yield _version(text, "around", laughter.span())
    if announced is not None and announced.end() < len(text):
        yield _version(text, "around", announced.span())
    short = len(WORD.findall(text)) <= _MOST_WORDS
    for match in _BETWEEN.finditer(text) if short else ():
        (start, end), aside = match.span(), match.group()
        apart = (turn is None or end <= turn[0]) and WORD.search(text, end)
        if apart and _ASIDE.match(aside) and not takes_up(aside, text[end:], _STEM):
            closed = text[start] == text[end : end + 1] == "," and not _JOINS.match(text, end + 1)
            yield _version(text, "aside", (start, end + closed))
    weak = {_words_in(text, match.span()) for match in (*_ADVERB.finditer(text), *_LAST.finditer(text))}
    for place, (start, _) in enumerate(sentences):
        if (first := _FIRST.match(text, start)) is not None and not (place and text[start:].lower().startswith("so")):
            weak.add(_words_in(text, first.span()))
    removed: list[Piece] = []
    for piece in sorted(weak, key=lambda piece: (piece[0], -piece[1])):
        if (not removed or piece[0] >= removed[-1][1]) and not _BOUND.search(text, 0, piece[0]):
            removed.append(piece)
    if len(removed) > 1:
        yield _version(text, "weak", *removed)
    for piece in removed:
        yield _version(text, "weak", piece)


def _words_in(text: str, piece: Piece) -> Piece:
    """The words of a part, with the comma before or behind them that belongs to them."""
    words = [word.span() for word in WORD.finditer(text, *piece)]
    start, end = words[0][0], words[-1][1]
    before, after = text[:start].rstrip(), text[end:].lstrip()
    if before.endswith(",") and after[:1] in ("", ",", ".", "!", "?", ";", "…", "\n"):
        start = len(before) - 1
    elif after.startswith(",") and (not before or before[-1] in '.!?…\n"“'):
        end = text.index(",", end) + 1
    return start, end


def _version(text: str, kind: Kind, *pieces: Piece) -> Version:
    return Version(without(text, *pieces), pieces, kind)


def against_itself(
    reader: Reader, draft: RatingResult, padding: float, cancel: CancelToken | None = None
) -> tuple[Remark, ...]:
    """Read versions of a rated text, and return at most two remarks on what it shows beside its own parts, with the
    edit that they propose. ``padding``: probability that it has words too many. Raises the engine's and the heads'
    errors."""
    text, turn = draft.text, draft.turn
    if reader.drafts is None or reader.sense is None or not sense_is_known(text):
        return ()
    remarks = list[Remark]()
    doubted = draft.sense is not None and draft.sense.said != "joke" and draft.asked_turn is None
    scan = reader.scanned(text.translate(STRAIGHT), cancel)
    carries = _carrying(text, turn, scan) if turn is not None else None
    if draft.in_doubt and turn is not None and draft.wordplay is None:
        sure, words = turn.p >= _SURE_TURN, quoted_words(turn.text)
        sentence = f"If it turns, then {'at' if sure else 'around'} “{words}”."
        right = _TURN_RIGHT if sure else None
        remarks.append(Remark(text=sentence, about="carries", right=right, start=turn.start, end=turn.end))
    if carries is not None and draft.wordplay is None and not doubted:
        start, end = carries
        remarks.append(Remark(text=f"“{text[start:end]}” carries it.", about="carries", start=start, end=end))
    proposed = list(cuts_of(text, (turn.start, turn.end) if turn is not None else None))
    within = _within_budget(text, proposed)
    if carries is not None:  # what carries the joke isn't what could go
        within = [one for one in within if all(end <= carries[0] or start >= carries[1] for start, end in one.pieces)]
    odds = [(_odds(reader, text, version, cancel), version) for version in within]
    better, best = max(odds, key=lambda one: one[0], default=(-math.inf, None))
    if best is not None and better > -math.inf and (draft.forced or not doubted or best.kind != "aside"):
        start, end, p = best.pieces[0][0], best.pieces[-1][1], sigmoid(better)
        words = listed([f"“{quoted_words(text[slice(*piece)])}”" for piece in best.pieces])
        sentence = f"{words} {'could go' if p >= _PREFERRED else 'could perhaps go'}."
        trial = Trial(kind="cut", text=best.text, change=text[start:end], p_better=p)
        remarks.append(Remark(text=sentence, about="cut", start=start, end=end, trial=trial))
    lean = not proposed and len(WORD.findall(text)) <= _LEAN and padding < _LEAN_BELOW
    if lean and not doubted and (remarks or draft.wordplay is not None):
        remarks.append(Remark(text="Nothing can go.", about="carries"))
    return tuple(remarks)


def _odds(reader: Reader, text: str, version: Version, cancel: CancelToken | None) -> float:
    """The log-odds that a version is a better draft than the text; −∞ where it isn't offered, or no longer said to be a
    joke."""
    whole, shorter = (reader.read(one, cancel).sense for one in (text, version.text))
    if reader.drafts is None or whole is None or shorter is None:
        return -math.inf
    if whole.sense.said == "joke" and shorter.sense.said != "joke":
        return -math.inf
    odds = reader.drafts.compare(*(reader.draft(one, cancel) for one in (version.text, text))).log_odds_a
    return odds if offered(version.kind, odds, shorter.sense.joke - whole.sense.joke) else -math.inf


def _within_budget(text: str, versions: Iterable[Version]) -> list[Version]:
    """The first versions that are long enough, each once, as many as may be read."""
    chosen: dict[str, Version] = {}
    spent = 0
    for version in versions:
        if version.text == text or len(WORD.findall(version.text)) < _LEAST_WORDS or version.text in chosen:
            continue
        spent += len(version.text) - version.pieces[0][0]
        if len(chosen) == _MOST_CUTS or (chosen and spent > _MOST_LETTERS):
            break
        chosen[version.text] = version
    return list(chosen.values())


def _tokens(scan: Scan, start: int, end: int) -> list[float]:
    """The log-probabilities of the tokens that touch these characters."""
    return [float(p) for p, (a, b) in zip(scan.logprobs, scan.spans, strict=True) if a < end and b > start]


def _carrying(text: str, turn: Span, scan: Scan) -> Piece | None:
    """The word of the turn that was least expected, a later one before an earlier one; where another one is nearly as
    unexpected, the words from one to the other, if they are few."""
    words = list(_HYPHENED.finditer(text, turn.start, turn.end))
    rows = sorted(
        (_LATE * place / max(1, len(words) - 1) - min(_tokens(scan, *word.span())), -place)
        for place, word in enumerate(words)
        if word.group().lower() not in _EMPTY and not _ADVERB.fullmatch(word.group())
    )[-2:]
    if not rows or rows[-1][0] < _UNEXPECTED:
        return None
    near = rows if rows[0][0] > rows[-1][0] - _MARGIN else rows[-1:]
    first, last = min(-place for _, place in near), max(-place for _, place in near)
    if last - first >= _MOST_CARRYING or _APART.search(text, words[first].start(), words[last].end()):
        return None
    word, further = words[last], words[last + 1 : last + 2]
    end = word.end()
    if further and further[0].group().lower() not in _EMPTY and text[end : further[0].start()] == " ":
        end = further[0].end() if sum(_tokens(scan, *further[0].span())) >= _GOES_ON else end
    return words[first].start(), end
