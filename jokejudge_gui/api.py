"""The judge for other Python programs: ``from jokejudge_gui import JokeJudge``."""

from __future__ import annotations

import atexit
import functools
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, TypedDict, TypeVar, Unpack, cast

from pydantic import Field, InstanceOf, StrictStr, StringConstraints, TypeAdapter, ValidationError

from .batch.batch import batch, flat_row
from .batch.lines import Out, RowDone, RowsFile, counted
from .batch.lists import Choices
from .batch.rows import COLUMNS, Rows
from .core.config import JOINED, load_settings
from .core.errors import Cancelled, EngineError, EngineSetupError, UsageError, restore, unfit, unusable
from .core.events import Cancelled as CancelledEvent
from .core.events import Event, Failed, Finished, RowBegun, result_of
from .core.pages import Page, Table, html_section
from .core.paths import Profile
from .core.verdicts import Asked, Kind, Mode, VerdictResult
from .engine.base import CancelToken, check_not_forked
from .judge.contest.record import ContestRequest, ContestResult, written_by
from .judge.duel.record import DuelResult
from .judge.judged_kind import without_events
from .judge.kinds import KINDS, kind_of
from .judge.rating.record import RatingResult, clean_listeners
from .judge.reader import Standing
from .judge.set.record import SetRequest, SetResult
from .judge.versions import WorkshopRequest, WorkshopResult
from .measure.model.figures import ModelTrust
from .measure.model.words import fields as trust_fields

if TYPE_CHECKING:
    from .session.session import EngineLoader, Session

S = TypeVar("S", bound="Verdict")
_NAME: Any = Annotated[str, StringConstraints(strict=True, pattern=r"^[^\x00]*$")] | InstanceOf[Path]
_TEXTS: Any = list[StrictStr]
_COUNT: Any = Annotated[int, Field(strict=True, ge=0)]
_MODELS: Any = Annotated[list[_NAME], Field(min_length=1)] | None
_NUMBER: Any = Annotated[int, Field(strict=True, ge=0, le=256)] | None

Progress: TypeAlias = Callable[[int, int, str], object]
"""Called in the calling thread with the amount done, the total (0: unknown) and the current step. If it raises, the
verdict is stopped and nothing is lost."""


class VerdictOptions(TypedDict, total=False):
    """The options of a verdict; each defaults to the settings. ``mode``: "quick" or "deep"; ``ask``: "plan" (only the
    questions whose answers were measured to help) or "all"; ``explain``: whether to explain in words; ``progress``: see
    ``Progress``."""

    mode: Mode | None
    ask: Asked | None
    explain: bool | None
    progress: Progress | None


class Verdict(VerdictResult):
    """The base of all results: immutable, and available as JSON, as rows and as HTML."""

    _rows: ClassVar[str] = ""  # the field whose items are the rows; empty: the result itself is one

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        texts = " / ".join(str(getattr(self, field, ""))[:40] for field in kind_of(self).fields)
        return f"<{type(self).__name__} {self.id[:8]}{': ' if texts else ''}{texts}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that the terminal prints with ``--json``: names are stable, fields are only added."""
        return kind_of(self).contract(self)

    def rows(self) -> list[dict[str, object]]:
        """Return flat rows for ``pandas.DataFrame``: one, or one for each joke of a list. The parts of an object have
        names with a dot (``audience.score``), lists are JSON."""
        line = self.to_dict()
        return [flat_row(row) for row in (line[self._rows] if self._rows else [line])]

    def _repr_html_(self) -> str:
        """Return the HTML for a notebook; every text is escaped."""
        return html_section(kind_of(self).words(self))


class Rating(Verdict, RatingResult):
    """A rating: ``audience`` (``percentile`` 0…100 among jokes that people voted on, its interval ``low``…``high``,
    ``said`` upper, lower or unclear; None if it isn't known), ``factors`` (0…5), ``categories`` (``p`` 0…1),
    ``faults``, ``turn`` (``start``, ``end`` in characters), ``explanation``, ``admissible``, ``warnings``."""


class Duel(Verdict, DuelResult):
    """A duel: ``winner`` ("A", "B" or "tie"), ``p_a`` (0…1: the probability that A is the funnier one),
    ``confidence_factor`` (the winner's odds, 1 or more), ``people`` (the number of 100 such pairs on which people
    agree)."""


