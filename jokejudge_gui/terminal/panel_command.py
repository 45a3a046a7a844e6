"""``jokejudge models panel …``: several models that judge together, kept under a name in the settings."""

from __future__ import annotations

from collections.abc import Callable

from ..config import Settings, load_settings, save_settings
from ..errors import UsageError
from ..library.finder import resolve_model
from ..library.panel_list import keep_panel, no_panel, remove_panel
from .console import Console, printable
from .context import Context
from .parser import gigabytes


def panel(context: Context) -> int:
    """Add, rename, list or remove panels, or say how much memory one may take."""
    action = _ACTIONS.get(context.args.action)
    if action is None:
        raise UsageError(
            "E_USAGE",
            f"There's no {context.args.action!r} for panels.",
            "Known are add NAME MODEL MODEL…, rename OLD NEW, list, remove NAME and memory GB.",
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
    settings = load_settings(context.profile)
    name = keep_panel(settings, name, members, context.profile)
    save_settings(settings, context.profile)
    if context.console.json:
        context.console.object({"name": name, "models": settings.panels[name], "error": None})
    else:
        context.console.note(f'The panel is kept. To judge with it: jokejudge rate "…" --model {name}')
    return 0


def _rename(context: Context, given: list[str]) -> int:
    if len(given) != 2:
        raise UsageError(
            "E_USAGE", "rename takes the panel's name and its new one.", "See jokejudge models panel --help."
        )
    settings = load_settings(context.profile)
    if given[0] not in settings.panels:
        raise no_panel()
    name = keep_panel(settings, given[1], settings.panels[given[0]], context.profile, instead_of=given[0])
    save_settings(settings, context.profile)
    _said(context, settings, f"The panel is called {name} from now on.")
    return 0


def _list(context: Context, given: list[str]) -> int:
    if given:
        raise UsageError("E_USAGE", "list takes no names.", "See jokejudge models panel --help.")
    settings = load_settings(context.profile)
    console = context.console
    if console.json:
        panels = [{"name": name, "models": members} for name, members in settings.panels.items()]
        console.object({"panels": panels, "memory_bytes": settings.panel_memory_bytes, "error": None})
        return 0
    list_panels(console, settings)
    if not settings.panels:
        console.note("There are no panels. Add one: jokejudge models panel add NAME MODEL MODEL")
    console.note(f"A panel may take {settings.panel_memory_bytes / 1e9:.1f} GB of memory.")
    return 0


def list_panels(console: Console, settings: Settings) -> None:
    """A line for each panel."""
    for name, members in settings.panels.items():
        console.text(f"{printable(name, lines=False)}: {printable(', '.join(members), lines=False)}")


def _remove(context: Context, given: list[str]) -> int:
    settings = load_settings(context.profile)
    if len(given) != 1:
        raise UsageError("E_PANEL_NONE", "Which panel?", "jokejudge models panel list names them.")
    remove_panel(settings, given[0])
    save_settings(settings, context.profile)
    _said(context, settings, "The panel is removed; its models stay.")
    return 0


def _memory(context: Context, given: list[str]) -> int:
    try:
        size = gigabytes(given[0]) if len(given) == 1 else None
    except ValueError:
        size = None
    if size is None:
        raise UsageError(
            "E_USAGE", "memory takes a number of gigabytes.", "For instance: jokejudge models panel memory 6"
        )
    settings = load_settings(context.profile)
    settings.panel_memory_bytes = size
    save_settings(settings, context.profile)
    _said(context, settings, f"The models of a panel may take {size / 1e9:g} GB of memory.")
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
    "rename": _rename,
    "list": _list,
    "remove": _remove,
    "memory": _memory,
}
