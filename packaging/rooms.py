"""Print the lines of Python of each room beside its budget, a table in CONTRIBUTING.md; exit with 1 if one is above."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_ROW = re.compile(r"^\| `(?P<places>[\w/.` ·]+)` \| (?P<budget>[\d,]+) \|", re.MULTILINE)


def lines(place: str) -> int:
    """The number of lines of Python in a folder or a file of the repository."""
    path = ROOT / place
    return sum(file.read_bytes().count(b"\n") for file in (path.rglob("*.py") if path.is_dir() else [path]))


def main() -> int:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    over = 0
    for row in _ROW.finditer(table):
        places = re.findall(r"[\w/.]+", row["places"])
        count, budget = sum(map(lines, places)), int(row["budget"].replace(",", ""))
        over += count > budget
        print(f"{' '.join(places):<34}{count:>8,} of {budget:>7,}{'  ABOVE ITS BUDGET' if count > budget else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
