"""Passes pip's settings of package indexes on to uv. Standard library only."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path


def parse_pip_config(listing: str) -> dict[str, str]:
    """``pip config list`` as option -> value, the environment before the files and ``install`` before ``global``."""
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for line in listing.splitlines():
            key, separator, value = line.partition("=")
            if separator and key.startswith(f"{section}."):
                try:
                    found[key[len(section) + 1 :]] = str(ast.literal_eval(value))
                except (ValueError, SyntaxError):
                    continue
    return found


def pip_environment(pip: Mapping[str, str], env: Mapping[str, str], certificates: Path | None) -> dict[str, str]:
    """``env`` for pip with the system's ``certificates``, unless others are set: older versions bring their own,
    without a company's proxy."""
    known = "cert" in pip or any(name in env for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE"))
    return dict(env) if known or certificates is None else {**env, "PIP_CERT": str(certificates)}


def uv_environment(
    pip: Mapping[str, str], env: Mapping[str, str], venv: Path, certificates: Path | None = None
) -> dict[str, str]:
    """``env`` with pip's own index settings as uv's variables, for the environment ``venv``; uv's own settings stay.
    Where the system has ``certificates``, uv trusts those instead of its own."""
    result = dict(env)

    def carry(option: str, *names: str) -> None:
        value = " ".join(pip.get(option, "").split())
        if value and not any(name in env for name in names):
            result[names[0]] = value

    carry("index-url", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
    carry("extra-index-url", "UV_EXTRA_INDEX_URL", "UV_INDEX")
    carry("find-links", "UV_FIND_LINKS")
    carry("cert", "SSL_CERT_FILE")
    carry("trusted-host", "UV_INSECURE_HOST")
    carry("proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    carry("timeout", "UV_HTTP_TIMEOUT")
    if pip.get("no-index", "").lower() in {"1", "true", "yes", "on"}:
        result.setdefault("UV_NO_INDEX", "1")
    # pip takes the best match among all its indexes; every file must match the lock's hashes, from whichever index.
    result.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    result.setdefault("UV_PYTHON_DOWNLOADS", "never")
    result.setdefault("UV_LOCK_TIMEOUT", "3600")  # of another folder's set-up, which may compile
    if certificates is not None:
        result.setdefault("UV_SYSTEM_CERTS", "1")
    result["VIRTUAL_ENV"] = str(venv)
    return result
