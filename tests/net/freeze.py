"""Freezes what every command answers, in ``tests/net/frozen``.

python -m tests.net.freeze                  write the frozen files (all, or those named)
python -m tests.net.freeze --check [NAME …] say which files differ, and where: old → new, at most 40 lines
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .answers import FROZEN, report, settled, store

_MOST_LINES = 40
_FOLDERS = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


def answers(name: str, folder: Path) -> dict[str, Any]:
    """Ask what belongs to a frozen file, and return the settled answers by case. ``folder``: for profiles and files."""
    from .cases import FILES
    from .house import House

    houses = itertools.count()
    found: dict[str, Any] = {}

    def open_house(engine: str = "heads") -> House:
        return House(folder / f"house{next(houses)}", engine)

    for case, answer in FILES[name](open_house):
        assert case not in found, case
        found[case] = settled(answer, folder)
    return found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.net.freeze", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only these files")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    args = parser.parse_args(argv)
    scratch = Path(tempfile.mkdtemp(prefix="jokejudge-net-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    os.environ.update(dict.fromkeys(_FOLDERS, str(scratch / "home")), COLUMNS="100", OPENBLAS_NUM_THREADS="1")
    try:
        return _frozen(args.names, scratch, check=args.check)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _frozen(names: list[str], scratch: Path, *, check: bool) -> int:
    from .cases import FILES

    said: list[str] = []
    FROZEN.mkdir(exist_ok=True)
    for name in names or FILES:
        began = time.monotonic()
        found = answers(name, scratch / name)
        if check:
            said += report(name, found)
        else:
            store(name, found)
            print(f"{name}: {len(found)} answers, {time.monotonic() - began:.1f} s", file=sys.stderr)
    for line in said[:_MOST_LINES]:
        print(line)
    if len(said) > _MOST_LINES:
        print(f"… and {len(said) - _MOST_LINES} lines more")
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
