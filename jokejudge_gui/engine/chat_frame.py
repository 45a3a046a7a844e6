"""A chat template cut into the three constant pieces between which a prompt's own texts stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .base import ChatFrame

_SYSTEM = "SYSTEMTEXT7f3a"
_USER = "USERTEXT9c1e"
_EMPTY_THOUGHT = "<think>\n\n</think>\n\n"
PLAIN = ChatFrame(before_system="", before_user="\n\n", before_answer="\n\n")

Render = Callable[[Sequence[dict[str, str]]], str]


def cut(render: Render, *, thinks: bool) -> ChatFrame:
    """The frame of a template. ``render`` renders messages and raises ``ValueError`` when it can't; a template without
    a system role has the system text folded into the user's turn; one that can't be used gives the plain frame.

    The user's text never passes through the template: only two marker words do, and the text between them is kept.
    """
    both = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}]
    folded = [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}]
    for messages in (both, folded):
        try:
            text = render(messages)
        except ValueError:
            continue
        if text.count(_SYSTEM) != 1 or text.count(_USER) != 1 or text.index(_SYSTEM) > text.index(_USER):
            continue
        before_system, rest = text.split(_SYSTEM)
        before_user, before_answer = rest.split(_USER)
        if thinks and "<think>" not in before_answer:
            before_answer += _EMPTY_THOUGHT
        return ChatFrame(before_system, before_user, before_answer)
    return PLAIN
