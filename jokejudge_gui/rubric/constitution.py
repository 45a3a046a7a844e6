"""What an explanation of a joke must keep to: the principles of criteria/constitution.xml."""

from __future__ import annotations

from pathlib import Path

from ..paths import criteria_dir
from .xml_file import read_xml


def load_constitution(folder: Path | None = None) -> tuple[str, ...]:
    """The principles, a sentence or two each, in their order. Raises ``CriteriaError``."""
    path = (folder or criteria_dir()) / "constitution.xml"
    root = read_xml(path, path.with_suffix(".rng"))
    return tuple(" ".join((element.text or "").split()) for element in root.iterfind("principle"))
