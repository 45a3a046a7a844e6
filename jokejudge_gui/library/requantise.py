"""A copy of a model in Q8_0, for which llama.cpp has fast kernels, from a quantisation without them.

``python -m jokejudge_gui.library.requantise SOURCE TARGET`` is the child that does the work; a bundle runs ``jokejudge
--requantise SOURCE TARGET`` instead.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ModelError
from ..core.files import made_file, unwritable
from ..core.paths import Profile, is_package
from ..engine.base import CancelToken
from ..engine.gguf import GgufFacts, read_gguf
from ..engine.quantise import write_q8_0
from .probe import answer_with, child_steps, probe

if TYPE_CHECKING:
    from .fetch import FetchProgress

TYPE = "Q8_0"
_BYTES_A_WEIGHT = 34 / 32  # 32 weights of a byte each and a scale of two
_TIMEOUT = 3600.0
_UNQUANTISED = ("F32", "F16", "BF16")
_COPY = re.compile(rf"\.{TYPE}-from-(\w+)$")


def gains(facts: GgufFacts) -> bool:
    """Whether a copy in Q8_0 reads prompts faster: the model's quantisation has no fast kernels, or it isn't
    quantised."""
    return facts.slow_kernels or facts.quantisation in _UNQUANTISED


def copy_size(facts: GgufFacts) -> int:
    """Return the approximate size of the copy in bytes."""
    return round(facts.parameters * _BYTES_A_WEIGHT)


def copy_path(source: Path, quantisation: str, profile: Profile) -> Path:
    """Return the path of the program's copy, named after both quantisations: ``model.Q8_0-from-Q4_1.gguf``."""
    stem = re.sub(rf"[-._]{re.escape(quantisation)}$", "", source.stem, flags=re.IGNORECASE)
    return profile.models / f"{stem}.{TYPE}-from-{quantisation}.gguf"


def copied_from(path: Path) -> str | None:
    """Return the quantisation that a file was copied from, None if it isn't such a copy."""
    named = _COPY.search(path.stem)
    return named[1] if named else None


def requantise(
    source: Path,
    profile: Profile,
    cancel: CancelToken | None = None,
    *,
    out: Path | None = None,
    command: Sequence[str] | None = None,
) -> Iterator[FetchProgress]:
    """Write a copy of ``source`` in Q8_0 to ``out``, else to ``copy_path``, in a child process, and probe it.

    An existing copy is used as it is. Raises ``Cancelled``, ``SettingsError`` E_WRITE, or ``ModelError``: those of
    ``read_gguf`` and ``probe``, E_MODEL_NO_GAIN, E_MODEL_EXISTS, E_MODEL_SPACE, E_MODEL_QUANTIZE. In any case only a
    complete copy is left."""
    from .fetch import FetchProgress  # here: a rating needs no HTTP

    token = cancel or CancelToken()
    facts = read_gguf(source)
    target = out or copy_path(source, facts.quantisation, profile)
    total = copy_size(facts)
    if out is None and target.is_file():
        yield FetchProgress(total, total, "already here")
        return
    if not gains(facts):
        raise ModelError(
            "E_MODEL_NO_GAIN",
            f"{source.name} is in {facts.quantisation}, so a copy in {TYPE} wouldn't be faster.",
            "Use it as it is.",
        )
    if target.exists():
        raise ModelError("E_MODEL_EXISTS", f"{target} is there already.", "Choose another name for the copy.")
    try:
        with made_file(target, total, f"The copy of {source.name}", "E_MODEL_SPACE") as temporary:
            yield FetchProgress(0, total, "copying")
            run = list(command) if command is not None else _command(source)
            for _ in child_steps(source, token, _TIMEOUT, [*run, str(temporary)]):
                yield FetchProgress(min(temporary.stat().st_size, total), total, "copying")
            read_gguf(temporary)
    except OSError as error:
        raise unwritable(target, error) from error
    try:
        yield FetchProgress(total, total, "trying the copy")
        probe(target, profile, token)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    yield FetchProgress(total, total, "done")


def _command(source: Path) -> list[str]:
    if is_package():
        return [sys.executable, "--requantise", str(source)]
    return [sys.executable, "-m", "jokejudge_gui.library.requantise", str(source)]


def run_child(source: str, target: str) -> int:
    """Run the child."""

    def work() -> dict[str, object]:
        write_q8_0(Path(source), Path(target))
        return {"type": TYPE}

    return answer_with(work)


if __name__ == "__main__":
    sys.exit(run_child(*sys.argv[1:]) if len(sys.argv) == 3 else 2)
