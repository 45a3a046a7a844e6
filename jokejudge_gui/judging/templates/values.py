"""What a module put out, as values that can be compared: a truth value, a label, or items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ...rubric.template_types import Module

_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def truth_of(value: Any) -> bool:
    """True or false, however it is written. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise _wrong("true or false", value)


def label_of(value: Any) -> str:
    """A label as a text. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, bool | int | str) and str(value).strip():
        return str(value).strip()
    raise _wrong("a label", value)


def labels_of(value: Any) -> tuple[str, ...]:
    """The labels of which any is right: one, or a list. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if isinstance(value, list | tuple) and value:
        return tuple(label_of(each) for each in value)
    return (label_of(value),)


def items_of(value: Any) -> tuple[str, ...]:
    """The items of an extraction in their order, doubles among them: of a list its members, of values by name each
    "name: value", of a text that text. Raises ``InputError`` ``E_TEMPLATE_VALUE``."""
    if value is None or value == "":
        return ()
    if isinstance(value, dict):
        return tuple(f"{name}: {each}" for name, held in value.items() for each in (items_of(held) or ("",)))
    if isinstance(value, list | tuple):
        return tuple(item for each in value for item in items_of(each))
    if isinstance(value, str | bool | int | float):
        return (" ".join(str(value).split()),)
    raise _wrong("a list", value)


def same_items(module: Module, items: Sequence[str]) -> set[str]:
    """Items as they are compared: in one case where the module says that case is nothing."""
    return set(items) if module.same_case else {item.casefold() for item in items}


def text_of(value: Any) -> str:
    """A value as it is shown, to people and to the model."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and value and all(isinstance(each, str | int | float | list) for each in value.values()):
        return "\n".join(f"{name}: {_line(each)}" for name, each in value.items())
    return _line(value)


def _line(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return "; ".join(value) if value else "(none)"
    return json.dumps(value, ensure_ascii=False)


def field_of(given: Any, field: str) -> Any:
    """What the row's input holds under a name; the whole input for no name; None where it doesn't have it."""
    if not field:
        return given
    return given.get(field) if isinstance(given, dict) else None


def _wrong(what: str, value: Any) -> InputError:
    shown = json.dumps(value, ensure_ascii=False)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"
    return InputError(
        "E_TEMPLATE_VALUE",
        f"Where {what} should stand there is {shown}.",
        "See `jokejudge template show PACK` for what the module puts out.",
    )
