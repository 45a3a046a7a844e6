"""The command ``jokejudge``: finds the command, runs it, and turns every outcome into an exit status.

0 done, 1 a failure, 2 a usage error, 130 interrupted (Ctrl-C or SIGTERM).
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..core.config import Settings, load_settings
from ..core.errors import Cancelled, ErrorInfo, JokeJudgeError, OutputError, info, of_the_system, restore
from ..core.logs import log, logging_to, report_of, where
from ..core.paths import Profile, how_to_mend
from .arguments import parse, wants
from .console import Console, silence, tell
from .context import Context, SessionFactory
from .running import INTERRUPTED, STOPPED

if TYPE_CHECKING:
    from ..session.session import Session


_LOG = log("terminal")
_COMMANDS = (
    "rate", "duel", "contest", "screen", "workshop", "audit", "template", "merge", "evaluate", "history", "votes",
    "models", "criteria", "completion", "doctor", "mcp",
)  # fmt: skip


def _open_session(profile: Profile, settings: Settings) -> Session:
    from ..session.session import Session

    return Session(profile, settings, say=lambda sentence: print(sentence, file=sys.stderr))


def main(argv: Sequence[str] | None = None, *, open_session: SessionFactory = _open_session) -> int:
    """Run one command and return its exit status; never raises for anything a user can cause."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _hold_streams()
    console = Console(json=wants(arguments, "--json"), quiet=wants(arguments, "--quiet", "-q"))
    try:
        with _terminate_like_interrupt():
            return _guarded(arguments, console, open_session)
    except BrokenPipeError:  # the reader has closed its end
        for stream in (sys.stdout, sys.stderr):
            silence(stream)
        return 1


def _hold_streams() -> None:
    """Occupy file numbers 0 to 2 if a shell closed them (``>&-``): otherwise a file opened later would get one of them,
    and output of libraries would be written into it, such as the history."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)


def _guarded(arguments: list[str], console: Console, open_session: SessionFactory) -> int:
    try:
        return _run(arguments, console, open_session)
    except SystemExit as done:  # --help and --version
        return done.code if isinstance(done.code, int) else 0
    except (KeyboardInterrupt, Cancelled):
        return _failed(arguments, console, restore(STOPPED), INTERRUPTED)
    except BrokenPipeError:
        raise
    except JokeJudgeError as error:
        return _failed(arguments, console, error, error.exit_status)
    except (MemoryError, OSError) as error:
        return _failed(arguments, console, of_the_system(error), 1)
    except Exception as error:  # noqa: BLE001  (a script that asked for JSON gets it even when the program is wrong)
        # Its message may quote a joke, so it is only shown with ``--debug``.
        whole = wants(arguments, "--debug")
        tell(f"{''.join(traceback.format_exception(error)) if whole else report_of(error)}\n")
        fault = JokeJudgeError(
            "E_INTERNAL",
            f"The program has a fault ({type(error).__name__}).",
            "Report it with the lines above; `jokejudge doctor` may help.",
        )
        return _failed(arguments, console, fault, 1)


def _failed(arguments: list[str], console: Console, error: JokeJudgeError, status: int) -> int:
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
    if command in ("rate", "duel", "contest", "workshop", "audit") and not batch:
        from ..judge.kinds import KINDS

        kind = KINDS[command]
        return kind.unread((None,) * len(kind.fields), error)
    return {"error": error.model_dump()}


def _run(arguments: list[str], console: Console, open_session: SessionFactory) -> int:
    if len(arguments) in (2, 3, 4) and arguments[0] == "--probe":
        from ..library.probe import run_child

        return run_child(*arguments[1:])
    if arguments == ["--read-picture"]:
        from ..library.pictures import run_child as run_reader

        return run_reader()
    if len(arguments) == 3 and arguments[0] == "--requantise":
        from ..library.requantise import run_child as run_copy

        return run_copy(arguments[1], arguments[2])
    args = parse(arguments)
    profile = Profile.at(args.data_dir) if args.data_dir is not None else Profile.default()
    with logging_to(profile, debug=args.debug):
        try:
            return _run_command(args, console, profile, open_session)
        except JokeJudgeError as error:
            _LOG.warning("%s", error.code)
            raise
        except Exception as error:
            _LOG.error("%s", where(error))
            raise


def _run_command(args: Namespace, console: Console, profile: Profile, open_session: SessionFactory) -> int:
    _LOG.info("jokejudge %s: %s", __version__, args.command)
    if args.command == "doctor":
        from .doctor import doctor

        return doctor(args, console, profile)
    if args.command == "window":
        return _window(profile, args)
    settings = _with_options(load_settings(profile), args)
    console.kept = not getattr(args, "no_history", False)
    gc.set_threshold(200_000, 20, 20)  # objects that a command imports and loads are kept to its end
    atexit.register(gc.freeze)  # everything is closed by then, and a search for garbage would take time
    return _command(args.command)(Context(args, console, profile, settings, open_session))


def _with_options(settings: Settings, args: Namespace) -> Settings:
    ask = getattr(args, "ask", None)  # only commands that judge have it
    limits = {f"deep_{name}": value for name, value in (getattr(args, "budget", None) or {}).items()}
    return settings.for_this_call(
        model=args.model,
        mode=args.mode,
        threads=args.threads,
        explain=False if args.no_explain else None,
        ask_everything=None if ask is None else ask == "all",
        **limits,
    )


def _command(name: str) -> Callable[[Context], int]:
    """Return a command's function. Only its own module is imported, so that each command starts quickly (the bundle's
    recipe names them all)."""
    group, _, leaf = name.partition(" ")
    place = {"duel": "rate", "merge": "batch"}.get(group, group)
    module = import_module(f".{place}", __package__)
    commands: dict[str, Callable[[Context], int]] = module.COMMANDS
    return commands[leaf or group]


def _window(profile: Profile, args: Namespace) -> int:
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
        raise JokeJudgeError(
            "E_WINDOW_QT",
            f"The window can't open: Qt isn't there or lacks a system library ({error}).",
            f"{how_to_mend()} The terminal works without it: jokejudge rate TEXT.",
        ) from error
    # Without options the window reads the settings itself, and reports it if they are damaged.
    given = (args.model, args.mode, args.threads, args.no_explain or None)
    own = all(value is None for value in given)
    return run(profile, None if own else _with_options(load_settings(profile), args))


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
