"""Probes of models in a child process: a file on which llama.cpp ends the process must not end the program.

``python -m jokejudge_gui.library.probe PATH`` is the child; a bundle runs ``jokejudge --probe PATH`` instead.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..core.errors import JokeJudgeError, ModelError, SettingsError
from ..core.files import parse_json, process_runs, remember, remembered
from ..core.paths import Profile, how_to_compile, is_package
from ..engine import llama_cpp
from ..engine.base import CancelToken
from ..engine.gguf import bad_template, read_gguf, unknown_architecture

DEFAULT_CONTEXT = 4096
_TIMEOUT = 300.0
_POLL = 0.05
_MOST_OUTPUT = 1 << 20
_MOST_REMEMBERED = 200
_ANSWER = "jokejudge-probe:"
_VERSION = 2
_OUT_OF_MEMORY = re.compile(
    r"failed to allocate|unable to allocate|cannot allocate|out of memory|bad_alloc|MemoryError|mmap failed"
    r"|pthread_create|failed to map segment|can't start new thread",
    re.I,
)
_SMALLER = "Choose a smaller model, or close other programs."
_ANOTHER = "Fetch it again, or choose another model."


def probe(
    path: Path,
    profile: Profile,
    cancel: CancelToken | None = None,
    *,
    context: int = DEFAULT_CONTEXT,
    timeout: float = _TIMEOUT,
    command: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Check the header, then load the model in a child process with the program's context, unless this unchanged file
    already passed with it; return the properties of the loaded model.

    Raises ``Cancelled``, or ``ModelError``: those of ``read_gguf``, E_MODEL_UNKNOWN_ARCHITECTURE, E_MODEL_MEMORY,
    E_MODEL_CRASH, E_MODEL_TIMEOUT, E_MODEL_TEMPLATE, and those for which the loaded model is rejected."""
    token = cancel or CancelToken()
    token.check()
    path = path.absolute()
    status = path.stat() if path.is_file() else None
    key = str(path)
    # Unlike the time of writing, the time of the last change of any kind (ctime) can't be set back.
    engine = f"{_VERSION};{llama_cpp.VERSION}{';prebuilt' if llama_cpp.is_prebuilt() else ''}"
    mark = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, context, engine] if status else []
    memory = profile.data / "probes.json"
    earlier = remembered(memory).get(key)
    if mark and isinstance(earlier, dict) and earlier.get("mark") == mark and isinstance(earlier.get("facts"), dict):
        return dict(earlier["facts"])
    read_gguf(path)
    run = list(command) if command is not None else probe_command(path, context)
    facts = _facts(path, token, timeout, run)
    with suppress(SettingsError):  # the next start only probes again
        remember(memory, key, {"mark": mark, "facts": facts}, _MOST_REMEMBERED)
    return facts


def forget(path: Path, profile: Profile) -> None:
    """Have the model probed again at its next loading, even if it passed before."""
    with suppress(SettingsError):
        remember(profile.data / "probes.json", str(path.absolute()), None)


def probe_command(path: Path, context: int = DEFAULT_CONTEXT) -> list[str]:
    """Return the child's command line."""
    if is_package():
        return [sys.executable, "--probe", str(path), str(context)]
    return [sys.executable, "-m", "jokejudge_gui.library.probe", str(path), str(context)]


def run_child(path: str, context: str = str(DEFAULT_CONTEXT)) -> int:
    """Run the child: load the model and answer on stdout with one line of JSON. Exit status 0, 1 for a rejected
    model."""
    try:
        # Imported here, so that too little memory for llama.cpp itself is reported too.
        from ..engine.loader import probe_load

        answer: dict[str, Any] = {"facts": probe_load(path, int(context))}
    except JokeJudgeError as error:
        answer = {"error": [error.code, error.sentence, error.hint]}
    except MemoryError:
        answer = {"error": ["E_MODEL_MEMORY", "There isn't enough memory to load the model.", _SMALLER]}
    print(_ANSWER + json.dumps(answer), flush=True)
    return 1 if "error" in answer else 0


