"""The command line's arguments: commands, options and their help, as one table, and the types of their values."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn, TypeAlias

from .. import __version__
from ..core.config import JOINED
from ..core.errors import UsageError
from ..rubric.own_types import FIELDS, SECTIONS
from .console import print_result

_MOST_ROUNDS = 20
_DASH_HINT = "Put -- before a text that begins with a dash."
_NUMBER = re.compile(r"-\d*\.?\d+")


class Parser(argparse.ArgumentParser):
    """Raises ``UsageError`` instead of printing and exiting as argparse does, and ``OutputError`` if it can't print its
    help."""

    def _print_message(self, message: str, file: object = None) -> None:
        if message:
            print_result(message)

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:].rstrip(".") + "."
        hint = f"See {self.prog} --help."
        about_a_dash = "unrecognized" in message or "ignored explicit" in message
        raise UsageError("E_USAGE", sentence, f"{hint} {_DASH_HINT}" if about_a_dash else hint)


# -- values of options ------------------------------------------------------------------------------------------------


def _whole(name: str, least: int = 0, most: float = float("inf")) -> Callable[[str], int]:
    """Return a converter to a whole number from ``least`` to ``most``; ``name`` is its name in error messages."""

    def number(text: str) -> int:
        found = int(text)
        if not least <= found <= most:
            raise ValueError
        return found

    number.__name__ = name
    return number


count = _whole("whole number")
some = _whole("whole number above 0", 1)
rounds = _whole(f"whole number from 0 to {_MOST_ROUNDS}", 0, _MOST_ROUNDS)


def hundred(text: str) -> float:
    """Convert a number from 0 to 100."""
    found = float(text)
    if not 0 <= found <= 100:
        raise ValueError
    return found


hundred.__name__ = "number from 0 to 100"
_of_ten = _whole("whole number from 1 to 10", 1, 10)


def rows(text: str) -> int:
    """Convert a number of rows."""
    # More rows than any history has, and within the database's integers.
    return min(count(text), 10**9)


rows.__name__ = "whole number"


def words(text: str) -> str:
    """Check that a text is UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError("isn't UTF-8 text") from error
    return text


def threads(text: str) -> int:
    """Convert a number of threads, 0…256."""
    number = int(text)
    if not 0 <= number <= 256:
        raise argparse.ArgumentTypeError("must be from 0 to 256")
    return number


threads.__name__ = "whole number"


def budget(text: str) -> dict[str, int]:
    """Convert the limits of deep mode: numbers of branches, tokens and seconds, each named."""
    most = {"branches": 1000, "tokens": 10**8, "seconds": 86_400}
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        number = int(value) if value.isdecimal() else -1
        if not 0 <= number <= most.get(name, -1):
            raise argparse.ArgumentTypeError("must name branches, tokens or seconds, such as branches=20,seconds=10")
        found[name] = number
    return found


def choice(text: str) -> str:
    """Convert a vote, whatever its case."""
    found = {"up": "up", "down": "down", "a": "A", "b": "B"}.get(text.lower())
    if found is None:
        raise argparse.ArgumentTypeError("must be up or down for a rating, A or B for a duel")
    return found


# -- the table --------------------------------------------------------------------------------------------------------
# A command and its help; under it its arguments: the name, a placeholder for its value, in braces its type and
# settings, and its help. A short form precedes the name. @ includes the lines under that name, [] begins and ends a
# group with its own title, only one of the lines that begin with | may be given, and = sets a value that has no option.
# Lines with a deeper indent continue the line before.

