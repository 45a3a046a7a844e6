"""The GGUF models on this disk, and the file that a model's name stands for."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..core.errors import ModelError
from ..core.files import remembered
from ..core.paths import Profile, exists, expanded
from ..engine.gguf import check_magic, read_gguf
from .catalogue import Catalogue, CatalogueEntry, load_catalogue
from .embedded import EMBEDDED_FILE, EMBEDDED_NAME, EMBEDDED_SHA256, EMBEDDED_SIZE, embedded_path, ensure_embedded

# GGUF files of other programs: each function lists one program's files and changes nothing.

_MOST_ENTRIES = 20_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"
Candidate: TypeAlias = tuple[Path, str, str | None]
"""A file that is probably a model, its name, and its SHA-256 as its store states it, not checked."""


def _variable(name: str) -> Path | None:
    """Return the folder named by an environment variable; None if unset or relative."""
    value = os.environ.get(name, "").strip()
    path = expanded(value) if value and "\0" not in value else None
    return path if path is not None and path.is_absolute() else None


def _walk(folder: Path, depth: int, suffix: str = "") -> Iterator[Path]:
    """Yield the files under a folder whose names end so, the nearest first, within bounds and without those that can't
    be read; hidden folders are left out."""
    left = _MOST_ENTRIES
    waiting = [(folder, 0)]
    while waiting and left > 0:
        here, level = waiting.pop(0)
        with suppress(OSError, ValueError), os.scandir(here) as inside:
            entries = sorted(itertools.islice(inside, left), key=lambda entry: entry.name)
            left -= len(entries)
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    if entry.name.lower().endswith(suffix) and entry.is_file():
                        yield Path(entry.path)
                elif level < depth and not entry.name.startswith("."):
                    waiting.append((Path(entry.path), level + 1))


def _in_folder(folder: Path, depth: int) -> Iterator[Candidate]:
    for path in _walk(folder, depth, ".gguf"):
        yield path, path.stem, None


def _ollama() -> Iterator[Candidate]:
    usual = (_home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models"))
    stated = _variable("OLLAMA_MODELS")
    for folder in (stated,) if stated else usual:
        for manifest in _walk(folder / "manifests", 5):
            content = remembered(manifest)
            layers = content.get("layers")
            for layer in layers if isinstance(layers, list) else ():
                digest = layer.get("digest") if isinstance(layer, dict) else None
                if isinstance(digest, str) and layer.get("mediaType") == _OLLAMA_MODEL:
                    sha256 = digest.removeprefix("sha256:")
                    if _SHA256.fullmatch(sha256):
                        yield folder / "blobs" / f"sha256-{sha256}", ":".join(manifest.parts[-2:]), sha256


def _hugging_face() -> Iterator[Candidate]:
    home, cache = _variable("HF_HOME"), _home() / ".cache" / "huggingface" / "hub"
    for folder in dict.fromkeys((_variable("HF_HUB_CACHE"), home and home / "hub", cache)):
        for path in _walk(folder, 6, ".gguf") if folder is not None else ():
            with suppress(OSError):
                # A snapshot links to a blob, whose name is its SHA-256.
                blob = path.resolve().name
                yield path, path.stem, blob if _SHA256.fullmatch(blob) else None


_MOST_FOUND = 500
_SMALLEST = 1 << 10
_LATER_PART = re.compile(r"-(\d{5})-of-\d{5}\.gguf$", re.IGNORECASE)


@dataclass(frozen=True)
class FoundModel:
    """A model file on the disk. ``origin``: the program it belongs to; ``size``: bytes of this file; ``sha256``: as its
    store states, not checked; ``entry``: its catalogue entry."""

    path: Path
    label: str
    origin: str
    size: int
    sha256: str | None = None
    entry: CatalogueEntry | None = None


@dataclass(frozen=True)
class ModelFile:
    """The file to load. ``sha256``: None if not checked yet; it is then computed while loading."""

    path: Path
    name: str
    sha256: str | None = None


def find_models(profile: Profile, *, catalogue: Catalogue | None = None) -> list[FoundModel]:
    """Return the models in the profile and in the folders of LM Studio, Ollama and Hugging Face.

    Reads only, never raises, and lists each file once even if it has several names. Projectors for pictures and the
    later parts of a model in parts are left out. The program's own models come first."""
    listed = catalogue or load_catalogue()
    models: dict[tuple[int, int], FoundModel] = {}
    for origin, candidate in _candidates(profile):
        if len(models) >= _MOST_FOUND:
            break
        sound = _sound(candidate[0])
        if sound is None:
            continue
        key, size = sound
        seen = models.get(key)
        if seen is None:
            models[key] = _described(candidate, origin, size, listed)
        elif seen.sha256 is None and candidate[2] is not None:
            models[key] = _described(candidate, seen.origin, size, listed)
    return list(models.values())


