"""The field for further listeners to estimate: known ones from a menu, or described in the user's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from ...judge.asking.listeners import UNMEASURED
from ...judge.rating.listeners import ALL
from ...judge.rating.record import MOST_LISTENERS, ListenerVoice
from ...judge.rating.words import listener_in_words
from ...rubric.audiences import Listener
from ..look import wording
from ..look.theme import theme
from ..look.wording import Run
from ..verdict.cards import FoldedField
from ..widgets.controls import SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Paragraph

ADD = "Add a listener"
NAME = "Who else hears it"
_EXAMPLE = "Who else hears it: Family; people who know Vienna"
_OWN_WORDS = "Somebody else, in your own words"
_NOT_YET = "Not measured on this model yet"
_BETWEEN = ";"
KnownListeners = Callable[[Sequence[str]], Sequence[tuple[Listener, str]]]
"""Returns the listeners of these names, each with the reason why the model isn't asked for it."""


class ListenerField(FoldedField):
    """A field for names, a menu of the known listeners, and a notice about those that the model can't estimate."""

    def __init__(self) -> None:
        super().__init__(ADD, _EXAMPLE, f"{NAME}, with semicolons between them", "Ask no other listener")
        self._known: KnownListeners = lambda _wanted: ()
        self.line.textChanged.connect(lambda _text: self._say())
        self.choose_button = SecondaryButton("Choose…", name="Choose listeners", act=self._open)
        self.notice = Paragraph("", 13, token="text3", gap=3)
        VBox(
            HBox((self.line, 1), self.choose_button, self.close_button, gap=6),
            self.notice,
            parent=self,
            gap=4,
        )
        self._say()
        self.hide()

    def serve(self, known: KnownListeners) -> None:
        """Use this source of the listeners that the model can estimate."""
        self._known = known

    @property
    def useful(self) -> bool:
        """Whether the current model can estimate any listener, or one is already named."""
        return bool(self.names()) or any(not reason for _listener, reason in self._known((ALL,)))

    # The choice

    def names(self) -> tuple[str, ...]:
        """Return names and descriptions, each once, at most ``MOST_LISTENERS``."""
        parts = (" ".join(part.split()) for part in self.line.text().split(_BETWEEN))
        return tuple(dict.fromkeys(part for part in parts if part))[:MOST_LISTENERS]

    def set_names(self, names: tuple[str, ...]) -> None:
        """Show these names; without any, fold the field."""
        if names != self.names():
            self.line.setText(f"{_BETWEEN} ".join(names))
            self.line.setCursorPosition(0)
        self._show(bool(names))

    def unfold(self) -> None:
        self._say()
        super().unfold()

    def set_live(self, live: bool) -> None:
        super().set_live(live)
        self.choose_button.setEnabled(not live)

    # The menu

    def menu(self) -> QMenu:
        """Return a menu of all listeners: those that the model can estimate, with chosen ones checked, then the others
        by reason."""
        menu = QMenu(self)
        menu.setFont(theme().font(14))
        chosen = {name.casefold() for name in self.names()}
        reasons: dict[str, list[str]] = {}
        for listener, reason in self._known((ALL,)):
            name = wording.one_line(listener.name)
            if reason:
                reasons.setdefault(_in_short(reason), []).append(name)
                continue
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(listener.name.casefold() in chosen)
            action.toggled.connect(lambda on, name=listener.name: self._set(name, on=on))
        action = menu.addAction(_OWN_WORDS)
        action.triggered.connect(lambda _checked: self.line.setFocus())
        for reason, names in reasons.items():
            menu.addSeparator()
            menu.addAction(reason.replace("&", "&&")).setEnabled(False)
            for name in names:
                menu.addAction(f"    {name.replace('&', '&&')}").setEnabled(False)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _open(self) -> None:
        self.menu().popup(self.choose_button.mapToGlobal(QPoint(0, self.choose_button.height())))

    def _set(self, name: str, *, on: bool) -> None:
        others = tuple(each for each in self.names() if each.casefold() != name.casefold())
        self.line.setText(f"{_BETWEEN} ".join((*others, name) if on else others))

    # The notice

    def _say(self) -> None:
        """Show the chosen listeners that the model can't estimate."""
        by_reason: dict[str, list[str]] = {}
        for listener, reason in self._known(self.names()) if self.names() else ():
            if reason:
                by_reason.setdefault(_in_short(reason), []).append(wording.one_line(listener.name))
        self.notice.show_text(
            "\n".join(
                f"Won't be asked: {', '.join(names)}. {reason.rstrip('.')}." for reason, names in by_reason.items()
            )
        )


def _in_short(reason: str) -> str:
    """Return a reason without the terminal command."""
    return _NOT_YET if reason == UNMEASURED else reason


def voices_words(voices: Sequence[ListenerVoice]) -> tuple[list[Run], str]:
    """Return the estimates of listeners, likeliest first, and the lines of ``not_asked``."""
    asked = sorted((voice for voice in voices if voice.p is not None), key=lambda voice: -(voice.p or 0.0))
    said = wording.labelled((wording.one_line(voice.name), f"{listener_in_words(voice)}.") for voice in asked)
    return said, not_asked(voices)


def not_asked(voices: Sequence[ListenerVoice]) -> str:
    """Return the listeners without an estimate, one line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for voice in voices:
        if voice.reason:
            by_reason.setdefault(voice.reason, []).append(wording.one_line(voice.name))
    return "\n".join(f"Not asked: {', '.join(names)}. {reason}" for reason, names in by_reason.items())