_TABLE = """
@filters
    --kind {of=rate|duel|contest|workshop|audit|template}: only verdicts of this kind
    --status {of=finished|failed|cancelled|interrupted|running}: only rows of this status
    --starred: only starred ones
    --tag TAG {words}: only those with this tag
    --sort {of=newest|oldest|score_high|score_low default=newest}: order
@paging
    @limit
    --offset N {rows default=0}: leave out the first N
@labelled
    --pairs FILE.csv {append}: columns text_a,text_b and winner (A, B or tie) or votes_a,votes_b; may be given several
        times
    --ratings FILE.csv {append}: columns text and rating (or humor_rating, mean_grade, funniness, bws_score,
        log_score), and is_humor if it is known; may be given several times
@item
    section {of=sections}: what it is
    id ID {words}: its id, as the list shows it
@id
    id ID|last {words}: the id of a verdict, or how it begins; last: the newest
@limit
    -n,--limit N {rows default=20}: show at most N (20)
@model
    spec NAME {maybe}: path or name; without it the model in use
@at most
    -n,--limit N {some}: judge at most N rows of each file, drawn at random
@shard
    --shard K/N: only part K of N; jokejudge merge puts the parts together
@text column
    --text-column NAME: the column of a list that holds the jokes, if it isn't named text, joke, caption or content
@topic
    --topic TEXT {words default= to=context}: the topic or scene that all are about
@title
    --title TEXT {words default=}: a name for the list
@run file
    -o,--out RUN.jsonl: keep every reading; run again to go on where it stopped
@ask
    --ask {of=plan|all}: plan: ask only the questions whose answers were measured to help; all: every question (slower)
@generator
    --generator NAME {default=}: the model that wrote the text: you are warned where only models of its own family
        judge
@pack
    pack PACK {words}: a shipped pack (seeds, stages), or an XML file of your own
@plots
    --html OUT.html: write the report with plots, in one file
@offered
    id ID {words}: its id, as `criteria offered` shows it
@context
    -c,--context TEXT {default=}: the topic or scene that it is about, such as a cartoon's scene or a hashtag
@context of rows
    -c,--context TEXT {default=}: the topic or scene that it is about, such as a cartoon's scene or a hashtag; with
        --batch, for the rows that name none
@batch
    -o,--out OUT.jsonl|OUT.csv|-: one line for each row, run again to go on where it stopped; as a table where the name
        ends in .csv; - writes the lines to standard output
    @shard
    --cluster ADDRESS|local:N: let the workers of a Dask cluster judge, or N processes on this machine; leaves the
        history unchanged
    --retry-errors: judge those rows again whose line in OUT is an error
    @kept
    []
@kept
    --history: keep the verdicts in the history, too; else they are in OUT alone
@under agreement
    --fail-under N {hundred}: exit status 1 where judge and people agree on fewer than N of 100 pairs of a file; of
        ratings, where 100 times the rank correlation lies under N
@everywhere
    --data-dir DIR: keep everything under this folder (a throw-away profile)
    --json: print one JSON object and nothing else
    --debug: write more to the log, and to stderr as well
    -q,--quiet: no progress and no notes on stderr
@judging
    -m,--model PATH|NAME|embedded {append to=models}: the model to judge with: a GGUF file, or a name from the
        catalogue; given several times: these models together, the better ones counting for more
    --mode {of=quick|deep}: how thoroughly to judge
    --threads N {threads}: threads for the model; 0: physical cores
    --no-history: leave the history unread and unchanged
    --no-explain: write no explanation
rate: rate one joke
    texts TEXT {any}: the joke; without it, or with -, standard input is read
    -f,--file F: read the joke from a file
    --picture FILE: read the joke from the text in a picture (PNG, JPEG, WebP, BMP); the picture itself is seen only by
        a model with a projector that is asked, so say in --context what it shows
    --anyway: rate it even if it isn't admitted as a joke
    @context of rows
    @generator
    --listener NAME|all {words append to=listeners}: ask whether this listener would laugh, too: a name (jokejudge
        models listeners), all, or your own words
    @ask
    --budget WHAT=N,… {budget}: with --mode deep: how far it may go, such as branches=20,tokens=30000,seconds=10
    [many at once]
    --batch IN {maybe const=-}: judge every row: a table, JSON lines or a JSON array with text and, if you like, context
        and generator, or plain lines with a joke each; without IN standard input is read
    @text column
    @batch
duel: which of two jokes is the funnier one
    texts A B {any}: the jokes; - reads one from standard input, as does a missing one
    --file-a F: read joke A from a file
    --file-b F: read joke B from a file
    @context of rows
    @generator
    @ask
    --orders {const=all to=ask}: also ask the model in both orders; the same as --ask all
    [many at once]
    --batch IN {maybe const=-}: judge every row: a table, JSON lines or a JSON array with text_a,text_b and, if you
        like, context and generator; without IN standard input is read
    @batch
contest: rank a list of jokes
    lists LIST {any}: file with the jokes: lines, a numbered or bulleted list, blocks between blank lines, a table or
        JSON; without it, or with -, standard input is read; with --resume jokes to be added
    @text column
    @topic
    @title
    --generator NAME {words default=}: the model that wrote the jokes of LIST, where the columns generator and model
        don't say: you are warned where the judge is of its family
    --top K {some}: number of best jokes to find (3)
    --duels N {count}: hold at most N duels; without it, as many as were measured to help
    --rounds K {rounds}: also have the model score the jokes from 1 to 10, several together, in K rounds of shuffled
        order
    -o,--out FILE {append}: write the ranking to a file whose name ends in .txt, .csv, .md, .html, .ranking.jsonl or
        .dpo.jsonl (pairs to train on); any other .jsonl keeps every reading: run again to go on where it stopped; may
        be given several times
    @shard
    --resume ID|last {words}: go on with a contest of the history
    @ask
screen: leave out what people needn't see of a list, and let them vote on the rest
    lists LIST {any}: file with the jokes: lines, a numbered or bulleted list, blocks between blank lines, a table or
        JSON; without it, or with -, standard input is read
    @text column
    @topic
    @title
    --reject P {float}: reject a joke whose chance is below P (0.70)
    --high P {float}: call a joke high whose chance is P or more (0.85)
    --promote P {float}: a single high joke needs no vote if its chance is P or more (0.90)
    --length-penalty: take .01 off the chance of a text for each word over 50
    --votes VOTES.jsonl: file with people's votes on those shown
    --vote ID {words}: add a vote for this joke among those shown to --votes
    --voter NAME {words default=}: whose vote it is
    --more: when a vote is decided, show those next in line
    --fail-under N {hundred}: exit status 1 where no joke has a chance of N in 100 or more
    --propose: take limits that the list itself justifies
    --of ID|last {words}: screen a contest of the history, which keeps the votes
    --to-score FILE.csv: write jokes for you to score from 0 to 10
    --scores FILE.csv: your own scores (columns id and score): from 20 scores on the chances become your own
    --good-from N {of_ten}: the score from which a joke is good to you (6)
    --most-people: use most people's chances, whatever you scored
    --calibration {of=show|forget}: show or forget what your own scores say
    @run file
    @shard
    @ask
    = by resume duels rounds top=3 generator=
workshop: work on a joke in versions, and see what each change does
    texts TEXT {any}: the joke, and further versions of it; - reads one from standard input; with --resume more
        versions
    -f,--file F: read a version from a file
    --resume ID|last {words}: go on with a joke of the history
    --from N {words to=parent}: the version that the next one is made from (the last one)
    --take N[LETTER] {words}: with --resume: add an edit that the program proposed for version N (2b: its second one)
    @context
    @ask
audit: see what moves the judge though it shouldn't
    --pairs FILE: pairs that people judged, as for evaluate; without it,
        jokes that come with the program
    --probe NAME {words append}: only this probe; may be given several times
    -n,--limit N {some}: audit on at most N pairs (200; of a file, all)
    --asked N {some}: pairs that the model itself is asked about, where it is asked (60)
    @plots
    --fail-under N {hundred}: exit status 1 where a part of the judge keeps fewer than N of 100 verdicts under a change
        that shouldn't move it
    @ask
merge: put the files of a run's parts together (see --shard)
    parts PART.jsonl {any}: files that --shard and --out wrote
    -o,--out ALL.jsonl: the merged file
evaluate: measure the judge on jokes that people have judged
    @labelled
    --reference READINGS.jsonl {append}: readings of texts with the rubric in hand, as in models/readings: measures
        each check, kind, factor and fault, and the turn; may be given several times
    @at most
    --seed S {count default=1}: the seed with which those rows are drawn (1)
    @plots
    -o,--out OUT.jsonl: keep every answer; run again to go on where it stopped
    --items OUT.csv: write a table of the rows: people's labels and the judge's answers
    @under agreement
    --compare RUN1.jsonl RUN2.jsonl {two}: compare two files that --out wrote, row by row; asks nothing
history: earlier verdicts
history list: the newest verdicts
    @filters
    @paging
history search: verdicts whose texts, note, tags or explanation hold these words
    words WORD {words many}
    @filters
    @paging
history show: show one verdict in full
    @id
history star: star a verdict
    @id
    --off: take the star away
history mark: mark jokes of a contest: keep, bin, star or tag them
    @id
    jokes JOKE {words many}: ids of jokes in the contest's list
    | --keep {const=keep to=mark}: keep them
    | --bin {const=bin to=mark}: bin them
    | --undecided {const=none to=mark}: neither keep nor bin them
    --star {const=True to=star}: star them
    --no-star {const=False to=star}: take their stars away
    --tags A,B {words}: set their tags; an empty text takes them away
history tag: set a verdict's tags; without any, take them away
    @id
    tags TAG {words any}
history note: set a verdict's note; an empty one takes it away
    @id
    text TEXT {words}
history delete: delete verdicts; undo brings them back
    ids ID {words many}: ids of verdicts, or how they begin
history undo: bring the last deleted verdicts back
history purge: remove deleted verdicts for good, and what was typed and never judged; this can't be undone
history export: write verdicts to a file
    out FILE
    --format {of=csv|jsonl|markdown|html}: the format; without it, that of the file name's ending
    --search WORDS {words default=}: only verdicts that hold these words
    @filters
history rerun: judge the same text again, as a new verdict
    @id
votes: your votes on what you find funny
votes add: say what you think of a verdict: up or down of a rating, A or B of a duel
    @id
    choice up|down|A|B {choice}
    --blind: you made up your mind before you saw the verdict
    --joke JOKE {words append default=[] to=jokes}: of a contest: the id of a joke (up or down), given twice for two
        (A is the first)
votes undo: take a vote back
    id ID|last {words}: id of the vote or of its verdict; last: the newest vote
votes list: the newest votes
    @limit
votes fit: what your votes say about your taste, and how sure that is
votes export: write all votes to a file
    out FILE.csv|FILE.jsonl
votes delete: remove all votes for good
    --yes: without this nothing is removed
votes on: show your taste beside verdicts
votes off: don't show your taste, and don't ask for votes in the window; votes are kept
models: the models to judge with
models list: models in the catalogue and on this computer
models use: judge with this model from now on
    spec PATH|NAME|embedded
models get: fetch a model from the catalogue (uses the network)
    name NAME {words}
models find: GGUF files that other programs keep on this computer
models requantise: make a faster copy in Q8_0 of a model whose quantisation is slow here
    spec PATH|NAME
    -o,--out FILE: where to write it; without it, among the program's own models
models warm: load the model and prepare its prompts, so that the next verdict is quick
models calibrate: measure the model's habits now, instead of with the first verdict
models fit: fit an audience estimate to people's votes, kept only if it does well on votes that were left out; or, with
        --editor, learn to read jokes
    name NAME {maybe}: the model, as for --model; otherwise the one in use
    @labelled
    --only-given: don't learn from the votes that come with the program
    --remove: delete the estimate that was fitted on this computer
    --editor: learn to read jokes with the model: what an editor says of them, which draft is better, what only looks
        like a joke, and what is worth asking the model (a large model takes an hour or more)
    --again: with --editor: also learn again what was learned before
models trust: how far a model can be trusted
    @model
models compare: two models on the same rows that people judged, with a paired test
    specs MODEL {words two}: path or name of each; embedded is one, too
    --list FILE {append}: pairs or ratings as for evaluate, or readings (.jsonl); several may be given; without it,
        jokes that come with the program
    @at most
    --html OUT.html: write the comparison as one web page
    --items OUT.csv: write a table of the rows: people's labels and both models' answers
models card: all that was measured of a model on one page, and what it is not for
    @model
    --markdown OUT.md: write it as Markdown
    --html OUT.html: write it as one web page
models plan: what each part of a verdict is worth on a model, and where it comes from
    @model
    --measure: measure first what asking the model adds (takes minutes)
models listeners: who can be asked for with --listener
criteria: what jokes are judged by, and what you changed in it
criteria list: kinds, factors, faults and notes, with what you added and changed
    section {maybe of=sections}: only these
    --own: only what you added, changed or switched off
    --search WORDS {words default=}: only those that hold these words
criteria show: show one item in full, and what a model is asked about it
    @item
criteria add: add a kind, factor, fault, listener or note of your own
    section {of=sections}: what it is
    id ID {words}: a new id: small letters, digits and underscores
    @fields
criteria edit: change fields of one, or switch it off or on
    @item
    @fields
    | --off: it takes no part in verdicts
    | --on: it takes part again
criteria check: say what is wrong with your own criteria, or with a file that you want to import
    file FILE {maybe}: without it, the file in use
criteria weights: show how much each factor counts in the weighted score, or set it
    weights FACTOR=SHARE {words any}: all weights together, such as wit=0.5 clarity=0.5; they sum to 1
    --clear: let all factors count alike again
criteria reset: undo your changes to one item, or to all with --all; an item of your own is removed
    section {maybe of=sections}: what it is
    id ID {words maybe}: its id
    --all: everything; the file is kept under another name
criteria offered: factors that a model wrote for jokes that no known one fits, and that served three jokes
criteria promote: make an offered factor one of your own; fields that you give replace what was written
    @offered
    @fields
    = section=factor
criteria dismiss: never use or offer this factor again
    @offered
criteria path: where your own criteria are kept
criteria export: write all that is your own to one file
    file FILE.xml
criteria import: take in a file that was exported; its items replace those of the same id
    file FILE.xml
    --replace: remove everything of your own that isn't in the file
template: another judge's outputs, checked by templates
template list: the packs of judge templates
template show: a pack's modules and their rules
    @pack
    modules MODULE {words any}: only these modules
template check: check a pack and rows
    @pack
    data DATA.jsonl {maybe}: also check these rows
template run: judge rows of outputs by their modules' templates
    @pack
    data DATA.jsonl {maybe}: rows with id, module, input, output, expected, reasoning; without it, or with -, standard
        input is read
    -o,--out OUT.jsonl: one line for each row; run again to go on where it stopped
    @shard
    --retry-errors: judge rows again whose line in OUT is an error
    @kept
template stages: make rows of this program's own stages from reference readings, for the pack stages
    --readings FILE.jsonl: readings of your own; without it the shipped ones
    -n,--limit N {some}: judge at most N texts
    -o,--out DATA.jsonl: the file that the rows are written to; run again to go on where it stopped
    @kept
mcp: serve agents: the Model Context Protocol on standard input and output
completion: print the script that completes commands and options in a shell: eval "$(jokejudge completion bash)"
    shell {of=bash|zsh|fish}: for ~/.bashrc and ~/.zshrc that line, for fish: jokejudge completion fish | source
doctor: check this installation, the model and the history
"""
_JUDGE = frozenset(
    ["rate", "duel", "contest", "screen", "workshop", "audit", "evaluate", "mcp", "doctor"]
    + ["history rerun", "template run", "template stages"]
    + [f"models {name}" for name in ("warm", "calibrate", "fit", "plan", "compare")]
)
"""The commands that judge, whose help shows the options of judging; the others ignore these options."""
_ARGUMENT = re.compile(r"(?P<name>\S+?)(?: (?P<metavar>[^{ ][^{]*?))?(?: \{(?P<how>[^}]*)\})?(?:: (?P<help>.*))?")
_TYPES: dict[str, Callable[[str], object]] = {
    "words": words, "count": count, "some": some, "rows": rows, "rounds": rounds, "of_ten": _of_ten, "hundred": hundred,
    "float": float, "threads": threads, "budget": budget, "choice": choice,
}  # fmt: skip
_TIMES: dict[str, str | int] = {"any": "*", "many": "+", "maybe": "?", "two": 2}
_CONSTANTS: dict[str, object] = {"True": True, "False": False, "[]": []}

