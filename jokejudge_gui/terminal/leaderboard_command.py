"""``jokejudge history leaderboard``: the groups of a contest's jokes against one another."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..history.query import HistoryQuery
from ..history.store import HistoryStore
from ..judging.contest.types import ContestResult
from ..judging.contest.words import name_of
from ..runs.leaderboard import columns_of, leaderboard
from ..runs.leaderboard_export import board_format, export_leaderboard
from .contest_view import show_leaderboard
from .context import Context


def history_leaderboard(context: Context) -> int:
    """Print, and write, the leaderboard of a contest of the history; ``last``: of the newest contest."""
    args, console = context.args, context.console
    if args.export is not None:
        board_format(Path(args.export))
    with context.session() as session:
        id, result = _contest(session.store, args.id)
    column = args.by if args.by is not None else _only_column(result)
    board = leaderboard(result, column)
    if console.json:
        console.object({"id": id, "by": column, "leaderboard": [each.model_dump() for each in board], "error": None})
    else:
        show_leaderboard(console, board)
    if args.export is not None:
        export_leaderboard(board, f"{name_of(result)}, by {column}", Path(args.export))
        console.note(f"Wrote {len(board):,} groups to {args.export}.")
    return 0


def _contest(store: HistoryStore, id: str) -> tuple[str, ContestResult]:
    if id == "last":
        rows = store.search(HistoryQuery(kinds=(ContestResult.kind,), limit=1))
        id = rows[0].id if rows else id
    entry = store.get(id)
    if not isinstance(entry.result, ContestResult):
        raise UsageError(
            "E_CONTEST_RESUME",
            "This verdict is no contest, so it has no groups.",
            "See jokejudge history list --kind contest.",
        )
    return entry.row.id, entry.result


def _only_column(result: ContestResult) -> str:
    """The one column that groups its jokes. Raises ``UsageError`` ``E_CONTEST_COLUMN`` for none and for several."""
    known = columns_of(result)
    if len(known) == 1:
        return known[0]
    if not known:
        raise UsageError(
            "E_CONTEST_COLUMN",
            "No column of this list groups its jokes.",
            "Rank a CSV file or JSON lines with a column such as model or author.",
        )
    raise UsageError(
        "E_CONTEST_COLUMN",
        f"Several columns of this list group its jokes: {', '.join(known[:8])}.",
        "Name one of them with --by.",
    )
