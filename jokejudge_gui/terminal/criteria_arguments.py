"""What can be typed after ``jokejudge criteria``."""

from __future__ import annotations

from ..rubric.own_types import FIELDS, SECTIONS, Field
from .parser import Adder, Parser, words


def criteria_commands(add: Adder) -> None:
    """The commands under ``jokejudge criteria``."""
    leaf = add("list", "kinds, factors, faults and notes, with what you added and changed")
    leaf.add_argument("section", nargs="?", choices=SECTIONS, help="only these")
    leaf.add_argument("--own", action="store_true", help="only what you added, changed or switched off")
    leaf.add_argument("--search", metavar="WORDS", type=words, default="", help="only those that hold these words")
    leaf = add("show", "one of them, whole, and what a model is asked about it")
    _item(leaf)
    leaf = add("add", "add a kind, a factor or a note of your own")
    _item(leaf)
    _fields(leaf)
    leaf = add("edit", "change fields of one, or switch it off or on")
    _item(leaf)
    _fields(leaf)
    switch = leaf.add_mutually_exclusive_group()
    switch.add_argument("--off", action="store_true", help="it takes no part in verdicts")
    switch.add_argument("--on", action="store_true", help="it takes part again")
    leaf = add("check", "say what is wrong with your own criteria, or with a file that you want to import")
    leaf.add_argument("file", metavar="FILE", nargs="?", help="without it, the file in use")
    leaf = add("weights", "show how much each factor counts in the weighted score, or set it")
    leaf.add_argument(
        "weights", metavar="FACTOR=SHARE", nargs="*", type=words,
        help="all weights together, such as wit=0.5 clarity=0.5; they sum to 1",
    )  # fmt: skip
    leaf.add_argument("--clear", action="store_true", help="let all factors count alike again")
    leaf = add("reset", "make one what comes with the program, or all with --all; one of your own is removed")
    leaf.add_argument("section", nargs="?", choices=SECTIONS, help="what it is")
    leaf.add_argument("id", nargs="?", metavar="ID", type=words, help="its id")
    leaf.add_argument("--all", action="store_true", help="everything; the file is kept under another name")
    add("offered", "factors that a model wrote for jokes that no known one fits, and that served three jokes")
    leaf = add("promote", "make an offered factor one of your own; fields that you give replace what was written")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as `criteria offered` shows it")
    leaf.set_defaults(section="factor")
    _fields(leaf)
    leaf = add("dismiss", "never use or offer such a factor again")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as `criteria offered` shows it")
    add("path", "where your own criteria are kept")
    leaf = add("export", "write all that is your own to one file")
    leaf.add_argument("file", metavar="FILE.xml")
    leaf = add("import", "take in a file that was exported; its items replace those of the same id")
    leaf.add_argument("file", metavar="FILE.xml")
    leaf.add_argument("--replace", action="store_true", help="remove everything of your own that isn't in the file")


def _item(leaf: Parser) -> None:
    leaf.add_argument("section", choices=SECTIONS, help="what it is")
    leaf.add_argument("id", metavar="ID", type=words, help="its id, as the list shows it")


def _fields(leaf: Parser) -> None:
    """An option for every field; one that several sections have stands there once."""
    found: dict[str, list[tuple[str, Field]]] = {}
    for section in SECTIONS:
        for field in FIELDS[section]:
            found.setdefault(field.name, []).append((section, field))
    for name, uses in found.items():
        first = uses[0][1]
        of = ", ".join(section for section, _ in uses)
        leaf.add_argument(
            f"--{name}", metavar="IDS" if first.form == "ids" else "TEXT", type=words, dest=f"field_{name}",
            action="append" if first.form == "lines" else "store", help=f"{first.help} ({of})",
        )  # fmt: skip
