"""What an audit's forms make of a joke."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ...rubric.perturbations import Form, Perturbations
from ...texts import clean_text

_STRAIGHT = str.maketrans({"'": "’", '"': "”"})
_CURLY = str.maketrans({"’": "'", "‘": "'", "”": '"', "“": '"'})
_LEAST_WORDS = 4
"""A joke with fewer words has no end that could be taken away."""


def changed(form: Form, text: str, perturbations: Perturbations, ending: str = "") -> str | None:
    """The cleaned ``text`` in this form; None where that leaves it as it was, or can't be done. ``ending``: the words
    that take the place of its own last ones."""
    match form.do:
        case "marks":
            made = marks(text)
        case "filler":
            made = filled(text, form.share, perturbations.filler)
        case "capitals":
            made = text.upper()
        case "ending":
            made = broken(text, ending)
        case _:
            # Marks take the place of a last full stop.
            body = text.rstrip(".") if form.after[:1] in ("!", "?") else text
            made = f"{form.before}{body}{form.after}"
    made = clean_text(made)
    return made if made != text else None


def marks(text: str) -> str:
    """Curly quotes for straight ones (or the other way round where there are none), and a last full stop added or left
    out; the text ends as before if it ends with anything else."""
    made = text.translate(_STRAIGHT) if "'" in text or '"' in text else text.translate(_CURLY)
    if made.endswith(".") and not made.endswith(".."):
        return made[:-1]
    return f"{made}." if made[-1:].isalnum() else made


def filled(text: str, share: float, phrases: Sequence[str]) -> str:
    """The text behind phrases that say nothing, longer by about ``share`` of its length."""
    wanted = share * len(text)
    begin = ""
    place = int(digest(text), 16) % len(phrases)
    while len(begin) < wanted:
        phrase = phrases[place % len(phrases)]
        # Half a phrase too much is as far from what is wanted as half of one too little.
        if begin and len(begin) + len(phrase) / 2 > wanted:
            break
        begin += (phrase if not begin else phrase[:1].lower() + phrase[1:]) + " "
        place += 1
    return begin[:1].upper() + begin[1:] + text


def end_of(text: str) -> str:
    """The last third of a joke, in words: about where its punchline stands."""
    words = text.split()
    return " ".join(words[-max(1, round(len(words) / 3)) :])


def broken(text: str, ending: str) -> str:
    """The text with ``ending`` in place of its own end; as it is where it is too short for that."""
    words = text.split()
    if len(words) < _LEAST_WORDS or not ending:
        return text
    kept = words[: -max(1, round(len(words) / 3))]
    return f"{' '.join(kept)} {ending}"


def endings(texts: Sequence[str]) -> dict[str, str]:
    """For each text the end of another one that is nearest to its own in length; of several the first behind it in the
    order of their digests, so that it doesn't depend on how the list is ordered."""
    order = sorted(dict.fromkeys(texts), key=digest)
    found = {}
    for place, text in enumerate(order):
        others = [other for other in order[place + 1 :] + order[:place] if end_of(other) != end_of(text)]
        if others:
            found[text] = end_of(min(others, key=lambda other: abs(len(end_of(other)) - len(end_of(text)))))
    return found


def digest(text: str) -> str:
    """16 hex digits that name a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
