"""Audits and files: writing a report, and holding an audit against an earlier one. Jobs for the side worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ...audit.drift import Drift, drift
from ...audit.report_html import page
from ...engine.base import CancelToken
from ...files import atomic_write
from ...judging.audit.kind import AUDIT
from ...judging.audit.saved import read_audit
from ...judging.audit.types import AuditResult
from ...judging.audit.words import Names
from ...rubric.perturbations import parse_perturbations
from ..frame.judge_worker import JobStart


class AuditWritten:
    """A report lies at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path


def audit_report_job(result: AuditResult, path: Path, against: Drift | None = None) -> JobStart:
    """Writes an audit's report: JSON where the name ends so (as ``jokejudge audit --json`` does), else one HTML page.
    ``against``: what changed since an earlier audit."""

    def start(_token: CancelToken) -> Iterator[object]:
        as_json = path.suffix.lower() == ".json"
        if as_json:
            drifted = {"against": against.model_dump(mode="json")} if against is not None else {}
            found = AUDIT.contract(result) | drifted | {"error": None}
            text = json.dumps(found, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        else:
            text = page(result, Names(parse_perturbations()), against)
        atomic_write(path, text)
        yield AuditWritten(path)

    return start


class Compared:
    """``result`` was held against the audit in the file with this ``name``."""

    def __init__(self, result: AuditResult, found: Drift, name: str) -> None:
        self.result = result
        self.found = found
        self.name = name


def drift_job(result: AuditResult, path: Path) -> JobStart:
    """Reads an earlier audit and says what changed since."""

    def start(_token: CancelToken) -> Iterator[object]:
        found = drift(read_audit(path), result, Names(parse_perturbations()))
        yield Compared(result, found, path.name)

    return start
