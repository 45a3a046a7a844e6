"""Chat templates are cut into constant pieces; hostile and odd ones lead to the plain frame."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jokejudge_gui.engine import prompts as chat_frame
from jokejudge_gui.engine.binding import render_chat

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def frame(template: str, *, thinks: bool = False) -> chat_frame.ChatFrame:
    def render(messages: Sequence[dict[str, str]]) -> str:
        return render_chat(template, messages, bos="<s>", eos="</s>")

    return chat_frame.cut(render, thinks=thinks)


def test_system_and_user_turns_are_cut_at_their_texts() -> None:
    cut = frame(CHATML)
    assert cut.before_system == "<|im_start|>system\n"
    assert cut.before_user == "<|im_end|>\n<|im_start|>user\n"
    assert cut.before_answer == "<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages",
        "{% for i in range(999999999) %}x{% endfor %}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages[0].content }}{{ messages[0].content }}",
        "nothing of the messages",
        "{{ raise_exception('no') }}",
    ],
    ids=["syntax", "endless", "escape", "twice", "ignored", "raises"],
)
def test_a_template_that_cannot_be_used_gives_the_plain_frame(template: str) -> None:
    assert frame(template) == chat_frame.PLAIN


def test_a_date_in_a_template_stands_still() -> None:
    dated = "{{ strftime_now('%Y-%m-%d') }}|{{ date_string }}|" + CHATML
    assert frame(dated).before_system.startswith("26 Jul 2024|26 Jul 2024|")
