"""The field for further listeners to estimate: known ones from a menu, or described in the user's own words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from ...core.verdicts import ListenerVoice
from ...judge.plan.listeners import LISTENERS_UNMEASURED, UNMEASURED_OWN
from ...judge.rating.listeners import MOST, listener_in_words
from ..look import wording
from ..look.theme import theme
from ..look.wording import Run
from ..trust.long_run import ListenerMeasurer
from ..verdict.cards import FoldedField
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Paragraph

ADD = "Add a listener"
NAME = "Who else hears it"
_EXAMPLE = "Who else hears it: Family; people who know Vienna"
_OWN_WORDS = "Somebody else, in your own words"
_NOT_YET = "Not measured on this model yet"
_BETWEEN = ";"


class ListenerField(FoldedField):
    """A field for names, a menu of the known listeners, and a notice about those that the model can't estimate."""

    def __init__(self) -> None:
        super().__init__(ADD, _EXAMPLE, f"{NAME}, with semicolons between them", "Ask no other listener")
        self._measurer: ListenerMeasurer | None = None
        self.line.textChanged.connect(lambda _text: self._say())
        self.choose_button = SecondaryButton("Choose…", name="Choose listeners", act=self._open)
        self.notice = Paragraph("", 13, token="text3", gap=3)
        self.measure_link = LinkButton("Measure", act=self._measure)
        VBox(
            HBox((self.line, 1), self.choose_button, self.close_button, gap=6),
            self.notice,
            HBox(self.measure_link, 1),
            parent=self,
            gap=4,
        )
        self._say()
        self.hide()

    def serve(self, measurer: ListenerMeasurer) -> None:
        """Use this source of the listeners that the model can estimate."""
        self._measurer = measurer
        measurer.changed.connect(self._say)

    @property
    def useful(self) -> bool:
        """Whether the current model can estimate any listener, or one is already named."""
        known = self._measurer.known() if self._measurer is not None else ()
        return bool(self.names()) or any(not reason for _listener, reason in known)

    # The choice

    def names(self) -> tuple[str, ...]:
        """Return names and descriptions, each once, at most ``MOST``."""
        parts = (" ".join(part.split()) for part in self.line.text().split(_BETWEEN))
        return tuple(dict.fromkeys(part for part in parts if part))[:MOST]

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
        for listener, reason in self._measurer.known() if self._measurer is not None else ():
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
        if _NOT_YET in reasons and self._measurer is not None and not self._measurer.live:
            menu.addSeparator()
            measure = menu.addAction("Measure which of them this model distinguishes")
            measure.triggered.connect(lambda _checked: self._measure_all())
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _open(self) -> None:
        self.menu().popup(self.choose_button.mapToGlobal(QPoint(0, self.choose_button.height())))

    def _set(self, name: str, *, on: bool) -> None:
        others = tuple(each for each in self.names() if each.casefold() != name.casefold())
        self.line.setText(f"{_BETWEEN} ".join((*others, name) if on else others))

    # The notice

    def _unmeasured(self) -> tuple[str, ...]:
        known = self._measurer.known(self.names()) if self._measurer is not None and self.names() else ()
        return tuple(listener.name for listener, reason in known if _in_short(reason) == _NOT_YET)

    def _say(self) -> None:
        """Show the progress of measuring, or the chosen listeners that the model can't estimate."""
        measurer = self._measurer
        text, link = "", ""
        if measurer is not None and measurer.live:
            done = measurer.progress
            share = f": {done.done} of {done.total} texts" if done is not None and done.total else ""
            text, link = f"Measuring which listeners this model distinguishes{share}. Verdicts go first.", "Stop"
        elif measurer is not None and self.names():
            by_reason: dict[str, list[str]] = {}
            for listener, reason in measurer.known(self.names()):
                if reason:
                    by_reason.setdefault(_in_short(reason), []).append(wording.one_line(listener.name))
            text = "\n".join(
                f"Won't be asked: {', '.join(names)}. {reason.rstrip('.')}." for reason, names in by_reason.items()
            )
            link = "Measure" if _NOT_YET in by_reason else ""
            if measurer.error is not None:
                text = str(measurer.error)
        self.notice.show_text(text)
        self.measure_link.setText(link)
        self.measure_link.setAccessibleName("Stop measuring" if link == "Stop" else "Measure these listeners")
        self.measure_link.setVisible(bool(link))

    def _measure(self) -> None:
        if self._measurer is not None and self._measurer.live:
            self._measurer.stop()
        elif self._measurer is not None:
            self._measurer.measure(self._unmeasured())

    def _measure_all(self) -> None:
        if self._measurer is not None:
            self._measurer.measure()


def _in_short(reason: str) -> str:
    """Return a reason without the terminal command."""
    return _NOT_YET if reason in (LISTENERS_UNMEASURED, UNMEASURED_OWN) else reason


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