class Contest(Verdict, ContestResult):
    """A ranking: ``entries``, best first, each with its place in the list as ``id`` (from 1), ``rank`` (from 1) and its
    interval (``rank_low``, ``rank_high``), and ``percentile`` 0…100."""

    _rows: ClassVar[str] = "entries"


class Workshop(Verdict, WorkshopResult):
    """Versions of one joke: ``versions`` in the given order, ``pairs`` of them (``a``, ``b``, ``p_a`` 0…1), their
    ``order`` (``id``, ``place``, ``p_next``, ``p_best``), and ``best``, the id of the best one or None for a tie."""

    _rows: ClassVar[str] = "versions"


class StageSet(Verdict, SetResult):
    """A set for the stage: ``bits`` in their order (``title``, ``text``, ``punchline``, ``laughs``, ``room``), the time
    that it takes (``spoken`` in seconds), what is ``left`` of ``minutes``, and ``callbacks()``."""

    _rows: ClassVar[str] = "bits"

    def sheet(self, path: str | Path) -> None:
        """Write the stage sheet, one line a bit, to a file whose name ends in .pdf, .html or .md."""
        from .ui.sheet import write_sheet

        write_sheet(self, Path(_checked("path", _NAME, path)), replace=True)


class Line(dict[str, Any]):
    """A verdict of a long list as the terminal's JSON object (``to_dict`` of a single one), with the ``id`` of its row.
    ``error`` is None, or an object with ``code``, ``sentence`` and ``hint`` if this row couldn't be judged."""

    def __repr__(self) -> str:
        return f"<Line {self.get('id')}: {str(self.get('text') or self.get('text_a') or '')[:40]}>"

    def rows(self) -> list[dict[str, object]]:
        """Return one flat row, see ``Verdict.rows``."""
        return [flat_row(self)]

    def _repr_html_(self) -> str:
        """Return the HTML for a notebook; every text is escaped."""
        cells = tuple((name, str(cell)) for name, cell in flat_row(self).items() if cell not in (None, ""))
        return html_section(Page("", tables=(Table("", ("", ""), cells),)))


class Lines(Iterator[Line]):
    """An iterator over the lines of a long list: each row is judged when its line is asked for. ``len`` is the number
    of rows, for a progress bar (``tqdm(lines)``); ``notes``: sentences on how the list was read. Any thread may take
    the next line. A context manager; its files are closed by ``close`` and at its end."""

    def __init__(self, judge: JokeJudge, kind: Kind, rows: Rows, out: Path | None, how: dict[str, Any]) -> None:
        self._judge, self._rows, self.notes = judge, rows, (*rows.notes, *rows.left_out)
        self._progress: Progress | None = how.pop("progress", None)
        self._ready: deque[Line] = deque()
        self._file = Out() if out is None else RowsFile(out, kind, COLUMNS[kind], rows)
        self._tally = counted(rows, self._file)
        self._token = CancelToken()
        judge._running.add(self._token)
        self._events = batch(judge._session, kind, rows, self._file, self._tally, cancel=self._token, again=True, **how)
        self._over = False

    def __len__(self) -> int:
        return self._tally.rows

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Line:
        """Return the next line. Raises ``Cancelled`` after ``stop``, and ``JokeJudgeError`` for an error that concerns
        every further row (no model, a full disk): with ``out`` the same call continues from there."""
        while not self._ready:
            if self._over:
                self.close()
                raise StopIteration
            with self._judge._turns():
                self._judge._check_open()
                event = self._advance()
            if self._progress is not None and (isinstance(event, RowBegun) or self._over):
                done = self._tally.skipped + self._tally.done
                self._progress(done, self._tally.rows, event.id or "" if isinstance(event, RowBegun) else "")
        return self._ready.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_over"):
            self.close()

    def close(self) -> None:
        """Judge no more rows and close the files."""
        self._over = True
        self._ready.clear()
        self._judge._running.discard(self._token)
        for closable in (self._events, self._file):
            closable.close()  # type: ignore[union-attr]

    def _advance(self) -> Event | None:
        """Continue to the next line, the beginning of the next row, or the end."""
        for event in self._events:
            if isinstance(event, Failed | CancelledEvent):
                self.close()
                raise restore(event.error) if isinstance(event, Failed) else Cancelled()
            if isinstance(event, Finished):
                break
            if isinstance(event, RowDone):
                self._ready.append(Line(event.line))
            if isinstance(event, RowBegun | RowDone):
                return event
        self._over = True
        return None


