"""Families of language models, told by their names: a judge may favour what its own kin wrote."""

from __future__ import annotations

import re

_FAMILIES: dict[str, tuple[str, ...]] = {
    "smollm": ("smollm",),
    "qwen": ("qwen", "qwq"),
    "llama": ("llama", "vicuna", "alpaca"),
    "gemma": ("gemma", "gemini"),
    "mistral": ("mistral", "mixtral", "ministral", "magistral"),
    "gpt": ("gpt", "chatgpt", "openai"),
    "claude": ("claude",),
    "phi": ("phi",),
    "granite": ("granite",),
    "deepseek": ("deepseek",),
    "olmo": ("olmo",),
    "falcon": ("falcon",),
    "glm": ("chatglm", "glm"),
    "command": ("command-r", "cohere", "aya"),
    "lfm": ("lfm",),
    "bloom": ("bloom",),
}
_LEAST_LETTERS = 4
_WORD = re.compile(r"[a-z]+")


def family_of(name: str, architecture: str = "") -> str | None:
    """The family that a model's name speaks of, None where it names none. ``architecture``: as the model's file states
    it, which counts only where the name says nothing (many families use the architecture of another one)."""
    for text in (name.lower(), architecture.lower()):
        starts = {
            family: min(places)
            for family, words in _FAMILIES.items()
            # "phi3" and "my-phi" speak of it; "delphi" doesn't. A name may be part of a longer one: "smollm2".
            if (places := [at.start() for word in words for at in re.finditer(rf"(?<![a-z]){re.escape(word)}", text)])
        }
        if starts:
            return min(starts, key=lambda family: (starts[family], family))
    return None


def are_kin(writer: str, judge: str, architecture: str = "") -> bool:
    """Whether a text's writer and its judge seem to be models of one family; ``architecture``: the judge's."""
    judges = family_of(judge, architecture)
    if judges is not None and judges == family_of(writer):
        return True
    one, other = _WORD.match(writer.lower()), _WORD.match(judge.lower())
    return one is not None and other is not None and len(one[0]) >= _LEAST_LETTERS and one[0] == other[0]
