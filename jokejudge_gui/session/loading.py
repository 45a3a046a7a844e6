"""From a model's name to a running engine, step by step, with events in between."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.config import Settings
from ..core.errors import EngineSetupError, ModelError, SettingsError
from ..core.events import Event, Stage, StageProgress
from ..core.files import remember, remembered
from ..core.paths import Profile, how_to_mend
from ..engine import address_space
from ..engine.base import PLAIN, CancelToken, ChatFrame, Engine
from ..library.embedded import distrust_embedded
from ..library.finder import ModelFile, resolve_model
from ..library.probe import attempt, ended_the_program, forget, forgive, probe

_BLOCK = 1 << 22
_STEP = 1 << 26
_SPARE = 192 << 20
"""Address space in bytes for a verdict's needs beside the model: kept states, numpy, the history."""


def open_model(
    spec: str | None,
    profile: Profile,
    settings: Settings,
    cancel: CancelToken | None,
    read_ahead: Callable[[ModelFile, str, ChatFrame], None] = lambda file, sha256, frame: None,
) -> Generator[Event, None, Engine]:
    """Find the file, hash it once, try it once in a process of its own, and load it. A model that ended the program
    when it was last loaded isn't loaded again automatically: the embedded one takes its place, and its notes say so.
    ``read_ahead`` gets the file, its SHA-256 and frame before it is loaded. Raises ``ModelError``."""
    token = cancel or CancelToken()
    file, sha256 = yield from identify(spec, profile, token)
    notes: list[str] = []
    if spec and ended_the_program(file.path, profile):
        notes.append(
            f"{file.name} ended the program when it was last loaded, so the embedded model takes its place. "
            f"Choose it again to try it once more (jokejudge models use {spec})."
        )
        file, sha256 = yield from identify(None, profile, token)
    yield _progress(60, "trying the model in a process of its own")
    facts = probe(file.path, profile, token, context=settings.context)
    room, needed = address_space.left(), facts.get("address_space")
    if room is not None and isinstance(needed, int) and room < needed + _SPARE:
        raise _too_little_memory(file)  # llama.cpp ends the process if it gets no memory
    yield _progress(80, "loading the model")
    # Imported here: llama.cpp is only loaded once a file has been found sound.
    try:
        from ..engine.loader import load_engine
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        raise EngineSetupError("E_SETUP", f"llama.cpp can't be loaded: {error}.", how_to_mend()) from error

    def distrust() -> None:
        """Forget the checks of a model that failed while it read: its file is tried anew at the next loading."""
        forget(file.path, profile)
        distrust_embedded(profile)
        with suppress(SettingsError):
            remember(profile.data / "hashes.json", str(file.path.absolute()), None)

    frame = chat_frame(facts)
    read_ahead(file, sha256, frame)
    with attempt(file.path, profile):
        try:
            return load_engine(
                file.path,
                name=file.name,
                sha256=sha256,
                context=settings.context,
                threads=settings.threads,
                state_folder=profile.states,
                state_limit=settings.state_cache_bytes,
                cancel=token,
                frame=frame,
                notes=notes,
                on_fault=distrust,
            )
        except MemoryError as error:
            raise _too_little_memory(file) from error


def choose(spec: str, profile: Profile) -> None:
    """Record that a person asked for this model, so that it is loaded even if it ended the program before. A name
    without a file is reported when the model is loaded."""
    with suppress(ModelError):
        forgive(resolve_model(spec, profile).path, profile)


def chat_frame(facts: dict[str, Any]) -> ChatFrame:
    """Return the chat template as the probe rendered it; ``PLAIN`` if the record of it is damaged. The template itself
    is never run: it is a foreign program."""
    parts = facts.get("frame")
    if isinstance(parts, list) and len(parts) == 3 and all(isinstance(part, str) for part in parts):
        return ChatFrame(*parts)
    return PLAIN


def _too_little_memory(file: ModelFile) -> ModelError:
    return ModelError(
        "E_MODEL_MEMORY",
        f"There isn't enough memory to load {file.path}.",
        "Choose a smaller model, or close other programs.",
    )


def identify(spec: str | None, profile: Profile, token: CancelToken) -> Generator[Event, None, tuple[ModelFile, str]]:
    """Return the file of a model's name and its SHA-256. Raises ``ModelError``."""
    yield _progress(0, "looking for the model")
    file = resolve_model(spec, profile)
    token.check()
    sha256 = file.sha256
    if sha256 is None:
        sha256 = yield from _hashed(file.path, profile, token)
    return file, sha256


def _hashed(path: Path, profile: Profile, token: CancelToken) -> Generator[Event, None, str]:
    """Return the SHA-256 of a file, remembered by path, size and time."""
    memory = profile.data / "hashes.json"
    try:
        facts = path.stat()
    except OSError as error:
        raise ModelError(
            "E_MODEL_MISSING", f"{path} can't be read: {error.strerror or error}.", "Choose another model."
        ) from error
    mark = [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]
    entry = remembered(memory).get(str(path.absolute()))
    if isinstance(entry, list) and len(entry) == 4 and entry[:3] == mark and isinstance(entry[3], str):
        return entry[3]
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            done += len(block)
            token.check()
            if done % _STEP < _BLOCK:
                yield _progress(60 * done // max(facts.st_size, 1), "checking the file")
    with suppress(SettingsError):  # hashed again next time: slower, nothing lost
        remember(memory, str(path.absolute()), [*mark, digest.hexdigest()])
    return digest.hexdigest()


def _progress(percent: int, note: str) -> Event:
    return StageProgress(stage=Stage.LOADING, done=percent, total=100, note=note)
