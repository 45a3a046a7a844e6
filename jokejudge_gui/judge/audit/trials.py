"""Which texts an audit has to read: each pair with one of its jokes changed, form by form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from ...core.errors import InputError
from ...core.texts import clean_text
from ...core.verdicts import Side
from ...rubric.perturbations import Form, Perturbations, Probe
from .types import Case

# -- What an audit's forms make of a joke ------------------------------------------------------------------------------

_STRAIGHT = str.maketrans({"'": "’", '"': "”"})
_CURLY = str.maketrans({"’": "'", "‘": "'", "”": '"', "“": '"'})
_What = TypeVar("_What")
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
    ends = [end_of(text) for text in order]
    found = {}
    for place, (text, end) in enumerate(zip(order, ends, strict=True)):
        others = [other for other in ends[place + 1 :] + ends[:place] if other != end]
        if others:
            size = len(end)
            found[text] = min(others, key=lambda other: abs(len(other) - size))
    return found


def digest(text: str) -> str:
    """16 hex digits that name a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Trial:
    """A pair with one joke changed: ``text`` instead of ``base``, which is ``side``; ``before``: the text that the
    change is compared with."""

    case: Case
    side: Side
    base: str
    before: str
    text: str

    def pair(self, text: str) -> tuple[str, str]:
        """The pair's texts with this one in its place."""
        return (text, self.case.text_b) if self.side == "A" else (self.case.text_a, text)


def trials(cases: Sequence[Case], probe: Probe, form: Form, perturbations: Perturbations) -> list[Trial]:
    """The pairs that this form changes, in their order."""
    ends = endings([text for case in cases for text in (case.text_a, case.text_b)]) if form.do == "ending" else {}
    found = []
    for case in cases:
        side = marked(case, loser=probe.loser)
        base = case.text_a if side == "A" else case.text_b
        try:
            text = changed(form, base, perturbations, ends.get(base, ""))
            before = changed(probe.form(form.than), base, perturbations) if form.than else base
        except InputError:
            continue  # at the limit of what can be judged, so that nothing more can be added
        if text is not None and before is not None:
            found.append(Trial(case, side, base, before, text))
    return found


def marked(case: Case, *, loser: bool) -> Side:
    """Which joke of a pair is changed: the one that people like less, or either, as the texts' digests fall."""
    if loser and case.winner is not None:
        return "B" if case.winner == "A" else "A"
    return "A" if digest(case.text_a) < digest(case.text_b) else "B"


def all_trials(cases: Sequence[Case], perturbations: Perturbations) -> Iterator[tuple[Probe, Form, list[Trial]]]:
    for probe in perturbations.probes:
        for form in probe.forms:
            yield probe, form, trials(cases, probe, form, perturbations)


def texts_of(cases: Sequence[Case], perturbations: Perturbations) -> list[str]:
    """All texts to be read, the jokes themselves first, then what comes of them, a share of every form at a time, so
    that an audit that is stopped knows something of each."""
    columns = [[trial.text for trial in rows] for _, _, rows in all_trials(cases, perturbations)]
    return _in_turn([text for case in cases for text in (case.text_a, case.text_b)], columns)


def pairs_of(cases: Sequence[Case], perturbations: Perturbations) -> list[tuple[str, str]]:
    """All pairs that a model which is asked has to compare, the pairs themselves first."""
    columns = []
    for probe, _, rows in all_trials(cases, perturbations):
        broken = probe.role == "broken"
        columns.append([(each.base, each.text) if broken else each.pair(each.text) for each in rows])
    return _in_turn([(case.text_a, case.text_b) for case in cases], columns)


def _in_turn(first: Sequence[_What], columns: Sequence[Sequence[_What]]) -> list[_What]:
    """``first``, then one of each column in turn, each once."""
    rest = (each for turn in zip_longest(*columns) for each in turn if each is not None)
    return list(dict.fromkeys((*first, *rest)))
