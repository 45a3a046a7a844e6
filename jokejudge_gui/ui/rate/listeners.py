"""The field for further listeners to estimate: known ones from a menu, or described in the user's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from ...judge.rating.listeners import ALL
from ...judge.rating.record import MOST_LISTENERS
from ...rubric.audiences import Listener
from ..look import wording
from ..look.theme import theme
from ..verdict.cards import FoldedField
from ..widgets.controls import SecondaryButton

ADD = "Add a listener"
NAME = "Who else hears it"
_OWN_WORDS = "Somebody else, in your own words"
_BETWEEN = ";"
KnownListeners = Callable[[Sequence[str]], Sequence[tuple[Listener, str]]]
"""Returns the listeners of these names, each with the reason why the model isn't asked for it."""


class ListenerField(FoldedField):
    """A field for names, and a menu of the known listeners."""

    def __init__(self) -> None:
        self.choose_button = SecondaryButton("Choose…", name="Choose listeners", act=self._open)
        super().__init__(
            ADD, f"{NAME}: Family; people who know Vienna", f"{NAME}, with semicolons between them",
            "Ask no other listener", self.choose_button,
        )  # fmt: skip
        self._known: KnownListeners = lambda _wanted: ()

    def serve(self, listeners: KnownListeners) -> None:
        """Use this source of the listeners that the model can estimate."""
        self._known = listeners

    @property
    def useful(self) -> bool:
        """Whether the current model can estimate any listener, or one is already named."""
        return bool(self.names()) or any(not reason for _listener, reason in self._known((ALL,)))

    def names(self) -> tuple[str, ...]:
        """Return names and descriptions, each once, at most ``MOST_LISTENERS``."""
        parts = (" ".join(part.split()) for part in self.line.text().split(_BETWEEN))
        return tuple(dict.fromkeys(part for part in parts if part))[:MOST_LISTENERS]

    def menu(self) -> QMenu:
        """Return a menu of all listeners, chosen ones checked; greyed with the reason those that the model can't
        estimate."""
        menu = QMenu(self)
        menu.setFont(theme().font(14))
        chosen = {name.casefold() for name in self.names()}
        for listener, reason in self._known((ALL,)):
            action = menu.addAction(wording.one_line(listener.name).replace("&", "&&"))
            action.setEnabled(not reason)
            action.setToolTip(reason)
            action.setCheckable(not reason)
            action.setChecked(listener.name.casefold() in chosen)
            action.toggled.connect(lambda on, name=listener.name: self._set(name, on=on))
        menu.setToolTipsVisible(True)
        menu.addAction(_OWN_WORDS).triggered.connect(lambda _checked: self.line.setFocus())
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _open(self) -> None:
        self.menu().popup(self.choose_button.mapToGlobal(QPoint(0, self.choose_button.height())))

    def _set(self, name: str, *, on: bool) -> None:
        others = tuple(one for one in self.names() if one.casefold() != name.casefold())
        self.line.setText(f"{_BETWEEN} ".join((*others, name) if on else others))
