"""An audit as a long run: what was read is kept as it comes, and the next run of the same audit goes on from there."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TypeAlias

from .. import __version__
from ..engine.base import CancelToken
from ..errors import Cancelled as Stopped
from ..errors import InputError, JokeJudgeError, info
from ..events import Cancelled, Event, Failed, Finished
from ..files import atomic_write, remove
from ..judging.audit.answers_left import answers_left
from ..judging.audit.judge import chosen
from ..judging.audit.kind import AUDIT
from ..judging.audit.saved import read_audit
from ..judging.audit.types import AuditRequest, AuditResult
from ..judging.audit.voices import read_by
from ..paths import Profile
from ..session import Session
from .audit_file import AuditFile, open_file

Last: TypeAlias = Finished | Failed | Cancelled


def audit(
    session: Session, request: AuditRequest, *, record: bool = True, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Audit the session's model. Yields what ``Session.run`` yields, the model's loading first.

    One that is stopped in any way leaves no row in the history; what it read is kept until it is whole, and run again
    it comes to the same findings, to the last bit. A recorded one of all probes is what is known of the model from then
    on (``Profile.audits``)."""
    file: AuditFile | None = None
    try:
        version = chosen(request.probes).version
        ended: Last = Finished()
        judge = yield from session.ready(cancel)
        by = read_by(judge, everything=request.ask == "all")
        parts = (version, request.ask, str(request.most_asked), *(case.id for case in request.cases))
        file = open_file(session.profile.cache, by, parts)
        for recorded in (False, True) if record else (False,):
            # The second time everything is known, and all that is left to do is to sum up.
            given = {**dict(request), "known": file.known(by), "program": __version__}
            ended = yield from _run(session, AuditRequest.model_validate(given), file, recorded, cancel)
            if not isinstance(ended, Finished):
                yield ended
                return
        if record and not request.probes and isinstance(ended.result, AuditResult):
            _keep(session.profile.audits, judge.model.sha256, ended.result)
            judge.answers_left = answers_left(ended.result)
            judge.plan_again()
        file.path.unlink(missing_ok=True)  # last: where the audit couldn't be kept, nothing has to be read again
        yield ended
    except Stopped:
        yield Cancelled()
    except JokeJudgeError as error:
        yield Failed(error=info(error))
    finally:
        if file is not None:
            file.close()


def _run(
    session: Session, request: AuditRequest, file: AuditFile, record: bool, cancel: CancelToken | None
) -> Generator[Event, None, Last]:
    """One audit, what it reads written down; its last event."""
    for event in session.run(AUDIT, request, record=record, cancel=cancel):
        if isinstance(event, Finished | Failed | Cancelled):
            return event
        file.keep(event)
        yield event
    raise RuntimeError("an audit ended without a last event")


def _keep(folder: Path, sha256: str, result: AuditResult) -> None:
    """Make it the audit that is known of its model. Raises ``SettingsError`` ``E_WRITE``."""
    # Without the jokes: those are in the history, where the user may delete them.
    bare = result.replaced(pairs=tuple(pair.replaced(text_a="", text_b="") for pair in result.pairs))
    content = json.dumps(AUDIT.contract(bare), ensure_ascii=False, allow_nan=False, indent=1)
    atomic_write(folder / f"{sha256[:16]}.json", content + "\n")


def forget_jokes(profile: Profile) -> None:
    """Remove the jokes from the audits that earlier versions kept, and what unfinished audits have read. Raises
    ``SettingsError`` ``E_WRITE``."""
    for path in sorted(profile.audits.glob("*.json")):
        try:
            result = read_audit(path)
        except InputError:
            result = None
        if result is None or result.model is None:
            remove(path)  # nothing reads it any more
        elif any(pair.text_a or pair.text_b for pair in result.pairs):
            _keep(profile.audits, result.model.sha256, result)
    for path in (profile.cache / "audits").glob("*.jsonl"):
        remove(path)
