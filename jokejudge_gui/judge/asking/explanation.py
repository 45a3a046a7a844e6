"""Short sentences about a joke or a duel, which a model writes after its verdict is fixed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeVar

from pydantic import BaseModel

from ...core.events import TextPiece
from ...core.texts import word_set
from ...engine.base import CancelToken, Engine, Prompt, Sampling
from ...rubric.prompts import PromptBuilder

M = TypeVar("M", bound=BaseModel)
_TOKENS, _CRITIQUE_TOKENS, _REVISION_TOKENS = 36, 32, 40
_LEAST_WORDS = 3
_REPEAT_PENALTY = 1.15
"""Small models fall into loops when they write greedily."""
_RATING = (
    ("works", "Works. The joke works because"),
    ("weakens", "Weakens it. It is weakened because"),
    ("try", "Try. The writer could"),
)
"""The sentences about a rated joke: id and the words that begin each."""
TOO_CLOSE = "The two are too close to call for this model, so it gives no reason for either."
"""Shown instead of reasons where a duel's answer lies within the model's noise."""
_DUEL = (("winner", "The preferred joke is funnier because"), ("loser", "The other joke is less funny because"))


@dataclass(frozen=True)
class Explainer:
    """Writes explanations; each sentence is a branch and all branches are decoded together. ``critique``: prompts of
    criteria/critique_prompts.xml, the constitution among their constants, where sentences about a rated joke go through
    one critique and one revision; ``passed``: whether the model passed the prose test, None where it wasn't made."""

    engine: Engine
    prompts: PromptBuilder
    seed: int
    critique: PromptBuilder | None = None
    passed: bool | None = None

    def rating(self, joke: str, ranked: Sequence[str], cancel: CancelToken | None = None) -> tuple[str, bool]:
        """Return three paragraphs, and whether they were revised: why the joke works, what weakens it and what to try;
        empty where the model finds no words. ``ranked``: names of its factors, the strongest first. Raises the
        engine's errors."""
        names = [name.lower() for name in ranked] or ["nothing in particular"]
        first = self.sentences(joke, names[0], names[-1], cancel)
        revised = self.revised(joke, first, cancel)
        return "".join(_in_order(revised, _RATING)).strip(), revised != first

    def sentences(self, joke: str, strongest: str, weakest: str, cancel: CancelToken | None = None) -> tuple[str, ...]:
        """Return the three sentences of ``rating`` without their opening words. A sentence that was cut off ends in an
        ellipsis, one without words is empty. ``strongest`` and ``weakest``: names of factors."""
        variables = {"joke": joke, "strongest": strongest, "weakest": weakest}
        return self._write("explanation", variables, _RATING, cancel)

    def duel(self, winner: str, loser: str, cancel: CancelToken | None = None) -> Iterator[TextPiece]:
        """Yield two paragraphs that name the jokes by their part, so that swapped duels read the same."""
        for text in _in_order(
            self._write("duel_explanation", {"winner": winner, "loser": loser}, _DUEL, cancel), _DUEL
        ):
            yield TextPiece(text=text)

    def _write(
        self, name: str, variables: dict[str, str], paragraphs: Sequence[tuple[str, str]], cancel: CancelToken | None
    ) -> tuple[str, ...]:
        branches = [self.prompts.answer(name, answer) for answer, _ in paragraphs]
        prompt = self.prompts.prompt(name, variables)
        return tuple(map(whole_sentence, written(self.engine, prompt, branches, _TOKENS, self.seed, cancel)))

    def revised(self, joke: str, sentences: Sequence[str], cancel: CancelToken | None = None) -> tuple[str, ...]:
        """Return ``sentences``, each replaced by its revision where the critique led to one in which no check finds a
        flaw. Scores and the editor's note don't change. Raises the engine's errors."""
        kept = list(sentences)
        for place, (sentence, (part, label)) in enumerate(zip(sentences, _RATING, strict=True)):
            given = {"joke": joke, "sentence": f"{label.partition('. ')[2]} {sentence}"}
            if self.critique is None or not sentence:
                continue
            given["critique"] = self._one("critique", "fault", given, _CRITIQUE_TOKENS, cancel)
            fresh = self._one("revise", part, given, _REVISION_TOKENS, cancel) if given["critique"] else ""
            if fresh and _sound(fresh, joke, kept, place):
                kept[place] = fresh
        return tuple(kept)

    def _one(self, name: str, answer: str, given: dict[str, str], tokens: int, cancel: CancelToken | None) -> str:
        assert self.critique is not None
        prompt, branches = self.critique.prompt(name, given), [self.critique.answer(name, answer)]
        return whole_sentence(written(self.engine, prompt, branches, tokens, self.seed, cancel)[0])


