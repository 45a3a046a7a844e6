"""Expected errors, each with a code, a sentence and a next step; ``ErrorInfo`` is their form as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer

_MOST_QUOTED = 30
_NAMES = {"missing": "is missing", "extra_forbidden": "isn't known here"}
"""What is wrong with an argument's name, by pydantic's types of faults."""
Scope = Literal["row", "run", "model"]
"""The texts that an error affects: this one alone; every further row of a long run, whatever the model; or every row
that this model is asked about."""


class ErrorInfo(BaseModel):
    """An error as data: code, sentence, and next step. ``kind``: the name of its class, from which ``restore`` makes
    that class again; empty, and left out of JSON, if unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    code: str
    sentence: str
    hint: str = ""
    kind: str = ""

    @model_serializer(mode="wrap")
    def _known(self, dump: SerializerFunctionWrapHandler) -> dict[str, str]:
        return {name: value for name, value in dump(self).items() if name != "kind" or value}

    def __str__(self) -> str:
        """Return the sentence and the hint, as the exception's message."""
        return f"{self.sentence} {self.hint}".strip()

    @property
    def scope(self) -> Scope:
        """The texts that the error affects, as its class states."""
        return _class_of(self).scope

    @property
    def ends_the_run(self) -> bool:
        """Whether every further row of a long run would fail in the same way: the run stops there and continues once
        the cause is fixed."""
        return self.scope != "row"


class JokeJudgeError(Exception):
    """Base of every expected failure.

    ``code`` is stable (``E_…``) for scripts and tests, ``sentence`` describes the failure and ``hint`` the next step.
    Any other exception is a bug and opens the crash dialog.
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error, so that it comes back from another process."""
        return restore, (info(self),)


class InputError(JokeJudgeError):
    """The given text or file can't be judged."""

    scope: ClassVar[Scope] = "row"


class UsageError(JokeJudgeError):
    """The arguments of a call or command are invalid."""

    exit_status = 2


class ModelError(JokeJudgeError):
    """A model file, or a file made for it, is missing, unsound, or can't be loaded."""

    scope: ClassVar[Scope] = "model"


class EngineError(JokeJudgeError):
    """The engine couldn't carry out a request for this text (too long for the context, decode failed)."""

    scope: ClassVar[Scope] = "row"


class EngineSetupError(EngineError):
    """The model lacks something that every text needs (answer labels, grammar, saved state)."""

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
    """Return the error for an argument ``name`` of a wrong type or out of range; ``fault`` says what is allowed. Only
    numbers, None and short words are quoted, of other values their type."""
    if isinstance(given, str):
        shown = f"“{given}”" if len(given) <= _MOST_QUOTED and given.isprintable() else "another text"
    elif given is None or (isinstance(given, int | float) and abs(given) < 10**15):
        shown = str(given)
    else:
        shown = f"a {type(given).__name__}"
    return UsageError("E_REQUEST", f"{name} {fault}, and is {shown}.", "Correct it and ask again.")


def unfit(error: ValidationError, title: str) -> UsageError:
    """Return the error for an argument that pydantic refused, named by its ``title`` and its place in a list."""
    fault = error.errors(include_url=False, include_context=False)[0]
    numbers = "".join(f", number {part + 1}" for part in fault["loc"] if isinstance(part, int))
    if fault["type"] in _NAMES:
        return UsageError("E_REQUEST", f"“{title}”{numbers} {_NAMES[fault['type']]}.", "Correct it and ask again.")
    why = fault["msg"].removeprefix("Input ").partition(", unable to")[0].partition(" or instance of ")[0]
    if fault["type"] == "string_unicode":
        why = "should hold no half of a broken character (a lone surrogate)"
    return unusable(f"“{title}”{numbers}", why, fault["input"])


def damaged(path: Path, why: object, lost: str = "") -> ModelError:
    """Return the error for a file that the program ships or made itself, and that isn't as it was written. ``lost``:
    what verdicts lack until it is there again."""
    sentence = f"The file {path} is damaged ({str(why) or type(why).__name__})."
    hint = f"Delete it, or install the program again{f'; {lost} until then' if lost else ''}."
    return ModelError("E_FILE_DAMAGED", sentence, hint)


def of_the_system(error: OSError | MemoryError) -> JokeJudgeError:
    """Return the error for a failed system call, with the system's own message: out of memory, name too long, no
    temporary folder, too many open files."""
    if isinstance(error, MemoryError):
        hint = "Close other programs, or choose a smaller model."
        return JokeJudgeError("E_MEMORY", "There isn't enough memory for this.", hint)
    what = f" ({error.filename})" if error.filename else ""
    sentence = f"The operating system refused an operation: {error.strerror or error}{what}."
    return JokeJudgeError("E_SYSTEM", sentence, "Correct that and try again; `jokejudge doctor` may help.")


def info(error: JokeJudgeError) -> ErrorInfo:
    """Return an error as data; its kind is the nearest class of this module."""
    kind = next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == __name__)
    return ErrorInfo(code=error.code, sentence=error.sentence, hint=error.hint, kind=kind)


def restore(data: ErrorInfo) -> JokeJudgeError:
    """Return an error of the original class from the data that ``info`` made."""
    return _class_of(data)(data.code, data.sentence, data.hint)


def _class_of(data: ErrorInfo) -> type[JokeJudgeError]:
    return JokeJudgeError.kinds.get(data.kind, JokeJudgeError)
