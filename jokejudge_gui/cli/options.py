"""The language of the command line: commands and groups that share options, and the types of options' values."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import partial
from importlib import import_module
from inspect import signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..core.texts import locale_hint

if TYPE_CHECKING:
    from ..batch.lists import Choices, JokeList
    from .context import Context

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]
_TEXT_WITH_A_DASH = re.compile(r"-\d*\.?\d+|-[^=]*\s.*", re.DOTALL)
"""A text that is no option though it begins with a dash: a number, or several words."""


# -- types of values: see click.Choice for the others ------------------------------------------------------------------

some, count, percentage = click.IntRange(1), click.IntRange(0), click.FloatRange(0, 100)


def text(value: str) -> str:
    """Check that a text is UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise click.BadParameter(f"it isn't UTF-8 text. {locale_hint()}".strip()) from error
    return value


_TYPES = dict.fromkeys(
    ("TEXT", "WORD", "WORDS", "NAME", "NAME|all", "ID", "ID|last", "TAG",
     "JOKE", "PACK"), text,
) | {"N": some, "K": some}  # fmt: skip
"""The types of values by the names that help gives them; files' names are taken as they are."""

# -- commands and groups ----------------------------------------------------------------------------------------------


class Option(click.Option):
    """An option that help lists under a heading of its own."""

    def __init__(self, *names: Any, heading: str = "Options", **how: Any) -> None:
        super().__init__(*names, **how)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> Any:
        return {}


def option(spec: str, about: str, *, to: str = "", **how: Any) -> Decorator[Any]:
    """An option: its names and, unless it is a switch, the name of its value ("-o --out FILE"), and its help; ``to``:
    the name in the code if it is another one. See ``click.option``."""
    words = spec.split(" ")
    names = [word for word in words if word.startswith("-")]
    if len(names) < len(words):
        how["metavar"] = " ".join(words[len(names) :])
        how.setdefault("type", _TYPES.get(how["metavar"]))
    elif not {"type", "flag_value", "default"} & how.keys():
        how["is_flag"] = True
    return click.option(*names, *filter(None, [to]), cls=Option, help=about, **how)


def argument(spec: str, about: str | None = None, **how: Any) -> Decorator[Any]:
    """An argument: its name in the code, how help writes it ("lists [LIST]"), and its help: brackets mean that it may
    be missing, dots that there may be several. See ``click.argument``."""
    name, _, metavar = spec.partition(" ")
    how.setdefault("type", _TYPES.get(metavar.strip("[].")))
    how.setdefault("required", not metavar.startswith("["))
    how.setdefault("nargs", -1 if metavar.endswith("...") else 1)
    if "help" in signature(click.Argument).parameters:  # DeepEval and others want an older click, which has none
        how["help"] = about
    return click.argument(name, metavar=metavar or None, **how)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep a shared option, given before or after the command, for the whole call."""
    if value is not None and value is not False and value != ():
        given: dict[str, Any] = context.obj.given
        name = str(parameter.name)
        given[name] = (*given.get(name, ()), *value) if isinstance(value, tuple) else value


def _shared(heading: str, *options: tuple[str, str, dict[str, Any]]) -> list[click.Parameter]:
    """Return options that several commands have; their values are kept for the whole call."""

    def holder() -> None: ...

    for spec, about, how in options:
        option(spec, about, heading=heading, expose_value=False, callback=_keep, **how)(holder)
    return holder.__click_params__  # type: ignore[attr-defined, no-any-return]


_EVERYWHERE = _shared(
    "Options of every command",
    ("--data-dir DIR", "Keep everything under this folder (a throw-away profile).", {}),
    ("--json", "Print one JSON object and nothing else.", {}),
    ("--debug", "Write more to the log, and to stderr as well.", {}),
    ("-q --quiet", "No progress and no notes on stderr.", {}),
)
_JUDGING = _shared(
    "How to judge",
    ("-m --model PATH|NAME|embedded", "The model to judge with: a GGUF file, or a name from the catalogue; given "
     "several times: these models together, the better ones counting for more.", {"to": "models", "multiple": True}),
    ("--mode", "How thoroughly to judge.", {"type": click.Choice(["quick", "deep"])}),
    ("--threads N", "Threads for the model; 0: physical cores.", {"type": click.IntRange(0, 256)}),
    ("--jobs N", "Processes that read a list; 0: as many as are useful.", {"type": click.IntRange(0, 256)}),
    ("--no-history", "Leave the history unread and unchanged.", {}),
    ("--no-explain", "Write no explanation.", {}),
)  # fmt: skip
_PASSED_OVER = [copy(parameter) for parameter in _JUDGING]
for _parameter in _PASSED_OVER:
    _parameter.hidden = True  # type: ignore[attr-defined]


def unset() -> dict[str, Any]:
    """Return the values of the shared options where a call gives none of them."""
    return {str(one.name): () if one.multiple else None for one in (*_JUDGING, *_EVERYWHERE)}


class _Printed(click.Command):
    """Help in sections, and printed as other results are; a text of several words that begins with a dash is no option.
    ``judges``: its help shows the options of judging; the other commands ignore them."""

    def __init__(self, *given: Any, judges: bool = False, **how: Any) -> None:
        super().__init__(*given, **how)
        self.context_settings.update(help_option_names=["-h", "--help"], max_content_width=100)
        self.params += [*(_JUDGING if judges else _PASSED_OVER), *_EVERYWHERE]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                sections.setdefault(getattr(parameter, "heading", "Options"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        take_option = parser._process_opts

        def option_or_text(argument: str, state: Any) -> None:
            if _TEXT_WITH_A_DASH.fullmatch(argument):
                state.largs.append(argument)
            else:
                take_option(argument, state)

        parser._process_opts = option_or_text  # type: ignore[method-assign, assignment]
        return parser


class Command(_Printed):
    """A command: its function gets the call's ``Context`` and returns the exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        assert self.callback is not None
        return ctx.obj.run(ctx.command_path.partition(" ")[2], self.callback, ctx.params)


