"""Printing of verdicts for people: a page of words, and the user's own taste."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.errors import JokeJudgeError
from ..core.pages import Page, Row, Table
from ..core.verdict_kinds import foot_of, notes_of
from ..core.verdicts import VerdictResult
from ..judge.contest import words as contests
from ..judge.contest.types import ContestResult, RankedEntry
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..judge.rating.words import outcome
from ..learning.taste import about
from .console import Console
from .context import Context

if TYPE_CHECKING:
    from ..session.session import Session


def taste_line(context: Context, session: Session, result: VerdictResult | None) -> str:
    """Return the line on the user's own taste, if it is enabled and known; empty otherwise. Never an error: the verdict
    matters more. With ``--no-history`` the file of the votes isn't opened: it may not exist, or be locked."""
    unasked = context.console.json or context.args.no_history or not context.settings.use_taste
    if unasked or result is None or result.model is None:
        return ""
    try:
        line = about(kind_of(result).vote_score(result), session.taste(result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""


def show_verdict(console: Console, result: VerdictResult, taste: str = "") -> None:
    """Print a verdict, whole or partial; ``taste``: the line on the user's own taste."""
    page = _page_of(result)
    yours = (Row(taste.removeprefix("Your taste: "), "Yours"),) if taste else ()
    kept = f"verdict {result.id}" if console.kept else "not kept"
    console.page(replace(page, rows=(*page.rows, *yours)), kept)
    if isinstance(result, RatingResult) and outcome(result) in ("rejected", "no turn", "no text"):
        console.note("To rate it anyway, add --anyway.")


def _page_of(result: VerdictResult) -> Page:
    """Return a verdict's words. Contests have theirs here until their kind has them."""
    if isinstance(result, ContestResult):
        return _contest(result)
    return kind_of(result).words(result)


def _contest(result: ContestResult) -> Page:
    rows = [entry for entry in result.entries if entry.rank is None or entry.same_as is None]
    of_100 = contests.by_place(contests.ranked(result))
    columns = [column for column in ("original", "on topic", "scored") if any(_cell(entry, column) for entry in rows)]

    def cells(entry: RankedEntry) -> tuple[str, ...]:
        rank = ("–", "") if entry.rank is None else (str(entry.rank), f"{entry.rank_low}–{entry.rank_high}")
        remarks = "; ".join(contests.remarks(entry))
        more = (_cell(entry, column) for column in columns)
        return (*rank, contests.number_of(entry, of_100=of_100), *more, entry.text or "(empty)", remarks)

    head = ("rank", "from–to", "in 100" if of_100 else "score", *columns, "joke", "")
    return Page(
        headline=contests.sentence(result),
        lead=(contests.name_of(result),),
        notes=notes_of(result),
        rows=(Row(" ".join(contests.summary(result))),),
        tables=(Table("", head, tuple(map(cells, rows))),),
        foot=foot_of(result),
    )


def _cell(entry: RankedEntry, column: str) -> str:
    """Return the cell of an optional column; "" if nothing is known. Shares of 100, scores 1–10."""
    if column == "scored":
        return next((f"{score.mean:.1f}" for score in entry.rounds if score.scale == "humor"), "")
    value = entry.originality if column == "original" else entry.relevance
    return "" if value is None else str(round(100 * value))
