"""A contender that runs in a process of its own, with another environment's Python."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence


def start(arguments: Sequence[str], **environment: str) -> subprocess.Popen[str]:
    """Start a child with pipes on its standard input and output; its threads wait passively, as the program's do."""
    return subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment},
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    """Close its input, which ends it; kill it if it doesn't end."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
