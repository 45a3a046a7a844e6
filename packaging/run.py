#!/usr/bin/env python3
"""Set JokeJudge up, as far as that is still to be done, and start it.

    python3 packaging/run.py                    opens the window
    python3 packaging/run.py rate "A joke"      the terminal form; every argument goes to the program
    python3 packaging/run.py --setup-only       sets up and stops there
    python3 packaging/run.py --compile          compiles llama.cpp for this processor, from then on: reads faster, and
                                                takes a compiler and about ten minutes
    python3 packaging/run.py --prebuilt         uses the prebuilt llama.cpp again, as without either
    python3 packaging/run.py --agents           also sets up what jokejudge mcp needs (the library mcp), from then on
    python3 packaging/run.py --cluster          also sets up what jokejudge --cluster needs (Dask), from then on
    python3 packaging/run.py --pictures         also sets up what reads the text in pictures (rapidocr), from then on

The options of the set-up go together in any order; with one of the first three it stops when all is there.

Standard library only. Everything said here goes to stderr: stdout belongs to the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import platform
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from index_settings import parse_pip_config, pip_environment, uv_environment
from machine import build_packages, compiler_options, missing_packages, needed_libraries, why_not_prebuilt

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements.lock"
BUILD_LOCK = ROOT / "packaging" / "build.lock"
PREBUILT_LOCK = ROOT / "packaging" / "prebuilt.lock"
COMPILED_LOCK = ROOT / "packaging" / "compiled.lock"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
COMMAND = VENV / "bin" / "jokejudge"
STAMP = VENV / "jokejudge-setup.json"
LOG = VENV / "jokejudge-setup.log"
MUTEX = VENV / "jokejudge-setup.lock"
COMPILE_WANTED = VENV / "jokejudge-compile-wanted"
PREBUILT = "xllamacpp/xllamacpp.abi3.so"
"""The prebuilt library in site-packages: one file that exports all of llama.cpp."""

MINIMUM = (3, 11)
TICK_SECONDS = 30.0
PATIENCE_SECONDS = 60.0
"""Longest wait for a quick command."""
TERMINAL_WORDS = frozenset(
    {"rate", "duel", "contest", "score", "best", "decide", "screen", "workshop", "set", "evaluate"}
    | {"audit", "template", "criteria", "history", "votes", "models", "doctor", "mcp", "-h", "--help", "--version"}
)

STOPPING = ("--setup-only", "--compile", "--prebuilt")
EXTRAS = ("--agents", "--cluster", "--pictures")
NOT_HERE = 3
"""Exit status of jokejudge_gui.library.embedded where the folder or the memory, not the library, was at fault."""

# Words in a failed step's output -> the remedy.
HINTS = (
    (("No space left",), "The disk is full, and the set-up needs about 3 GB: free some space and run this again."),
    (
        ("hash mismatch", "not match the hash"),
        "A package isn't the one that the lock names. Run this again; if it stays, tell the developers.",
    ),
    (
        ("invalid peer certificate", "CERTIFICATE_VERIFY_FAILED", "UnknownIssuer"),
        "The certificate of the package index isn't trusted here, as behind a company's proxy. Add the company's "
        "certificate to those of the system, or set SSL_CERT_FILE to a file that holds it, then run this again.",
    ),
    (
        ("error sending request", "dns error", "NewConnectionError", "No matching distribution"),
        "The package index can't be reached or lacks a package: check the network and pip's index settings.",
    ),
    (("Permission denied",), "Something here belongs to another user: run this as the owner of this folder."),
    (("Killed",), "The compiler ran out of memory: close other programs and run this again."),
)


class SetupError(Exception):
    """A step that failed: ``str()`` is a sentence, then the remedy. ``output`` is the step's output, and ``status`` its
    exit status."""

    output, status = "", 0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Seconds in words: ``45 s``, ``2 min 05 s``."""
    whole = int(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def hint_for(output: str) -> str:
    """The remedy for a failed step, from its output."""
    for words, hint in HINTS:
        if any(word in output for word in words):
            return hint
    return f"The whole output is in {LOG.relative_to(ROOT)}; running this again goes on where it stopped."


def step(what: str, command: Sequence[str], env: Mapping[str, str] | None = None, tick: float = TICK_SECONDS) -> None:
    """Run one set-up command with its output in the log; a line every ``tick`` seconds says that it is alive. Raises
    ``SetupError`` when it fails."""
    started = time.monotonic()
    with LOG.open("ab") as log:
        log.write(f"\n== {what}\n".encode())
        log.flush()
        begin = log.tell()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd=ROOT)
        try:
            while process.poll() is None:
                try:
                    process.wait(timeout=tick)
                except subprocess.TimeoutExpired:
                    say(f"      … still at it ({duration(time.monotonic() - started)})")
        except BaseException:
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            raise
    status = process.returncode
    if status != 0:
        output = LOG.read_bytes()[begin:].decode("utf-8", "replace").strip()
        for line in output.splitlines()[-20:]:
            say(f"      {line}")
        error = SetupError(f"{what} failed (exit status {status}). {hint_for(output)}")
        error.output, error.status = output, status
        raise error


