"""The command ``jokejudge``: finds the command, runs it, and turns every outcome into an exit status.

0 done, 1 a failure, 2 a usage error, 130 interrupted (Ctrl-C or SIGTERM), 141 where the reader of the output has left.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..core.errors import Cancelled, ErrorInfo, JokeJudgeError, OutputError, UsageError, info, of_the_system, restore
from ..core.logs import log, logging_to, report_of
from ..core.paths import Profile, how_to_add, how_to_mend
from .console import Console, silence, tell
from .context import Context, SessionFactory
from .options import Group, unset
from .running import INTERRUPTED, STOPPED

if TYPE_CHECKING:
    from ..core.config import Settings
    from ..session.session import Session


_LOG = log("terminal")
_COMMANDS = {
    "rate": ("rate", "Rate one joke."),
    "duel": ("rate", "Which of two jokes is the funnier one."),
    "contest": ("contest", "Rank a list of jokes."),
    "score": ("score", "A number for each line: the odds that people like it better than most."),
    "best": ("score", "The best lines of a list."),
    "decide": ("score", "Answer a System One request: choice, score, yes or no."),
    "screen": ("contest", "Leave out what people needn't see of a list, and let them vote on the rest."),
    "workshop": ("rate", "Work on a joke in versions, and see what each change does."),
    "set": ("set", "Put bits into an order for the stage: how long it is, what comes back, a sheet to print."),
    "audit": ("evaluate", "See what moves the judge though it shouldn't."),
    "evaluate": ("evaluate", "Measure the judge on jokes that people have judged."),
    "history": ("history", "Earlier verdicts."),
    "votes": ("votes", "Your votes on what you find funny."),
    "models": ("models", "The models to judge with."),
    "criteria": ("criteria", "What jokes are judged by, and what you changed in it."),
    "template": ("template", "Another judge's outputs, checked by templates."),
    "mcp": ("mcp", "Serve agents: the Model Context Protocol on standard input and output."),
    "doctor": ("doctor", "Check this installation, the model and the history."),
}
"""The module and the help of each command; the bundle's recipe names the modules, too."""
_COMPLETE = "_JOKEJUDGE_COMPLETE"
"""The variable through which a shell asks for completions: its value names the shell."""


@click.pass_context
def _without_a_command(context: click.Context) -> int | None:
    """Open the window where no command was named."""
    return None if context.invoked_subcommand else context.obj.run("window", _window, {})


jokejudge = Group(
    "jokejudge",
    elsewhere=_COMMANDS,
    judges=True,
    callback=_without_a_command,
    help="Judges jokes with a language model on this computer. Without a command it opens the window.",
)
click.version_option(__version__, message="jokejudge %(version)s", help="Print the version.")(jokejudge)


def _open_session(profile: Profile, settings: Settings) -> Session:
    from ..session.session import Session

    return Session(profile, settings, say=lambda sentence: print(sentence, file=sys.stderr))