Tree: TypeAlias = "dict[str, Parser | tuple[Parser, Tree]]"


@cache
def _sections() -> dict[str, list[str]]:
    """Return the lines under each command with its help, and under each name with @."""
    found: dict[str, list[str]] = {"@fields": _field_lines()}
    under: list[str] = []
    for line in re.sub(r"\n {8}", " ", _TABLE.strip()).split("\n"):
        if line.startswith("    "):
            under.append(line.strip())
        else:
            under = found[line] = []
    return found


def _field_lines() -> list[str]:
    """Return an option for every field of criteria; one that several sections share is listed once."""
    found: dict[str, list[str]] = {}
    for section in SECTIONS:
        for field in FIELDS[section]:
            form = f"{'IDS' if field.form == 'ids' else 'TEXT'} {{words to=field_{field.name}"
            line = f"--{field.name} {form}{' append' if field.form == 'lines' else ''}}}: {field.help} ("
            found.setdefault(field.name, [line]).append(section)
    return [f"{line}{', '.join(of)})" for line, *of in found.values()]


def _option(line: str, *, hidden: bool = False) -> tuple[list[str], dict[str, Any]]:
    """Return names and keywords for argparse; ``hidden``: help doesn't show the option."""
    found = _ARGUMENT.fullmatch(line)
    assert found is not None, line
    name, metavar = found["name"], found["metavar"]
    how: dict[str, Any] = {key: found[key] for key in ("metavar", "help") if found[key]}
    for word in (found["how"] or "").split():
        key, _, value = word.partition("=")
        if key == "of":
            how["choices"] = SECTIONS if value == "sections" else tuple(value.split("|"))
        elif key in ("const", "default"):
            how[key] = int(value) if value.isdecimal() else _CONSTANTS.get(value, value)
        elif key == "to":
            how["dest"] = value
        elif key in _TIMES:
            how["nargs"] = _TIMES[key]
        elif key == "append":
            how["action"] = "append"
        else:
            how["type"] = _TYPES[key]
    if hidden:
        how["help"] = argparse.SUPPRESS
    if "const" in how and "nargs" not in how:
        how["action"] = "store_const"
    elif name.startswith("-") and metavar is None and "choices" not in how:
        how["action"] = "store_true"
    if name.startswith("-") and how.get("nargs") == 2:
        how["metavar"] = tuple(metavar.split())
    return name.split(","), how


