"""Measuring Deep against Quick on a session's model, for the window, the terminal and Python."""

from __future__ import annotations

from collections.abc import Iterator

from .. import __version__
from ..core.events import Event
from ..core.paths import models_dir
from ..core.verdicts import Asked
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..judge.plan.deep_worth import DeepFiles
from ..learning.deep_job import TEXTS, measure_deep
from ..learning.editor_data import read_readings
from ..session.recording import ended
from ..session.session import Session


def deep_worth_of(
    session: Session, *, ask: Asked = "plan", texts: int = TEXTS, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Load the model if none is, judge ``texts`` jokes and as many pairs by Quick and by Deep, and keep the result
    (``DeepMeasured``), which verdicts report from then on; the last event is finished, failed or cancelled. Texts that
    were judged before a stop aren't judged again."""

    def steps() -> Iterator[Event]:
        judge = yield from session.ready(cancel)
        readings = read_readings(models_dir() / "readings" / "readings.jsonl")
        files = DeepFiles(models_dir() / "deep", session.profile.deep)
        yield from measure_deep(
            judge, readings, shipped_votes(), files, session.profile.texts_read, cancel,
            program=__version__, ask=ask, texts=texts,
        )  # fmt: skip

    return ended(steps())
