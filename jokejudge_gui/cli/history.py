"""``jokejudge history …``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import HistoryError
from ..core.outputs import STDOUT
from ..core.pages import Table
from ..core.verdicts import Status
from ..history.export import export, format_for
from ..history.query import HistoryEntry, HistoryQuery, HistoryRow
from ..judge.kinds import KINDS, contract
from . import options
from .console import NARROW
from .context import Context, counted, moment, options_given
from .options import Group, argument, option
from .running import judge, show_verdict, taste_line, waiting

if TYPE_CHECKING:
    from ..core.events import Event
    from ..history.store import HistoryStore
    from ..session.session import Session


history = Group("history")


@history.command("list")
@options.filters
@options.limit
def show_newest(context: Context) -> int:
    """The newest verdicts."""
    return _rows(context, "")


@history.command("search")
@argument("words WORD...")
@options.filters
@options.limit
def search(context: Context) -> int:
    """Verdicts whose texts, note, tags or explanation hold these words."""
    return _rows(context, " ".join(context.args.words))


def _query(context: Context, text: str) -> HistoryQuery:
    args = context.args
    return HistoryQuery(
        text=text,
        kinds=(args.kind,) if args.kind else (),
        starred=True if args.starred else None,
        tag=args.tag,
        sort=args.sort,
        limit=getattr(args, "limit", 100),
    )


def _rows(context: Context, words: str) -> int:
    console, query = context.console, _query(context, words)
    left_out: list[str] = []
    with waiting(console, "Reading the history"), context.history() as store:
        rows, count = store.search(query, left_out.append), store.count(query)
        older = store.stored([row.id for row in rows], _OLDER) if console.json else {}
        objects = [_row_object(row, older.get(row.id, {})) for row in rows] if console.json else []
        cells = () if console.json else tuple(map(_cells, rows))
    note = f"{len(rows)} of {count}; --limit shows more." if count > len(rows) + len(left_out) else ""
    if not rows and not note:
        note = "The history is empty." if query == HistoryQuery(limit=query.limit) else "Nothing matches."
    if console.width < NARROW:
        cells = tuple((id, text) for id, *_, text in cells)
    fields = {"count": count, "rows": objects, "left_out": left_out}
    return console.answer(fields, _noted(note, left_out), Table("", (), cells))


def _noted(note: str, left_out: list[str]) -> str:
    be = "is" if len(left_out) == 1 else "are"
    unread = f"{counted(len(left_out), 'verdict')} can't be read and {be} left out:\n  " + "\n  ".join(left_out)
    return "\n".join(filter(None, (note, unread if left_out else "")))


def _cells(row: HistoryRow) -> tuple[str, ...]:
    text = row.title or " / ".join(subject.text for subject in row.subjects)
    outcome = str(row.status)
    if row.status is Status.FINISHED:
        outcome = f"{row.kind} {row.glance.badge}" if row.glance is not None else row.kind
    # The first characters of an id identify its verdict.
    return (row.id[:8], moment(row.created), "*" if row.starred else " ", outcome, text[:500])


@history.command("show")
@options.verdict_id
def show(context: Context) -> int:
    """Show one verdict in full."""
    console = context.console
    with context.history() as store:
        entry = store.get(store.named(context.args.id))
        taste = taste_line(context, lambda: store, entry.result)
    if console.json:
        return console.answer(_entry_object(entry))
    row = entry.row
    starred = "starred" if row.starred else ""
    tags = "tags " + ", ".join(row.tags) if row.tags else ""
    facts = (row.kind, moment(row.created), str(row.status), f"mode {entry.mode}", starred, tags)
    console.paragraph(" · ".join(filter(None, facts)))
    if row.note:
        console.paragraph(f"Your note: {row.note}")
    console.text("")
    for subject in row.subjects if entry.result is None else ():
        console.paragraph(f"{subject.label}: {subject.text}" if subject.label else subject.text)
    if row.error and (entry.result is None or entry.result.error is None):
        console.paragraph(f"It failed: {row.error}")
    if entry.result is not None:
        show_verdict(console, entry.result, taste)
    return 0


_OLDER = ("admissible", "mean_score", "winner", "confidence_factor")
"""The fields that rows had before verdicts had headlines; scripts may rely on them."""


def _row_object(row: HistoryRow, older: dict[str, Any]) -> dict[str, Any]:
    page = row.glance
    return {
        **row.model_dump(mode="json", exclude={"glance"}),
        "headline": page and {"badge": page.badge, "tone": page.tone, "sentence": page.headline, "value": page.value},
        "text_a": row.text_a,
        "text_b": row.text_b,
        **{name: older.get(name) for name in _OLDER},
    }


def _entry_object(entry: HistoryEntry) -> dict[str, Any]:
    result = contract(entry.result) if entry.result else None
    return {
        **_row_object(entry.row, result or {}),
        **{name: getattr(entry, name) for name in ("mode", "seed", "prompt_version", "criteria_version")},
        "result": result,
        "error": entry.error.model_dump() if entry.error else None,
    }


def _changed(context: Context, sentence: str, change: Callable[[HistoryStore, str], object]) -> int:
    with context.history() as store:
        id = store.named(context.args.id)
        change(store, id)
    return context.console.answer({"id": id}, sentence)


@history.command("star")
@options.verdict_id
@option("--off", "Take the star away.")
def star(context: Context) -> int:
    """Star a verdict."""
    on = not context.args.off
    return _changed(context, "Starred." if on else "The star is gone.", lambda store, id: store.star(id, on))


@history.command("tag")
@options.verdict_id
@argument("tags [TAG]...")
def tag(context: Context) -> int:
    """Set a verdict's tags; without any, take them away."""
    tags = context.args.tags
    sentence = f"Tagged {', '.join(tags)}." if tags else "The tags are gone."
    return _changed(context, sentence, lambda store, id: store.set_tags(id, tags))


