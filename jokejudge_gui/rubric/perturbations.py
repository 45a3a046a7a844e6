"""The changes that the bias audit makes to jokes, read from criteria/perturbations.xml."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from ..core.paths import criteria_dir
from ..core.verdicts import Frozen
from .xml_parser import digest_of, read_xml, value_of

PERTURBATIONS = "perturbations.xml"

Role = Literal["control", "bias", "injection", "broken", "order"]
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


@lru_cache(maxsize=1)
def parse_perturbations() -> Perturbations:
    """Read the probes. Raises ``CriteriaError`` for a malformed file."""
    root = read_xml(criteria_dir() / PERTURBATIONS)
    probes = []
    for element in root.iterfind("probe"):
        forms = tuple(value_of(Form, form, as_written=True) for form in element.iterfind("form"))
        loser = element.get("side") == "loser"
        probes.append(value_of(Probe, element, as_written=True, loser=loser, forms=forms))
    filler = tuple(element.text or "" for element in root.iterfind("filler/phrase"))
    return Perturbations(version=f"{root.get('version')}-{digest_of(root)}", filler=filler, probes=tuple(probes))
