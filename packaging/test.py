#!/usr/bin/env python3
"""Set JokeJudge up, as far as that is still to be done, and run its tests.

python3 packaging/test.py                   all of them: tests/unit, tests/ui, tests/live
python3 packaging/test.py tests/unit -k gguf    every argument goes to pytest
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import run


def main(arguments: Iterable[str]) -> int:
    arguments = list(arguments)

    def work() -> None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        run.set_up(window=True, cluster=True)
        os.chdir(run.ROOT)
        os.execve(run.PYTHON, [str(run.PYTHON), "-m", "pytest", *arguments], run.program_environment())

    return run.guarded(work, "python3 packaging/test.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
