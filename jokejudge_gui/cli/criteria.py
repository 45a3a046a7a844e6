"""``jokejudge criteria …``: lists, edits, exports and imports the criteria, with the user's changes."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from ..core.errors import JokeJudgeError, info
from ..core.outputs import keep_foreign
from ..core.pages import Table
from ..core.paths import expanded
from ..rubric.own_file import OwnFile, written
from ..rubric.own_prompts import asked_about
from ..rubric.own_types import FIELDS, ORIGINS, SECTIONS, TITLES, Item, OwnCriteria, effect, found_in
from . import options
from .console import printable
from .context import Context, misuse
from .options import Group, argument, option

criteria = Group("criteria")
_SECTION = argument("section", "What it is.", type=click.Choice(SECTIONS))
_ID = argument("id ID", "Its id, as the list shows it.")


def _fields_of_all() -> options.Decorator[Any]:
    """Return an option for every field of criteria; one that several sections share is listed once."""
    fields = {field.name: field for section in SECTIONS for field in FIELDS[section]}
    having = {name: ", ".join(s for s in SECTIONS if any(f.name == name for f in FIELDS[s])) for name in fields}
    return options.together(
        *(
            option(
                f"--{name} {'IDS' if field.form == 'ids' else 'TEXT'}",
                f"{field.help} ({having[name]})",
                to=f"field_{name}",
                type=options.text,
            )
            for name, field in fields.items()
        )
    )


@criteria.command("list")
@argument("section", "Only these.", required=False, type=click.Choice(SECTIONS))
@option("--own", "Only what you added, changed or switched off.")
@option("--search WORDS", "Only those that hold these words.", default="")
def show_list(context: Context) -> int:
    """Kinds, factors, faults and notes, with what you added and changed."""
    args = context.args
    items = [item for item in _own(context).items() if args.section in (None, item.section)]
    items = [item for item in items if (not args.own or item.origin != "shipped") and found_in(item, args.search)]
    none = "Nothing of your own yet." if args.own and not args.search else "Nothing holds these words."
    groups = groupby(items, key=lambda item: item.section)
    tables = (Table(TITLES[section], (), tuple(map(_cells, group))) for section, group in groups)
    fields = {"count": len(items), "items": [_object(item) for item in items]}
    return context.console.answer(fields, "" if items else none, *tables)


@criteria.command("show")
@_SECTION
@_ID
def show(context: Context) -> int:
    """Show one item in full, and what a model is asked about it."""
    console, item = context.console, _item(context)
    asked, result = asked_about(item.section, item.fields), effect(item)
    if console.json:
        return console.answer({"item": _object(item), "asked": list(asked), "effect": result})
    console.heading(f"{item.section} {printable(item.id)}")
    for field in FIELDS[item.section]:
        if value := item.fields.get(field.name):
            mark = " (yours)" if item.shipped and field.name in item.changed else ""
            console.paragraph(f"{field.label}{mark}: {value}")
    if result:
        console.paragraph(result, style="yellow")
    console.section("What a model is asked")
    for line in asked:
        console.paragraph(line)
    return 0


@criteria.command("add")
@_SECTION
@argument("id ID", "A new id: small letters, digits and underscores.")
@_fields_of_all()
def add(context: Context) -> int:
    """Add a kind, factor or fault of your own."""
    args = context.args
    _own(context).set_item(args.section, args.id, _fields(context), new=True)
    return _changed(context, f"Added the {args.section} “{args.id}”.")


@criteria.command("edit")
@_SECTION
@_ID
@_fields_of_all()
@option("--on/--off", "It takes part again; or it takes no part in verdicts.", default=None)
def edit(context: Context) -> int:
    """Change fields of one, or switch it off or on."""
    own, args, fields = _own(context), context.args, _fields(context)
    if not fields and args.on is None:
        raise misuse(
            "Nothing was given to change.", f"A {args.section} has {_options_of(args.section)}, --off and --on."
        )
    if fields:
        own.set_item(args.section, args.id, fields)
    if args.on is not None:
        own.switch(args.section, args.id, on=args.on)
    sentence = f"Changed the {args.section} “{args.id}”."
    if not fields:
        sentence = f"The {args.section} “{args.id}” {'takes part again' if args.on else 'takes no part any more'}."
    return _changed(context, sentence)


@criteria.command("check")
@argument("file [FILE]", "Without it, the file in use.")
def check(context: Context) -> int:
    """Say what is wrong with your own criteria, or with a file that you want to import."""
    own = _own(context)
    path = _path(context.args.file) if context.args.file is not None else own.path
    problems = own.check(path)
    sound = "Nothing is wrong with it." if path.exists() else "There is nothing of your own yet."
    context.console.answer(
        {"path": str(path), "problems": [info(error).model_dump() for error in problems]},
        "",
        *([f"{error.sentence} {error.hint}".strip() for error in problems] or [sound]),
    )
    return 1 if problems else 0


@criteria.command("weights")
@argument("weights [FACTOR=SHARE]...", "All weights together, such as wit=0.5 clarity=0.5; they sum to 1.")
@option("--clear", "Let all factors count alike again.")
def weights(context: Context) -> int:
    """Show how much each factor counts in the weighted score, or set it."""
    own, args = _own(context), context.args
    if args.weights and args.clear:
        raise misuse("Weights can't be set and cleared at once.", "Leave out one of the two.")
    if args.weights or args.clear:
        own.set_weights(dict(_share(text) for text in args.weights))
    weights = own.load().weights
    shares = sorted(weights.items(), key=lambda row: -row[1])
    return context.console.answer(
        {"weights": weights, "total": sum(weights.values())},
        "",
        Table("", (), tuple((id, f"{share:.3g}", "━" * round(20 * share)) for id, share in shares)),
        "In the weighted score only these factors count."
        if weights
        else "All factors count alike: no weights are set.",
    )


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
    return context.console.answer({"count": count}, f"Wrote {_items(count)} to {path}.")


@criteria.command("import")
@argument("file FILE.xml")
@option("--replace", "Remove everything of your own that isn't in the file.")
def take_in(context: Context) -> int:
    """Take in a file that was exported; its items replace those of the same id."""
    count = _own(context).take_in(_path(context.args.file), replace=context.args.replace)
    return context.console.answer({"count": count}, f"Took in {_items(count)}.")


def _own(context: Context) -> OwnFile:
    return OwnFile(context.profile.criteria)


def _path(name: str) -> Path:
    if "\0" in name:
        raise misuse("A file's name can't hold that.", "Give another name.")
    return expanded(name)


def _item(context: Context) -> Item:
    """Return the item that the arguments name."""
    args = context.args
    for item in _own(context).items():
        if item.key == (args.section, args.id):
            return item
    raise JokeJudgeError(
        "E_CRITERIA_OWN",
        f"There is no {args.section} “{args.id[:60]}”.",
        f"`jokejudge criteria list {args.section}` shows the ids.",
    )


def _options_of(section: str) -> str:
    return ", ".join(f"--{field.name}" for field in FIELDS[section])  # type: ignore[index]


def _fields(context: Context) -> dict[str, str]:
    """Return the given fields. Raises ``UsageError`` for one that such an item doesn't have."""
    section, fields = context.args.section, {}
    for name, value in vars(context.args).items():
        if not name.startswith("field_") or value is None:
            continue
        name = name.removeprefix("field_")
        if name not in {field.name for field in FIELDS[section]}:
            raise misuse(f"A {section} has no field “{name}”.", f"It has {_options_of(section)}.")
        fields[name] = value
    return fields


def _share(text: str) -> tuple[str, float]:
    id, _, share = text.partition("=")
    try:
        return id.strip(), float(share)
    except ValueError:
        raise misuse(f"“{text[:60]}” is no weight.", "Write wit=0.5, all weights together.") from None


def _changed(context: Context, sentence: str) -> int:
    """Print that the item which the arguments name was changed, and the effect of that."""
    item = _item(context)
    result = effect(item)
    return context.console.answer({"item": _object(item), "effect": result}, f"{sentence} {result}".strip())


def _cells(item: Item) -> tuple[str, ...]:
    return item.id, "off" if item.off else ORIGINS[item.origin], item.name


def _object(item: Item) -> dict[str, Any]:
    return {
        "section": item.section, "id": item.id, "name": item.name, "origin": item.origin, "off": item.off,
        "changed": list(item.changed), "read": item.shipped and not item.reworded, "fields": item.fields,
    }  # fmt: skip


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