def _fill(parser: Parser, lines: Sequence[str], sections: dict[str, list[str]], *, hidden: bool = False) -> None:
    place: argparse._ActionsContainer = parser
    one_of: argparse._ActionsContainer | None = None
    rest = list(lines)
    while rest:
        line = rest.pop(0)
        if line.startswith("@"):
            rest[:0] = sections[line]
        elif line.startswith("["):
            title = line.strip("[]")
            place = parser.add_argument_group(title) if title else parser
        elif line.startswith("= "):
            for name, sign, value in (word.partition("=") for word in line.split()[1:]):
                parser.set_defaults(**{name: None if not sign else int(value) if value.isdecimal() else value})
        elif line.startswith("| "):
            one_of = one_of or parser.add_mutually_exclusive_group()
            names, how = _option(line[2:])
            one_of.add_argument(*names, **how)
        else:
            names, how = _option(line, hidden=hidden)
            place.add_argument(*names, **how)


@cache
def build(typed: frozenset[str] | None = None) -> tuple[Parser, Tree]:
    """Return the root parser (for its help) and the tree of commands under it. ``typed``: the command words that were
    typed; only commands with these get their arguments then, as adding all of them takes as long as a command."""
    sections = _sections()
    everywhere, judging, passed_over = (Parser(add_help=False) for _ in range(3))
    _fill(everywhere, ("[options of every command]", "@everywhere"), sections)
    _fill(judging, ("[how to judge]", "@judging"), sections)
    _fill(passed_over, ("@judging",), sections, hidden=True)
    root = Parser(
        prog="jokejudge",
        description="Judges jokes with a language model on this computer. Without a command it opens the window.",
        parents=[judging, everywhere],
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"jokejudge {__version__}")
    root.set_defaults(command="window")
    commands = _commands()
    groups = {name.split()[0] for name in commands if " " in name}
    tree: Tree = {}
    below: dict[str, argparse._SubParsersAction[Parser]] = {}
    trees = {"": tree}

    def branch(name: str, parser: Parser) -> None:
        below[name] = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)

    branch("", root)
    for name, title in commands.items():
        above, _, leaf = name.rpartition(" ")
        about = title.partition(": ")[2]
        wanted = typed is None or typed.issuperset(name.split())
        parents = [judging if name in _JUDGE else passed_over, everywhere] if wanted else []
        parser = below[above].add_parser(
            leaf, help=about, description=about[:1].upper() + about[1:] + ".", parents=parents, allow_abbrev=False
        )
        if wanted:
            _fill(parser, sections[title], sections)
        if name in groups:
            branch(name, parser)
            trees[name] = {}
            tree[name] = (parser, trees[name])
        else:
            parser.set_defaults(command=name)
            trees[above][leaf] = parser
    return root, tree


