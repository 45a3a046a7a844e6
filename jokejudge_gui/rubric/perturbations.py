"""The changes that the bias audit makes to jokes, read from criteria/perturbations.xml."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.errors import CriteriaError
from ..core.paths import criteria_dir
from ..core.verdicts import Frozen
from .xml_parser import read_xml, value_of

if TYPE_CHECKING:
    from lxml import etree  # slow to import, and not needed to show a verdict

PERTURBATIONS = "perturbations.xml"

Role = Literal["control", "bias", "injection", "broken", "order", "own"]
Wrong = Literal["toward", "any"]
Deed = Literal["marks", "filler", "capitals", "ending"]


class Form(Frozen):
    """A way to change a joke: text ``before`` or ``after`` it, or the operation ``do``; ``share``: the length of added
    filler, as a share of the joke's. ``than``: id of the form that it is compared with, empty for the unchanged
    joke."""

    id: str
    name: str
    before: str = ""
    after: str = ""
    do: Deed | None = None
    share: float = 0.0
    than: str = ""


class Probe(Frozen):
    """One question about a judge. ``loser``: the joke that people like less is changed, otherwise either; ``wrong``:
    the direction of change that counts as a fault; ``says``: the change, in words."""

    id: str
    name: str
    role: Role
    says: str
    loser: bool = False
    wrong: Wrong = "any"
    forms: tuple[Form, ...] = ()

    def form(self, id: str) -> Form:
        """Return the form with this id."""
        return next(form for form in self.forms if form.id == id)


class Perturbations(Frozen):
    """All probes in file order, and the ``filler``'s phrases. ``version``: the file's number and a digest of its
    content."""

    version: str
    filler: tuple[str, ...]
    probes: tuple[Probe, ...]

    def only(self, names: tuple[str, ...]) -> Perturbations:
        """Return the named probes and the control; all for no names."""
        kept = tuple(probe for probe in self.probes if not names or probe.id in names or probe.role == "control")
        return Perturbations(version=self.version, filler=self.filler, probes=kept)


@lru_cache(maxsize=4)
def parse_perturbations(path: Path | None = None) -> Perturbations:
    """Read the probes. Raises ``CriteriaError`` for a malformed file, a duplicate id, a form that changes nothing or is
    compared with one that its probe doesn't have, or any number of controls but one."""
    path = path or criteria_dir() / PERTURBATIONS
    root = read_xml(path)
    probes = tuple(_probe(element) for element in root.iterfind("probe"))
    fault = _fault(probes)
    if fault:
        raise CriteriaError("E_CRITERIA", f"{path.name}: {fault}.", "Correct that probe, or restore the file.")
    from lxml import etree

    mark = hashlib.sha256(etree.tostring(root, method="c14n")).hexdigest()[:12]
    filler = tuple(element.text or "" for element in root.iterfind("filler/phrase"))
    return Perturbations(version=f"{root.get('version')}-{mark}", filler=filler, probes=probes)


def _probe(element: etree._Element) -> Probe:
    forms = tuple(value_of(Form, form, as_written=True) for form in element.iterfind("form"))
    return value_of(Probe, element, as_written=True, loser=element.get("side") == "loser", forms=forms)


def _fault(probes: tuple[Probe, ...]) -> str:
    """Return the problem of the probes as a whole; empty where there is none."""
    ids = [probe.id for probe in probes]
    if len(set(ids)) != len(ids):
        return "two probes have the same id"
    for probe in probes:
        forms = [form.id for form in probe.forms]
        if len(set(forms)) != len(forms):
            return f"two forms of {probe.id} have the same id"
        if bool(forms) == (probe.role in ("order", "own")):
            return f"{probe.id} has {'forms, which its role' if forms else 'no form, where its role'} doesn't allow"
        for number, form in enumerate(probe.forms):
            if form.than and form.than not in forms[:number]:
                return f"the form {form.id} is compared with {form.than}, which doesn't stand before it"
            if (form.do is None) == (not form.before and not form.after):
                return f"the form {form.id} needs text before or after the joke, or something to do"
            if (form.do == "filler") != (form.share > 0):
                return f"the form {form.id} needs a share if it adds filler, and none if it doesn't"
    if [probe.role for probe in probes].count("control") != 1:
        return "there must be exactly one control"
    return ""