def _sound(sentence: str, joke: str, others: Sequence[str], place: int) -> bool:
    """Whether a revision passes the prose test's checks of a single sentence."""
    neighbours = [other for at, other in enumerate(others[:2]) if at != place] if place < 2 else []
    # The suggestion may quote new words, which aren't in the joke.
    wrong = flaws(sentence, joke) - ({"untrue"} if place == 2 else set())
    return not wrong and not any(contradicts(sentence, other) for other in neighbours)


def written(
    engine: Engine,
    prompt: Prompt,
    branches: Sequence[Prompt],
    tokens: int,
    seed: int,
    cancel: CancelToken | None,
    *,
    grammar: str | None = None,
) -> list[str]:
    """Return the text that a model writes behind each branch up to the line's end; all branches are decoded together.
    Raises the engine's errors."""
    sampling = Sampling(max_tokens=tokens, repeat_penalty=_REPEAT_PENALTY, seed=seed, stop=("\n",), grammar=grammar)
    texts = [""] * len(branches)
    for piece in engine.generate(prompt, branches, sampling, cancel):
        texts[piece.branch] += piece.text
    return texts


def _in_order(sentences: Sequence[str], paragraphs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the finished sentences in reading order, as the branches were decoded together."""
    for index, (sentence, (_, label)) in enumerate(zip(sentences, paragraphs, strict=True)):
        if len(sentence.split()) >= _LEAST_WORDS:
            yield f"{label} {sentence}" + ("\n" if index + 1 < len(paragraphs) else "")


def whole_sentence(text: str) -> str:
    """Return the first sentence; one that was cut off ends in an ellipsis. Empty if there are no words."""
    text = re.sub(r"\s+", " ", text).strip(" \"'")
    if not re.search(r"\w", text):
        return ""
    end = re.search(r"[.!?](?=\s|$|[\"”’])", text)
    return text[: end.end()] if end else text.rstrip(" ,;:-") + "…"


# -- Checks of sentences about a joke that need no understanding -----------------------------------------------------

Flaw = Literal["echo", "broken", "untrue"]
"""``echo``: it repeats the joke; ``broken``: it is cut off or says nothing; ``untrue``: it quotes words that aren't in
the joke."""

_ECHO_WORDS = 8
"""A run of this many words in the joke's order, outside quotation marks, repeats the joke."""
_ECHO_SHARE = 0.8
_LEAST_SENTENCE_WORDS = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUOTED = re.compile(r"[“\"]([^”\"“]+)[”\"]|(?<!\w)[‘']([^’']{3,}?)[’'](?!\w)")
_DENIALS = frozenset(["not", "never", "hardly", "lacks", "lacking", "without", "no", "less"])
_SMALL = word_set(
    "a an the and or but so of to in on at by for from with as is are was were be been it its it's this that i you he "
    "she they we my your his her our their me him them us do does did have has had will would can could not no"
)
_QUALITIES = word_set(
    "surprising unexpected predictable clear original funny witty clever logical vivid short long simple complex "
    "playful daring true obvious subtle relatable absurd silly ironic believable confusing familiar"
)
_NOUNS = {"surprise": "surprising", "clarity": "clear", "originality": "original", "wit": "witty"}
_OPPOSITES = (
    ("surprising", "predictable"), ("unexpected", "predictable"), ("clear", "confusing"), ("short", "long"),
    ("simple", "complex"), ("obvious", "subtle"), ("unexpected", "obvious"), ("surprising", "obvious"),
)  # fmt: skip


def flaws(sentence: str, joke: str) -> frozenset[Flaw]:
    """Return the flaws of one sentence about a joke. ``sentence``: without its opening words."""
    wrong: set[Flaw] = set()
    words = _words(sentence)
    if len(words) < _LEAST_SENTENCE_WORDS or not re.search(r"[.!?][\"”’')]*$", sentence.strip()):
        wrong.add("broken")
    if _gives_back(_words(_QUOTED.sub(" ", sentence)), _words(joke)):
        wrong.add("echo")
    whole = _words(joke)
    if any(not _within(_words(one or other), whole) for one, other in _QUOTED.findall(sentence)):
        wrong.add("untrue")
    return frozenset(wrong)


def contradicts(one: str, other: str) -> bool:
    """Whether two sentences contradict each other about the joke: “surprising” and “not surprising”, or opposite
    words."""
    first, second = _claims(one), _claims(other)
    if any(second.get(quality, holds) != holds for quality, holds in first.items()):
        return True
    return any(
        here.get(a) and there.get(b) for a, b in _OPPOSITES for here, there in ((first, second), (second, first))
    )


def holds_turn(sentence: str, turn: str) -> bool:
    """Whether a sentence holds a content word of the joke's turn, or any word of a turn that has only small words."""
    wanted = set(_words(turn))
    return bool((wanted - _SMALL or wanted) & set(_words(sentence)))


def skeleton(sentence: str, joke: str) -> str:
    """Return a sentence's form: its words, with the joke's words and quotations replaced by an ellipsis."""
    of_joke = set(_words(joke)) - _SMALL
    shape = ["…" if word in of_joke else word for word in _words(_QUOTED.sub(" … ", sentence).replace("…", " xxx "))]
    form: list[str] = []
    for word in ("…" if word == "xxx" else word for word in shape):
        if not (form and form[-1] == word == "…"):
            form.append(word)
    return " ".join(form)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def _gives_back(words: list[str], joke: list[str]) -> bool:
    """Whether words outside quotation marks repeat the joke: a long run of it, or nearly all words of the sentence."""
    most = min(_ECHO_WORDS, max(_LEAST_SENTENCE_WORDS, len(joke) - 1))
    runs = {tuple(joke[at : at + most]) for at in range(len(joke) - most + 1)}
    if any(tuple(words[at : at + most]) in runs for at in range(len(words) - most + 1)):
        return True
    own = [word for word in words if word not in _SMALL]
    return len(own) >= _LEAST_SENTENCE_WORDS and sum(word in joke for word in own) >= _ECHO_SHARE * len(own)


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _claims(sentence: str) -> dict[str, bool]:
    """Qualities that a sentence names, each with whether the sentence affirms it."""
    words = _words(sentence)
    claims: dict[str, bool] = {}
    for at, word in enumerate(words):
        turned = word.startswith("un") and word[2:] in _QUALITIES
        plain = _NOUNS.get(word, word[2:] if turned else word)
        if plain in _QUALITIES:
            denied = any(before in _DENIALS or before.endswith("n't") for before in words[max(0, at - 3) : at])
            claims[plain] = denied == turned
    return claims


# -- Values that a model writes as JSON


def written_as(
    kind: type[M], engine: Engine, prompt: Prompt, start: Prompt, sampling: Sampling, cancel: CancelToken | None
) -> M | None:
    """Return the value that a model writes under the grammar of ``kind``; None where it is incomplete, cut off at the
    token limit. Raises ``JokeJudgeError`` if llama.cpp's converter is missing, and the engine's errors."""
    pieces = engine.generate(prompt, [start], replace(sampling, grammar=grammar_for(kind)), cancel)
    try:
        # The grammar allows a raw line break in a text, which strict JSON doesn't.
        return kind.model_validate(json.loads("".join(piece.text for piece in pieces), strict=False))
    except (ValueError, RecursionError):
        return None


@cache
def grammar_for(kind: type[BaseModel]) -> str:
    """Return the GBNF grammar of the JSON values of a type whose fields are texts with limits."""
    pairs = (
        f'"\\"{name}\\"" space ":" space "\\"" char{{{field["minLength"]},{field["maxLength"]}}} "\\"" space'
        for name, field in kind.model_json_schema()["properties"].items()
    )
    return f"""root ::= "{{" space {' "," space '.join(pairs)} "}}" space
space ::= " "?
char ::= [^"\\\\] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])
"""
