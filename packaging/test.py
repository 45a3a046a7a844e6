#!/usr/bin/env python3
"""Set JokeJudge up, as far as that is still to be done, and run its tests.

python3 packaging/test.py                   all of them: tests/unit, tests/ui, tests/live; two processes
python3 packaging/test.py tests/unit -k gguf    every argument goes to pytest; one process
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import run

TOGETHER = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "--max-worker-restart", "0")
"""A file's tests stay in one process, where they share loaded data. The order is that of
tests/conftest.py, the long files first. A process that dies ends the run: pytest-xdist 3.8 starts another in its place,
gives it the files that are done and waits forever for their end (pytest-xdist #1378)."""


def main(arguments: Iterable[str]) -> int:
    arguments = list(arguments)

    def work() -> None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        run.set_up(window=True, extras=("--agents", "--cluster"))
        os.chdir(run.ROOT)
        environment = run.program_environment()
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each process that a test starts would compile everything
        given = arguments or TOGETHER
        os.execve(run.PYTHON, [str(run.PYTHON), "-m", "pytest", *given], environment)

    return run.guarded(work, "python3 packaging/test.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
