"""Printing of verdicts for people: a page of words, and the user's own taste."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.errors import JokeJudgeError
from ..core.pages import Row
from ..core.verdicts import VerdictResult
from ..judge.kinds import kind_of
from ..judge.rating.record import RatingResult
from ..judge.rating.words import outcome
from .console import Console
from .context import Context

if TYPE_CHECKING:
    from ..history.store import HistoryStore


def taste_line(context: Context, store: Callable[[], HistoryStore], result: VerdictResult | None) -> str:
    """Return the line on the user's own taste, if it is enabled and known; empty otherwise. Never an error: the verdict
    matters more. With ``--no-history`` the file of the votes isn't opened: it may not exist, or be locked."""
    unasked = context.console.json or context.args.no_history or not context.settings.use_taste
    if unasked or result is None or result.model is None:
        return ""
    from ..learning.taste import taste_of
    from ..learning.words import about

    try:
        line = about(kind_of(result).vote_score(result), taste_of(store(), result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""


def show_verdict(console: Console, result: VerdictResult, taste: str = "", *, brief: bool = False) -> None:
    """Print a verdict, whole or partial; ``taste``: the line on the user's own taste; ``brief``: without its texts."""
    page = kind_of(result).words(result)
    page = replace(page, texts=()) if brief else page
    yours = (Row(taste.removeprefix("Your taste: "), "Yours"),) if taste else ()
    kept = f"verdict {result.id}" if console.kept else "not kept"
    console.page(replace(page, rows=(*page.rows, *yours)), kept)
    if isinstance(result, RatingResult) and outcome(result) in ("rejected", "no turn", "no text"):
        console.note("To rate it anyway, add --anyway.")