@history.command("note")
@options.verdict_id
@argument("text TEXT")
def note(context: Context) -> int:
    """Set a verdict's note; an empty one takes it away."""
    text = context.args.text
    sentence = "Noted." if text.strip() else "The note is gone."
    return _changed(context, sentence, lambda store, id: store.set_note(id, text))


@history.command("delete")
@argument("ids ID...", "Ids of verdicts, or how they begin.")
def delete(context: Context) -> int:
    """Delete verdicts; undo brings them back."""
    with context.history() as store:
        count = store.delete([store.named(id) for id in context.args.ids])
    if count == 0:
        raise HistoryError("E_HISTORY_NOT_FOUND", "None of these is in the history.", "See jokejudge history list.")
    back = f"`jokejudge history undo` brings {'it' if count == 1 else 'them'} back."
    return context.console.answer({"count": count}, f"Deleted {counted(count, 'verdict')}; {back}")


@history.command("undo")
def undo(context: Context) -> int:
    """Bring the last deleted verdicts back."""
    with context.history() as store:
        count = store.undo_delete()
    sentence = f"{counted(count, 'verdict')} back." if count else "There's nothing to bring back."
    return context.console.answer({"count": count}, sentence)


@history.command("purge")
def purge(context: Context) -> int:
    """Remove deleted verdicts for good. What was typed and never judged goes, too; this can't be undone."""
    import shutil

    from ..core.files import remembered

    profile = context.profile
    with context.history() as store:
        count = store.purge()
    typed = remembered(profile.typed).get("typed")
    profile.typed.unlink(missing_ok=True)  # what the window keeps for its next start
    shutil.rmtree(profile.cache / "audits", ignore_errors=True)  # jokes of unfinished audits by earlier versions
    sentence = f"Removed {counted(count, 'verdict')} for good." if count else "There's nothing deleted to remove."
    more = " What was typed in the window and never judged is removed, too." if typed else ""
    return context.console.answer({"count": count}, f"{sentence}{more}")


@history.command("export")
@argument("out FILE", "A name that ends in .csv, .jsonl, .md or .html; - writes lines of JSON to standard output.")
@options.filters
def export_verdicts(context: Context) -> int:
    """Write verdicts to a file."""
    path = Path(context.args.out)
    piped = context.args.out == STDOUT
    there, left_out = path.exists(), list[str]()
    with context.history() as store:
        entries = store.entries(_query(context, ""), left_out.append)
        count = export(entries, "jsonl" if piped else format_for(path), path, store.kinds)
    replaced = ", in place of the file that was there" if there else ""
    note = _noted(f"Wrote {counted(count, 'verdict')} to {path}{replaced}.", left_out)
    if not piped:
        return context.console.answer({"count": count, "replaced": there, "left_out": left_out}, note)
    if left_out:
        context.console.note(_noted("", left_out))
    return 0


@history.command("rerun", judges=True)
@options.verdict_id
def rerun(context: Context) -> int:
    """Judge the same text again, as a new verdict."""
    from ..judge.audit.record import AuditRequest
    from ..measure.audit import audit

    with context.history() as store:
        entry = store.get(store.named(context.args.id))
    kind, given = entry.row.kind, options_given(context.args)
    texts = tuple(subject.text for subject in entry.row.subjects)
    if entry.result is None and (kind not in KINDS or len(KINDS[kind].fields) != len(texts)):
        sentence = f"The stored verdict {entry.row.id} doesn't hold the texts that it was asked for."
        raise HistoryError("E_HISTORY_ENTRY", sentence, "Judge them as new ones.")
    request = KINDS[kind].request_of(entry.result).replaced(**given) if entry.result is not None else None

    def again(session: Session, **how: Any) -> Iterator[Event]:
        if request is None:
            return session.ask(KINDS[kind], texts, **how, **{"mode": entry.mode, "seed": entry.seed, **given})
        if isinstance(request, AuditRequest):
            return audit(session, request, **how)
        return session.run(KINDS[kind], request, **how)

    return judge(context, kind, again, texts if KINDS[kind].fields else ())
