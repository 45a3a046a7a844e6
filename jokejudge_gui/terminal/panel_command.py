"""``jokejudge models panel …``: several models that judge together, kept under a name in the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import Settings, load_settings, save_settings
from ..errors import UsageError
from ..library.catalogue import load_catalogue
from ..library.finder import resolve_model
from ..paths import exists, expanded
from .console import printable
from .context import Context

if TYPE_CHECKING:
    from ..panels import Panel

_LONGEST = 60
_LEAST_MEMORY, _MOST_MEMORY = 0.1, 4096.0


def panel(context: Context) -> int:
    """Add, list or remove panels, or say how much memory one may take."""
    action = _ACTIONS.get(context.args.action)
    if action is None:
        raise UsageError(
            "E_USAGE",
            f"There's no {context.args.action!r} for panels.",
            "Known are add NAME MODEL MODEL…, list, remove NAME and memory GB.",
        )
    return action(context, list(context.args.given))


def _add(context: Context, given: list[str]) -> int:
    name, members = (given[0].strip(), given[1:]) if given else ("", [])
    if not name or not members:
        raise UsageError(
            "E_USAGE",
            "A panel needs a name and its models.",
            "For instance: jokejudge models panel add both embedded qwen2.5-coder-0.5b-q4_k_m",
        )
    if len(name) > _LONGEST or name.casefold() == "embedded" or load_catalogue().find(name) or _is_file(name):
        raise UsageError(
            "E_PANEL_NAME", f"{name!r} can't be a panel's name: it is a model's, or too long.", "Give it another name."
        )
    made = _checked(name, [_kept(member) for member in members])
    for member in made.members:
        resolve_model(member, context.profile)
    settings = load_settings(context.profile)
    settings.panels = {**settings.panels, name: list(made.members)}
    save_settings(settings, context.profile)
    if context.console.json:
        context.console.object({"name": name, "models": list(made.members), "error": None})
    else:
        context.console.note(f'The panel is kept. To judge with it: jokejudge rate "…" --model {name}')
    return 0


def _checked(name: str, members: list[str]) -> Panel:
    # Imported here: the other commands about models need no judges.
    from ..panels import checked

    return checked(name, members)


def _kept(member: str) -> str:
    """A model as it is found again from another folder."""
    path = expanded(member)
    return str(path.absolute()) if load_catalogue().find(member) is None and _is_file(member) else member


def _is_file(name: str) -> bool:
    path: Path = expanded(name)
    return exists(path) and path.is_file()


def _list(context: Context, given: list[str]) -> int:
    if given:
        raise UsageError("E_USAGE", "list takes no names.", "See jokejudge models panel --help.")
    settings = load_settings(context.profile)
    console = context.console
    if console.json:
        panels = [{"name": name, "models": members} for name, members in settings.panels.items()]
        console.object({"panels": panels, "memory_bytes": settings.panel_memory_bytes, "error": None})
        return 0
    for name, members in settings.panels.items():
        console.text(f"{printable(name, lines=False)}: {printable(', '.join(members), lines=False)}")
    if not settings.panels:
        console.note("There are no panels. Add one: jokejudge models panel add NAME MODEL MODEL")
    console.note(f"A panel may take {settings.panel_memory_bytes / 1e9:.1f} GB of memory.")
    return 0


def _remove(context: Context, given: list[str]) -> int:
    settings = load_settings(context.profile)
    if len(given) != 1 or given[0] not in settings.panels:
        raise UsageError(
            "E_PANEL_NONE",
            "There is no panel of that name." if given else "Which panel?",
            "jokejudge models panel list names them.",
        )
    settings.panels = {name: members for name, members in settings.panels.items() if name != given[0]}
    if settings.model == given[0]:
        settings.model = None
    save_settings(settings, context.profile)
    _said(context, settings, "The panel is removed; its models stay.")
    return 0


def _memory(context: Context, given: list[str]) -> int:
    try:
        gigabytes = float(given[0].lower().removesuffix("gb")) if len(given) == 1 else 0.0
    except ValueError:
        gigabytes = 0.0
    if not _LEAST_MEMORY <= gigabytes <= _MOST_MEMORY:
        raise UsageError(
            "E_USAGE", "memory takes a number of gigabytes.", "For instance: jokejudge models panel memory 6"
        )
    settings = load_settings(context.profile)
    settings.panel_memory_bytes = round(gigabytes * 1e9)
    save_settings(settings, context.profile)
    _said(context, settings, f"The models of a panel may take {gigabytes:g} GB of memory.")
    return 0


def _said(context: Context, settings: Settings, sentence: str) -> None:
    if context.console.json:
        panels = [{"name": name, "models": members} for name, members in settings.panels.items()]
        context.console.object({"panels": panels, "memory_bytes": settings.panel_memory_bytes, "error": None})
    else:
        context.console.note(sentence)


def use_panel(context: Context, name: str) -> int:
    """Judge with a panel from now on."""
    settings = load_settings(context.profile)
    for member in settings.panels[name]:
        resolve_model(member, context.profile)
    settings.model = name
    save_settings(settings, context.profile)
    if context.console.json:
        context.console.object({"model": name, "name": name, "path": None, "error": None})
    else:
        context.console.note(f"From now on: {name} ({', '.join(settings.panels[name])}).")
    return 0


_ACTIONS: dict[str, Callable[[Context, list[str]], int]] = {
    "add": _add,
    "list": _list,
    "remove": _remove,
    "memory": _memory,
}
