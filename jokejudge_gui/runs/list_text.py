"""A list of jokes written down again, so that reading it gives the same items."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..errors import InputError
from .lists import ListItem, read_list


def list_text(items: Sequence[ListItem]) -> str:
    """The items as a text that ``read_list`` understands as these: a joke on each line, else blocks with blank lines
    between them, else JSON lines, which hold anything: ids and other columns as well."""
    texts = [item.text for item in items]
    if all(item.id.isdecimal() and not item.fields for item in items):
        for separator in ("\n", "\n\n"):
            text = separator.join(texts)
            if _reads_as(text, texts):
                return text
    return "\n".join(
        json.dumps({"id": item.id, "text": item.text, **item.fields}, ensure_ascii=False) for item in items
    )


def texts_text(texts: Sequence[str]) -> str:
    """``list_text`` of texts alone, which are numbered from 1."""
    return list_text([ListItem(id=str(number), text=text, line=number) for number, text in enumerate(texts, start=1)])


def _reads_as(text: str, texts: Sequence[str]) -> bool:
    try:
        found = read_list(text)
    except InputError:
        return False
    return [item.text for item in found.items] == list(texts) and not found.left_out
