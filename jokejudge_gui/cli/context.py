"""The context of a command: its arguments, console, profile and settings."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..core.config import JOINED, Settings, load_settings
from ..core.errors import UsageError
from ..core.paths import Profile
from ..core.tables import MOST_TEXT, decode, piped, read_bytes
from ..core.verdicts import VerdictResult
from .console import Console, tell

if TYPE_CHECKING:
    from ..history.store import HistoryStore
    from ..session.session import Session

R = TypeVar("R", bound=VerdictResult)

SessionFactory: TypeAlias = "Callable[[Profile, Settings], Session]"


def misuse(sentence: str, hint: str) -> UsageError:
    """Return the error for a call with invalid or contradictory arguments."""
    return UsageError("E_USAGE", sentence, hint)


def refuse(*cases: tuple[object, str, str]) -> None:
    """Raise the error of the first case that is true: what is wrong, its sentence and its hint."""
    for wrong, sentence, hint in cases:
        if wrong:
            raise misuse(sentence, hint)


def _same_file(one: Path, other: Path) -> bool:
    """Whether two names mean the same file, which need not exist."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return one.absolute() == other.absolute()


def options_given(args: SimpleNamespace) -> dict[str, Any]:
    """Return the options of judging that the call gives; an earlier verdict that is continued or repeated keeps its own
    for the rest."""
    given = {"mode": args.mode, "ask": getattr(args, "ask", None), "explain": False if args.no_explain else None}
    return {name: value for name, value in given.items() if value is not None}


def written(option: str, name: str | None, *others: str | Path | None) -> Path | None:
    """Return the file that an option names to be written. Raises ``UsageError`` if it isn't one of its own: neither a
    folder, a stream, nor one of the ``others``."""
    if name is None:
        return None
    path, hint = Path(name), "Give it the name of a file of its own."
    refuse((name == "-" or (path.exists() and not path.is_file()), f"--{option} can't be {name}.", hint))
    if any(str(other) != "-" and _same_file(path, Path(other)) for other in others if other is not None):
        raise UsageError("E_BATCH_SAME", f"--{option}: {path} is named twice.", hint)
    return path


@dataclass(frozen=True)
class Context:
    """One call of the program. ``args``: the command's options, and those that all commands have."""

    args: SimpleNamespace
    console: Console
    profile: Profile
    open_session: SessionFactory

    @cached_property
    def settings(self) -> Settings:
        """The user's settings with this call's options; never saved. Raises ``SettingsError`` for a damaged file."""
        return self.applied(load_settings(self.profile))

    def applied(self, settings: Settings) -> Settings:
        """Return settings with this call's options."""
        args = self.args
        ask = getattr(args, "ask", None)  # only commands that judge have it
        return settings.for_this_call(
            model=JOINED.join(args.models) or None,
            mode=args.mode,
            threads=args.threads,
            jobs=args.jobs,
            explain=False if args.no_explain else None,
            ask_everything=None if ask is None else ask == "all",
            deep_branches=getattr(args, "readings", None),
        )

    def judging_with(self, model: str | None) -> Context:
        """Return the call with another model than the one in use, if one is named."""
        return (
            self if model is None else replace(self, args=SimpleNamespace(**(vars(self.args) | {"models": (model,)})))
        )

    def with_models(self, command: str) -> str:
        """Return a command for a hint, with this call's models."""
        return " ".join([command, *(f"--model {shlex.quote(model)}" for model in self.args.models)])

    @property
    def keeps_batches(self) -> bool:
        """Whether the verdicts of a batch go into the history."""
        return not self.args.no_history and (self.args.history or self.settings.batch_history)

    @contextmanager
    def history(self) -> Iterator[HistoryStore]:
        """Open the history alone, closed at the end. Raises ``HistoryError`` if it can't be opened."""
        from ..history.store import HistoryStore
        from ..judge.kinds import KINDS

        with closing(HistoryStore(self.profile.database, KINDS)) as store:
            for note in store.notes:
                tell(note + "\n")
            yield store

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a session, closed at the end. Raises ``HistoryError`` if the history can't be opened."""
        with closing(self.open_session(self.profile, self.settings)) as session:
            yield session


def stored(store: HistoryStore, id: str, of: type[R], code: str, sentence: str) -> R:
    """Return the verdict with this id or beginning of one, for ``last`` the newest of its kind. Raises ``UsageError``
    with ``code`` and ``sentence`` for one of another kind, and the history's errors."""
    result = store.get(store.named(id, of.kind)).result
    if not isinstance(result, of):
        raise UsageError(code, sentence, f"See jokejudge history list --kind {of.kind}.")
    return result


def counted(count: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def moment(when: datetime) -> str:
    """Return a time as it stands in lists."""
    return when.astimezone().strftime("%Y-%m-%d %H:%M")


def given_or_piped(texts: list[str], wanted: int = 1) -> list[str]:
    """Return the texts of a call; if the last of those ``wanted`` is missing and another program's output is piped into
    this one, with ``-`` added."""
    if len(texts) != wanted - 1 or "-" in texts:
        return texts
    return [*texts, "-"] if piped() else texts


def read_text(source: str) -> str:
    """Read a joke from a file or from standard input, without the final line end that editors and ``echo`` add."""
    return decode(read_bytes(source, MOST_TEXT), source).removesuffix("\n").removesuffix("\r")


def read_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of a call; the one that is ``-`` is read from standard input."""
    several = list(texts).count("-") > 1
    refuse((several, "Standard input can be only one of the texts.", "Give the others in quotes."))
    return tuple(read_text("-") if text == "-" else text for text in texts)
