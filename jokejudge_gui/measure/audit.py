"""An audit as a long run: its pairs of jokes; results are kept as they come, and the next run of the same audit
continues from there."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from .. import __version__
from ..batch.lines import Line, LinesFile
from ..core.errors import JokeJudgeError, SettingsError, UsageError
from ..core.events import Event, Finished, Last, last_event, last_of
from ..core.files import private_folder, remove
from ..core.paths import Profile
from ..core.texts import clean_text
from ..core.verdicts import Side
from ..core.vote_sets import shipped_votes
from ..engine.base import CancelToken
from ..judge.audit.audit_judge import AuditReader, chosen
from ..judge.audit.kind import AUDIT
from ..judge.audit.record import AuditPair, AuditRequest, AuditResult, Part, Readings
from ..judge.audit.trials import digest
from ..session.session import Session
from .evaluation import draw
from .labelled import read_pairs

SHIPPED = "jokes that come with the program"
USUAL = 200
"""Default number of pairs of an audit."""
_TRIES = 50
_SEED = 1
_FOLDER = "audits"
_MOST_KEPT = 20


def shipped_cases(number: int = USUAL) -> tuple[AuditPair, ...]:
    """Return pairs of rated jokes that share no joke and differ in their rating, the same ones for the same number.
    Raises ``ModelError`` where the ratings can't be read."""
    rated = list(shipped_votes().ratings)
    # A shorter audit's pairs are the first ones of a longer audit.
    order = sorted({row.text: row for row in rated}.values(), key=lambda row: digest(row.text))
    shuffled = random.Random(_SEED).sample(order, len(order))
    cases: list[AuditPair] = []
    while len(cases) < number and len(shuffled) > 1:
        one = shuffled.pop()
        other = next((row for row in reversed(shuffled[-_TRIES:]) if abs(row.value - one.value) > 1e-6), None)
        if other is None:
            continue
        shuffled.remove(other)
        cases.append(case_of(one.text, other.text, "A" if one.value > other.value else "B"))
    return tuple(cases)


def own_cases(source: str, number: int | None = None) -> tuple[AuditPair, ...]:
    """Return at most ``number`` pairs of a labelled file, drawn at random. Raises what ``read_pairs`` raises."""
    file = read_pairs(source)
    cases: dict[str, AuditPair] = {}
    for place in draw(len(file.rows), number, _SEED):
        row = file.rows[place]
        try:
            case = case_of(row.text_a, row.text_b, row.winner)
        except JokeJudgeError:
            continue  # a text that can't be judged at all
        if case.text_a != case.text_b:
            cases.setdefault(case.id, case)
    return tuple(cases.values())


def case_of(text_a: str, text_b: str, winner: Side | None) -> AuditPair:
    """Return a pair with its id. Raises what ``clean_text`` raises."""
    one, two = clean_text(text_a), clean_text(text_b)
    return AuditPair(id=digest("\0".join((one, two))), text_a=one, text_b=two, winner=winner)


class AuditFile(LinesFile):
    """A line for each text read and each pair asked about, kept in the profile's cache until the audit is
    complete. Opening reads the lines of an earlier run. Raises ``UsageError`` ``E_AUDIT_FILE`` for any other file."""

    refused = ("E_AUDIT_FILE", "a line of an audit", "Delete that file.")

    def __init__(self, path: Path) -> None:
        self.known = Readings()
        super().__init__(path, "audit")
        self.known.keep = self._append

    def _append(self, part: Part, key: str, value: Line) -> None:
        id = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self.append({"id": id, "part": part, "text": key.split("\0"), "found": value})

    def keep(self, line: Line) -> bool:
        if line["part"] not in ("texts", "pairs") or not isinstance(line["found"], dict):
            raise ValueError("it isn't a reading")
        self.known[line["part"], "\0".join(line["text"])] = line["found"]
        return True


@last_event
def audit(
    session: Session, request: AuditRequest, *, record: bool = True, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Audit the session's model. Yields what ``Session.run`` yields, the model's loading first.

    An audit that is stopped in any way leaves no row in the history; its results are kept until it is complete, and
    running it again gives the same findings, to the last bit. A recorded audit of all probes is kept as the model's
    audit (``MeasuredFiles``), without the jokes: they are in the history, where the user may delete them."""
    version = chosen(request.probes).version
    last: Last = Finished()
    judge = yield from session.ready(cancel)
    made_by = AuditReader(judge, everything=request.ask == "all").made_by
    parts = (*made_by, version, request.ask, str(request.most_asked), *(case.id for case in request.cases))
    with closing(_open(session.profile.cache / _FOLDER, parts)) as file:
        for recorded in (False, True) if record else (False,):
            # The second time all results are known, and only the summary is left to compute.
            given = {**dict(request), "known": file.known, "program": __version__}
            events = session.run(AUDIT, AuditRequest.model_validate(given), record=recorded, cancel=cancel)
            last = yield from last_of(events)
            if not isinstance(last, Finished):
                yield last
                return
        if record and not request.probes and isinstance(result := last.result, AuditResult):
            bare = result.replaced(pairs=tuple(pair.replaced(text_a="", text_b="") for pair in result.pairs))
            judge.files.update(judge.model.sha256, {"audit": AUDIT.contract(bare)})
        file.path.unlink(missing_ok=True)  # last: if the audit couldn't be kept, its results still are
    yield last


def _open(folder: Path, parts: tuple[str, ...]) -> AuditFile:
    """Open the file of this audit. ``parts``: everything that identifies the audit. A file of anything else is replaced
    by an empty one: only time is lost. Raises ``SettingsError`` ``E_WRITE`` and what ``LinesFile`` raises."""
    try:
        private_folder(folder)
        for old in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            "E_WRITE",
            f"{folder} can't be made: {error.strerror or error}.",
            "Free some disk space, or remove the file that is in the way.",
        ) from error
    path = folder / f"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}.jsonl"
    try:
        return AuditFile(path)
    except UsageError:
        remove(path)
        return AuditFile(path)


def forget_jokes(profile: Profile) -> None:
    """Remove the results of unfinished audits, which hold jokes. Raises ``SettingsError`` ``E_WRITE``."""
    for path in (profile.cache / _FOLDER).glob("*.jsonl"):
        remove(path)
