"""An audit as a long run: what was read is kept as it comes, and the next run of the same audit goes on from there."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from .. import __version__
from ..engine.base import CancelToken
from ..errors import JokeJudgeError, info
from ..events import Cancelled, Event, Failed, Finished
from ..judging.audit.judge import chosen
from ..judging.audit.kind import AUDIT
from ..judging.audit.types import AuditRequest
from ..judging.audit.voices import read_by
from ..session import Session
from .audit_file import AuditFile, open_file


def audit(
    session: Session, request: AuditRequest, *, record: bool = True, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Audit the session's model. Yields what ``Session.run`` yields, the model's loading first.

    One that is stopped in any way comes to the same findings when it is run again, to the last bit. A stopped one that
    is to go on (``record`` False) leaves no row; what it read is kept either way, until an audit is whole."""
    file: AuditFile | None = None
    try:
        version = chosen(request.probes).version
        last = yield from _loaded(session, cancel)
        if last is not None:
            yield last
            return
        judge = session.judge
        assert judge is not None
        by = read_by(judge)
        file = open_file(session.profile.cache, by, (version, request.ask, *(case.id for case in request.cases)))
        going_on = AuditRequest.model_validate({**dict(request), "known": file.known(by), "program": __version__})
        for event in session.run(AUDIT, going_on, record=record, cancel=cancel):
            file.keep(event)
            if isinstance(event, Finished):
                file.path.unlink(missing_ok=True)
            yield event
    except JokeJudgeError as error:
        yield Failed(error=info(error))
    finally:
        if file is not None:
            file.close()


def _loaded(session: Session, cancel: CancelToken | None) -> Generator[Event, None, Event | None]:
    """Load a model if none is; the last event if that failed."""
    last: Event | None = None
    if session.model is None:
        for last in session.load(cancel=cancel):
            if not isinstance(last, Finished | Failed | Cancelled):
                yield last
    return None if last is None or isinstance(last, Finished) else last
