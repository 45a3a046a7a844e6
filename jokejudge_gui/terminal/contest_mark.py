"""``jokejudge history mark``: what one says of the jokes of a contest."""

from __future__ import annotations

from ..history.records import tidy_tags
from ..judging.contest.marks import Said
from ..runs.contest_notes import say_of_entries
from .context import Context


def history_mark(context: Context) -> int:
    """Keep, bin, star or tag jokes of a stored contest."""
    from .history_commands import resolve

    args, console = context.args, context.console

    def change(said: Said) -> Said:
        if args.mark is not None:
            said = said._replace(mark=None if args.mark == "none" else args.mark)
        if args.star is not None:
            said = said._replace(starred=args.star)
        return said if args.tags is None else said._replace(tags=tidy_tags(args.tags.split(",")))

    with context.session() as session:
        id = resolve(session.store, args.id)
        notes = say_of_entries(session.store, id, args.jokes, change)
    said = [{"id": joke, **notes[joke]._asdict()} for joke in args.jokes]
    if console.json:
        console.object({"id": id, "entries": said, "error": None})
    else:
        console.note(f"Noted. {notes.kept} of the contest's jokes kept.")
    return 0
