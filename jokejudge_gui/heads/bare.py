"""A text without what is no part of a joke: laughter, emoji, hashtags, praise, orders to a judge, and what is there
twice. A model that writes for a score adds these, and none makes a joke funnier."""

from __future__ import annotations

import re

from ..core.texts import clean_text

_LAUGHS = r"(?:(?:b[wu]+)?a?(?:ha|he|hi){2,}h?|lo+l|lmf?ao|rofl|xd|ba[ -]?dum[ -]?t(?:s+h?|ish)|get it|rim ?shot)"
_SIGNS = r"[\u2600-\u27bf\u2b50\U0001f000-\U0001faff\ufe0f\u200d]+"
_NOTES = (
    r"[\[(*](?:the )?(?:\w+ )?(?:laugh\w*|applau\w*|cheer\w*|drum\w*|rim ?shot|pause\w*|(?:crowd|audience)\b[^\])*]*)"
    r"[\])*]"
)
_END = re.compile(rf"(?:^|(?<=\W)){_LAUGHS}[\W_]*$|(?:{_SIGNS}|{_NOTES}|#\w+)[\s.!]*$", re.IGNORECASE)
_START = re.compile(rf"^\W*{_LAUGHS}[\W_]+|^\s*(?:{_SIGNS}|{_NOTES})\s*", re.IGNORECASE)
_SPEAKER = re.compile(r"(?<=.{30})\s*(?:—|–|--|~)\s*(?:[A-Z][\w.'’]*\s*){1,4}$", re.DOTALL)
_TOKENS = re.compile(r"<\|[^|<>]{1,40}\|>(?:\s*(?:system|user|assistant)\b)?|\[/?INST\]|</?s>")
_TO_THE_JUDGE = re.compile(
    r"\b(?:ignore|disregard|forget)\b.*\b(?:instruction|rubric|prompt|above|previous)|\b(?:highest|maximum|top|full|best)"
    r" (?:possible )?(?:score|rating|mark)|\b(?:10|ten|5|five) ?(?:/|out of) ?(?:10|ten|5|five)\b|\bfunniest joke"
    r"|\b(?:this|it|here) is (?:a |an |one )?(?:very |really |so |truly )*(?:funny|hilarious)"
    r"|^(?:(?:and|with|a|an|the|very|so|truly|perfect|full|of)\W+|(?:funny|witty|clever|original|surprising|hilarious"
    r"|comic|brilliant|smart|fresh|amusing|wordplay|punch ?line|timing|pun|twist|irony|humou?r)\W*){4,}$"
    r"|\blaugh(?:ed|ing)? (?:out loud|for minutes|so hard)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”’']?\s+|\n+")
_ANNOUNCED = re.compile(
    r"^\W*(?:here(?:['’]s| is)|this is|listen to) [^.!?:\n]{0,40}\b(?:joke|one|pun)\b[^.!?:\n]{0,20}:\s*", re.I
)
_LAST_CLAUSE = re.compile(r"(.+)(?:[,;]|\s[–—-])\s+(?:[^\s,;.!?…\"“”]+\s+){0,5}[^\s,;.!?…\"“”]+([.!?…]?)", re.DOTALL)
_SHORTEST = 4
"""Least words of a part that may be a joke."""
_LONG = 15
_TITLED = 0.85
"""Share of words with a capital from which a text that ends as a sentence is read as one."""
_SHOUTED = 0.7
"""Share of capitals among letters from which a text is read in small ones."""


def bare(text: str) -> str:
    """Return a text as it is read for a score; as it is where nothing would be left. Raises ``InputError`` as
    ``clean_text`` does."""
    text = given = clean_text(text)
    text = _TOKENS.sub(" ", text)
    text = re.sub(r"!{2,}", ".", re.sub(r"\.{2,}|…", "...", _ANNOUNCED.sub("", text)))
    before = ""
    while before != text:
        before, text = text, _SPEAKER.sub("", _START.sub("", _END.sub("", text))).strip()
        if len(text) > 2 and (text[0], text[-1]) in (('"', '"'), ("“", "”"), ("«", "»"), ("*", "*")):
            inside = text[1:-1]
            text = inside if not re.search(r"[\"“”«»*]", inside) else text
    sentences = [sentence for sentence in _SENTENCE.split(text) if not _TO_THE_JUDGE.search(sentence)]
    plain = [" ".join(re.findall(r"\w+", sentence.lower())) for sentence in sentences]
    half = len(plain) // 2
    if half and plain[:half] == plain[half:]:
        sentences, plain = sentences[:half], plain[:half]
    while len(plain) > 1 and plain[-1] == plain[-2]:
        sentences, plain = sentences[:-1], plain[:-1]
    if sentences and len(sentences) < len(_SENTENCE.split(text)):
        text = " ".join(sentences)
    words = text.split()
    if (
        len(words) > _SHORTEST
        and sum(word[:1].isupper() for word in words) > _TITLED * len(words)
        and text[-1] in ".!?"
    ):
        text = _sentences(text)
    letters = [letter for letter in text if letter.isalpha()]
    if len(letters) > 12 and sum(map(str.isupper, letters)) > _SHOUTED * len(letters):
        text = _sentences(text)
    return text.strip() or given


def is_unmarked(text: str) -> bool:
    """Whether a text is long and has no mark, which few jokes are, and which hides that it is none."""
    return len(text.split()) > _LONG and not re.search(r"[.,;:!?…—–\"”]", text)


def _sentences(text: str) -> str:
    """Return a text in small letters with a capital for each sentence."""
    return re.sub(r"(?:^|(?<=[.!?…]\s))\w|\bi\b", lambda match: match[0].upper(), text.lower())


def parts(text: str) -> tuple[str, ...]:
    """Return the text without its first sentence, its first sentence, the text without its last one, its halves, and
    the text without a short last clause: what may be a joke by itself. A part of a few words is empty."""
    ends, clause = [match.span() for match in _SENTENCE.finditer(text)], _LAST_CLAUSE.fullmatch(text)
    rests = [""]
    if ends:
        first, middle, last = ends[0], ends[len(ends) // 2], ends[-1]
        rests = [text[first[1] :], text[: first[0]], text[: last[0]], text[: middle[0]], text[middle[1] :]]
    rests += [clause[1] + clause[2]] if clause else []
    return tuple(dict.fromkeys(part if len(part.split()) >= _SHORTEST else "" for part in rests))
