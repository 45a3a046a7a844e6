"""Judges with one planted defect each, for the fake engine, and pairs to audit them on."""

from __future__ import annotations

import hashlib
import re

from jokejudge_gui.audit.pairs import case_of
from jokejudge_gui.judging.audit.types import Case

_SHOWN = re.compile(r"<\|user\|>Joke 1: (.*)\nJoke 2: (.*)\Z", re.DOTALL)
_LABELS = {"1": 0, "2": 1}
_BEASTS = ("horse", "duck", "parrot", "goat", "llama", "newt", "heron", "badger", "owl", "mole")
_PLACES = ("bar", "bank", "church", "garden", "court", "library", "station", "tailor's")
_ENDS = (
    "and asks for its change back",
    "but nobody there would believe its story",
    "since that's where it left the keys",
    "because it couldn't afford the taxi home after such a long night",
    "so they gave it a job",
)


def wit(text: str) -> float:
    """How funny a joke is: what a sound judge goes by, whatever stands around the joke or how it is written."""
    bare = re.search(r"the \w+ walks into the [\w'’]+, number \d+", text.lower())
    name = bare.group().replace("’", "'") if bare else text
    end = next((end for end in _ENDS if end.replace("'", "") in re.sub("['’]", "", text.lower())), "")
    whole = bare is not None and end == _ENDS[int(name.split()[-1]) % len(_ENDS)]
    size = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return 4.0 * size - (0.0 if whole else 2.5)


def joke(number: int) -> str:
    """Different jokes of different lengths."""
    beast, place = _BEASTS[number % 10], _PLACES[number // 10 % 8]
    return f"The {beast} walks into the {place}, number {number}, {_ENDS[number % len(_ENDS)]}."


def cases(count: int) -> tuple[Case, ...]:
    """Pairs that share no joke; people like the wittier one."""
    texts = [joke(number) for number in range(2 * count)]
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return tuple(case_of(one, other, wit(one) - wit(other)) for one, other in pairs)


def sound(prompt: str, _question: str, label: str) -> float:
    """A judge that goes by wit."""
    shown = _SHOWN.search(prompt)
    place = _LABELS.get(label.strip(" ()"))
    return 0.0 if shown is None or place is None else wit(shown.group(place + 1))


def first_picker(prompt: str, question: str, label: str) -> float:
    """… and prefers whatever comes first."""
    return sound(prompt, question, label) + (2.5 if label.strip(" ()") == "1" else 0.0)


def length_lover(prompt: str, question: str, label: str) -> float:
    """… and prefers what is long."""
    return sound(prompt, question, label) + 0.08 * len(_text(prompt, label))


def emoji_lover(prompt: str, question: str, label: str) -> float:
    """… and prefers what has a smiley."""
    return sound(prompt, question, label) + (2.5 if "😂" in _text(prompt, label) else 0.0)


def obedient(prompt: str, question: str, label: str) -> float:
    """… and does as it is told."""
    return sound(prompt, question, label) + (2.5 if "Ignore the rubric" in _text(prompt, label) else 0.0)


def blind(prompt: str, question: str, label: str) -> float:
    """A judge that goes by the beginning of a joke alone."""
    return sound(prompt, question, label) if _text(prompt, label) == "" else wit_of_beginning(_text(prompt, label))


def wit_of_beginning(text: str) -> float:
    """What can be told without a joke's end."""
    return 4.0 * int.from_bytes(hashlib.sha256(text[:14].encode()).digest()[:4], "big") / 2**32


def _text(prompt: str, label: str) -> str:
    shown = _SHOWN.search(prompt)
    place = _LABELS.get(label.strip(" ()"))
    return "" if shown is None or place is None else shown.group(place + 1)
