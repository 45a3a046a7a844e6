"""Ten kinds of file in which people keep jokes, each with the same three jokes, and what is right to say of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

BANKER = "I used to be a banker, but I lost interest."
DOG = "My dog is called Five Miles, so I walk Five Miles a day."
THIRD = {
    "cp1252": "Déjà vu’s café closed – no latte, never.",
    "koi8_r": "Мой пёс называется Пять Миль, и я хожу с ним каждый день.",
    "stray quotes": 'He said a 2" pipe and a "dream" pipe are the same.',
}
"""The third joke, where a kind of file needs one of its own."""
NOTES = {
    "utf-16": "it was read as UTF-16", "cp1252": "it was read as Windows-1252", "koi8_r": "it was read as KOI8-R",
    "extra commas": "more cells than the header",
}  # fmt: skip
"""What is said of a whole file."""
IN_JSON = ("NaN", "surrogates")
KINDS = (
    "utf-8-sig", "utf-16", "cp1252", "koi8_r", "semicolon", "sep=", "stray quotes", "extra commas", *IN_JSON,
)  # fmt: skip
BAD = {"NaN": "E_BATCH_TEXT", "surrogates": "E_INPUT_ENCODING"}
"""The error of a fourth row, in the kinds that have one."""


def jokes(kind: str) -> list[str]:
    return [BANKER, DOG, THIRD.get(kind, "Parallel lines have so much in common, it’s a shame they’ll never meet.")]


def write(folder: Path, kind: str) -> Path:
    """Write the jokes, each with an id."""
    texts = jokes(kind)
    if kind in IN_JSON:
        texts.append("\ud83d" if kind == "surrogates" else "")
    rows, names = [[str(n), text] for n, text in enumerate(texts, 1)], ["id", "text"]
    if kind in IN_JSON:
        path = folder / "jokes.jsonl"
        given = [dict(zip(names, row, strict=True)) | {"author": "a\ud83d"} for row in rows]
        lines = "".join(json.dumps(row) + "\n" for row in given)
        if kind == "NaN":
            lines = lines.replace('""', "NaN").replace('"a\\ud83d"', "NaN")
        path.write_text(lines, encoding="utf-8")
        return path
    buffer = io.StringIO(newline="")
    separated = ";" if kind in ("semicolon", "sep=") else ","
    if kind in ("stray quotes", "extra commas"):  # as a careless program writes it
        quoted = [[f'"{cell}"' if "," in cell and kind == "stray quotes" else cell for cell in row] for row in rows]
        buffer.write("\n".join(map(",".join, [names, *quoted])) + "\n")
    else:
        csv.writer(buffer, delimiter=separated).writerows([names, *rows])
    before = "sep=;\r\n" if kind == "sep=" else ""
    path = folder / "jokes.csv"
    path.write_bytes((before + buffer.getvalue()).encode(kind if kind.startswith(("utf", "cp", "koi")) else "utf-8"))
    return path
