"""One version of a joke: the words that changed, what the change did, and edits to take."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ...core.verdicts import Trial
from ...judge.workshop.kind import made_from, percentile_of, verdict_of, voices_of
from ...judge.workshop.types import Change, ReadVersion, changed_words
from ..look import wording
from ..widgets.cards import Card, Rule
from ..widgets.controls import LinkButton, SecondaryButton
from ..widgets.layout import HBox, VBox
from ..widgets.text import Label, Paragraph, Run, Style


class ProposalRow(QWidget):
    """An edit that the program tried, and a button that takes it. ``taken`` carries the trial."""

    taken = Signal(object)

    def __init__(self, trial: Trial, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        preferred = f"  An editor would prefer it in {100 * trial.p_better:.0f} of 100."
        self.words = Paragraph([("Try. ", "strong"), (trial.text, "normal"), (preferred, "muted")])
        self.button = SecondaryButton(
            "Take it",
            name=f"Take this edit of version {version}: {wording.one_line(trial.text)}",
            act=lambda: self.taken.emit(trial),
        )
        HBox((self.words, 1), (self.button, 0, Qt.AlignmentFlag.AlignTop), parent=self, gap=12)


class VersionCard(Card):
    """``from_here``: the next version is to be made from this one; ``proposal_taken`` carries a ``Trial``;
    ``rate_asked``: the version is wanted in the Rate tab."""

    from_here = Signal()
    proposal_taken = Signal(object)
    rate_asked = Signal()

    def __init__(self, version: ReadVersion, parent: ReadVersion | None, *, best: bool) -> None:
        self.from_button = LinkButton("Go on from here")
        super().__init__(f"Version {version.id}", made_from(version), self.from_button, 20)
        self.setAccessibleName(f"Version {version.id}{', the best so far' if best else ''}")
        self.from_button.setAccessibleName(f"Go on from version {version.id}")
        self.from_button.clicked.connect(self.from_here)
        self.best = Label("Best so far", 12, 600, "accent")
        self.set_left(self.best)
        self.best.setVisible(best)  # once it has a parent: else it would be a window
        self.text = Paragraph(marked_runs(version, parent), 17, 400, "text", 1.45)
        self.text.setAccessibleDescription(spoken(version, parent))
        self.add(self.text)
        self.findings = VBox(gap=3)
        for runs in finding_runs(version):
            self.findings.addWidget(Paragraph(runs))
        self.add(self.findings)
        self.rows = [ProposalRow(trial, version.id) for trial in version.proposals]
        if self.rows:
            self.add(Rule())
        for row in self.rows:
            row.taken.connect(self.proposal_taken)
            self.add(row)
        self.rate_link = LinkButton("Show it in Rate", name=f"Show version {version.id} in Rate", act=self.rate_asked)
        self.add(self.rate_link)
        self.body.setAlignment(self.rate_link, Qt.AlignmentFlag.AlignLeft)

    def controls(self) -> list[QWidget]:
        """In the order of the Tab key."""
        return [self.from_button, *(row.button for row in self.rows), self.rate_link]

    def set_live(self, live: bool) -> None:
        """Nothing can be taken while a version is read."""
        for row in self.rows:
            row.button.setEnabled(not live)


def marked_runs(version: ReadVersion, parent: ReadVersion | None) -> list[Run]:
    """The text with what the change took away struck through and what it brought marked. Spaces stand outside the
    marks, and there is one between what went and what came."""
    if parent is None:
        return [(version.text, "normal")]
    styles: dict[str, Style] = {"same": "normal", "gone": "cut", "new": "quote"}
    runs: list[Run] = []
    for words in changed_words(parent.text, version.text):
        style, text = styles[words.mark], words.text
        inner = text.strip() if style != "normal" else text
        before, after = (text[: text.index(inner)], text[text.index(inner) + len(inner) :]) if inner else (text, "")
        if runs and style != "normal":
            last, of = runs[-1]
            before = "" if last[-1].isspace() else before or (" " if of != "normal" else "")
        parts: list[Run] = [(before, "normal"), (inner, style), (after, "normal")]
        runs += [run for run in parts if run[0]]
    return runs


def spoken(version: ReadVersion, parent: ReadVersion | None) -> str:
    """The change for a screen reader, which doesn't hear the marks."""
    if parent is None:
        return ""
    words = changed_words(parent.text, version.text)
    parts = []
    for name, mark in (("Taken away", "gone"), ("New", "new")):
        found = "; ".join(wording.one_line(each.text) for each in words if each.mark == mark and each.text.strip())
        if found:
            parts.append(f"{name}: {found}.")
    return " ".join(parts)


def finding_runs(version: ReadVersion) -> list[list[Run]]:
    """A line for each thing that is known of a version."""
    if version.error is not None:
        return [[("Not read. ", "strong"), (f"{version.error.sentence} {version.error.hint}".strip(), "normal")]]
    lines: list[list[Run]] = []
    if place := percentile_of(version):
        lines.append([("Audience. ", "strong"), (f"Funnier than {place} in 100 jokes that people voted on.", "normal")])
    for change in version.changes:
        lines.append(change_line(change))
        if change is version.since_parent and (voices := voices_of(change)):
            lines.append([(" ".join(voices), "normal")])
    return lines


def change_line(change: Change) -> list[Run]:
    """Whether it became better."""
    return [(wording.sentence_case(verdict_of(change)) + ".", "strong")]