def _facts(path: Path, token: CancelToken, timeout: float, command: list[str]) -> dict[str, Any]:
    """Run the child on a model and return the facts in its answer. Raises as ``probe`` does."""
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "OMP_WAIT_POLICY": "passive"}
    package_root = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (environment.get("PYTHONPATH"), package_root) if p)
    try:
        status, output, complaint = ran(command, token, timeout, env=environment)
    except TimeoutError:
        sentence = f"{path} didn't load within {timeout:.0f} seconds."
        raise ModelError("E_MODEL_TIMEOUT", sentence, _SMALLER) from None
    stated = answer_in(output, _ANSWER)
    answer = stated if isinstance(stated, dict) else {}
    if status == 0 and isinstance(answer.get("facts"), dict):
        return dict(answer["facts"])
    error = answer.get("error")
    if isinstance(error, list) and len(error) == 3:
        code, sentence, hint = (str(part) for part in error)
        if code == "E_MODEL_LOAD" and _OUT_OF_MEMORY.search(sentence):
            raise ModelError("E_MODEL_MEMORY", f"There isn't enough memory to load {path}.", _SMALLER)
        raise ModelError(code, sentence, hint)
    raise _crash(path, status, complaint)


def ran(
    command: Sequence[str], token: CancelToken, timeout: float = math.inf, *, given: bytes = b"", **options: Any
) -> tuple[int, str, str]:
    """Run a child in a session of its own, with ``given`` on its standard input and these ``options`` of ``Popen``;
    return its exit status and the ends of its standard output and standard error. It is killed with all its processes
    when the token is set or the time is over (``TimeoutError``)."""
    with tempfile.TemporaryFile() as read, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        read.write(given)
        read.seek(0)
        streams: dict[str, Any] = {"stdin": read, "stdout": output, "stderr": errors}
        process = subprocess.Popen(command, start_new_session=True, **{**streams, **options})
        left = timeout
        try:
            while True:
                token.check()
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_POLL), _tail(output), _tail(errors)
                left -= _POLL
                if left <= 0:
                    raise TimeoutError
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _crash(path: Path, status: int, complaint: str) -> ModelError:
    """Return the error for a child that ended without an answer."""
    if (unknown := unknown_architecture(str(path), complaint)) is not None:
        return unknown
    by = next((one.name for one in signal.Signals if one.value == -status), "")
    if by == "SIGALRM":
        return bad_template(str(path), "doesn't come to an end")
    if by == "SIGKILL" or _OUT_OF_MEMORY.search(complaint):
        return ModelError("E_MODEL_MEMORY", f"There isn't enough memory to load {path}.", _SMALLER)
    if by == "SIGILL":
        sentence = "llama.cpp uses instructions that this computer's processor doesn't have."
        return ModelError("E_MODEL_CRASH", sentence, how_to_compile())
    how = f"signal {-status}" if status < 0 else f"status {status}"
    reason = re.search(r"^.*(?:GGML_ASSERT|error|failed|terminate called).*$", complaint, re.MULTILINE | re.IGNORECASE)
    why = f": {reason[0].strip()[:160]}" if reason else ""
    return ModelError("E_MODEL_CRASH", f"llama.cpp crashed while loading {path} ({how}{why}).", _ANOTHER)


def _tail(stream: Any) -> str:
    end = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, end - _MOST_OUTPUT))
    return bytes(stream.read()).decode("utf-8", "replace")


def answer_in(output: str, mark: str) -> Any:
    """Return the JSON after ``mark`` in the last line that begins with it; None without valid JSON."""
    line = next((line for line in reversed(output.splitlines()) if line.startswith(mark)), mark)
    with suppress(ValueError):
        return parse_json(line.removeprefix(mark))
    return None


# Models that crash the program: a mark is written before a model is loaded and removed afterwards, so a mark of a
# process that no longer runs shows that loading ended it.


@contextmanager
def attempt(path: Path, profile: Profile) -> Iterator[None]:
    """Mark the loading of a model while the block runs, where the mark can be written."""
    process = str(os.getpid())
    _mark(profile, process, str(path.absolute()))
    try:
        yield
    finally:
        _mark(profile, process, None)


def ended_the_program(path: Path, profile: Profile) -> bool:
    """Whether the program ended while it loaded this model, which the user hasn't chosen since."""
    return bool(_left_behind(path, profile))


def forgive(path: Path, profile: Profile) -> None:
    """Remove the model's marks, because the user has chosen it, so that it is loaded again."""
    for process in _left_behind(path, profile):
        _mark(profile, process, None)


def _mark(profile: Profile, process: str, model: str | None) -> None:
    with suppress(SettingsError):
        remember(profile.data / "loading.json", process, model, _MOST_REMEMBERED)


def _left_behind(path: Path, profile: Profile) -> list[str]:
    """Return the processes that no longer run and left a mark of this model."""
    marks = remembered(profile.data / "loading.json").items()
    of_model = [process for process, model in marks if model == str(path.absolute()) and process.isdecimal()]
    return [process for process in of_model if not process_runs(int(process[:9]))]


if __name__ == "__main__":
    sys.exit(run_child(*sys.argv[1:]) if len(sys.argv) in (2, 3) else 2)