def main(argv: Sequence[str] | None = None, *, open_session: SessionFactory = _open_session) -> int:
    """Run one command and return its exit status; never raises for anything a user can cause."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # If a shell closed one of these (``>&-``), a file opened later would get its number and the output of libraries.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
    console = Console(json=wants(arguments, "--json"), quiet=wants(arguments, "--quiet", "-q"))
    try:
        with _terminate_like_interrupt():
            return _guarded(arguments, console, open_session)
    except BrokenPipeError:  # the reader has closed its end
        for stream in (sys.stdout, sys.stderr):
            silence(stream)
        return 128 + 13  # as a process that SIGPIPE ended


def wants(argv: Sequence[str], *names: str) -> bool:
    """Whether one of these options was given, even if the other arguments are invalid."""
    options = argv[: list(argv).index("--")] if "--" in argv else argv
    return any(name in options for name in names)


def _guarded(arguments: list[str], console: Console, open_session: SessionFactory) -> int:
    status = 1
    try:
        return _run(arguments, console, open_session)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, Cancelled):
        error, status = restore(STOPPED), INTERRUPTED
    except JokeJudgeError as fault:
        error, status = fault, fault.exit_status
    except (MemoryError, OSError) as fault:
        error = of_the_system(fault)
    except Exception as fault:  # noqa: BLE001  (a script that asked for JSON gets it even when the program is wrong)
        # Its message may quote a joke, so it is only shown with ``--debug``.
        whole = wants(arguments, "--debug")
        tell(f"{''.join(traceback.format_exception(fault)) if whole else report_of(fault)}\n")
        sentence = f"The program has a fault ({type(fault).__name__})."
        error = JokeJudgeError("E_INTERNAL", sentence, "Report it with the lines above; `jokejudge doctor` may help.")
    if console.json and error.code != "E_STDOUT":
        try:
            console.object(_error_object(arguments, info(error)))
        except OutputError as fault:  # the first error is the more useful one
            _LOG.warning("%s", fault.code)
    console.error(error)
    return status


def _error_object(arguments: list[str], error: ErrorInfo) -> dict[str, Any]:
    """Return the error's JSON object in the shape of the command's output, if the command is recognised."""
    words = [word for word in arguments if not word.startswith("-")]
    batch = any(word == "--batch" or word.startswith("--batch=") for word in arguments)
    command = next((word for word in words if word in _COMMANDS), None)
    if command in ("rate", "duel", "contest", "workshop", "set", "audit") and not batch:
        from ..judge.kinds import KINDS

        kind = KINDS[command]
        return kind.unread((None,) * len(kind.fields), error)
    return {"error": error.model_dump()}


def _run(arguments: list[str], console: Console, open_session: SessionFactory) -> int:
    match arguments:
        case ["--probe", _] | ["--probe", _, _]:
            from ..library.probe import run_child

            return run_child(*arguments[1:])
        case ["--read-ahead"]:
            from ..session.reading_ahead import run_child as read_ahead

            return read_ahead()
        case ["--read-picture"]:
            from ..library.pictures import run_child as run_reader

            return run_reader()
    if instruction := os.environ.get(_COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(jokejudge, {}, "jokejudge", _COMPLETE, instruction)
    try:
        with jokejudge.make_context("jokejudge", arguments, obj=Call(console, open_session)) as context:
            return int(jokejudge.invoke(context))
    except click.exceptions.Exit as done:  # --help and --version
        return done.exit_code
    except click.UsageError as error:
        hint = f"See {error.ctx.command_path if error.ctx else 'jokejudge'} --help."
        if isinstance(error, click.NoSuchOption):
            hint += " Put -- before a text that begins with a dash."
        raise UsageError("E_USAGE", " ".join(error.format_message().split()), hint) from error


class Call:
    """One call of the program, while its arguments are read. ``given``: the options that all commands have."""

    def __init__(self, console: Console, open_session: SessionFactory) -> None:
        self._console, self._open_session = console, open_session
        self.given: dict[str, Any] = {}

    def run(self, name: str, function: Callable[[Context], int], options: dict[str, Any]) -> int:
        """Run a command's function with its ``options``, and log how it ended."""
        args = SimpleNamespace(**(unset() | self.given | options))
        profile = Profile.at(args.data_dir) if args.data_dir is not None else Profile.default()
        self._console.kept = not args.no_history
        with logging_to(profile, debug=args.debug):
            _LOG.info("jokejudge %s: %s", __version__, name)
            gc.set_threshold(200_000, 20, 20)  # objects that a command imports and loads are kept to its end
            atexit.register(gc.freeze)  # everything is closed by then, and a search for garbage would take time
            # A line on the terminal would disturb somebody who types a text there.
            named = (value if isinstance(value, tuple) else (value,) for value in options.values())
            typed = sys.stdin is not None and sys.stdin.isatty() and any("-" in values for values in named)
            line = nullcontext() if typed or name == "window" else self._console.line.kept_alive()
            try:
                with line:
                    return function(Context(args, self._console, profile, self._open_session))
            except JokeJudgeError as error:
                _LOG.warning("%s", error.code)
                raise
            except Exception as error:
                _LOG.error("%s", report_of(error))
                raise


def _window(context: Context) -> int:
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    no_display = not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not platform and no_display:
        raise JokeJudgeError(
            "E_WINDOW_DISPLAY",
            "The window can't open: there's no display here.",
            "Start it in a desktop session, or use the terminal: jokejudge rate TEXT.",
        )
    gc.disable()  # the window's Collector does it; imported objects stay
    try:
        from ..ui.app import run
    except ImportError as error:
        if not (error.name or "").startswith(("PySide6", "shiboken6")) and ".so" not in str(error):
            raise
        mend = how_to_mend() if find_spec("PySide6") else how_to_add("window")
        raise JokeJudgeError(
            "E_WINDOW_QT",
            f"The window can't open: Qt isn't there or lacks a system library ({error}).",
            f"{mend} The terminal works without it: jokejudge rate TEXT.",
        ) from error
    # Without options the window reads the settings itself, and reports it if they are damaged.
    args = context.args
    own = not (args.models or args.no_explain) and (args.mode, args.threads) == (None, None)
    return run(context.profile, None if own else context.settings)


@contextmanager
def _terminate_like_interrupt() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)
