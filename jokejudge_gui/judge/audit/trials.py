"""The texts that an audit has to read: each pair with one of its jokes changed, form by form."""

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
from .record import AuditPair

_STRAIGHT = str.maketrans({"'": "’", '"': "”"})
_CURLY = str.maketrans({"’": "'", "‘": "'", "”": '"', "“": '"'})
T = TypeVar("T")
_LEAST_WORDS = 4
"""A joke with fewer words has no end that could be replaced."""


def changed(form: Form, text: str, perturbations: Perturbations, ending: str = "") -> str | None:
    """Return the cleaned ``text`` in this form; None where the form changes nothing or can't be applied. ``ending``:
    the words that replace its own last ones. Raises ``InputError`` for a text at the length limit."""
    match form.do:
        case "marks":  # the other kind of quotes, and a last full stop more or less
            made = text.translate(_STRAIGHT if "'" in text or '"' in text else _CURLY)
            if made.endswith(".") and not made.endswith(".."):
                made = made[:-1]
            elif made[-1:].isalnum():
                made = f"{made}."
        case "filler":
            made = filled(text, form.share, perturbations.filler)
        case "capitals":
            made = text.upper()
        case "ending":
            made = broken(text, ending)
        case _:
            # Marks replace a last full stop.
            body = text.rstrip(".") if form.after[:1] in ("!", "?") else text
            made = f"{form.before}{body}{form.after}"
    made = clean_text(made)
    return made if made != text else None


def filled(text: str, share: float, phrases: Sequence[str]) -> str:
    """Prefix the text with phrases that say nothing, so that it is longer by about ``share`` of its length."""
    wanted, begin = share * len(text), ""
    place = int(digest(text), 16)
    # Half a phrase too much is as close to the wanted length as half a phrase too little.
    while not begin or len(begin) + len(phrases[place % len(phrases)]) / 2 <= wanted:
        phrase = phrases[place % len(phrases)]
        begin += f"{phrase if not begin else phrase[:1].lower() + phrase[1:]} "
        place += 1
    return begin[:1].upper() + begin[1:] + text


def _cut(text: str) -> tuple[str, str]:
    """Return a joke without the last third of its words, and that third, roughly its punchline."""
    words = text.split()
    end = max(1, round(len(words) / 3))
    return " ".join(words[:-end]), " ".join(words[-end:])


def end_of(text: str) -> str:
    """Return the last third of a joke's words, roughly its punchline."""
    return _cut(text)[1]


def broken(text: str, ending: str) -> str:
    """Replace the text's end by ``ending``; a text that is too short is returned unchanged."""
    return text if len(text.split()) < _LEAST_WORDS or not ending else f"{_cut(text)[0]} {ending}"


def endings(texts: Sequence[str]) -> dict[str, str]:
    """Return for each text the end of another one that is nearest to its own end in length; of several the next in the
    order of their digests, so that it doesn't depend on the order of the list."""
    order = sorted(dict.fromkeys(texts), key=digest)
    ends = [end_of(text) for text in order]
    nearest = {}
    for place, (text, end) in enumerate(zip(order, ends, strict=True)):
        if others := [other for other in ends[place + 1 :] + ends[:place] if other != end]:
            nearest[text] = min(others, key=lambda other: abs(len(other) - len(end)))
    return nearest


def digest(text: str) -> str:
    """Return 16 hex digits that identify a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Trial:
    """A pair with one joke changed: ``text`` instead of ``base``, which is ``side``; ``before``: the text with which
    the change is compared."""

    case: AuditPair
    side: Side
    base: str
    before: str
    text: str

    def pair(self, text: str) -> tuple[str, str]:
        """Return the pair's texts with ``text`` in place of the changed joke."""
        return (text, self.case.text_b) if self.side == "A" else (self.case.text_a, text)


Trials = list[tuple[Probe, Form, list[Trial]]]
"""The trials of each form."""


def all_trials(cases: Sequence[AuditPair], perturbations: Perturbations) -> Iterator[tuple[Probe, Form, list[Trial]]]:
    """Yield the trials of each form: the pairs that it changes, in their order."""
    ends = endings([text for case in cases for text in (case.text_a, case.text_b)])
    for probe in perturbations.probes:
        for form in probe.forms:
            tried = []
            for case in cases:
                # The joke that people like less is changed, or either, depending on the digests.
                side: Side = "A" if digest(case.text_a) < digest(case.text_b) else "B"
                if probe.loser and case.winner is not None:
                    side = "B" if case.winner == "A" else "A"
                base = case.text_a if side == "A" else case.text_b
                try:
                    text = changed(form, base, perturbations, ends.get(base, ""))
                    before = changed(probe.form(form.than), base, perturbations) if form.than else base
                except InputError:
                    continue  # at the length limit, so nothing can be added
                if text is not None and before is not None:
                    tried.append(Trial(case, side, base, before, text))
            yield probe, form, tried


def texts_of(cases: Sequence[AuditPair], trials: Trials) -> list[str]:
    """Return all texts to read: the jokes first, then their changed forms, one of every form at a time, so that a
    stopped audit has results for each form."""
    columns = [[trial.text for trial in tried] for _, _, tried in trials]
    return _in_turn([text for case in cases for text in (case.text_a, case.text_b)], columns)


def pairs_of(cases: Sequence[AuditPair], trials: Trials) -> list[tuple[str, str]]:
    """Return all pairs that a model has to compare when asked about these cases, the unchanged pairs first."""
    ids = {case.id for case in cases}
    columns = [
        [(one.base, one.text) if probe.role == "broken" else one.pair(one.text) for one in tried if one.case.id in ids]
        for probe, _, tried in trials
    ]
    return _in_turn([(case.text_a, case.text_b) for case in cases], columns)


def _in_turn(first: Sequence[T], columns: Sequence[Sequence[T]]) -> list[T]:
    """``first``, then one of each column in turn, without repetitions."""
    rest = (item for turn in zip_longest(*columns) for item in turn if item is not None)
    return list(dict.fromkeys((*first, *rest)))
