"""``jokejudge criteria …``: lists, edits, exports and imports the criteria, with the user's changes."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

from ..core.errors import JokeJudgeError, info
from ..core.outputs import keep_foreign
from ..core.paths import expanded
from ..rubric.offered import LEAST_JOKES, OfferedFile, asked_about, own_effect
from ..rubric.own_file import OwnFile, written
from ..rubric.own_types import FIELDS, ORIGINS, TITLES, Item, OwnCriteria, found_in
from .console import printable, shorten
from .context import Context, misuse

_ID, _STATE = 24, 10


def _list(context: Context) -> int:
    console, args = context.console, context.args
    items = [item for item in _own(context).items() if args.section in (None, item.section)]
    items = [item for item in items if (not args.own or item.origin != "shipped") and found_in(item, args.search)]
    if console.json:
        return console.answer({"count": len(items), "items": [_object(item) for item in items]})
    for section, group in groupby(items, key=lambda item: item.section):
        console.heading(TITLES[section])
        for item in group:
            state = "off" if item.off else ORIGINS[item.origin]
            head = f"  {shorten(printable(item.id, lines=False), _ID)}  {state:<{_STATE}}"
            room = max(20, console.width - _ID - _STATE - 6)
            console.text(f"{head}  {shorten(printable(item.name, lines=False), room)}".rstrip())
    if not items:
        console.note("Nothing of your own yet." if args.own and not args.search else "Nothing holds these words.")
    return 0


def _show(context: Context) -> int:
    own, args = _own(context), context.args
    item = _item(own, args)
    asked = asked_about(item.section, item.fields)
    console = context.console
    if console.json:
        return console.answer({"item": _object(item), "asked": list(asked), "effect": own_effect(item, item.fields)})
    console.heading(f"{item.section} {printable(item.id)}")
    for field in FIELDS[item.section]:
        if value := item.fields.get(field.name):
            mark = " (yours)" if item.shipped and field.name in item.changed else ""
            between = "\n" if "\n" in value else " "
            console.paragraph(f"{field.label}{mark}:{between}{value}")
    if said := own_effect(item, item.fields):
        console.paragraph(said, paint="amber")
    console.section("What a model is asked")
    for line in asked:
        console.paragraph(line)
    return 0


def _add(context: Context) -> int:
    args = context.args
    _own(context).set_item(args.section, args.id, _fields(args), new=True)
    return _done(context, f"Added the {args.section} “{args.id}”.", args)


def _edit(context: Context) -> int:
    own, args = _own(context), context.args
    fields = _fields(args)
    if not fields and not args.on and not args.off:
        raise misuse(
            "Nothing was given to change.",
            f"A {args.section} has {', '.join('--' + field.name for field in FIELDS[args.section])}, --off and --on.",
        )
    if fields:
        own.set_item(args.section, args.id, fields)
    if args.on or args.off:
        own.switch(args.section, args.id, on=args.on)
    sentence = f"Changed the {args.section} “{args.id}”."
    if not fields:
        sentence = f"The {args.section} “{args.id}” {'takes part again' if args.on else 'takes no part any more'}."
    return _done(context, sentence, args)


def _check(context: Context) -> int:
    console = context.console
    own = _own(context)
    path = _path(context.args.file) if context.args.file is not None else own.path
    found = own.check(path)
    if console.json:
        console.object({"path": str(path), "problems": [info(error).model_dump() for error in found], "error": None})
    else:
        for error in found:
            console.paragraph(f"{error.sentence} {error.hint}".strip())
        if not found:
            console.paragraph("Nothing is wrong with it." if path.exists() else "There is nothing of your own yet.")
    return 1 if found else 0


def _weights(context: Context) -> int:
    own, args, console = _own(context), context.args, context.console
    if args.weights and args.clear:
        raise misuse("Weights can't be set and cleared at once.", "Leave out one of the two.")
    if args.weights or args.clear:
        own.set_weights(dict(_share(text) for text in args.weights))
    weights = own.load().weights
    if console.json:
        return console.answer({"weights": weights, "total": sum(weights.values())})
    for id, share in sorted(weights.items(), key=lambda row: -row[1]):
        bar = console.style.bar(share, 20)
        console.text(f"  {shorten(printable(id, lines=False), _ID)}  {share:5.3g}  {bar}")
    console.paragraph(
        "In the weighted score only these factors count." if weights else "All factors count alike: no weights are set."
    )
    return 0


def _reset(context: Context) -> int:
    own, args = _own(context), context.args
    if args.all:
        if args.section is not None:
            raise misuse("--all resets everything, so it needs no id.", "Leave out one of the two.")
        aside = own.reset()
        return _done(context, f"Only what comes with the program is left. Yours: {aside}" if aside else _NOTHING)
    if args.section is None or args.id is None:
        raise misuse("Which one is to be reset?", "Give a section and an id, or --all.")
    own.reset_item(args.section, args.id)
    return _done(context, f"Nothing of the {args.section} “{args.id}” is your own any more.")


def _offers(context: Context) -> int:
    console, found = context.console, OfferedFile(context.profile.criteria).offers()
    if console.json:
        rows = [{"id": each.id, "jokes": len(each.jokes), "fields": each.fields} for each in found]
        return console.answer({"count": len(rows), "items": rows})
    for each in found:
        console.heading(f"{each.id}  {printable(each.name, lines=False)}")
        console.paragraph(f"Written by a model, used for {len(each.jokes)} jokes. {each.explanation}")
        console.paragraph(f"At 0: {each.zero} At 5: {each.five}")
        console.paragraph(f"Good: {each.good} Bad: {each.bad}")
    if found:
        console.note("To take one: jokejudge criteria promote ID. To be rid of one: jokejudge criteria dismiss ID.")
    else:
        console.note(f"Nothing is offered: no factor that a model wrote has served {LEAST_JOKES} jokes yet.")
    return 0


def _promote(context: Context) -> int:
    args = context.args
    OfferedFile(context.profile.criteria).promote(args.id, _own(context), _fields(args))
    return _done(context, f"The factor “{args.id}” is one of your own now.", args)


def _dismiss(context: Context) -> int:
    OfferedFile(context.profile.criteria).remove(context.args.id)
    return _done(context, f"The factor “{context.args.id}” isn't used or offered any more.")


def _print_path(context: Context) -> int:
    own = _own(context)
    if context.console.json:
        context.console.object({"path": str(own.path), "exists": own.path.exists(), "error": None})
    else:
        context.console.text(printable(str(own.path)))
    return 0


def _export(context: Context) -> int:
    path = _path(context.args.file)
    keep_foreign(path, written(OwnCriteria()))
    count = _own(context).export(path)
    return _done(context, f"Wrote {_items(count)} to {path}.", count=count)


def _import(context: Context) -> int:
    count = _own(context).take_in(_path(context.args.file), replace=context.args.replace)
    return _done(context, f"Took in {_items(count)}.", count=count)


# -- parts of the commands --------------------------------------------------------------------------------------------

_NOTHING = "There was nothing of your own."


def _own(context: Context) -> OwnFile:
    return OwnFile(context.profile.criteria)


def _path(name: str) -> Path:
    if "\0" in name:
        raise misuse("A file's name can't hold that.", "Give another name.")
    return expanded(name)


def _item(own: OwnFile, args: Namespace) -> Item:
    for item in own.items():
        if item.key == (args.section, args.id):
            return item
    raise JokeJudgeError(
        "E_CRITERIA_OWN",
        f"There is no {args.section} “{args.id[:60]}”.",
        f"`jokejudge criteria list {args.section}` shows the ids.",
    )


def _fields(args: Namespace) -> dict[str, str]:
    """Return the given fields. Raises ``UsageError`` for one that such an item doesn't have."""
    known = {field.name for field in FIELDS[args.section]}
    found = {}
    for option, value in vars(args).items():
        name = option.removeprefix("field_")
        if name == option or value is None:
            continue
        if name not in known:
            raise misuse(
                f"A {args.section} has no field “{name}”.",
                f"It has {', '.join('--' + field.name for field in FIELDS[args.section])}.",
            )
        found[name] = "\n".join(value) if isinstance(value, list) else value
    return found


