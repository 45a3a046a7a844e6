"""Parts of the tabs of verdicts: fields, the row below them, the welcome, and the bar of actions with the vote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.room import without_marks
from ...core.texts import MOST_CONTEXT, word_set
from ...core.verdicts import Audience, ModelRef, VerdictResult
from ...core.words import WORD, fact_lines
from ...heads.features import STOP_WORDS
from ..look.theme import Room, px
from ..widgets.base import Surface, elided, plain_tooltip
from ..widgets.cards import Card
from ..widgets.controls import Act, Button, GhostButton, IconButton, LinkButton, PrimaryButton, SecondaryButton
from ..widgets.fields import LineField, TextEditor
from ..widgets.layout import HBox, VBox
from ..widgets.line import ProgressLine
from ..widgets.text import Caption, Heading, Label, Paragraph

# Fields

_LONGEST = 20_000
"""A longer text isn't counted while one types."""
_MOST_REPEATED = 3
_COMMON = STOP_WORDS | word_set(
    "again before came come even ever going know like made make other said says told want went"
)
_HYPHENATED = re.compile(rf"{WORD.pattern}(?:[-‐‑]{WORD.pattern})*")


def live_facts(text: str) -> tuple[str, ...]:
    """Return the words, the seconds and the repeated words of a text."""
    if not text or len(text) > _LONGEST:
        return ()
    words = Counter(word.casefold().replace("’", "'") for word in _HYPHENATED.findall(text))
    repeated = [word for word, times in words.most_common() if times > 1 and len(word) > 3 and word not in _COMMON]
    quoted = ", ".join(f"“{word}”" for word in repeated[:_MOST_REPEATED])
    return *fact_lines(text), *([f"repeated: {quoted}"] if quoted else [])


class JokeCard(Card):
    """The field for a text to judge, with the facts of the text under it and a ``link`` at the right. ``edited``: the
    text changed."""

    title_last = True
    edited = Signal()

    def __init__(self, title: str, editor: TextEditor, link: LinkButton) -> None:
        super().__init__(title, link)
        self.link, self.editor, self.facts = link, editor, OneLine()
        self.editor.setAccessibleName(title)
        self.editor.textChanged.connect(self.show_facts)
        self.editor.textChanged.connect(self.edited)
        self.add(self.editor, self.facts)

    def text(self) -> str:
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Replace the text, which one Ctrl+Z undoes."""
        if text != self.text():
            self.editor.replace_all(text)

    def show_facts(self, facts: str = "") -> None:
        """Show facts; without any, those that are counted in the text as it is typed."""
        self.facts.show_line(facts or " · ".join(live_facts(without_marks(self.text())[0])))

    def set_live(self, live: bool) -> None:
        """Make the field read-only while its text is judged."""
        if self.editor.isReadOnly() != live:
            self.editor.setReadOnly(live)
        self.link.setEnabled(not live)


class OneLine(Caption):
    """A caption that is cut to its width, so that nothing below it moves; the tooltip has the rest."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_line(self, text: str) -> None:
        self._whole = text
        self.setToolTip(plain_tooltip(text))
        self.setText(elided(text, self.font(), self.width()))
        if self.text() == text:
            self.setToolTip("")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_line(self._whole)


class ContextField(LineField):
    """A line for the topic or scene of a joke, hidden until a text or ``link``, which the tab places, unfolds
    it."""

    def __init__(self) -> None:
        super().__init__("Topic or scene: a hashtag, or what a cartoon shows", "Topic or scene", MOST_CONTEXT)
        self.link = LinkButton("Add a topic", act=self.unfold)
        self.hide()

    def unfold(self) -> None:
        """Show the line and focus it."""
        self._show(True)
        self.setFocus()

    def text(self) -> str:
        """Return the text on one line, stripped; empty if there is none."""
        return " ".join(super().text().split())

    def set_text(self, text: str) -> None:
        """Show a text; without one, fold the field."""
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)
        self._show(bool(text))

    def set_live(self, live: bool) -> None:
        """Make the field read-only while its text is judged."""
        self.setReadOnly(live)
        self.link.setEnabled(not live)

    def _show(self, shown: bool) -> None:
        self.setVisible(shown)
        self.link.setVisible(not shown)


# Before and while a verdict is made


class RunButtons(QWidget):
    """Rate (or Duel); while a job runs, Stop."""

    def __init__(self, word: str, run: Act, stop: Act) -> None:
        super().__init__()
        self.run_button = PrimaryButton(word, act=run, key="Ctrl+Enter")
        self.stop_button = SecondaryButton("Stop", "stop", act=stop, key="Esc")
        self.stop_button.hide()
        HBox(1, self.run_button, self.stop_button, parent=self)

    def set_live(self, live: bool) -> None:
        """Show Stop instead of the run button, or the reverse; the focus moves with it."""
        if live == self.run_button.isHidden():
            return
        old, new = (self.run_button, self.stop_button) if live else (self.stop_button, self.run_button)
        focused = old.hasFocus()
        new.setVisible(True)
        if focused:
            new.setFocus()
        old.setVisible(False)