def command(name: str, **how: Any) -> Callable[[Callable[..., int]], Command]:
    """A command outside any group; its module and help stand in ``cli/main.py``."""
    return click.command(name, cls=Command, **how)


class Group(_Printed, click.Group):
    """A group of commands. ``elsewhere``: the module and the help of each command that is loaded when it is called."""

    command_class = Command

    def __init__(self, *given: Any, elsewhere: dict[str, tuple[str, str]] | None = None, **how: Any) -> None:
        super().__init__(*given, **{"invoke_without_command": True, "callback": _needs_a_command, **how})
        self.subcommand_metavar = "COMMAND …"
        self._elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys((*self._elsewhere, *self.commands)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._elsewhere and cmd_name not in self.commands:
            module, about = self._elsewhere[cmd_name]
            command: click.Command = getattr(import_module(f".{module}", __package__), cmd_name)
            command.help = about
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self._listed())

    def _listed(self) -> list[tuple[str, str]]:
        here = {name: command.get_short_help_str(90) for name, command in self.commands.items()}
        return list(({name: about for name, (_, about) in self._elsewhere.items()} | here).items())

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches

            names = self.list_commands(ctx)
            shown = args[0] if len(args[0]) <= 40 else args[0][:39] + "…"
            others = ", ".join(get_close_matches(args[0], names, n=1))
            others = f"did you mean {others}?" if others else f"known are {', '.join(names)}."
            raise click.UsageError(f"There's no command {shown!r}: {others}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=about) for name, about in self._listed() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.pass_context
def _needs_a_command(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        names = ", ".join(ctx.command.list_commands(ctx)) if isinstance(ctx.command, Group) else ""
        raise click.UsageError(f"{ctx.command_path} needs one of these commands: {names}.", ctx)


# -- options that several commands have -------------------------------------------------------------------------------


def together(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Return several options as one decorator, the first one listed first."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def read_jokes(context: Context, source: str) -> JokeList:
    """Read a list of jokes as the call wants it, and say how it was read."""
    from ..batch.lists import read_list
    from ..core.tables import read_whole

    text, notes = read_whole(source)
    listed = read_list(text, source, choices(context.args), notes=notes)
    listed = listed.untold() if getattr(context.args, "fresh", False) else listed
    for note in (f"{listed.sentence}.", *listed.notes, *first(listed.reasons())):
        context.console.note(note)
    return listed


def choices(args: SimpleNamespace) -> Choices:
    """Return how a call wants its list to be read."""
    from ..batch.lists import Choices

    separator, column = getattr(args, "separator", None), getattr(args, "text_column", None)
    return Choices(separator, column, not getattr(args, "as_it_stands", False), getattr(args, "unescape", False))


def first(lines: list[str], most: int = 12) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - most
    return [*lines[:most], *([f"{more:,} more lines are left out."] if more > 0 else [])]


many = partial(option, heading="Many at once")
verdict_id = argument("id ID|last", "The id of a verdict, or how it begins; last: the newest.")
limit = option("-n --limit N", "Show at most N (20).", type=count, default=20)
filters = together(
    option(
        "--kind",
        "Only verdicts of this kind.",
        type=click.Choice(["rate", "duel", "contest", "workshop", "set", "audit", "template"]),
    ),
    option("--starred", "Only starred ones."),
    option("--tag TAG", "Only those with this tag."),
    option("--sort", "Order.", type=click.Choice(["newest", "oldest", "score_high", "score_low"]), default="newest"),
)
labelled = together(
    option(
        "--pairs FILE.csv",
        "Columns text_a,text_b and winner (A, B or tie) or votes_a,votes_b; may be given several times.",
        multiple=True,
    ),
    option(
        "--ratings FILE.csv",
        "Columns text and rating (or humor_rating, mean_grade, funniness, bws_score, log_score), and is_humor if it "
        "is known; may be given several times.",
        multiple=True,
    ),
)
model_spec = argument("spec [PATH|NAME]", "Path or name; without it the model in use.")
shard = many("--shard K/N", "Only part K of N; the files of all parts, one behind another, are one file.")
text_column = option(
    "--text-column NAME",
    "The column of a list that holds the jokes, if it isn't named text, joke, caption, content or body, or "
    "setup and punchline: a name, data.text within objects, or title+selftext for two that are joined.",
)
unescape = option(
    "--unescape", "Read HTML (&quot;, <br>), misread and invisible characters of a list as they were meant."
)
as_list = together(
    option(
        "--separator",
        "What stands between the jokes of a list, or between the cells of a table; without it, as the list looks.",
        type=click.Choice(["lines", "blocks", "comma", "semicolon", "tab", "bar"]),
    ),
    option(
        "--as-it-stands",
        "Keep numbers, bullets and quotes around jokes, and lines such as “Sure! Here are 200 jokes”.",
    ),
)
joke_list = together(
    argument(
        "lists [LIST]",
        "File with the jokes: lines, a numbered or bulleted list, blocks between blank lines, a table or JSON; "
        "without it, or with -, standard input is read.",
        nargs=-1,
    ),
    text_column,
    unescape,
    as_list,
    option("--fresh", "Leave out jokes that stand in collections of jokes."),
    option("--topic TEXT", "The topic or scene that all are about.", to="context", default=""),
    option("--title TEXT", "A name for the list.", default=""),
)
ask = option(
    "--ask",
    "plan: ask only the questions whose answers were measured to help; all: every question (slower).",
    type=click.Choice(["plan", "all"]),
)
generator = option(
    "--generator NAME",
    "The model that wrote the text or, of a list, those whose columns generator and model don't say: you are warned "
    "where only models of its own family judge.",
    default="",
)
context = option(
    "-c --context TEXT",
    "The topic or scene that it is about, such as a cartoon's scene or a hashtag; of a list, for the rows that name "
    "none.",
    default="",
)
pack = argument("pack PACK", "A shipped pack (seeds, stages), or an XML file of your own.")
html = option("--html OUT.html", "Write the report as one web page.")


def batch_of(columns: str, more: str = "") -> Decorator[Any]:
    """The option that names a file of rows with these ``columns``; ``more``: its other forms."""
    about = f"Judge every row: a table, JSON lines or a JSON array with {columns} and, if you like, context and "
    about += f"generator{more}; without IN standard input is read."
    return many("--batch IN", about, is_flag=False, flag_value="-")


retry_errors = many("--retry-errors", "Judge those rows again whose line in OUT is an error.")
keep_in_history = many("--history", "Keep the verdicts in the history, too; else they are in OUT alone.")
batch = together(
    many(
        "-o --out OUT.jsonl|OUT.csv|-",
        "One line for each row, run again to go on where it stopped; as a table where the name ends in .csv; - "
        "writes the lines to standard output.",
    ),
    shard,
    many(
        "--cluster ADDRESS|local:N",
        "Let the workers of a Dask cluster judge, or N processes on this machine; leaves the history unchanged.",
    ),
    retry_errors,
    many("--fail-on-error", "Exit status 1 where a row has an error."),
    unescape,
    keep_in_history,
)
