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
    more."""
    if context.console.json or not context.settings.use_taste or result is None or result.model is None:
        return ""
    try:
        line = about(kind_named(result.kind).standing(result), session.taste(result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""
