"""The GGUF models on this disk, and the file that a model's name stands for."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from ..core.errors import ModelError
from ..core.files import parse_json
from ..core.paths import Profile, exists, expanded
from ..engine.gguf import check_magic, read_gguf
from .catalogue import Catalogue, CatalogueEntry, load_catalogue
from .embedded import EMBEDDED_FILE, EMBEDDED_NAME, EMBEDDED_SHA256, EMBEDDED_SIZE, embedded_path, ensure_embedded

# GGUF files of other programs: each function lists one program's files and changes nothing.

_MOST_ENTRIES = 20_000
_MOST_DEPTH = 6
_MOST_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"


def _variable(name: str) -> Path | None:
    """Return the folder named by an environment variable; None if unset or relative."""
    value = os.environ.get(name, "").strip()
    path = expanded(value) if value and "\0" not in value else None
    return path if path is not None and path.is_absolute() else None


@dataclass(frozen=True)
class Candidate:
    """A file that is probably a model. ``sha256``: as its store states, not checked."""

    path: Path
    label: str
    sha256: str | None = None


def gguf_files(folder: Path, depth: int = _MOST_DEPTH) -> Iterator[Path]:
    """Yield the ``*.gguf`` files under a folder, except in hidden folders."""
    for path in _walk(folder, depth):
        if path.name.lower().endswith(".gguf"):
            yield path


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files under a folder, the nearest first, within bounds and without those that can't be read."""
    left = _MOST_ENTRIES
    waiting = [(folder, 0)]
    while waiting and left > 0:
        here, level = waiting.pop(0)
        try:
            with os.scandir(here) as entries:
                inside = sorted(itertools.islice(entries, left), key=lambda e: e.name)
        except (OSError, ValueError):
            continue
        left -= len(inside)
        for entry in inside:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if level < depth and not entry.name.startswith("."):
                        waiting.append((Path(entry.path), level + 1))
                elif entry.is_file():
                    yield Path(entry.path)
            except OSError:
                continue


def _plain_folders(*folders: Path, depth: int) -> Iterator[Candidate]:
    for path in (path for folder in folders for path in gguf_files(folder, depth)):
        yield Candidate(path, path.stem)


def ollama() -> Iterator[Candidate]:
    folders = [_home() / ".ollama" / "models"]
    if sys.platform not in ("win32", "darwin"):
        folders.append(Path("/usr/share/ollama/.ollama/models"))
    stated = _variable("OLLAMA_MODELS")
    for folder in [stated] if stated else folders:
        for manifest in _walk(folder / "manifests", 5):
            yield from _ollama_model(folder, manifest)


def _ollama_model(folder: Path, manifest: Path) -> Iterator[Candidate]:
    layers = _json(manifest).get("layers")
    for layer in layers if isinstance(layers, list) else []:
        if isinstance(layer, dict) and layer.get("mediaType") == _OLLAMA_MODEL:
            path = _blob(folder, layer.get("digest"))
            if path.name.startswith("sha256-"):
                yield Candidate(path, ":".join(manifest.parts[-2:]), path.name.removeprefix("sha256-"))


def _blob(folder: Path, digest: object) -> Path:
    """Return the file of a digest; a path that doesn't exist if the digest is invalid."""
    match = re.fullmatch(r"sha256[:-]([0-9a-f]{64})", digest) if isinstance(digest, str) else None
    return folder / "blobs" / (f"sha256-{match[1]}" if match else "none")


def hugging_face() -> Iterator[Candidate]:
    home = _variable("HF_HOME")
    shared = _variable("XDG_CACHE_HOME")
    folders = [
        _variable("LLAMA_CACHE"),
        _variable("HF_HUB_CACHE"),
        _variable("HUGGINGFACE_HUB_CACHE"),
        home / "hub" if home else None,
        shared / "huggingface" / "hub" if shared else None,
        _home() / ".cache" / "huggingface" / "hub",
    ]
    for folder in dict.fromkeys(f for f in folders if f is not None):
        for repo in _folders(folder, "models--"):
            for path in gguf_files(repo / "snapshots", 4):
                yield Candidate(path, path.stem, _linked_hash(path))


def _linked_hash(path: Path) -> str | None:
    """Return the name of the blob that a snapshot links to, if it is a SHA-256."""
    try:
        name = os.path.basename(os.readlink(path))
    except OSError:
        return None
    return name if _SHA256.fullmatch(name) else None


def _folders(folder: Path, prefix: str) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            inside = [e.path for e in itertools.islice(entries, _MOST_ENTRIES) if e.name.startswith(prefix)]
    except OSError:
        return []
    return sorted(Path(p) for p in inside)


