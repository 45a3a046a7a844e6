"""The card on which a model is chosen: how far to trust it in a sentence, and all that was measured of it as a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...engine.base import CancelToken
from ...paths import Profile
from ...runs.model_page import model_page
from ...runs.model_page_text import ENDINGS, write_page
from ...verdicts import ModelRef
from ..frame.judge_worker import JobStart
from ..widgets.cards import Card
from ..widgets.choice import ChoiceButton
from ..widgets.controls import SecondaryButton
from ..widgets.text import Paragraph
from .measuring import ReportWritten

CARD_FORMS = {"Web page (*.html)": ".html", "Markdown (*.md)": ".md", "JSON (*.json)": ".json"}


def card_job(model: ModelRef, profile: Profile, path: Path) -> JobStart:
    """Writes a model's card in the form that the file's ending says."""

    def start(_token: CancelToken) -> Iterator[object]:
        write_page(model_page(model, profile), path, ENDINGS.get(path.suffix.lower(), "html"))
        yield ReportWritten(path, "card")

    return start


class ModelCard(Card):
    """Which model, and its main number in words. ``chosen`` carries a model."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__("How far to trust it")
        self._models: list[ModelRef] = []
        self.choice = ChoiceButton("Model")
        self.choice.chosen.connect(lambda place: self.chosen.emit(self._models[place]))
        self.headline = Paragraph("", 15, 400, "text")
        self.save_button = SecondaryButton("Save card…")
        self.add(self.choice)
        self.add(self.headline)
        self.body.addWidget(self.save_button, 0, Qt.AlignmentFlag.AlignLeft)

    def controls(self) -> list[QWidget]:
        """What the Tab key visits."""
        return [self.choice, self.save_button]

    def show_models(self, models: list[ModelRef], used: ModelRef | None, shown: ModelRef | None) -> None:
        self._models = models
        names = [f"{model.name} (in use)" if used and model.sha256 == used.sha256 else model.name for model in models]
        place = next((n for n, model in enumerate(models) if shown and model.sha256 == shown.sha256), -1)
        self.choice.set_options(names, place)
        self.choice.setVisible(bool(models))
        self.save_button.setVisible(shown is not None)
