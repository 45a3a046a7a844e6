"""One careful way to read an XML file: no entities, no DTD, no network, checked against its schema."""

from __future__ import annotations

import time
from pathlib import Path

from lxml import etree

from ..errors import CriteriaError

_MOST_BYTES = 4 * 1024 * 1024
_FRESH_NS = 2 * 10**9
FileMarks = tuple[tuple[int, int, int], ...]


def file_marks(*paths: Path) -> FileMarks | None:
    """What changes with the files, for a cache of what was read from them. None: don't cache, because one is missing
    or was written so recently that it might be written again without a new time."""
    try:
        states = [path.stat() for path in paths]
    except (OSError, ValueError):
        return None
    if time.time_ns() - max(state.st_mtime_ns for state in states) < _FRESH_NS:
        return None
    return tuple((state.st_ino, state.st_mtime_ns, state.st_size) for state in states)


def read_xml(path: Path, schema: Path) -> etree._Element:
    """The root of ``path`` after validation against the RelaxNG ``schema``.

    Raises ``CriteriaError`` (``E_CRITERIA_MISSING``, ``E_CRITERIA_DTD``, ``E_CRITERIA_XML``, ``E_CRITERIA_SCHEMA``)
    whose sentence names the file and, where there is one, the line.
    """
    try:
        # What is no plain file (a device, a pipe) might never end.
        if path.exists() and not path.is_file():
            raise CriteriaError("E_CRITERIA_MISSING", f"{path.name} isn't a plain file.", "Give another name.")
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        rules = etree.RelaxNG(etree.fromstring(schema.read_bytes(), _parser()))
    except FileNotFoundError as error:
        raise CriteriaError(
            "E_CRITERIA_MISSING",
            f"The file {error.filename} is missing.",
            "Install JokeJudge again, or restore the file.",
        ) from error
    except OSError as error:
        raise CriteriaError(
            "E_CRITERIA_MISSING", f"{path.name} can't be read: {error.strerror}.", "Check the file's permissions."
        ) from error
    if len(data) > _MOST_BYTES:
        raise CriteriaError("E_CRITERIA_XML", f"{path.name} is larger than 4 MiB.", "Restore the file.")
    try:
        root = etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise CriteriaError(
            "E_CRITERIA_XML", f"{path.name}, line {line}: this is not sound XML ({error}).", "Mend that line."
        ) from error
    tree = root.getroottree()
    if tree.docinfo.doctype or tree.docinfo.internalDTD is not None:
        raise CriteriaError(
            "E_CRITERIA_DTD",
            f"{path.name}, line 1: the file declares a document type, which is not allowed.",
            "Remove the DOCTYPE; write characters directly instead of entities.",
        )
    if not rules.validate(root):
        first = rules.error_log[0]
        raise CriteriaError(
            "E_CRITERIA_SCHEMA",
            f"{path.name}, line {first.line}: {first.message}.",
            f"See {schema.name} for what may stand there.",
        )
    return root


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
