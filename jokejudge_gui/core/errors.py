"""Errors that a person can act on: a code, one sentence, and a next step. As data they are ``ErrorInfo``."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

Scope = Literal["row", "run", "model"]
"""Whom an error concerns: this text alone; every further row of a long run, whatever the model; or every row that this
model is asked about."""


class ErrorInfo(BaseModel):
    """An error as data: code, what happened, what to do. ``kind``: the name of its class, so that ``restore`` gives
    that class back; empty, and left out of JSON, where it isn't known."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    code: str
    sentence: str
    hint: str = ""
    kind: str = ""

    @model_serializer(mode="wrap")
    def _known(self, dump: SerializerFunctionWrapHandler) -> dict[str, str]:
        return {name: value for name, value in dump(self).items() if name != "kind" or value}

    def __str__(self) -> str:
        """What happened and what to do, as an exception says it."""
        return f"{self.sentence} {self.hint}".strip()

    @property
    def scope(self) -> Scope:
        """Whom it concerns: what its class says."""
        return _class_of(self).scope

    @property
    def ends_the_run(self) -> bool:
        """Whether every further row of a long run would end the same way: it stops there, and goes on when the cause
        is fixed."""
        return self.scope != "row"


class JokeJudgeError(Exception):
    """Base of every expected failure.

    ``code`` is stable (``E_…``) for scripts and tests, ``sentence`` says what happened and ``hint`` what to do
    next. Anything that is not a ``JokeJudgeError`` is a bug and goes to the crash dialog.
    """

    exit_status = 1
    scope: ClassVar[Scope] = "run"
    kinds: ClassVar[dict[str, type[JokeJudgeError]]] = {}

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        JokeJudgeError.kinds[cls.__name__] = cls

    def __init__(self, code: str, sentence: str, hint: str = "") -> None:
        super().__init__(sentence if not hint else f"{sentence} {hint}")
        self.code = code
        self.sentence = sentence
        self.hint = hint


class InputError(JokeJudgeError):
    """The text or file given to be judged can't be judged."""

    scope: ClassVar[Scope] = "row"


class UsageError(JokeJudgeError):
    """The program was asked in a form it doesn't know."""

    exit_status = 2


class ModelError(JokeJudgeError):
    """A model file, or a file made for it, is missing, unsound, or can't be loaded."""

    scope: ClassVar[Scope] = "model"


class EngineError(JokeJudgeError):
    """The engine couldn't carry out a request for this text (too long for the context, decode failed)."""

    scope: ClassVar[Scope] = "row"


class EngineSetupError(EngineError):
    """The engine can't do what every text needs of this model (answer words, grammar, saved state)."""

    scope: ClassVar[Scope] = "model"


class CriteriaError(JokeJudgeError):
    """A criteria or prompt file is wrong; the sentence names file and line."""


class HistoryError(JokeJudgeError):
    """The history file can't be used: newer, damaged, locked, read-only, full."""


class SettingsError(JokeJudgeError):
    """A folder or settings file can't be read or written."""


class OutputError(JokeJudgeError):
    """Results can't be written: the file or the stream is full, closed, or not a plain file."""


class FetchError(JokeJudgeError):
    """A model couldn't be fetched or isn't what the catalogue says."""


class Cancelled(Exception):
    """The user stopped the job. Not an error: never shown as one."""


def unusable(name: str, fault: str, given: object) -> UsageError:
    """What was given as ``name`` is of a wrong type or out of range: ``fault`` says what it should be. Of texts only
    their type is quoted."""
    number = isinstance(given, int | float) and abs(given) < 10**15
    shown = str(given) if number or given is None else f"a {type(given).__name__}"
    return UsageError("E_REQUEST", f"{name} {fault}, and is {shown}.", "Correct it and ask again.")


def of_the_system(error: OSError | MemoryError) -> JokeJudgeError:
    """What the system wouldn't do, in its words: memory, a name that is too long, no temporary folder, no more
    files."""
    if isinstance(error, MemoryError):
        return JokeJudgeError(
            "E_MEMORY", "There isn't enough memory for this.", "Close other programs, or choose a smaller model."
        )
    what = f" ({error.filename})" if error.filename else ""
    return JokeJudgeError(
        "E_SYSTEM",
        f"The operating system refused something: {error.strerror or error}{what}.",
        "Correct that and try again; `jokejudge doctor` may help.",
    )


def info(error: JokeJudgeError) -> ErrorInfo:
    """An error as data."""
    return ErrorInfo(code=error.code, sentence=error.sentence, hint=error.hint, kind=type(error).__name__)


def restore(found: ErrorInfo) -> JokeJudgeError:
    """The error that ``info`` made data of, of the same class."""
    return _class_of(found)(found.code, found.sentence, found.hint)


def _class_of(found: ErrorInfo) -> type[JokeJudgeError]:
    return JokeJudgeError.kinds.get(found.kind, JokeJudgeError)