# The machine


def install_packages(packages: Sequence[str]) -> None:
    """Install Debian packages where that is allowed; else raise a ``SetupError`` with the command line."""
    line = f"apt-get install -y {' '.join(packages)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SetupError(f"System packages are missing. Install them, then run this again:\n    sudo {line}")
    say(f"   Installing system packages with apt, about a minute: {' '.join(packages)}.")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        step("apt-get update", ["apt-get", "update"], env)
        step("apt-get install", ["apt-get", "install", "-y", "--no-install-recommends", *packages], env)
    except SetupError as error:
        raise SetupError(f"{error}\nTo do it by hand:\n    {line}") from error


def needs_window(arguments: Sequence[str]) -> bool:
    """Whether these program arguments open the window (no subcommand among them)."""
    return TERMINAL_WORDS.isdisjoint(arguments)


def library_packages(window: bool) -> list[str]:
    """Debian packages that this start needs and this machine lacks."""
    return missing_packages(needed_libraries(window, os.environ))


# The environment


def locks() -> list[Path]:
    """The locks to install from: everyone's, that of a llama.cpp, and those of the extras that were asked for once."""
    extras = [lock_of(extra) for extra in EXTRAS if wanted_file(extra).exists()]
    return [LOCK, PREBUILT_LOCK if is_prebuilt() else COMPILED_LOCK, *extras]


def lock_of(extra: str) -> Path:
    return ROOT / "packaging" / f"{extra.removeprefix('--')}.lock"


def wanted_file(extra: str) -> Path:
    """The file that says that an extra was asked for once."""
    return VENV / f"jokejudge{extra.removeprefix('-')}-wanted"


def is_prebuilt() -> bool:
    """Whether llama.cpp isn't compiled here: the prebuilt one runs on this machine, and nobody asked to compile."""
    return not COMPILE_WANTED.exists() and not why_not_prebuilt()


def wanted_stamp() -> dict[str, str]:
    """The stamp of an environment that is up to date."""
    digest = hashlib.sha256(b"".join(lock.read_bytes() for lock in (*locks(), BUILD_LOCK))).hexdigest()
    compiled = "prebuilt" if is_prebuilt() else " ".join(compiler_options())
    machine = {"machine": platform.machine(), **({"compiled": compiled} if compiled else {})}
    return {"lock": digest, "python": platform.python_version(), **machine, "root": str(ROOT)}


