"""Which texts an audit has to read: each pair with one of its jokes changed, form by form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...rubric.perturbations import Form, Perturbations, Probe
from ...verdicts import Side
from .texts import changed, digest, endings
from .types import Case


@dataclass(frozen=True)
class Trial:
    """A pair with one joke changed: ``text`` instead of ``base``, which is ``side``; ``before``: the text that the
    change is held against."""

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
    """Every form of every probe."""
    for probe in perturbations.probes:
        for form in probe.forms:
            yield probe, form, trials(cases, probe, form, perturbations)


def texts_of(cases: Sequence[Case], perturbations: Perturbations) -> list[str]:
    """All texts to be read, the jokes themselves first, then what comes of them, a share of every form at a time, so
    that an audit that is stopped knows something of each."""
    found = dict.fromkeys(text for case in cases for text in (case.text_a, case.text_b))
    columns = [[trial.text for trial in rows] for _, _, rows in all_trials(cases, perturbations)]
    for place in range(max(map(len, columns), default=0)):
        found.update(dict.fromkeys(column[place] for column in columns if place < len(column)))
    return list(found)


def pairs_of(cases: Sequence[Case], perturbations: Perturbations) -> list[tuple[str, str]]:
    """All pairs that a model which is asked has to compare, the pairs themselves first."""
    found = dict.fromkeys((case.text_a, case.text_b) for case in cases)
    columns = []
    for probe, _, rows in all_trials(cases, perturbations):
        broken = probe.role == "broken"
        columns.append([(each.base, each.text) if broken else each.pair(each.text) for each in rows])
    for place in range(max(map(len, columns), default=0)):
        found.update(dict.fromkeys(column[place] for column in columns if place < len(column)))
    return list(found)