def _json(path: Path) -> dict[str, object]:
    """Return the object in a small JSON file, empty if there is none."""
    try:
        content = parse_json(path.read_text(encoding="utf-8")) if path.stat().st_size <= _MOST_BYTES else None
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _stores() -> Iterator[tuple[str, Iterator[Candidate]]]:
    """Yield the programs that keep models, with their files."""
    home, cache = _home(), _folder(lambda: PlatformDirs().user_cache_path)
    jan = _variable("JAN_DATA_FOLDER") or _programs(roaming=True) / "Jan" / "data"
    folders: dict[str, tuple[int, tuple[Path, ...]]] = {
        "LM Studio": (3, (home / ".lmstudio/models", home / ".cache/lm-studio/models")),
        "GPT4All": (1, (_programs() / "nomic.ai" / "GPT4All", home / ".cache" / "gpt4all")),
        "Jan": (3, (jan / "llamacpp" / "models", jan / "models", home / "jan" / "models")),
        "llama.cpp": (1, (_variable("LLAMA_CACHE") or cache / "llama.cpp",)),
    }
    yield from ((name, _plain_folders(*places, depth=depth)) for name, (depth, places) in folders.items())
    yield "Ollama", ollama()
    yield "Hugging Face", hugging_face()


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


def find_models(
    profile: Profile,
    *,
    catalogue: Catalogue | None = None,
) -> list[FoundModel]:
    """Return the models in the profile and in the folders of LM Studio, GPT4All, Jan, Ollama, Hugging Face and
    llama.cpp.

    Reads only, never raises, and lists each file once even if it has several names. Projectors for pictures and the
    later parts of a model in parts are left out. The program's own models come first."""
    listed = catalogue or load_catalogue()
    models: dict[tuple[int, int], FoundModel] = {}
    for origin, candidate in _candidates(profile):
        if len(models) >= _MOST_FOUND:
            break
        sound = _sound(candidate)
        if sound is None:
            continue
        key, size = sound
        seen = models.get(key)
        if seen is None:
            models[key] = _described(candidate, origin, size, listed)
        elif seen.sha256 is None and candidate.sha256 is not None:
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
    if entry is None and _is_path(wanted, path):
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
        raise ModelError(
            "E_MODEL_NOT_FETCHED",
            f"{entry.label} isn't on this computer.",
            f"Get it with `jokejudge models get {entry.id}` ({entry.size / 1e9:.1f} GB).",
        )
    listed.get(wanted)
    raise AssertionError("get raises for a name that find doesn't know")


def _home() -> Path:
    return _folder(Path.home)


def _programs(roaming: bool = False) -> Path:
    """Return the folder of other programs' data."""
    return _folder(lambda: PlatformDirs(roaming=roaming).user_data_path)


def _folder(find: Callable[[], Path]) -> Path:
    try:
        return find()
    except RuntimeError:  # no HOME, and no such user in the system's list
        return Path("/nonexistent")


def _is_path(text: str, path: Path) -> bool:
    looks = os.sep in text or (os.altsep is not None and os.altsep in text) or text.lower().endswith(".gguf")
    return looks or text.startswith((".", "~")) or exists(path)


def _from_path(path: Path, listed: Catalogue) -> ModelFile:
    facts = read_gguf(path)
    size = path.stat().st_size
    if path.name == EMBEDDED_FILE and size == EMBEDDED_SIZE:
        return ModelFile(path.absolute(), EMBEDDED_NAME)
    entry = listed.by_file(path.name, size)
    return ModelFile(path.absolute(), entry.label if entry else facts.name)


def _candidates(profile: Profile) -> Iterator[tuple[str, Candidate]]:
    embedded = embedded_path(profile)
    if embedded.is_file():
        yield "JokeJudge", Candidate(embedded, EMBEDDED_NAME, EMBEDDED_SHA256)
    for origin, candidates in (("JokeJudge", _plain_folders(profile.models, depth=2)), *_stores()):
        yield from ((origin, candidate) for candidate in candidates)


def _sound(candidate: Candidate) -> tuple[tuple[int, int], int] | None:
    """Return the identity and size of a file that can be offered, else None."""
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


def _described(candidate: Candidate, origin: str, size: int, listed: Catalogue) -> FoundModel:
    entry = listed.by_hash(candidate.sha256) if candidate.sha256 else None
    if entry is not None and size != entry.size and candidate.path.name != EMBEDDED_FILE:
        entry = None
    entry = entry or listed.by_file(candidate.path.name, size)
    label = EMBEDDED_NAME if candidate.path.name == EMBEDDED_FILE else entry.label if entry else candidate.label
    return FoundModel(candidate.path, label, origin, size, candidate.sha256, entry)
