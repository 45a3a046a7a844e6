"""The GGUF models that are on this disk already, and which file a model's name means."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..engine.gguf_file import check_magic, read_gguf
from ..errors import ModelError
from ..paths import Profile, exists, expanded
from .catalogue import Catalogue, CatalogueEntry, load_catalogue
from .embedded import EMBEDDED_FILE, EMBEDDED_NAME, EMBEDDED_SHA256, EMBEDDED_SIZE, embedded_path, ensure_embedded
from .requantise import copied_from
from .stores import STORES, Candidate, Place, plain_folder

_MOST_FOUND = 500
_SMALLEST = 1 << 10
_LATER_PART = re.compile(r"-(\d{5})-of-\d{5}\.gguf$", re.IGNORECASE)


@dataclass(frozen=True)
class FoundModel:
    """A model file on the disk. ``origin``: the program it belongs to; ``size``: bytes of this file; ``sha256``: as
    its store says, not checked here; ``entry``: what the catalogue knows of it."""

    path: Path
    label: str
    origin: str
    size: int
    sha256: str | None = None
    entry: CatalogueEntry | None = None


@dataclass(frozen=True)
class ModelFile:
    """The file to load. ``sha256`` is given where it has been checked, and else found while loading."""

    path: Path
    name: str
    sha256: str | None = None


def find_models(
    profile: Profile,
    *,
    catalogue: Catalogue | None = None,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
    platform: str = sys.platform,
) -> list[FoundModel]:
    """Models in the profile and in the folders of LM Studio, GPT4All, Jan, Ollama, Hugging Face and llama.cpp.

    Reads only, never raises, and each file comes once however many names it has. Projectors for pictures and the
    later parts of a model in parts are left out. The program's own come first."""
    known = catalogue or load_catalogue()
    place = Place(home or _home(), os.environ if env is None else env, platform)
    found: dict[tuple[int, int], FoundModel] = {}
    for origin, candidate in _candidates(profile, place):
        if len(found) >= _MOST_FOUND:
            break
        sound = _sound(candidate)
        if sound is None:
            continue
        key, size = sound
        seen = found.get(key)
        if seen is None:
            found[key] = _described(candidate, origin, size, known)
        elif seen.sha256 is None and candidate.sha256 is not None:
            found[key] = _described(candidate, seen.origin, size, known)
    return list(found.values())


def resolve_model(
    spec: str | None,
    profile: Profile,
    *,
    catalogue: Catalogue | None = None,
    progress: Callable[[str], None] | None = None,
    home: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> ModelFile:
    """The file that ``spec`` means: a path, a catalogue name, the file name of a model found on this disk; None or
    empty is the embedded model, which is prepared if it wasn't yet (``progress`` is told so in words).

    Raises ``ModelError``: those of ``read_gguf``, E_MODEL_NOT_FETCHED, E_MODEL_UNKNOWN, and of the embedded model."""
    known = catalogue or load_catalogue()
    wanted = (spec or "").strip()
    entry = known.find(wanted) if wanted else None
    named = wanted.casefold() == "embedded"
    if not wanted or named or (entry is not None and entry.embedded):
        return ModelFile(ensure_embedded(profile, progress), EMBEDDED_NAME, EMBEDDED_SHA256)
    path = expanded(wanted) if "\0" not in wanted else Path("\\0")
    if entry is None and _is_path(wanted, path):
        return _from_path(path, known)
    if entry is not None:
        here = profile.models / entry.file
        if here.is_file() and here.stat().st_size == entry.size:
            return ModelFile(here, entry.label, entry.sha256[0])
        if path.is_file():
            return _from_path(path, known)
    models = find_models(profile, catalogue=known, home=home, env=env)
    for model in models:
        if entry is not None and model.entry is not None and model.entry.id == entry.id:
            return ModelFile(model.path, entry.label)
        if entry is None and wanted.casefold() in (model.label.casefold(), model.path.name.casefold()):
            return ModelFile(model.path, model.label)
    if entry is not None:
        raise ModelError(
            "E_MODEL_NOT_FETCHED",
            f"{entry.label} isn't on this computer.",
            f"Get it with `jokejudge models get {entry.id}` ({entry.size / 1e9:.1f} GB).",
        )
    known.get(wanted)
    raise AssertionError("get raises for a name that find doesn't know")


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no HOME, and no such user in the system's list
        return Path("/nonexistent")


def _is_path(text: str, path: Path) -> bool:
    looks = os.sep in text or (os.altsep is not None and os.altsep in text) or text.lower().endswith(".gguf")
    return looks or text.startswith((".", "~")) or exists(path)


def _from_path(path: Path, known: Catalogue) -> ModelFile:
    facts = read_gguf(path)
    size = path.stat().st_size
    if path.name == EMBEDDED_FILE and size == EMBEDDED_SIZE:
        return ModelFile(path.absolute(), EMBEDDED_NAME)
    entry = known.by_file(path.name, size)
    copied = copied_from(path)
    name = f"{facts.name} ({facts.quantisation} from {copied})" if copied else facts.name
    return ModelFile(path.absolute(), entry.label if entry else name)


def _candidates(profile: Profile, place: Place) -> Iterator[tuple[str, Candidate]]:
    embedded = embedded_path(profile)
    if embedded.is_file():
        yield "JokeJudge", Candidate(embedded, EMBEDDED_NAME, EMBEDDED_SHA256)
    for candidate in plain_folder(profile.models, 2):
        yield "JokeJudge", candidate
    for origin, store in STORES.items():
        for candidate in store(place):
            yield origin, candidate


def _sound(candidate: Candidate) -> tuple[tuple[int, int], int] | None:
    """Identity and size of a file that can be offered, else None."""
    name = candidate.path.name.lower()
    part = _LATER_PART.search(name)
    if "mmproj" in name or (part is not None and int(part[1]) != 1):
        return None
    try:
        status = candidate.path.stat()
        if status.st_size < _SMALLEST:
            return None
        check_magic(candidate.path)
    except (OSError, ValueError, ModelError):
        return None
    return (status.st_dev, status.st_ino), status.st_size


def _described(candidate: Candidate, origin: str, size: int, known: Catalogue) -> FoundModel:
    entry = known.by_hash(candidate.sha256) if candidate.sha256 else None
    if entry is not None and size != entry.size and candidate.path.name != EMBEDDED_FILE:
        entry = None
    entry = entry or known.by_file(candidate.path.name, size)
    label = EMBEDDED_NAME if candidate.path.name == EMBEDDED_FILE else entry.label if entry else candidate.label
    return FoundModel(candidate.path, label, origin, size, candidate.sha256, entry)