def _commands() -> dict[str, str]:
    """Return the commands' names, each with the title of its section."""
    return {title.partition(": ")[0]: title for title in _sections() if not title.startswith("@")}


def _values(parser: Parser) -> dict[str, int | str | None]:
    """Return the number of values of each option: a number, ``?`` for at most one, None for one."""
    return {name: action.nargs for action in parser._actions for name in action.option_strings}


def _is_option(token: str) -> bool:
    return token.startswith("-") and token != "-" and " " not in token and not _NUMBER.fullmatch(token)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of one command, its name in ``command``: ``rate``, ``history list``, ``window``, …

    Options may be anywhere, before or after the command and between texts (argparse alone doesn't allow that), and
    everything after ``--`` is text. Raises ``UsageError``; ``--help`` and ``--version`` print and raise SystemExit.
    """
    words = {word for name in _commands() for word in name.split()}
    root, tree = build(frozenset(words.intersection(argv)))
    parser, branch = root, tree
    options: list[str] = []
    texts: list[str] = []
    rest = list(argv)
    while rest:
        token = rest.pop(0)
        if token == "--":
            texts += rest
            break
        if _is_option(token):
            options.append(token)
            takes = _values(parser).get(token, 0)
            if takes == "?":
                takes = int(bool(rest) and not _is_option(rest[0]))
            taken = min(takes if isinstance(takes, int) else 1, len(rest))
            options += rest[:taken]
            del rest[:taken]
        elif branch:
            parser, branch = _step(parser, branch, token)
        else:
            texts.append(token)
    if branch and texts:
        parser.error(f"a text needs a command before it, such as rate: {texts[0]!r}")
    if texts and not parser._get_positional_actions():
        parser.error(f"unrecognized arguments: {' '.join(texts)}")
    args = parser.parse_args([*options, "--", *texts] if texts else options)
    models = args.models or []
    args.model = JOINED.join(models) or None
    if branch and parser is not root:
        parser.error(f"{parser.prog} needs one of these commands: {', '.join(branch)}")
    return args


def _step(parser: Parser, branch: Tree, token: str) -> tuple[Parser, Tree]:
    found = branch.get(token)
    if found is None:
        near = difflib.get_close_matches(token, branch, n=1)
        known = f"did you mean {near[0]}?" if near else f"known are {', '.join(branch)}"
        shown = token if len(token) <= 40 else token[:39] + "…"
        raise UsageError("E_USAGE", f"There's no command {shown!r}: {known}", f"See {parser.prog} --help.")
    return found if isinstance(found, tuple) else (found, {})


def wants(argv: Sequence[str], *names: str) -> bool:
    """Whether one of these options was given, even if the other arguments are invalid."""
    options = argv[: list(argv).index("--")] if "--" in argv else argv
    return any(name in options for name in names)