def _share(text: str) -> tuple[str, float]:
    id, _, share = text.partition("=")
    try:
        return id.strip(), float(share)
    except ValueError:
        raise misuse(f"“{text[:60]}” is no weight.", "Write wit=0.5, all weights together.") from None


def _done(context: Context, sentence: str, args: Namespace | None = None, **fields: Any) -> int:
    """Print a command's result. ``args``: arguments that name an item, whose effect is then printed, too."""
    if args is None:
        return context.console.answer(fields, sentence)
    item = _item(_own(context), args)
    said = own_effect(item, item.fields)
    return context.console.answer({"item": _object(item), "effect": said}, " ".join(filter(None, (sentence, said))))


def _object(item: Item) -> dict[str, Any]:
    return {
        "section": item.section, "id": item.id, "name": item.name, "origin": item.origin, "off": item.off,
        "changed": list(item.changed), "read": item.shipped and not item.reworded, "fields": item.fields,
    }  # fmt: skip


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


COMMANDS: dict[str, Callable[[Context], int]] = {
    "list": _list,
    "show": _show,
    "add": _add,
    "edit": _edit,
    "check": _check,
    "weights": _weights,
    "reset": _reset,
    "offered": _offers,
    "promote": _promote,
    "dismiss": _dismiss,
    "path": _print_path,
    "export": _export,
    "import": _import,
}