class JokeJudge:
    """Rates jokes, compares them, ranks lists of them, and reports how far to trust it. A context manager.

    ``config_path``: a settings file (JSON), instead of the user's own. ``data_dir``: the folder of all the program's
    data, instead of the user's own. ``model``: path of a GGUF file or a name of the catalogue; several judge together.
    ``threads``: number of the processor's threads, 0: one for each physical core. ``jobs``: number of processes that
    read a long list, 0: as many as are useful. ``history``: whether verdicts are kept. The model is loaded with the
    first joke.

    Several threads may share one: their calls take turns. A call within a call (from ``progress``) is refused with
    ``E_BUSY``; ``stop`` may be called at any time, from any thread. Every method raises ``JokeJudgeError`` (``code``,
    ``sentence``, ``hint``; a subclass for each sort of error) if it can't give a verdict: ``E_REQUEST`` for an argument
    of a wrong type or out of range, ``E_CLOSED`` after ``close``; ``E_FORKED`` in a process that was
    forked after a verdict (use "spawn": ``multiprocessing.get_context("spawn")``); and ``Cancelled`` after ``stop``.
    """

    def __init__(
        self,
        config_path: str | Path | None = None,
        *,
        data_dir: str | Path | None = None,
        model: str | Sequence[str] | None = None,
        threads: int | None = None,
        jobs: int | None = None,
        history: bool = True,
        loader: EngineLoader | None = None,
    ) -> None:
        from .session.session import Session

        for name, sort, value in (
            ("config_path", _NAME | None, config_path), ("data_dir", _NAME | None, data_dir),
            ("threads", _NUMBER, threads), ("jobs", _NUMBER, jobs),
        ):  # fmt: skip
            _checked(name, sort, value)
        models = _checked("model", _MODELS, [model] if isinstance(model, str) else model) or ()
        profile = Profile.at(Path(data_dir)) if data_dir is not None else Profile.default()
        settings = load_settings(Path(config_path) if config_path is not None else profile)
        settings = settings.for_this_call(model=JOINED.join(models) or None, threads=threads, jobs=jobs)
        self._open(Session(profile, settings, loader=loader), history)

    @classmethod
    def over(cls, session: Session, *, history: bool) -> Self:
        """Return one that judges with an open session."""
        judge = cls.__new__(cls)
        judge._open(session, history)
        return judge

    def _open(self, session: Session, history: bool) -> None:
        self._session, self._history, self._closed = session, history, False
        self._turn = threading.Lock()
        self._owner: int | None = None
        self._running: set[CancelToken] = set()

    def score(self, texts: Sequence[str], *, context: str | Sequence[str] | None = None) -> list[float]:
        """Return for each text the odds, 0…1, that people would put it in the upper half of such jokes, from one
        reading; 0 where nothing works as a joke, as in an empty text or another language than English, so that the
        list can be used as a reward. ``context``: the topic or scene of all, or one for each text. Nothing is kept in
        the history."""
        return [standing.score for standing in self._standings(texts, context)]

    def rank(self, texts: Sequence[str], *, context: str | Sequence[str] | None = None) -> list[int]:
        """Return the places of the texts in the list (from 0), best first. Equal odds are ordered by the estimate of
        people's votes for this sort of text."""
        standings = self._standings(texts, context)
        return sorted(range(len(standings)), key=standings.__getitem__, reverse=True)

    def best(self, texts: Sequence[str], n: int = 1, *, context: str | Sequence[str] | None = None) -> list[str]:
        """Return the ``n`` best texts, best first."""
        _checked("n", _COUNT, n)
        texts = _listed("texts", texts)
        return [texts[place] for place in self.rank(texts, context=context)[:n]]

    def rate_joke(
        self, text: str, *, context: str | None = "", generator: str = "", listeners: Sequence[str] | None = None,
        anyway: bool = False, **options: Unpack[VerdictOptions],
    ) -> Rating:  # fmt: skip
        """Rate one joke. ``context``: the joke's topic or scene; ``generator``: the model that wrote it; ``listeners``:
        the people who are also asked whether they would laugh, by name, "all" or in your own words, None: from the
        settings; ``anyway``: rate it even if it isn't admitted as a joke. A text that isn't admitted comes back with
        ``admissible`` False, not as an error."""
        given: dict[str, Any] = {"context": context or "", "generator": generator, "forced": anyway}
        if listeners is not None:
            given["listeners"] = tuple(_checked("listeners", _TEXTS, listeners))
        return self._ask(Rating, options, given, text)

    def compare_jokes(
        self, text_a: str, text_b: str, *, context: str | None = "", generator: str = "",
        **options: Unpack[VerdictOptions],
    ) -> Duel:  # fmt: skip
        """Compare two jokes: which is the funnier one? Swapping them swaps the answer. ``context``: the topic or scene
        of both; ``generator``: the model that wrote them."""
        return self._ask(Duel, options, {"context": context or "", "generator": generator}, text_a, text_b)

    def rank_jokes(
        self, texts: Sequence[str], *, topic: str | None = "", generator: str = "", top: int = 3,
        duels: int | None = None, rounds: int | None = None, **options: Unpack[VerdictOptions],
    ) -> Contest:  # fmt: skip
        """Rank a list of jokes: best first in ``entries``, each with its rank, the interval of its rank, and its place
        in the list as ``id`` (from 1). ``topic``: the topic of all; ``generator``: the model that wrote them; ``top``:
        the number of best jokes to find; ``duels``: the most duels, None: as many as are worth it; ``rounds``: the
        number of rounds of shuffled order, 0…20, in which the model also scores the jokes from 1 to 10 (``rounds`` of
        each entry), None: as many as were measured to be worth it. A text that can't be read has its ``error``."""
        given_texts = [_empty_if_missing(text) for text in _listed("texts", texts)]
        entries = written_by(_checked("generator", StrictStr, generator), ContestRequest.of_texts(given_texts).entries)  # type: ignore[arg-type]
        given = {"entries": entries, "context": topic or "", "top": top, "budget": duels, "shuffled": rounds}

        def start(*, record: bool, cancel: CancelToken, **how: Any) -> Iterator[Event]:
            seen = self._session.store.seen([entry.text for entry in entries]) if record else {}
            request = self._session.request(KINDS["contest"], **how, **given, seen=seen)
            yield from self._session.run(KINDS["contest"], request, record=record, cancel=cancel)

        return self._verdict(Contest, options, start)

    def workshop_drafts(
        self, texts: Sequence[str], *, context: str | None = "", **options: Unpack[VerdictOptions]
    ) -> Workshop:
        """Put versions of one joke in order. Raises ``E_REQUEST`` if ``texts`` is no list of texts."""
        versions = WorkshopRequest.of(*_checked("texts", _TEXTS, _listed("texts", texts))).versions
        return self._ask(Workshop, options, {"versions": versions, "context": context or ""})

    def make_set(
        self, texts: Sequence[str], *, titles: Sequence[str] = (), title: str = "", minutes: float | None = None,
        **options: Unpack[VerdictOptions],
    ) -> StageSet:  # fmt: skip
        """Put bits and jokes together for the stage, in this order. Marks such as ``[laugh]`` or ``[laugh 3]`` say
        where a room laughed. ``titles``: the bits' own, as many as texts or none; ``title``: the set's name;
        ``minutes``: the time to fill."""
        texts = _checked("texts", _TEXTS, _listed("texts", texts))
        names = _checked("titles", _TEXTS, list(titles)) or [""] * len(texts)
        if len(names) != len(texts):
            raise unusable("“titles”", f"should be as many as the texts, {len(texts)}", len(names))
        bits = SetRequest.of([*zip(names, texts, strict=True)]).bits
        return self._ask(StageSet, options, {"bits": bits, "title": title, "minutes": minutes})

    def rate_many(
        self, jokes: Iterable[str | Mapping[str, str]] | Path, *, out: str | Path | None = None,
        context: str | None = "", generator: str = "", listeners: Sequence[str] | None = None, anyway: bool = False,
        text_column: str | None = None, unescape: bool = False, **options: Unpack[VerdictOptions],
    ) -> Lines:  # fmt: skip
        """Rate many jokes, each when its line is asked for. ``jokes``: texts, or rows with ``text`` and optionally
        ``id``, ``context``, ``generator`` and other columns; or a ``Path`` of a list in any form that ``jokejudge rate
        --batch`` reads. ``text_column``: the column of the jokes, ``unescape``: read HTML as it was meant, both as
        there. ``out``: a file (.jsonl) that gets a line for each row: with it the same call continues after a stop, and
        rows that have their line aren't judged again. A row that can't be judged has its ``error``, and the run
        continues. The other arguments are those of ``rate_joke``, for all rows that don't set their own. Raises
        ``UsageError`` for rows without a text column and for an ``out`` of another run."""
        chosen = None if listeners is None else clean_listeners(tuple(_checked("listeners", _TEXTS, listeners)))
        given = {"forced": anyway, "listeners": chosen}
        choices = Choices(text_column=_checked("text_column", StrictStr | None, text_column), unescape=unescape)
        return self._lines("rate", jokes, out, context, generator, {**options, **given}, choices)

    def compare_many(
        self, pairs: Iterable[Sequence[str] | Mapping[str, str]] | Path, *, out: str | Path | None = None,
        context: str | None = "", generator: str = "", **options: Unpack[VerdictOptions],
    ) -> Lines:  # fmt: skip
        """Compare many pairs, as ``rate_many`` rates jokes. ``pairs``: two texts each, or rows with ``text_a`` and
        ``text_b``; or a ``Path`` of such a list."""
        return self._lines("duel", pairs, out, context, generator, dict(options), Choices())

    def how_far_to_trust(self) -> dict[str, Any]:
        """Return the measurements of the model in use, as ``jokejudge models trust --json`` prints them: ``headline``
        in a sentence, the ``effects`` that an audit found, what it is ``not_for``, and the ``card`` with figures and
        intervals. Loads the model if none is loaded. Raises ``E_PANEL_KIND`` if several judge together."""
        with self._call(token := CancelToken()):
            model = without_events(self._session.ready(token)).model
            return trust_fields(ModelTrust(model, self._session.profile))

    def stop(self) -> None:
        """Stop every call that runs or waits, from any thread: it raises ``Cancelled``. Results so far stay in the
        history and in ``out``."""
        for token in list(self._running):
            token.cancel()

    def close(self) -> None:
        """Free the model and close the history, after a running call of another thread has ended. No method can be used
        afterwards."""
        with suppress(EngineSetupError), self._turns():  # a forked process has nothing of its own to close
            if not self._closed:
                self._closed = True
                self._session.close()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("E_CLOSED", "This JokeJudge was closed.", "Make another one.")

    @contextmanager
    def _turns(self) -> Iterator[None]:
        """Run one call at a time; calls of other threads wait."""
        check_not_forked()  # the lock would never be released
        if self._owner == threading.get_ident():
            raise UsageError(
                "E_BUSY", "A call of this JokeJudge is running in this thread.", "Ask again when it has returned."
            )
        with self._turn:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None

    @contextmanager
    def _call(self, token: CancelToken) -> Iterator[None]:
        """Run a call that ``stop`` can end through this token."""
        self._running.add(token)
        try:
            with self._turns():
                self._check_open()
                yield
        finally:
            self._running.discard(token)

    def _ask(self, wanted: type[S], options: VerdictOptions, given: dict[str, Any], *texts: str) -> S:
        """Return a verdict on texts; ``given``: the other fields of its request."""
        return self._verdict(wanted, options, functools.partial(self._session.ask, KINDS[wanted.kind], texts, **given))

    def _verdict(self, wanted: type[S], options: VerdictOptions, start: Callable[..., Iterator[Event]]) -> S:
        """Run a verdict that ``start`` begins; return it as this module's class, with the same fields."""
        how = options.copy()
        progress = how.pop("progress", None)
        with self._call(token := CancelToken()):
            result = result_of(start(record=self._history, cancel=token, **how), progress)
        if result is None:
            sentence = "The job ended without a verdict."
            raise EngineError("E_NO_RESULT", sentence, "Report it: it is the program's fault.")
        return cast(S, wanted.model_construct(**dict(result)))

    def _standings(self, texts: Sequence[str], context: str | Sequence[str] | None) -> list[Standing]:
        given = [_empty_if_missing(text) for text in _listed("texts", texts)]
        contexts = [context or ""] * len(given) if isinstance(context, str | None) else _listed("context", context)
        if len(_checked("context", _TEXTS, contexts)) != len(given):
            raise unusable("“context”", f"should be one text, or as many as the texts, {len(given)}", len(contexts))
        with self._call(token := CancelToken()):
            pairs = list(zip(_checked("texts", _TEXTS, given), contexts, strict=True))
            return list(without_events(self._session.scorer.standings(pairs, token)))

    def _lines(
        self, kind: Kind, rows: Iterable[Any] | Path, out: str | Path | None, context: str | None, generator: str,
        options: dict[str, Any], choices: Choices,
    ) -> Lines:  # fmt: skip
        self._check_open()
        how = {"progress": options.pop("progress", None), "record": self._history, "options": options}
        self._session.request(KINDS[kind], **options, **dict.fromkeys(KINDS[kind].fields, "x"))  # checks it
        context = _checked("context", StrictStr, context or "")
        generator = _checked("generator", StrictStr, generator)
        source, text = (str(rows), None) if isinstance(rows, Path) else ("The list", _as_text(rows, kind))
        listed = Rows(source, kind, None, generator, context, text, choices)
        path = None if out is None else Path(_checked("out", _NAME, out))
        if path is not None and path.suffix.lower() == ".csv":
            raise UsageError("E_BATCH_OUT", "“out” holds lines of JSON.", "Give it a name that ends in .jsonl.")
        return Lines(self, kind, listed, path, how)