def resolve_model(
    spec: str | None,
    profile: Profile,
    *,
    catalogue: Catalogue | None = None,
    progress: Callable[[str], None] | None = None,
) -> ModelFile:
    """Return the file that ``spec`` stands for: a path, a catalogue name, or the file name of a model found on this
    disk; None or empty is the embedded model, which is prepared if necessary (reported to ``progress``).

    Raises ``ModelError``: those of ``read_gguf``, E_MODEL_NOT_FETCHED, E_MODEL_UNKNOWN, and those of the embedded
    model."""
    listed = catalogue or load_catalogue()
    wanted = (spec or "").strip()
    entry = listed.find(wanted) if wanted else None
    named = wanted.casefold() == "embedded"
    if not wanted or named or (entry is not None and entry.embedded):
        return ModelFile(ensure_embedded(profile, progress), EMBEDDED_NAME, EMBEDDED_SHA256)
    path = expanded(wanted) if "\0" not in wanted else Path("\\0")
    looks = os.sep in wanted or wanted.lower().endswith(".gguf") or wanted.startswith((".", "~"))
    if entry is None and (looks or exists(path)):
        return _from_path(path, listed)
    if entry is not None:
        here = profile.models / entry.file
        if here.is_file() and here.stat().st_size == entry.size:
            return ModelFile(here, entry.label, entry.sha256[0])
        if path.is_file():
            return _from_path(path, listed)
    models = find_models(profile, catalogue=listed)
    for model in models:
        if entry is not None and model.entry is not None and model.entry.id == entry.id:
            return ModelFile(model.path, entry.label)
        if entry is None and wanted.casefold() in (model.label.casefold(), model.path.name.casefold()):
            return ModelFile(model.path, model.label)
    if entry is not None:
        hint = f"Get it with `jokejudge models get {entry.id}` ({entry.size / 1e9:.1f} GB)."
        raise ModelError("E_MODEL_NOT_FETCHED", f"{entry.label} isn't on this computer.", hint)
    listed.get(wanted)
    raise AssertionError("get raises for a name that find doesn't know")


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # no HOME, and no such user in the system's list
        return Path("/nonexistent")


def _from_path(path: Path, listed: Catalogue) -> ModelFile:
    facts = read_gguf(path)
    size = path.stat().st_size
    if path.name == EMBEDDED_FILE and size == EMBEDDED_SIZE:
        return ModelFile(path.absolute(), EMBEDDED_NAME)
    entry = listed.by_file(path.name, size)
    return ModelFile(path.absolute(), entry.label if entry else facts.name)


def _candidates(profile: Profile) -> Iterator[tuple[str, Candidate]]:
    embedded = embedded_path(profile)
    own = ((embedded, EMBEDDED_NAME, EMBEDDED_SHA256),) if embedded.is_file() else ()
    for origin, candidates in (
        ("JokeJudge", itertools.chain(own, _in_folder(profile.models, 2))),
        ("LM Studio", _in_folder(_home() / ".lmstudio" / "models", 3)),
        ("Ollama", _ollama()),
        ("Hugging Face", _hugging_face()),
    ):
        yield from ((origin, candidate) for candidate in candidates)


def _sound(path: Path) -> tuple[tuple[int, int], int] | None:
    """Return the identity and size of a file that can be offered, else None."""
    name = path.name.lower()
    part = _LATER_PART.search(name)
    if "mmproj" in name or (part is not None and int(part[1]) != 1):
        return None
    try:
        status = path.stat()
        if status.st_size < _SMALLEST:
            return None
        check_magic(path)
    except (OSError, ValueError, ModelError):
        return None
    return (status.st_dev, status.st_ino), status.st_size


def _described(candidate: Candidate, origin: str, size: int, listed: Catalogue) -> FoundModel:
    path, label, sha256 = candidate
    entry = listed.by_hash(sha256) if sha256 else None
    if entry is not None and size != entry.size and path.name != EMBEDDED_FILE:
        entry = None
    entry = entry or listed.by_file(path.name, size)
    label = EMBEDDED_NAME if path.name == EMBEDDED_FILE else entry.label if entry else label
    return FoundModel(path, label, origin, size, sha256, entry)