class RunningLine(QWidget):
    """The current activity in words, with a progress line."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.progress = Caption(), ProgressLine()
        VBox(self.words, self.progress, parent=self, gap=6)
        self.hide()

    def show_doing(self, words: str, share: float | None) -> None:
        """Show an activity. ``share``: its progress 0…1; None: unknown."""
        self.words.setText(f"{words}…")
        self.progress.setVisible(share is not None)
        self.progress.set_fraction(share or 0.0)
        self.show()


class ExampleRow(Surface):
    """An example with a link."""

    def __init__(self, text: str, word: str, act: Callable[[], object]) -> None:
        super().__init__()
        self.words = Paragraph(text, 15, 400, "text", 1.45)
        self.link = LinkButton(word, name=f"{word} the example: {text}", act=act)
        HBox((self.words, 1), self.link, parent=self, gap=12, margins=(15, 10, 13, 10))
        self.setAccessibleName(f"Example: {text}")


class WelcomeCard(Card):
    """The card before the first verdict: what the tab does, and ``examples`` to try it with: a text, and what ``word``
    does with it."""

    def __init__(
        self, heading: str, text: str, word: str, examples: Sequence[tuple[str, Callable[[], object]]]
    ) -> None:
        super().__init__(padding=28)
        self.setAccessibleName("Welcome")
        self.rows = [ExampleRow(example, word, act) for example, act in examples]
        self.add(Heading(heading, 2), Paragraph(text, 15))
        if self.rows:
            self.add(VBox(*self.rows, gap=8, margins=(0, 8, 0, 0)))


# After a verdict


class ActionBar(Surface):
    """The actions on the verdict, then ``votes`` and the star. ``first``: the caption of the first button, which has an
    edge; empty: there is none. Copy, Export and the last have labels or are icons (``set_room``)."""

    first_asked = Signal()
    export_asked = Signal()
    star_toggled = Signal(bool)

    def __init__(self, first: str, votes: VoteButtons, *, copy: Act, note: Act) -> None:
        super().__init__()
        self.first_button = SecondaryButton(first, act=self.first_asked)
        self.buttons = {
            "Copy": GhostButton("", "copy", name="Copy", act=copy),
            "Export": GhostButton("", "export", name="Export", act=self.export_asked),
            "Title, tags, note": GhostButton("", "pencil", name="Title, tags, note", act=note),
        }
        self.star_button = IconButton("star", "Star", checkable=True, act=self.star_toggled)
        HBox(
            self.first_button, *self.buttons.values(), 1, votes, self.star_button,
            parent=self, gap=2, margins=(0, 9, 0, 10),
        )  # fmt: skip
        self.first_button.setVisible(bool(first))  # not before it has a parent: it would be a window
        self.set_room("wide")

    def set_room(self, room: Room) -> None:
        """Show the actions with labels, or as icons."""
        for label, button in self.buttons.items():
            button.setText(label if room == "wide" else "")
            button.setToolTip("" if room == "wide" else label)

    def set_starred(self, starred: bool) -> None:
        self.star_button.setChecked(starred)
        self.star_button.set_icon("star_filled" if starred else "star")
        self.star_button.set_name("Remove star" if starred else "Star")

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), super().minimumSizeHint().height())


_FACES: dict[str, tuple[str, str]] = {
    "up": ("thumb_up", "I find it funny"),
    "down": ("thumb_down", "I don't find it funny"),
    "A": ("", "A is funnier to me"),
    "B": ("", "B is funnier to me"),
}
"""The icon of each choice, empty for one that is its own caption, and its words."""
_TAKE_BACK = "Press again to take your vote back"


class VoteButtons(QWidget):
    """The user's vote. ``voted`` carries the pressed choice, whether it was chosen before or not. The tooltips show the
    progress of the votes."""

    voted = Signal(str)

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName("Your vote")
        self.by_choice: dict[str, Button] = {}
        self.caption = ""
        for choice in choices:
            icon, name = _FACES[choice]
            button = IconButton(icon, name) if icon else SecondaryButton(choice, name=name, tip=name)
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, choice=choice: self.voted.emit(choice))
            self.by_choice[choice] = button
        word = Label("Your vote" if "up" in choices else "Your choice", 13, token="text2")
        HBox(word, *self.by_choice.values(), parent=self, gap=6, margins=(0, 0, 8, 0))

    def show_choice(self, choice: str | None, caption: str) -> None:
        """Show a choice. ``caption``: the progress of the votes."""
        self.caption = caption
        for name, button in self.by_choice.items():
            button.setChecked(name == choice)
            does = _TAKE_BACK if name == choice else _FACES[name][1]
            button.setToolTip(plain_tooltip("\n".join(filter(None, (f"{does}.", self.caption)))))
            button.setAccessibleDescription(_TAKE_BACK if name == choice else "")
        self.show()


class TrustLink(LinkButton):
    """Opens the Trust tab for a verdict's model. ``asked`` carries that model; ``topic``: the question whose details to
    show, empty for the first one; ``kind``: of the verdict's text, if known."""

    asked = Signal(object)

    def __init__(self, topic: str = "") -> None:
        super().__init__("How far to trust this", act=lambda: self.asked.emit(self._model))
        self.topic, self.kind = topic, ""
        self._model: ModelRef | None = None
        self.hide()

    def show_for(self, result: VerdictResult | None) -> None:
        """Link to a verdict's model; hidden for a verdict without a model."""
        crowd = getattr(result, "audience", None)
        self.kind = (crowd.kind if isinstance(crowd, Audience) else None) or ""
        self._model = result.model if result is not None else None
        self.setVisible(self._model is not None)