_OPENING = threading.Lock()


@functools.cache
def _shared() -> JokeJudge:
    judge = JokeJudge(history=False)
    atexit.register(judge.close)
    return judge


def _judge() -> JokeJudge:
    check_not_forked()  # another thread of the parent may have held the lock
    with _OPENING:
        return _shared()


def score(texts: Sequence[str], *, context: str | Sequence[str] | None = None) -> list[float]:
    """``JokeJudge.score`` of a judge that all calls of a process share, with the user's settings. Any thread may call
    it."""
    return _judge().score(texts, context=context)


def rank(texts: Sequence[str], *, context: str | Sequence[str] | None = None) -> list[int]:
    """``JokeJudge.rank`` of the shared judge."""
    return _judge().rank(texts, context=context)


def best(texts: Sequence[str], n: int = 1, *, context: str | Sequence[str] | None = None) -> list[str]:
    """``JokeJudge.best`` of the shared judge."""
    return _judge().best(texts, n, context=context)


def _checked(name: str, kind: Any, value: Any) -> Any:
    """Return an argument as it is of its ``kind``. Raises ``UsageError`` ``E_REQUEST``."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise unfit(error, name) from error


def _empty_if_missing(text: object) -> object:
    """Return "" for None and for what data frames put where a text is missing (NaN, NaT, NA)."""
    missing = text is None or (isinstance(text, float) and text != text) or type(text).__name__ in ("NAType", "NaTType")
    return "" if missing else text


def _listed(name: str, texts: Iterable[Any], other: str = "") -> list[Any]:
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable):
        raise unusable(f"“{name}”", f"should be a list{other}", texts)
    if isinstance(texts, set | frozenset):
        raise unusable(f"“{name}”", "should be in an order", texts)
    return list(texts)


def _as_text(rows: Iterable[Any], kind: Kind) -> str:
    """Return rows as JSON lines, to be read like a file's."""
    what, fields = ("jokes", ("text",)) if kind == "rate" else ("pairs", ("text_a", "text_b"))
    lines = []
    for number, row in enumerate(_listed(what, rows, ", or a Path of one"), start=1):
        name = f"{what}, number {number}"
        if not isinstance(row, Mapping):
            given = [*map(_empty_if_missing, row)] if isinstance(row, list | tuple) else row
            texts = (_empty_if_missing(row),) if kind == "rate" else _checked(name, _TEXTS, given)
            if len(texts) != len(fields):
                raise unusable(f"“{name}”", "should be two texts", row)
            row = dict(zip(fields, texts, strict=True))
        row = {str(key): _empty_if_missing(cell) for key, cell in row.items()}
        for field in (field for field in fields if field in row):
            _checked(f"{name}, {field}", StrictStr, row[field])
        lines.append(json.dumps(row, default=str))
    return "\n".join(lines)
