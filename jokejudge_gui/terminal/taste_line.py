"""The user's own line under a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import JokeJudgeError
from ..runs.failed import kind_named
from ..taste.words import about
from ..verdicts import VerdictResult
from .context import Context

if TYPE_CHECKING:
    from ..session import Session


def taste_line(context: Context, session: Session, result: VerdictResult | None) -> str:
    """What the user would say, if that is asked for and known; empty otherwise. Never an error: the verdict matters
    more. With ``--no-history`` the file that holds the votes isn't opened: it may not be there, or be locked."""
    unasked = context.console.json or context.args.no_history or not context.settings.use_taste
    if unasked or result is None or result.model is None:
        return ""
    try:
        line = about(kind_named(result.kind).standing(result), session.taste(result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""
