"""Edits that the program can try by itself: cuts, and another order.

Nothing here judges them: each is read again, and shown only where the heads prefer it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...core.verdicts import Span
from ...engine.base import CancelToken
from ...heads.editor import SpanReading
from ...heads.editor_file import NoteFigure
from ..reader import Reader
from .note import LEAST_P, quoted_words
from .record import RatingResult, Remark, Trial

MOST_EDITS = 6
_LEAST_WORDS = 4
"""A shorter text is no joke any more."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"”’')\]]*|\n|$)\s*")
_FILLERS = re.compile(
    r"(?:,\s*)?\b(?:really|just|very|basically|literally|actually|totally|quite|simply|honestly|obviously|you know|"
    r"i mean|of course)\b,?\s?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:\b(?:ha(?:ha)*|lol|lmao|rofl|get it|geddit|ba dum tss|just kidding)\b[\s.!?…,]*)+$", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"^(?P<main>.+?),?\s+(?P<clause>(?:when|because|if|while|after|before|since|until)\s.+?)$", re.IGNORECASE
)
_OPENERS = {
    "a", "an", "the", "my", "your", "his", "her", "our", "their", "he", "she", "it", "we", "you", "they", "this",
    "that", "these", "those", "there", "some", "every", "no", "one", "two", "someone", "somebody", "nobody",
}  # fmt: skip
_ANNOUNCED = re.compile(
    r"^\W*(?:so|ok(?:ay)?|well|here(?:['’]s| is)|i (?:have|know|heard)|have you heard|did you hear|"
    r"(?:do you )?wan(?:t to|na) hear|let me tell|this is)\b(?:(?!\b(?:but|not)\b|n['’]t\b).){0,60}"
    r"\b(?:joke|funny|story|one)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\s*(?:(?:about|for|from)|(?:that |which )?(?:i|we)(?:['’]ve| have)? (?:(?:just|once|recently|really|always) )?"
    r"(?:heard|read|kn[eo]w|liked?|loved?|found|remember|wrote))\b[^,;]*$",
    re.IGNORECASE,
)
"""The possible continuations of an announcement."""
_LOOSE = re.compile(
    r"^\s*(?:[,;:–—]|-\s|\(|(?:because|as|which|who|and|but|so|when|while|since|although|though|if|where|that['’]s)\b)",
    re.IGNORECASE,
)
"""The beginnings of words that can be cut without breaking a sentence."""
_COLOUR = re.compile(
    r"really|just|very|quite|rather|pretty|simply|actually|totally|basically|literally|honestly|obviously|also|even|still|"
    r"already|truly|somewhat|incredibly|absolutely|completely|extremely|suddenly|certainly|definitely|probably|finally",
    re.IGNORECASE,
)
"""Adverbs that a sentence doesn't need."""
_BOUND = re.compile(
    r"(?:\b(?:how|not|never|no|so|too|as|the|st[ao]nds?|stood|s[ia]ts?|l[ia]es?|lay|keeps?|kept|holds?|held|stay(?:s|ed)?)"
    r"|n['’]t)\s*$",
    re.IGNORECASE,
)
"""Words before such an adverb that need it: "how still", "not really", "the very thing", "sat still"."""
_LEAST_TAIL = 3
"""With a single word behind the turn, "…, twice.", the turn was probably misread."""
_CLOSES = re.compile(r"^\W*$|^\s*[.!?…]")
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_VOWEL = re.compile(r"\s*(?:(?!uni(?!nt|mp)|us[aeiu]|eu|one\b|once\b)[aeiou]|hour|honest|honou?r|heir)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t]{2,}")
_BEFORE_MARK = re.compile(r"\s+([,.;:!?…])")
_MARKS = re.compile(r"([,;:])\s*([,.;:!?…])")


def edits(text: str, turn: tuple[int, int] | None, cuts: Sequence[tuple[int, int]] = ()) -> tuple[Trial, ...]:
    """Return versions of ``text`` worth trying, the likeliest first; each differs from it and from the others, and none
    is judged yet. ``turn`` and ``cuts``: (start, end) in characters, in the order in which they should be tried."""
    versions: dict[str, Trial] = {}
    for kind, version, change in _versions(text, turn, cuts):
        version = _tidy(version)
        if version and version != text and len(_WORD.findall(version)) >= _LEAST_WORDS:
            versions.setdefault(version, Trial(kind=kind, text=version, change=" ".join(change.split()), p_better=0.0))
    return tuple(versions.values())[:MOST_EDITS]


def _versions(
    text: str, turn: tuple[int, int] | None, cuts: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, str, str]]:
    closing = _CLOSING.search(text)
    if closing is not None:
        yield "without the explanation", text[: closing.start()], closing.group()
    sentences = [match.span() for match in _SENTENCE.finditer(text)]
    if turn is not None:
        yield from _after_turn(text, turn, sentences)
        yield from _other_order(text, turn, sentences)
    for start, end in cuts:
        apart = 0 <= start < end <= len(text) and (turn is None or end <= turn[0] or start >= turn[1])
        if apart and _may_go(text, start, end):
            yield "cut", _joined(text[:start], text[end:]), text[start:end]
    if (after := _announced(text, sentences)) is not None and after < len(text):
        yield "cut", text[after:], text[:after]
    lean = text
    fillers = [filler for filler in _FILLERS.finditer(text) if not _BOUND.search(text, 0, filler.start())]
    for filler in reversed(fillers):
        lean = _joined(lean[: filler.start()] + _without_filler(filler), lean[filler.end() :])
    if lean != text:
        yield "cut", lean, " ".join(filler.group().strip(" ,") for filler in fillers)


