"""Grammars that a model writes under, from the JSON schema of what it may write."""

from __future__ import annotations

import json
from typing import Any

from ...errors import JokeJudgeError


def grammar_for(schema: dict[str, Any]) -> str:
    """GBNF of the JSON values that ``schema`` allows. Raises ``JokeJudgeError`` if llama.cpp's converter is missing."""
    # Imported here: only what is written under a grammar needs it, and tests of the rest need no llama.cpp.
    try:
        from ...engine.binding import grammar_of
    except ImportError as error:
        raise JokeJudgeError(
            "E_SETUP", f"llama.cpp can't be loaded: {error}.", "Run python3 packaging/run.py again."
        ) from error
    return grammar_of(json.dumps(schema))
