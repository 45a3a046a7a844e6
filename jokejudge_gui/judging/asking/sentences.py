"""What can be checked in a model's sentences about a joke without understanding them."""

from __future__ import annotations

import re
from typing import Literal

Flaw = Literal["echo", "broken", "untrue"]
"""``echo``: it gives the joke back; ``broken``: it breaks off or says nothing; ``untrue``: it quotes what isn't in the
joke."""

_ECHO_WORDS = 8
"""As many words in the joke's own order, outside quotation marks, give the joke back."""
_ECHO_SHARE = 0.8
_LEAST_WORDS = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUOTED = re.compile(r"[“\"]([^”\"“]+)[”\"]|(?<!\w)[‘']([^’']{3,}?)[’'](?!\w)")
_DENIALS = frozenset(["not", "never", "hardly", "lacks", "lacking", "without", "no", "less"])
_SMALL_WORDS = """
a an the and or but so of to in on at by for from with as is are was were be been it its it's this that i you he she
they we my your his her their our me him them us do does did has have had will would can could not no
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_QUALITY_WORDS = """
surprising unexpected predictable clear original funny witty clever logical vivid short long simple complex playful
daring true obvious subtle relatable absurd silly ironic believable confusing familiar
"""
_QUALITIES = frozenset(_QUALITY_WORDS.split())
_NOUNS = {"surprise": "surprising", "clarity": "clear", "originality": "original", "wit": "witty"}
_OPPOSITES = (
    ("surprising", "predictable"), ("unexpected", "predictable"), ("clear", "confusing"), ("short", "long"),
    ("simple", "complex"), ("obvious", "subtle"), ("unexpected", "obvious"), ("surprising", "obvious"),
)  # fmt: skip


def flaws(sentence: str, joke: str) -> frozenset[Flaw]:
    """What is wrong with one sentence about a joke. ``sentence``: without the words that it was begun with."""
    found: set[Flaw] = set()
    said = _words(sentence)
    if len(said) < _LEAST_WORDS or not re.search(r"[.!?][\"”’')]*$", sentence.strip()):
        found.add("broken")
    if _gives_back(_words(_QUOTED.sub(" ", sentence)), _words(joke)):
        found.add("echo")
    known = _words(joke)
    if any(not _within(_words(one or other), known) for one, other in _QUOTED.findall(sentence)):
        found.add("untrue")
    return frozenset(found)


def contradicts(one: str, other: str) -> bool:
    """Whether one sentence says of the joke what its neighbour denies: “surprising” and “not surprising”, or the
    opposite word."""
    first, second = _claims(one), _claims(other)
    if any(second.get(quality, holds) != holds for quality, holds in first.items()):
        return True
    return any(
        here.get(a) and there.get(b) for a, b in _OPPOSITES for here, there in ((first, second), (second, first))
    )


def holds_turn(sentence: str, turn: str) -> bool:
    """Whether a sentence holds a telling word of what the joke turns on; where the turn has small words alone, any."""
    wanted = set(_words(turn))
    return bool((wanted - _SMALL or wanted) & set(_words(sentence)))


def telling_words(text: str) -> frozenset[str]:
    """The words of a text that say something, in small letters."""
    return frozenset(_words(text)) - _SMALL


def skeleton(sentence: str, joke: str) -> str:
    """What is left of a sentence when the joke's words and what it quotes are taken out: its form."""
    known = set(_words(joke)) - _SMALL
    shape = ["…" if word in known else word for word in _words(_QUOTED.sub(" … ", sentence).replace("…", " xxx "))]
    found: list[str] = []
    for word in ("…" if word == "xxx" else word for word in shape):
        if not (found and found[-1] == word == "…"):
            found.append(word)
    return " ".join(found)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def _gives_back(said: list[str], joke: list[str]) -> bool:
    """Whether words outside quotation marks repeat the joke: a long run of it, or nearly all that is said."""
    most = min(_ECHO_WORDS, max(_LEAST_WORDS, len(joke) - 1))
    runs = {tuple(joke[at : at + most]) for at in range(len(joke) - most + 1)}
    if any(tuple(said[at : at + most]) in runs for at in range(len(said) - most + 1)):
        return True
    own = [word for word in said if word not in _SMALL]
    return len(own) >= _LEAST_WORDS and sum(word in joke for word in own) >= _ECHO_SHARE * len(own)


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _claims(sentence: str) -> dict[str, bool]:
    """Qualities that a sentence speaks of, and whether it says that they hold."""
    words = _words(sentence)
    found: dict[str, bool] = {}
    for at, word in enumerate(words):
        turned = word.startswith("un") and word[2:] in _QUALITIES
        plain = _NOUNS.get(word, word[2:] if turned else word)
        if plain in _QUALITIES:
            denied = any(each in _DENIALS or each.endswith("n't") for each in words[max(0, at - 3) : at])
            found[plain] = denied == turned
    return found
