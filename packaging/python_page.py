"""Writes the manual's page about Python, resources/manual/python.md, from the docstrings of ``jokejudge_gui.api``:
``python packaging/python_page.py``; with ``--check`` it says whether the page is up to date (exit status 1: not)."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "resources" / "manual" / "python.md"
HEAD = """# In Python

What the terminal does, for scripts and notebooks. This page is made from the code by `python packaging/python_page.py`.

A list with a progress bar, which may be interrupted: run again, it goes on where it stopped, and gives the lines of
both runs.

```python
import sys
from pathlib import Path

from jokejudge_gui import JokeJudge


def bar(done: int, total: int, now: str) -> None:
    print(f"\\r{done} of {total}", end="", file=sys.stderr)


with JokeJudge() as judge:
    lines = list(judge.rate_many(Path("jokes.csv"), out="verdicts.jsonl", progress=bar))

best = [line for line in lines if line["audience"] and line["audience"]["said"] == "upper"]
rows = [row for line in lines for row in line.rows()]  # pandas.DataFrame(rows)
```

A bar of your own takes the lines as they come: `tqdm(judge.rate_many(jokes))` knows how many there are. In a notebook
a result shows itself as a table. Pairs, a ranking and a joke with its scene:

```python
with JokeJudge(history=False) as judge:
    duels = list(judge.compare_many([("First draft.", "Second draft.")], context="A moose in a lift."))
    contest = judge.rank_jokes(["First joke.", "Second joke.", "Third joke."], topic="everyday life", out="run.jsonl")
    rating = judge.rate_joke("I said moose.", context="A moose in a lift.", explain=False)
print(duels[0]["winner"], contest.rows()[0]["text"], rating.to_dict()["audience"])
```

Errors are a `JokeJudgeError` of `jokejudge_gui.core.errors` with `code`, `sentence` and `hint`.
"""
ORDER = ("JokeJudge", "Rating", "Duel", "Contest", "Workshop", "Verdict", "Line", "Lines", "VerdictOptions", "Progress")
PROGRESS = "Progress"


def page() -> str:
    """Return the whole page."""
    from jokejudge_gui import api

    parts = [HEAD]
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
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()
        sys.exit(0 if same else f"{PAGE.relative_to(ROOT)} isn't what the docstrings say: run this without --check.")
    PAGE.write_text(page(), encoding="utf-8")