def _announced(text: str, sentences: Sequence[tuple[int, int]]) -> int | None:
    """The end of an announcement of the joke, at a colon or with its sentence; None where there is none, or the joke
    begins in the same sentence."""
    match = _ANNOUNCED.match(text[slice(*sentences[0])]) if sentences else None
    if match is None:
        return None
    end = sentences[0][1]
    colon = text.find(":", match.end(), end)
    if 0 <= colon < end and not _WORD.search(text, match.end(), colon):
        return colon + 1
    rest = text[match.end() : end]
    goes_on = bool(_WORD.search(rest)) and not (_SUBJECT.match(rest) and ":" not in rest)
    return None if goes_on else end


def _may_go(text: str, start: int, end: int) -> bool:
    """Whether the rest is a sentence without these words: they are whole sentences, a remark with its two marks, a
    loose addition at a sentence's end, or adverbs that only add emphasis. The heads often prefer a text without other
    words too, as they favour short texts, but such a rest is broken."""
    before, words, after = text[:start].rstrip(), text[start:end].strip(), text[end:]
    opens = not before or before[-1] in ".!?…\n" or "\n" in text[len(before) : start]
    if _CLOSES.match(after):
        return (
            bool(_LOOSE.match(words)) or (bool(before) and before[-1] in ",;:–—(") or (opens and _whole(words, after))
        )
    if opens and words[-1:] in ".!?…":
        return True
    if re.fullmatch(r"[,–—(].*[,–—)]", words, re.DOTALL):
        return True
    if _BOUND.search(before):
        return False
    return all(_COLOUR.fullmatch(word) for word in _WORD.findall(words)) and bool(_WORD.search(words))


def _whole(words: str, after: str) -> bool:
    """Whether the words end the sentence with its mark, so that no mark is left alone."""
    return words[-1:] in ".!?…" or not after.strip()


def _after_turn(
    text: str, turn: tuple[int, int], sentences: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, str, str]]:
    """The text without the sentences behind the turn's own, and without the words behind the turn in its own."""
    own = next((span for span in sentences if span[0] < turn[1] <= span[1]), None)
    if own is None:
        return
    rest = text[own[1] :]
    if _WORD.search(rest):
        yield "without the explanation", text[: own[1]], rest
    tail = text[turn[1] : own[1]]
    if len(_WORD.findall(tail)) >= _LEAST_TAIL and _LOOSE.match(tail):
        mark = re.search(r"[.!?…]+[\"”’')\]]*\s*$", tail)
        yield "end on the turn", text[: turn[1]] + (mark.group().rstrip() if mark else "."), tail


def _other_order(
    text: str, turn: tuple[int, int], sentences: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, str, str]]:
    """The clause behind the turn moved before it, as in "The barber retired when his scissors dulled."."""
    for start, end in sentences:
        if not (start < turn[1] <= end):
            continue
        sentence = text[start:end].strip()
        mark = re.search(r"[.!?…]+$", sentence)
        body = sentence[: mark.start()] if mark else sentence
        match = _CLAUSE.match(body)
        if match is None or turn[1] - start > match.start("clause") + 1 or "“" in body or '"' in body:
            return
        main, clause = match["main"], match["clause"]
        first = main.split(maxsplit=1)[0]
        if first.lower() in _OPENERS:
            main = main[0].lower() + main[1:]
        swapped = f"{clause[0].upper()}{clause[1:]}, {main}{mark.group() if mark else '.'}"
        lead = text[:start] + (" " if start and not text[:start].endswith((" ", "\n")) else "")
        yield "end on the turn", f"{lead}{swapped} {text[end:]}", main
        return


def _joined(before: str, after: str) -> str:
    """Join the text on both sides of a cut: "a very interesting book" becomes "an interesting book"."""
    article = _ARTICLE.search(before)
    if article is not None and _WORD.match(after.lstrip()):
        right = article[1][0] + ("n" if _VOWEL.match(after) else "")
        before = before[: article.start()] + right + article[2]
    return before + after


def _without_filler(match: re.Match[str]) -> str:
    """The replacement of a filler: a space if it stood between two words."""
    return " " if match.group()[:1] in ", " else ""


def _tidy(text: str) -> str:
    text = _MARKS.sub(r"\2", _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text))).strip().lstrip(",;: ")
    if text and text[-1] in ",;:-–—":
        text = text.rstrip(",;:-–— ") + "."
    return text[:1].upper() + text[1:]


