"""From a model's name to a running engine, step by step, with events in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from pathlib import Path

from .config import Settings
from .engine.base import CancelToken, Engine
from .errors import EngineSetupError, ModelError, SettingsError
from .events import Event, Stage, StageProgress
from .files import atomic_write, remembered
from .library.finder import ModelFile, resolve_model
from .library.probe import probe
from .library.threads import chosen_threads
from .paths import Profile

_BLOCK = 1 << 22
_STEP = 1 << 26


def open_model(
    spec: str | None, profile: Profile, settings: Settings, cancel: CancelToken | None
) -> Generator[Event, None, Engine]:
    """Find the file, hash it once, try it once in a process of its own, and load it. Raises ``ModelError``."""
    token = cancel or CancelToken()
    file, sha256 = yield from identify(spec, profile, token)
    yield _progress(60, "trying the model in a process of its own")
    probe(file.path, profile, token)
    yield _progress(80, "loading the model")
    # Imported here: llama.cpp is only loaded once a file has been found sound.
    try:
        from .engine.loader import load_engine
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        raise EngineSetupError(
            "E_SETUP", f"llama.cpp can't be loaded: {error}.", "Run python3 packaging/run.py again."
        ) from error

    return load_engine(
        file.path,
        name=file.name,
        sha256=sha256,
        context=settings.context,
        threads=settings.threads,
        measured_threads=chosen_threads(sha256, profile),
        state_folder=profile.states,
        state_limit=settings.state_cache_bytes,
        cancel=token,
    )


def identify(spec: str | None, profile: Profile, token: CancelToken) -> Generator[Event, None, tuple[ModelFile, str]]:
    """The file that a name means, and its SHA-256. Raises ``ModelError``."""
    yield _progress(0, "looking for the model")
    file = resolve_model(spec, profile)
    token.check()
    sha256 = file.sha256
    if sha256 is None:
        sha256 = yield from _hashed(file.path, profile, token)
    return file, sha256


def _hashed(path: Path, profile: Profile, token: CancelToken) -> Generator[Event, None, str]:
    """SHA-256 of a file, remembered by path, size and time."""
    memory = profile.data / "hashes.json"
    try:
        facts = path.stat()
    except OSError as error:
        raise ModelError(
            "E_MODEL_MISSING", f"{path} can't be read: {error.strerror or error}.", "Choose another model."
        ) from error
    mark = [facts.st_size, facts.st_mtime_ns]
    known = remembered(memory)
    entry = known.get(str(path.absolute()))
    if isinstance(entry, list) and len(entry) == 3 and entry[:2] == mark and isinstance(entry[2], str):
        return entry[2]
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            done += len(block)
            token.check()
            if done % _STEP < _BLOCK:
                yield _progress(60 * done // max(facts.st_size, 1), "checking the file")
    known[str(path.absolute())] = [*mark, digest.hexdigest()]
    try:
        atomic_write(memory, json.dumps(known, indent=1))
    except SettingsError:
        return digest.hexdigest()  # hashed again next time: slower, nothing lost
    return digest.hexdigest()


def _progress(percent: int, note: str) -> Event:
    return StageProgress(stage=Stage.LOADING, done=percent, total=100, note=note)
