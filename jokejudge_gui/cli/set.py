"""``jokejudge set``: puts bits into an order for the stage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..batch.lists import read_list
from ..core.errors import UsageError
from ..core.events import Event, Finished
from ..core.tables import read_whole
from ..judge.set.record import Bit, SetRequest, SetResult
from ..judge.set.words import SET
from ..session.session import Session
from ..ui.sheet import check_name, write_sheet
from . import options
from .context import Context, given_or_piped, misuse, options_given, stored
from .options import argument, command, option
from .running import judge

_LISTS = ("numbered", "bulleted", "csv", "json")
"""Forms of files that are lists, also where several files are given."""


@command("set", judges=True)
@argument(
    "files [FILE]...",
    "One file: a list, as jokejudge contest reads it. Several files: each holds one bit, whose title is the file's "
    "name, but for tables, JSON and lists with numbers or bullets. Without one, or with -, standard input is read. "
    "Where a room laughed, write [laugh], or [laugh 3] for the loudest.",
    type=str,
    nargs=-1,
)
@option("--minutes M", "The time to fill: how far the set is over or under it.", type=click.FloatRange(0.1, 600))
@option("--title TEXT", "A name for the set.", to="title", default="")
@option("-o --out FILE", "Write the stage sheet, one line a bit: .pdf, .html or .md; may be given several times.",
        multiple=True)  # fmt: skip
@option("--resume ID|last", "A set of the history; FILES add bits.")
@option("--order 3,1,2", "Put the bits into this order, by their numbers; those that aren't named follow.", type=str)
@options.text_column
@options.ask
def set(context: Context) -> int:
    """Read the bits of a set and print its order, its times and what comes back in it. Exit status 0 when all were
    read, 1 for a failure, 130 when it was stopped; the results so far are printed then, too."""
    args = context.args
    sheets = [Path(name) for name in args.out]
    for path in sheets:
        check_name(path)  # raises before anything is read
    files = list(args.files) if args.resume is not None else given_or_piped(list(args.files))
    if not files and args.resume is None:
        raise misuse("There's no bit for the set.", "Give a file, or - for standard input, or --resume.")
    bits = [bit for file in files for bit in _bits(context, file, alone=len(files) == 1)]
    given = {name: value for name in ("minutes", "title") if (value := getattr(args, name))}

    def ask(session: Session, *, record: bool, **how: Any) -> Iterator[Event]:
        if args.resume is None:
            request = session.request(SET, bits=_ordered(SetRequest.of(bits).bits, args.order), **given)
        else:
            earlier = stored(session.store, args.resume, SetResult, "E_SET_RESUME", "This verdict isn't a set.")
            if not bits:  # there is nothing to read: the stored one is changed
                changed = earlier.replaced(bits=_ordered(earlier.bits, args.order), **given)
                if changed != earlier and record:
                    session.store.revise(earlier.id, lambda _stored: changed)
                yield Finished(result=changed)
                return
            request = SetRequest.going_on(earlier, bits, **given, **options_given(args))
            request = request.replaced(bits=_ordered(request.bits, args.order))
        yield from session.run(SET, request, record=record, **how)

    def write(result: SetResult) -> None:
        for path in sheets:
            write_sheet(result, path)
            context.console.note(f"Wrote the stage sheet to {path}.")

    return judge(context, "set", ask, usable=lambda _result: True, write=write, brief=True)


def _ordered(bits: tuple[Bit, ...], order: str | None) -> tuple[Bit, ...]:
    """Return bits in the order of ``--order``, which names their numbers. Raises ``UsageError`` ``E_SET_ORDER``."""
    if order is None:
        return bits
    numbers = [int(part) if part.strip().isdecimal() else 0 for part in order.split(",")]
    if len({*numbers}) < len(numbers) or not all(1 <= number <= len(bits) for number in numbers):
        sentence = f"{order} isn't an order of bits from 1 to {len(bits)}, each at most once."
        raise UsageError("E_SET_ORDER", sentence, "Name numbers with commas between, such as 3,1,2.")
    rest = (number for number in range(1, len(bits) + 1) if number not in numbers)
    return tuple(bits[number - 1] for number in (*numbers, *rest))


def _bits(context: Context, file: str, *, alone: bool) -> list[tuple[str, str]]:
    """Return the titles and texts of the bits in a file."""
    text, notes = read_whole(file)
    listed = read_list(text, file, options.choices(context.args), notes=notes)
    if listed.form not in _LISTS and (not alone or len(listed.jokes) <= 1):
        return [(Path(file).stem if file != "-" else "", text)]
    for note in (f"{listed.sentence}.", *listed.notes):
        context.console.note(note)
    return [(item.columns.get("title", ""), item.text) for item in listed.jokes]
