"""Builds catalogue entries for tests."""

from __future__ import annotations

from typing import Any


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "id": "tiny",
        "name": "Tiny",
        "quantisation": "Q8_0",
        "file": "tiny.gguf",
        "size": 10,
        "sha256": ["0" * 64],
        "licence": "MIT",
        "ram_gb": 0.1,
        "source": {"kind": "url", "repo": "a/b", "revision": "0" * 40, "file": "tiny.gguf"},
    } | changes
