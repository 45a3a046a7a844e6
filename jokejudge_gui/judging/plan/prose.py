"""What can be checked in a model's sentences without understanding them, and the prose test made of it: a model whose
sentences say the same of every joke, or give the joke back, has nothing to tell a writer (METHODS, f)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from ...verdicts import Frozen

Flaw = Literal["echo", "broken", "untrue"]
"""``echo``: it gives the joke back; ``broken``: it breaks off or says nothing; ``untrue``: it quotes what isn't in the
joke."""

LEAST_TURN = 0.60
"""Share of the sentences that must hold words of what the reference reading says the joke turns on."""
MOST_ALIKE = 3
"""How often the same skeleton may come among the test's sentences."""
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


class ProseFigures(Frozen):
    """The prose test of a model: over ``texts`` jokes the share of sentences that hold words of the ``turn``, how often
    the commonest skeleton came (``alike``), and in how many texts a sentence gives the joke back (``echoes``),
    contradicts its neighbour (``contradictions``), breaks off (``broken``) or quotes what isn't there (``untrue``)."""

    texts: int = Field(ge=0, le=10**6)
    turn: float = Field(ge=0, le=1)
    alike: int = Field(ge=0, le=10**6)
    echoes: int = Field(ge=0, le=10**6)
    contradictions: int = Field(ge=0, le=10**6)
    broken: int = Field(ge=0, le=10**6)
    untrue: int = Field(default=0, ge=0, le=10**6)

    @property
    def passed(self) -> bool:
        """Whether the model's prose is worth showing beside the editor's note."""
        clean = not (self.echoes or self.contradictions or self.broken)
        return self.texts > 0 and self.turn >= LEAST_TURN and self.alike <= MOST_ALIKE and clean

    @property
    def in_words(self) -> str:
        """``failed: 37 in 100 name the turn, one form came 12 times, 3 of 30 give the joke back``."""
        found = [f"{100 * self.turn:.0f} in 100 name what the joke turns on"]
        if self.alike > 1:
            found.append(f"the commonest form came {self.alike} times")
        counted = (
            (self.echoes, "give the joke back"),
            (self.contradictions, "contradict themselves"),
            (self.broken, "break off"),
            (self.untrue, "quote what isn't there"),
        )
        found += [f"{count} of {self.texts} {what}" for count, what in counted if count]
        return f"{'passed' if self.passed else 'failed'}: {', '.join(found)}"


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


def skeleton(sentence: str, joke: str) -> str:
    """What is left of a sentence when the joke's words and what it quotes are taken out: its form."""
    known = set(_words(joke)) - _SMALL
    shape = ["…" if word in known else word for word in _words(_QUOTED.sub(" … ", sentence).replace("…", " xxx "))]
    found: list[str] = []
    for word in ("…" if word == "xxx" else word for word in shape):
        if not (found and found[-1] == word == "…"):
            found.append(word)
    return " ".join(found)


def figures(rows: Sequence[tuple[str, str, Sequence[str]]]) -> ProseFigures:
    """The test's figures. ``rows``: of each joke its text, its turn, and the sentences about it: first what works,
    then what weakens."""
    shapes = [Counter(skeleton(sentences[at], joke) for joke, _, sentences in rows) for at in (0, 1)]
    wrong = [frozenset[Flaw]().union(*(flaws(sentence, joke) for sentence in said)) for joke, _, said in rows]
    held = sum(holds_turn(sentences[0], turn) for _, turn, sentences in rows)
    return ProseFigures(
        texts=len(rows),
        turn=round(held / len(rows), 4) if rows else 0.0,
        alike=max((count for shape in shapes for count in shape.values()), default=0),
        echoes=sum("echo" in found for found in wrong),
        contradictions=sum(contradicts(said[0], said[1]) for _, _, said in rows),
        broken=sum("broken" in found for found in wrong),
        untrue=sum("untrue" in found for found in wrong),
    )


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