def read_stamp() -> dict[str, str]:
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_ready() -> bool:
    return PYTHON.exists() and read_stamp() == wanted_stamp()


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """A lock that only one set-up in this folder holds; another waits for it."""
    import fcntl

    VENV.mkdir(exist_ok=True)
    with MUTEX.open("w") as mutex:
        try:
            fcntl.flock(mutex, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("   Another set-up is at work in this folder; waiting for it.")
            fcntl.flock(mutex, fcntl.LOCK_EX)
        yield


def works(python: Path) -> bool:
    """Whether an environment's interpreter is of this version and has pip."""
    code = "import pip, platform; print(platform.python_version())"
    try:
        done = subprocess.run(
            [python, "-c", code], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == platform.python_version()


def make_environment() -> None:
    if works(PYTHON):
        return
    for entry in VENV.iterdir():
        if entry not in (MUTEX, LOG, COMPILE_WANTED, *map(wanted_file, EXTRAS)):
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    say("   Making an environment in .venv, some seconds.")
    step("Making the environment", [sys.executable, "-m", "venv", str(VENV)])


def system_certificates() -> Path | None:
    """The file of the certificates that this system trusts, including a company's own."""
    found = ssl.get_default_verify_paths()
    return next((Path(file) for file in (found.cafile, found.openssl_cafile) if file and Path(file).is_file()), None)


def site_packages() -> list[Path]:
    return sorted((VENV / "lib").glob("python3*/site-packages"))


def pip_settings() -> dict[str, str]:
    """pip's settings of package indexes here, by option."""
    command = [str(PYTHON), "-m", "pip", "config", "list"]
    try:
        listing = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"pip doesn't tell its settings within {duration(PATIENCE_SECONDS)}. Try it again.") from error
    return parse_pip_config(listing.stdout)


def install_beside(lock: Path) -> None:
    """Install the packages of another lock beside those there, until the environment is next brought up to date."""
    env = uv_environment(pip_settings(), os.environ, VENV, system_certificates())
    command = [str(VENV / "bin" / "uv"), "pip", "install", "--require-hashes", "-r", str(lock)]
    step(f"Installing what {lock.name} names", command, env)


def install_requirements() -> None:
    """Make the environment match the lock exactly."""
    wanted_uv = re.search(r"^uv==(.*\\\n)*.*\n", LOCK.read_text("utf-8"), re.MULTILINE)
    if wanted_uv is None:
        raise SetupError(f"{LOCK.name} doesn't name uv. Get the file again from the repository.")
    uv = VENV / "bin" / "uv"
    pip, certificates = pip_settings(), system_certificates()
    if not uv.exists():
        say("   Fetching the installer (uv), some seconds.")
        own = VENV / "jokejudge-uv.txt"
        own.write_text(wanted_uv[0], "utf-8")
        command = [str(PYTHON), "-m", "pip", "install", "--no-deps", "--require-hashes", "-r", str(own)]
        step("Fetching uv", command, pip_environment(pip, os.environ, certificates))
    env = uv_environment(pip, os.environ, VENV, certificates)
    if is_prebuilt():
        say("   Fetching and installing the libraries: about 220 MB, less where some were fetched before.")
    else:
        if why_not_prebuilt():
            say(f"   The prebuilt llama.cpp doesn't run here: {why_not_prebuilt()}. So it is compiled.")
        say("   Installing the libraries: about 250 MB to fetch. llama-cpp-python is compiled once on each machine,")
        say("   about ten minutes on two cores, less on more; where it was compiled before, this takes seconds.")
    command = [str(uv), "pip", "sync", "--require-hashes", "--build-constraints", str(BUILD_LOCK)]
    if not is_prebuilt() and (options := compiler_options()):
        command += options
        # A copy in the environment may have been made another way but counts as installed, so it is replaced.
        if any((folder / "llama_cpp").exists() for folder in site_packages()):
            command += ["--reinstall-package", "llama-cpp-python"]
    step("Installing the libraries", [*command, *map(str, locks())], env)


def link_checkout() -> None:
    """Let the environment's Python find the package in this checkout, whatever the current folder is, and put the
    command ``jokejudge`` beside it, which starts the program as this script does."""
    for packages in site_packages():
        (packages / "jokejudge-checkout.pth").write_text(f"{ROOT}\n", "utf-8")
    start = f'exec {shlex.quote(str(PYTHON))} -m jokejudge_gui "$@"'
    COMMAND.write_text(f'#!/bin/sh\nexport OMP_WAIT_POLICY="${{OMP_WAIT_POLICY:-passive}}"\n{start}\n', "utf-8")
    COMMAND.chmod(0o755)


def prepare_model() -> None:
    """Prepare the embedded model, and read a few tokens with it. Raises ``SetupError`` where llama.cpp or the model
    fails; where the user's folder or memory does, the program itself names the remedy at each start."""
    say("   Preparing the embedded model (SmolLM2-135M), some seconds.")
    command = [str(PYTHON), "-m", "jokejudge_gui.library.embedded", "--try"]
    try:
        step("Preparing the embedded model", command, program_environment())
    except SetupError as error:
        if error.status != NOT_HERE:
            raise
        say("   The model couldn't be prepared for that reason; the rest of the set-up is sound.")


def install() -> None:
    """Install the libraries, the package and the model, with the prebuilt llama.cpp where it runs; if it can't be
    fetched or doesn't run, llama.cpp is compiled."""
    try:
        install_requirements()
    except SetupError as error:
        if not is_prebuilt() or PREBUILT.partition("/")[0] not in error.output:
            raise
        compile_instead(error)
    link_checkout()
    try:
        prepare_model()
    except SetupError as error:
        if not is_prebuilt():
            raise
        compile_instead(error)
        prepare_model()


def compile_instead(error: SetupError) -> None:
    """Compile llama.cpp from now on, since the prebuilt one failed as the ``error`` says. Raises ``SetupError``."""
    say(f"   The prebuilt llama.cpp doesn't work here ({str(error).splitlines()[0]}), so it is compiled.")
    COMPILE_WANTED.touch()
    try:
        missing = build_packages()
        if missing:
            install_packages(missing)
        install_requirements()
    except BaseException:
        COMPILE_WANTED.unlink()  # the next start tries the prebuilt one first
        raise


def program_environment() -> dict[str, str]:
    """The program's environment: waiting threads must not spin, or a busy machine makes the model crawl."""
    return {"OMP_WAIT_POLICY": "passive", **os.environ}


def set_up(window: bool, extras: Iterable[str] = ()) -> None:
    """Do the steps that are still to be done, those of the ``extras`` from now on. Raises ``SetupError``; after an
    interruption, the next call continues."""
    if os.name != "posix":
        raise SetupError("These scripts set JokeJudge up on Linux. Elsewhere, install it with pip from this folder.")
    for extra in extras:
        VENV.mkdir(exist_ok=True)
        wanted_file(extra).touch()
    if not is_ready():
        with only_one():
            if not is_ready():
                started = time.monotonic()
                say("Setting JokeJudge up; this happens once.")
                # All of them at once and before the long step, so that users are asked only once.
                missing = build_packages(compiled=not is_prebuilt()) + library_packages(window)
                if missing:
                    install_packages(missing)
                make_environment()
                install()
                STAMP.write_text(json.dumps(wanted_stamp()), "utf-8")
                say(f"Set up in {duration(time.monotonic() - started)}.")
    missing = library_packages(window)
    if missing:
        install_packages(missing)


def setup_options(arguments: Sequence[str]) -> tuple[set[str], list[str]]:
    """Return the options of the set-up among the arguments before a command of the program, and the program's
    arguments.

    Raises ``SetupError`` where both are there and the set-up would stop before the program, or two contradict.
    """
    before = list(itertools.takewhile(lambda argument: argument not in TERMINAL_WORDS, arguments))
    given = {argument for argument in before if argument in (*STOPPING, *EXTRAS)}
    rest = [argument for argument in before if argument not in given] + list(arguments[len(before) :])
    if rest and not given.isdisjoint(STOPPING):
        raise SetupError(
            f"{shlex.join(rest)} can't stand beside {', '.join(sorted(given))}. "
            f"The set-up's options are {', '.join((*STOPPING, *EXTRAS))}."
        )
    if {"--compile", "--prebuilt"} <= given:
        raise SetupError("--compile and --prebuilt contradict each other. Give one of them.")
    return given, rest


def guarded(work: Callable[[], None], redo: str) -> int:
    """Run a script's work; set-up failures become a sentence on stderr and exit status 1."""
    if sys.version_info < MINIMUM:
        say(
            f"JokeJudge needs Python 3.11 or newer, and this is {platform.python_version()}. Start it with a newer one."
        )
        return 1
    try:
        work()
    except SetupError as error:
        say(f"Set-up stopped: {error}")
        return 1
    except OSError as error:
        say(f"Set-up stopped: {error}. Check that this folder is yours to write to, then run {redo} again.")
        return 1
    except KeyboardInterrupt:
        say(f"Set-up interrupted; {redo} goes on from here.")
        return 130
    return 0


def main(arguments: Iterable[str]) -> int:
    arguments = list(arguments)

    def work() -> None:
        given, rest = setup_options(arguments)
        chosen = given & {"--compile", "--prebuilt"}
        if "--compile" in chosen:
            VENV.mkdir(exist_ok=True)
            COMPILE_WANTED.touch()
        elif chosen:
            if why := why_not_prebuilt():
                raise SetupError(f"The prebuilt llama.cpp doesn't run here: {why}. Stay with the compiled one.")
            COMPILE_WANTED.unlink(missing_ok=True)
        stops = not given.isdisjoint(STOPPING)
        set_up(window=not stops and needs_window(rest), extras=[extra for extra in EXTRAS if extra in given])
        if chosen:
            say("llama.cpp is the prebuilt one." if is_prebuilt() else "llama.cpp is compiled for this processor.")
        if not stops:
            os.execve(PYTHON, [str(PYTHON), "-m", "jokejudge_gui", *rest], program_environment())

    return guarded(work, "python3 packaging/run.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
