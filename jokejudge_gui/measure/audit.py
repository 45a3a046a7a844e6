"""An audit as a long run: results are kept as they come, and the next run of the same audit continues from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from .. import __version__
from ..batch.lines import Line, LinesFile
from ..core.errors import Cancelled as Stopped
from ..core.errors import InputError, JokeJudgeError, info
from ..core.events import Cancelled, Event, Failed, Finished, Last, last_of
from ..core.files import atomic_write, remove
from ..core.paths import Profile
from ..engine.base import CancelToken
from ..judge.audit.judge import answers_left, chosen
from ..judge.audit.kind import AUDIT
from ..judge.audit.types import (
    Asking,
    AuditRequest,
    AuditResult,
    Known,
    KnownPart,
    KnownReadings,
    ReadBy,
    TextAnswer,
    TextReading,
    pair_key,
    read_audit,
)
from ..judge.audit.voices import read_by
from ..session.session import Session
from .kept import open_anew

# -- the results of an audit so far ------------------------------------------------------------------------------------

_FOLDER = "audits"
_MOST_KEPT = 20
_NAMES: dict[KnownPart, str] = {"pairs": "asking", "answers": "answer", "texts": "reading"}
_KINDS: dict[KnownPart, type[Known]] = {"pairs": Asking, "answers": TextAnswer, "texts": TextReading}


class AuditFile(LinesFile):
    """A line for each text read, each text asked about, and each pair, kept in the profile's cache until the audit is
    complete. Opening reads the lines of an earlier run."""

    refused = ("E_AUDIT_FILE", "a line of an audit", "Delete that file.")

    def __init__(self, path: Path) -> None:
        """Raises ``UsageError`` ``E_AUDIT_FILE`` for any other file, and what ``LinesFile`` raises."""
        self.known = KnownReadings()
        super().__init__(path, "audit")
        self.known.keep = self._keep

    def _keep(self, part: KnownPart, key: str, found: Known) -> None:
        what = {"pair": key.split("\0")} if part == "pairs" else {"text": key}
        id = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self.append({"id": id, **what, _NAMES[part]: found.model_dump()})

    def keep(self, line: Line) -> bool:
        part: KnownPart = "pairs" if "pair" in line else "answers" if _NAMES["answers"] in line else "texts"
        key = pair_key(*map(str, line["pair"])) if part == "pairs" else str(line["text"])
        self.known.add(part, key, _KINDS[part].model_validate(line[_NAMES[part]]))
        return True


def open_file(cache: Path, read_by: ReadBy, parts: Sequence[str]) -> AuditFile:
    """Open the file of this audit in the profile's ``cache``. ``parts``: everything besides the judge that identifies
    the audit. A file of anything else is replaced by an empty one: only time is lost. Raises ``SettingsError``
    ``E_WRITE`` and what ``LinesFile`` raises."""
    folder = cache / _FOLDER
    with suppress(OSError):  # where the folder can't be read
        for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]:
            path.unlink(missing_ok=True)
    by = (read_by.model, read_by.head, read_by.editor, read_by.prompts, read_by.asked)
    mark = hashlib.sha256("\0".join((*by, *parts)).encode()).hexdigest()[:16]
    path = folder / f"{mark}.jsonl"
    return open_anew(AuditFile, path, lambda: path.unlink(missing_ok=True))


def audit(
    session: Session, request: AuditRequest, *, record: bool = True, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Audit the session's model. Yields what ``Session.run`` yields, the model's loading first.

    An audit that is stopped in any way leaves no row in the history; its results are kept until it is complete, and
    running it again gives the same findings, to the last bit. A recorded audit of all probes replaces the model's audit
    in ``Profile.audits``."""
    file: AuditFile | None = None
    try:
        version = chosen(request.probes).version
        ended: Last = Finished()
        judge = yield from session.ready(cancel)
        by = read_by(judge, everything=request.ask == "all")
        parts = (version, request.ask, str(request.most_asked), *(case.id for case in request.cases))
        file = open_file(session.profile.cache, by, parts)
        file.known.read_by = by
        for recorded in (False, True) if record else (False,):
            # The second time all results are known, and only the summary is left to compute.
            given = {**dict(request), "known": file.known, "program": __version__}
            events = session.run(AUDIT, AuditRequest.model_validate(given), record=recorded, cancel=cancel)
            ended = yield from last_of(events)
            if not isinstance(ended, Finished):
                yield ended
                return
        if record and not request.probes and isinstance(ended.result, AuditResult):
            _keep(session.profile.audits, judge.model.sha256, ended.result)
            judge.answers_left = answers_left(ended.result)
            judge.plan_again()
        file.path.unlink(missing_ok=True)  # last: if the audit couldn't be kept, its results still are
        yield ended
    except Stopped:
        yield Cancelled()
    except JokeJudgeError as error:
        yield Failed(error=info(error))
    finally:
        if file is not None:
            file.close()


def _keep(folder: Path, sha256: str, result: AuditResult) -> None:
    """Store the audit as its model's audit. Raises ``SettingsError`` ``E_WRITE``."""
    # Without the jokes: they are in the history, where the user may delete them.
    bare = result.replaced(pairs=tuple(pair.replaced(text_a="", text_b="") for pair in result.pairs))
    content = json.dumps(AUDIT.contract(bare), ensure_ascii=False, allow_nan=False, indent=1)
    atomic_write(folder / f"{sha256[:16]}.json", content + "\n")


def forget_jokes(profile: Profile) -> None:
    """Remove the jokes from the audits of earlier versions, and the results of unfinished audits. Raises
    ``SettingsError`` ``E_WRITE``."""
    for path in sorted(profile.audits.glob("*.json")):
        try:
            result = read_audit(path)
        except InputError:
            result = None
        if result is None or result.model is None:
            remove(path)  # not used any more
        elif any(pair.text_a or pair.text_b for pair in result.pairs):
            _keep(profile.audits, result.model.sha256, result)
    for path in (profile.cache / _FOLDER).glob("*.jsonl"):
        remove(path)
