"""``jokejudge completion SHELL``: the completion script of bash, zsh or fish for commands, options and their choices,
generated from the table of arguments. For other values the shell completes files."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .arguments import Parser, Tree, build
from .console import print_result
from .context import Context

_BASH = """\
_jokejudge() {
    local path= word cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" subs= options= values=
    for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
        case "$path $word" in %(paths)s) path="$path $word";; esac
    done
    case "$path" in
%(cases)s
    esac
    COMPREPLY=()
    case "$path:$prev" in
%(choices)s
    esac
    if [ -n "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$cur"))
    elif [ "${cur#-}" != "$cur" ]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [ -n "$subs" ] && [ "${prev#-}" = "$prev" ]; then
        COMPREPLY=($(compgen -W "$subs" -- "$cur"))
    fi
}
complete -o default -F _jokejudge jokejudge
"""


@dataclass(frozen=True)
class _Place:
    """A command: its ``path`` (``("history", "list")``), the words that may follow, each with its help, and its
    options."""

    path: tuple[str, ...]
    words: dict[str, str]
    options: list[argparse.Action]


def _places(parser: Parser, branch: Tree, path: tuple[str, ...] = ()) -> Iterator[_Place]:
    """Yield the command and all commands below it."""
    shown = [action for action in parser._actions if action.help is not argparse.SUPPRESS]
    words = {str(choice): "" for action in shown if not action.option_strings for choice in action.choices or ()}
    below = {name: found if isinstance(found, tuple) else (found, {}) for name, found in branch.items()}
    words |= {name: (leaf.description or "").rstrip(".") for name, (leaf, _) in below.items()}
    yield _Place(path, words, [action for action in shown if action.option_strings])
    for name, (leaf, more) in below.items():
        yield from _places(leaf, more, (*path, name))


def _bash(places: list[_Place]) -> str:
    cases, choices = [], []
    for place in places:
        path = "".join(f" {word}" for word in place.path)
        options = " ".join(name for action in place.options for name in action.option_strings)
        cases.append(f'        "{path}") subs="{" ".join(place.words)}" options="{options}";;')
        for action in place.options:
            if action.choices:
                names = "|".join(f'"{path}:{name}"' for name in action.option_strings)
                choices.append(f'        {names}) values="{" ".join(map(str, action.choices))}";;')
    paths = "|".join(f'"{"".join(f" {word}" for word in place.path)}"' for place in places if place.path)
    return _BASH % {"paths": paths, "cases": "\n".join(cases), "choices": "\n".join(choices)}


def _zsh(places: list[_Place]) -> str:
    return f"autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n{_bash(places)}"


def _fish(places: list[_Place]) -> str:
    lines = ["complete -c jokejudge -e"]
    top = " ".join(places[0].words)
    for place in places:
        seen = [f"__fish_seen_subcommand_from {word}" for word in place.path]
        if len(place.path) < 2 and place.words:  # the words of this place, until one of them is typed
            seen.append(f"not __fish_seen_subcommand_from {top if not place.path else ' '.join(place.words)}")
        when = f"complete -c jokejudge -n {shlex.quote('; and '.join(seen) or 'true')}"
        lines += [f"{when} -f -a {word} -d {shlex.quote(about)}" for word, about in place.words.items()]
        for action in place.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings
            )
            values = f" -x -a {shlex.quote(' '.join(map(str, action.choices)))}" if action.choices else ""
            takes = " -r" if action.nargs != 0 and not values else ""
            lines.append(f"{when} {names}{values}{takes} -d {shlex.quote(action.help or '')}")
    return "\n".join(lines) + "\n"


_SHELLS: dict[str, Callable[[list[_Place]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}


def completion(context: Context) -> int:
    """Print the script. Exit status 0."""
    parser, tree = build()
    script = _SHELLS[context.args.shell](list(_places(parser, tree)))
    if context.console.json:
        return context.console.answer({"shell": context.args.shell, "script": script})
    print_result(script)
    return 0


COMMANDS: dict[str, Callable[[Context], int]] = {"completion": completion}
