"""Errors that a person can act on: a code, one sentence, and a next step."""

from __future__ import annotations

ENDS_THE_RUN = ("E_HISTORY_", "E_MODEL_", "E_CRITERIA", "E_SETTINGS", "E_FETCH_")
"""How the codes begin that every further row of a long run would share: it stops there, and goes on when they are
mended."""


class JokeJudgeError(Exception):
    """Base of every expected failure.

    ``code`` is stable (``E_…``) for scripts and tests, ``sentence`` says what happened and ``hint`` what to do
    next. Anything that is not a ``JokeJudgeError`` is a bug and goes to the crash dialog.
    """

    exit_status = 1

    def __init__(self, code: str, sentence: str, hint: str = "") -> None:
        super().__init__(sentence if not hint else f"{sentence} {hint}")
        self.code = code
        self.sentence = sentence
        self.hint = hint


class InputError(JokeJudgeError):
    """The text or file given to be judged can't be judged."""


class UsageError(JokeJudgeError):
    """The program was asked in a form it doesn't know."""

    exit_status = 2


class ModelError(JokeJudgeError):
    """A model file is missing, unsound, or can't be loaded."""


class EngineError(JokeJudgeError):
    """The engine couldn't carry out a request (too long for the context, decode failed)."""


class CriteriaError(JokeJudgeError):
    """A criteria or prompt file is wrong; the sentence names file and line."""


class HistoryError(JokeJudgeError):
    """The history file can't be used: newer, damaged, locked, read-only, full."""


class SettingsError(JokeJudgeError):
    """A folder or settings file can't be read or written."""


class FetchError(JokeJudgeError):
    """A model couldn't be fetched or isn't what the catalogue says."""


class Cancelled(Exception):
    """The user stopped the job. Not an error: never shown as one."""
