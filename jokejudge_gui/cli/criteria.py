"""``jokejudge criteria …``: lists, exports and imports the criteria, with the user's changes."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from ..core.errors import JokeJudgeError, info
from ..core.outputs import keep_foreign
from ..core.pages import Page, Row, Table
from ..core.paths import expanded
from ..rubric.own_file import OwnFile, written
from ..rubric.own_types import FIELDS, ORIGINS, SECTIONS, TITLES, Item, OwnCriteria, effect
from ..rubric.prompts import asked_about
from .context import Context, counted, misuse
from .options import Group, argument, option

criteria = Group("criteria")
_SECTION = argument("section", "What it is.", type=click.Choice(SECTIONS))
_ID = argument("id ID", "Its id, as the list shows it.")


@criteria.command("list")
@argument("section", "Only these.", required=False, type=click.Choice(SECTIONS))
@option("--own", "Only what you added, changed or switched off.")
def show_list(context: Context) -> int:
    """Kinds, factors and faults, with what you added and changed."""
    args = context.args
    items = [item for item in _own(context).items() if args.section in (None, item.section)]
    items = [item for item in items if (not args.own or item.origin != "shipped")]
    groups = groupby(items, key=lambda item: item.section)
    tables = (Table(TITLES[section], (), tuple(map(_cells, group))) for section, group in groups)
    fields = {"count": len(items), "items": [_object(item) for item in items]}
    return context.console.answer(fields, "" if items else "Nothing of your own yet.", *tables)


@criteria.command("show")
@_SECTION
@_ID
def show(context: Context) -> int:
    """Show one item in full, and what a model is asked about it."""
    item = _item(context)
    asked, result = asked_about(item.section, item.fields), effect(item)
    rows = [
        Row(value, f"{field.label}{' (yours)' if item.shipped and field.name in item.changed else ''}")
        for field in FIELDS[item.section]
        if (value := item.fields.get(field.name))
    ]
    pages = Page(f"{item.section} {item.id}", rows=tuple(rows)), Page("What a model is asked", lead=tuple(asked))
    fields = {"item": _object(item), "asked": list(asked), "effect": result}
    return context.console.answer(fields, result, *pages)


@criteria.command("check")
@argument("file [FILE]", "Without it, the file in use.")
def check(context: Context) -> int:
    """Say what is wrong with your own criteria, or with a file that you want to import."""
    own, name = _own(context), context.args.file
    path = _path(name) if name is not None else own.path
    problems = own.check(path)
    sound = "Nothing is wrong with it." if path.exists() else "There is nothing of your own yet."
    fields = {"path": str(path), "problems": [info(error).model_dump() for error in problems]}
    context.console.answer(fields, "", *([f"{error.sentence} {error.hint}".strip() for error in problems] or [sound]))
    return 1 if problems else 0


@criteria.command("reset")
@argument("section", "What it is.", required=False, type=click.Choice(SECTIONS))
@argument("id [ID]", "Its id.")
@option("--all", "Everything; the file is kept under another name.")
def reset(context: Context) -> int:
    """Undo your changes to one item, or to all with --all; an item of your own is removed."""
    own, args, answer = _own(context), context.args, context.console.answer
    if args.all and args.section is not None:
        raise misuse("--all resets everything, so it needs no id.", "Leave out one of the two.")
    if args.all:
        aside = own.reset()
        kept = f"Only what comes with the program is left. Yours: {aside}"
        return answer({}, kept if aside else "There was nothing of your own.")
    if args.section is None or args.id is None:
        raise misuse("Which one is to be reset?", "Give a section and an id, or --all.")
    own.reset_item(args.section, args.id)
    return answer({}, f"Nothing of the {args.section} “{args.id}” is your own any more.")


@criteria.command("export")
@argument("file FILE.xml")
def export(context: Context) -> int:
    """Write all that is your own to one file."""
    path = _path(context.args.file)
    keep_foreign(path, written(OwnCriteria()))
    count = _own(context).export(path)
    return context.console.answer({"count": count}, f"Wrote {counted(count, 'item')} to {path}.")


@criteria.command("import")
@argument("file FILE.xml")
def take_in(context: Context) -> int:
    """Take in a file that was exported; its items replace those of the same id."""
    count = _own(context).take_in(_path(context.args.file))
    return context.console.answer({"count": count}, f"Took in {counted(count, 'item')}.")


def _own(context: Context) -> OwnFile:
    return OwnFile(context.profile.criteria)


def _path(name: str) -> Path:
    if "\0" in name:
        raise misuse("A file's name can't hold that.", "Give another name.")
    return expanded(name)


def _item(context: Context) -> Item:
    """Return the item that the arguments name."""
    section, id = context.args.section, context.args.id
    for item in _own(context).items():
        if item.key == (section, id):
            return item
    hint = f"`jokejudge criteria list {section}` shows the ids."
    raise JokeJudgeError("E_CRITERIA_OWN", f"There is no {section} “{id[:60]}”.", hint)


def _cells(item: Item) -> tuple[str, ...]:
    return item.id, "off" if item.off else ORIGINS[item.origin], item.name


def _object(item: Item) -> dict[str, Any]:
    return {
        "section": item.section, "id": item.id, "name": item.name, "origin": item.origin, "off": item.off,
        "changed": list(item.changed), "read": item.shipped and not item.reworded, "fields": item.fields,
    }  # fmt: skip
