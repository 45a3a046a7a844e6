"""Writes the sections on classes of the manual's page about Python, resources/manual/python.md, from the docstrings of
``jokejudge_gui.api``; what stands above them is written by hand. ``python packaging/python_page.py``; with ``--check``
it says whether the page is up to date (exit status 1: not)."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "resources" / "manual" / "python.md"
ORDER = (
    *("JokeJudge", "Rating", "Duel", "Contest", "Workshop", "StageSet", "Verdict", "Line", "Lines", "VerdictOptions"),
    "Progress",
)
PROGRESS = "Progress"


def page() -> str:
    """Return the whole page."""
    from jokejudge_gui import api

    parts = [PAGE.read_text(encoding="utf-8").partition(f"\n## {ORDER[0]}\n")[0]]
    for name in ORDER:
        if name == PROGRESS:
            parts.append(f"\n## {name}\n\n{_said(_after(inspect.getsource(api), f'{name}: TypeAlias'))}\n")
            continue
        found = getattr(api, name)
        parts.append(f"\n## {name}\n\n{_said(found.__doc__)}\n")
        for method, value in vars(found).items():
            if not inspect.isfunction(value) or not value.__doc__:
                continue
            if not method.startswith("_") or method in ("_repr_html_", "__next__"):
                parts.append(f"\n`{_signature(method, value)}`\n{_said(value.__doc__)}\n")
    return "".join(parts)


def _signature(name: str, function: object) -> str:
    text = str(inspect.signature(function))  # type: ignore[arg-type]
    text = re.sub(r"\(self(, )?", "(", text).replace("**options: 'Unpack[VerdictOptions]'", "**options: VerdictOptions")
    return f"{name}{text}".replace("''", '""').replace("'", "")


def _said(doc: str | None) -> str:
    return " ".join(inspect.cleandoc(doc or "").split()).replace("``", "`").replace("|", "\\|")


def _after(source: str, name: str) -> str:
    """The string below an assignment."""
    return source.partition(name)[2].partition('"""')[2].partition('"""')[0]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if "--check" in sys.argv[1:]:
        same = PAGE.read_text(encoding="utf-8") == page()
        sys.exit(0 if same else f"{PAGE.relative_to(ROOT)} isn't what the docstrings say: run this without --check.")
    PAGE.write_text(page(), encoding="utf-8")