def cut_of(text: str, turn: Span | SpanReading | None, cuts: Sequence[SpanReading]) -> tuple[int, int] | None:
    """Return the likeliest cut that leaves a whole sentence and the turn as it is; None without any."""
    for cut in sorted(cuts, key=lambda one: -one.p):
        apart = turn is None or cut.end <= turn.start or cut.start >= turn.end
        if apart and _may_go(text, cut.start, cut.end):
            return cut.start, cut.end
    return None


def edit_remark(text: str, trial: Trial, figure: NoteFigure | None) -> Remark:
    """Return the remark that proposes the note's first edit, with the place of its words."""
    start = text.find(trial.change) if trial.change else -1
    moved = " ".join(trial.change.lower().split()) in " ".join(trial.text.lower().split())
    quoted = quoted_words(trial.change)
    return Remark(
        text=f"“{quoted}” could come last." if moved else f"“{quoted}” could go.",
        about="edit",
        right=figure.right if figure is not None else None,
        start=start if start >= 0 else None,
        end=start + len(trial.change) if start >= 0 else None,
        trial=0,
    )


# -- Trying edits of a joke: the promising ones are read again, and those that are preferred are shown. Reading an edit
# costs as much as reading the joke. But most of the result is known, as its words were read in the joke. So the draft
# heads first estimate their preference as if each remaining word meant the same as there, and only promising edits are
# read.

BETTER = 0.9
"""Least probability of being better at which an edit is shown, where none was measured on a model."""
_SURE_TURN = 0.65
"""Least probability of the turn at which words behind it may be cut."""
LEAST_FORESEEN = 0.6
"""Least foreseen log-odds at which an edit is read: of those just above four in ten are shown, of those below one in
fifty drafts and one in ten edits of one-liners. They are higher than those after reading, by .4 in the mean, since no
word is found missing yet."""
MOST_READ = 2
"""The most edits of a joke that are read."""


def try_edits(
    reader: Reader,
    draft: RatingResult,
    cuts: Sequence[SpanReading],
    cancel: CancelToken | None = None,
    *,
    least: float = BETTER,
) -> tuple[Trial, ...]:
    """Return edits of the draft's text that are better with probability ``least``, the best first, by the draft heads;
    none without them. Words that only announce the joke or laugh at it may go if that is probably better. ``cuts``:
    words that could go. Raises the engine's and the heads' errors."""
    trials = []
    for edit in promising(reader, draft, cuts, cancel):
        preferred = reader.compare_drafts(edit.text, draft.text, cancel)
        if preferred is not None and preferred.p_a >= (LEAST_P if _no_part_of_it(edit) else least):
            audience = None
            if draft.audience and draft.audience.heard:
                audience = reader.audience(reader.read(edit.text, cancel, context=draft.context))
            trials.append(edit.replaced(p_better=preferred.p_a, percentile=audience.percentile if audience else None))
    trials.sort(key=lambda trial: -trial.p_better)
    return tuple(trials)


def _no_part_of_it(edit: Trial) -> bool:
    """Whether the removed words only announce the joke or laugh at it."""
    announced = _announced(edit.change, [match.span() for match in _SENTENCE.finditer(edit.change)])
    return bool(_CLOSING.fullmatch(edit.change)) or announced == len(edit.change)


def leaves_punchline(text: str, edit: Trial, turn: Span | None) -> bool:
    """Whether an edit keeps the joke's turn, or where that isn't known its last sentence except for words of emphasis;
    words behind the turn may go only where the turn is certain enough."""
    laughter = _CLOSING.search(text)
    end = laughter.start() if laughter is not None else len(text)
    if turn is None:
        sentences = [match.span() for match in _SENTENCE.finditer(text, 0, end) if _WORD.search(match.group())]
        start = sentences[-1][0] if sentences else 0
        return _plain(text[start:end], colour=False) in _plain(edit.text, colour=False)
    behind = bool(_WORD.search(text, turn.end, end))
    if behind and turn.p < _SURE_TURN and not _plain(edit.text).endswith(_plain(text[turn.end : end])):
        return False
    return _plain(text[turn.start : turn.end]) in _plain(edit.text)


def _plain(text: str, *, colour: bool = True) -> str:
    """Only the words, without marks and capitals; without ``colour`` also without words of emphasis."""
    words = [match.group().lower() for match in _WORD.finditer(text)]
    return f" {' '.join(word for word in words if colour or not _COLOUR.fullmatch(word))} "


def promising(
    reader: Reader, draft: RatingResult, cuts: Sequence[SpanReading], cancel: CancelToken | None = None
) -> list[Trial]:
    """Return the edits that are worth reading, the most promising first."""
    turn = (draft.turn.start, draft.turn.end) if draft.turn else None
    versions = []
    for edit in edits(draft.text, turn, [(cut.start, cut.end) for cut in sorted(cuts, key=lambda cut: -cut.p)]):
        if not leaves_punchline(draft.text, edit, draft.turn):
            continue
        expected = reader.foresee_draft(edit.text, draft.text, cancel)
        if expected is not None and expected.log_odds_a >= LEAST_FORESEEN:
            versions.append((expected.log_odds_a, edit))
    versions.sort(key=lambda row: -row[0])
    return [edit for _, edit in versions[:MOST_READ]]
