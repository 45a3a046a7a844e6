"""The verdict at a glance: the gauge, what it says in words, and what an editor would say; of a rating whose questions
were asked its best factor and pathway, and the explanation under a line."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHelpEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ...core.events import Stage
from ...core.verdicts import Audience, CategoryScore, EditorNote, FaultVoice, Node, RatingResult, ReasoningTree
from ...judge.rating.listeners import own_fault_in_words
from ...judge.rating.reading_judge import NO_TURN
from ...judge.rating.references import beside
from ...judge.rating.tree_words import branch_line, doubts_line, node_line, summary, turn_line
from ...learning.trust_cards import UNKNOWN as UNLEARNED
from ..look import wording
from ..look.theme import px, theme
from ..look.wording import Run
from ..trust.trust_figures import TrustLine
from ..verdict.cards import ParagraphsView
from ..votes import TasteLine
from ..widgets.bars import ProgressLine
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card, Rule
from ..widgets.controls import LinkButton
from ..widgets.factor_bars import FactorBars, FactorLegend, FactorRow
from ..widgets.gauge import Gauge, in_hundred
from ..widgets.labels import Chip, ChipFlow, ScoreBadge
from ..widgets.layout import Grid, HBox, VBox
from ..widgets.stage_list import StageList
from ..widgets.text import Heading, Label, Paragraph
from .state import FactorView, RateState, StageView, best_factor, was_read

# The stages of a rating, filled in as they happen: four of one whose questions are asked, two of one reading.

_STAGES = [
    (Stage.ADMISSIBILITY.value, "Admissible", "Is it a joke, complete and easy to follow?"),
    (Stage.CATEGORIES.value, "Categories", "Which kinds of joke could it be?"),
    (Stage.FACTORS.value, "Factors", "What should it be judged on?"),
    (Stage.SCORES.value, "Scores", "0 to 5 on every factor."),
]
_READ = [
    (Stage.READING.value, "Reading", "One reading of the joke tells what people and editors would say."),
    (Stage.EXPLANATION.value, "Words", "What works, what weakens it, and what to try."),
]


class StagesCard(Card):
    """``show`` draws what changed since it was last called."""

    def __init__(self) -> None:
        self.time = Label("", 13, 400, "text2", tabular=True)
        super().__init__("Stages", right=self.time)
        self.asked = StageList(_STAGES)
        self.read = StageList(_READ)
        self.list = self.read
        """The one that is shown."""
        self.asked.hide()
        self.add(self.asked, self.read)
        self._drawn: dict[str, object] = {}

    def show_state(self, state: RateState) -> None:
        seconds = None if state.phase in ("empty", "waiting") else state.seconds
        self.time.setText("" if seconds is None else wording.seconds(seconds))
        self.list = self.read if state.reads else self.asked
        self.asked.setVisible(not state.reads)
        self.read.setVisible(state.reads)
        for stage in state.shown_stages:
            view = StageView() if state.phase in ("empty", "waiting") else state.stages.get(stage, StageView())
            body = _body(state, stage, view)
            self._once(f"{stage}.state", (view.state, view.seconds), lambda s=stage, v=view: self._set_state(s, v))
            if view.state != "idle":
                self._once(f"{stage}.body", body, lambda s=stage, b=body: self._set_body(s, b))
            if view.state == "running" and view.begun is not None:
                self.list.item(stage.value).seconds.setText(f"{time.monotonic() - view.begun:.1f} s")

    def _once(self, key: str, value: object, act: object) -> None:
        if key not in self._drawn or self._drawn[key] != value:
            self._drawn[key] = value
            act()  # type: ignore[operator]

    def _set_state(self, stage: Stage, view: StageView) -> None:
        self.list.set_state(stage.value, view.state, view.seconds)
        self._drawn.pop(f"{stage}.body", None)

    def _set_body(self, stage: Stage, body: _Body) -> None:
        chips, text, fraction = body
        self.list.set_chips(stage.value, [Chip(kind, label, value) for kind, label, value in chips])  # type: ignore[arg-type]
        self.list.set_text(stage.value, text)
        self.list.set_progress(stage.value, fraction)


_Body = tuple[tuple[tuple[str, str, str], ...], str, float | None]


def _body(state: RateState, stage: Stage, view: StageView) -> _Body:
    """Chips, sentence and share of a stage. Of the checks that a reading makes those that can tell something."""
    if stage is Stage.EXPLANATION:
        return (), "", None
    if stage in (Stage.ADMISSIBILITY, Stage.READING):
        return (
            tuple(
                (
                    "passed" if check.passed else "failed",
                    wording.CHECK_LABELS.get(check.check, check.check),
                    wording.probability(check.p_admit),
                )
                for check in state.checks
                if stage is Stage.ADMISSIBILITY or check.reliable
            ),
            "",
            None,
        )
    if stage is Stage.CATEGORIES:
        chips = [("chosen" if c.chosen else "outline", c.name, wording.probability(c.p)) for c in _readable(state)]
        text = ""
        if state.categories_known and state.independent:
            chips.insert(0, ("dashed", "Independent", ""))
            text = "No category stands out: the factors were chosen from the joke alone."
        return tuple(chips), text, None
    if stage is Stage.FACTORS:
        return tuple(("written" if f.written else "plain", f.name, "") for f in state.factors), "", None
    return (), *_scores(state, view)


_MOST_UNCHOSEN = 3


def _readable(state: RateState) -> list[CategoryScore]:
    """The chosen categories, and the few nearest ones that weren't."""
    chosen = [c for c in state.categories if c.chosen]
    others = sorted((c for c in state.categories if not c.chosen), key=lambda c: -c.p)
    return [*chosen, *others[: _MOST_UNCHOSEN if not chosen else 1]]


def _scores(state: RateState, view: StageView) -> tuple[str, float | None]:
    total = len(state.factors) or view.total or 0
    done = state.scored
    if view.state == "running":
        now = next((f.name for f in state.factors if f.running), "")
        return f"{done} of {total} scored" + (f" · now {now}" if now else ""), done / total if total else 0.0
    if view.state == "stopped":
        if done == total:
            # Of a stored rating only what was scored is known, not how many there would have been.
            return (f"Stopped: {done} scored", None) if done else ("Stopped", None)
        return f"Stopped: {done} of {total} scored", done / total
    if view.state in ("done", "failed") and total:
        return f"{done} of {total} scored", None
    return "", None


# The factors' bars with their legend.

STRONGEST, WEAKEST = 3, 2


class FactorsCard(Card):
    """Bars fill in as factors are scored. Of a rating that is one reading: its kinds, the strongest and the weakest
    factors, and the others behind a link."""

    def __init__(self) -> None:
        self.legend = FactorLegend()
        super().__init__("Factors", "0 to 5", self.legend)
        self.kinds = ChipFlow()
        self.bars = FactorBars()
        self.more = LinkButton("", act=self._unfold)
        self.weighted = Paragraph("", 13, 400, "text2")
        self.untold = Paragraph("", 13, 400, "text3")
        self.add(self.kinds, self.bars, self.weighted, HBox(self.more, 1), self.untold)
        self._rows: list[FactorRow] = []
        self._best = False
        self._chosen: list[str] = []
        self._unfolded = False
        self._of: str | None = None
        self._state, self._averages = RateState(), {}  # type: tuple[RateState, Mapping[str, float]]

    def _unfold(self) -> None:
        self._unfolded = not self._unfolded
        self.show_state(self._state, self._averages)

    def show_state(self, state: RateState, averages: Mapping[str, float]) -> None:
        self._state, self._averages = state, averages
        if state.id != self._of:
            self._of, self._unfolded = state.id, False
        read = state.reads and bool(state.factors)
        best = state.phase == "finished" or (state.result is not None and state.result.mean_score is not None)
        # The best factor stands first in a whole verdict; while it runs rows keep their places.
        views = sorted(state.factors, key=_order) if state.phase == "finished" or read else state.factors
        folded = len(views) - STRONGEST - WEAKEST if read else 0
        if folded > 0 and not self._unfolded:
            views = [*views[:STRONGEST], *views[-WEAKEST:]]
        rows = [_row(view, averages) for view in views]
        if rows != self._rows or best != self._best:
            self._rows, self._best = rows, best
            self.bars.set_rows(rows, best)
            self.legend.set_average(any(row.average is not None for row in rows))
        words = _weighted(state.result) if state.result is not None else ""
        self.weighted.show_text(words)
        self._show_title("How an editor reads it" if read else "Factors")
        self._show_kinds([kind.name for kind in state.categories if kind.chosen] if read else [])
        untold = [wording.CHECK_LABELS.get(c.check, c.check) for c in state.checks if not c.reliable and c.passed]
        self._show_fold(folded, untold if read else [])

    def _show_title(self, title: str) -> None:
        if self.title_label.text() != title:
            self.title_label.setText(title)
            self.setAccessibleName(title)

    def _show_kinds(self, kinds: list[str]) -> None:
        if kinds != self._chosen:
            self._chosen = kinds
            self.kinds.set_chips([Chip("chosen", name) for name in kinds])
        self.kinds.setVisible(bool(kinds))

    def _show_fold(self, folded: int, untold: list[str]) -> None:
        self.more.setVisible(folded > 0)
        words = "Show fewer" if self._unfolded else f"{folded} more"
        self.more.setText(words)
        self.more.setAccessibleName(words if self._unfolded else f"{wording.count_of(folded, 'more factor')}")
        self.untold.setVisible(self._unfolded and folded > 0 and bool(untold))
        self.untold.set_content(f"Checks that this model can't make: {', '.join(untold)}." if untold else "")


def _weighted(result: RatingResult) -> str:
    """The weighted score, where the user set weights or the model was asked for scores."""
    asked = result.everything_asked or any(factor.source != "read" for factor in result.factors)
    if result.weighted_score is None or not (result.weights or asked):
        return ""
    how = "by your weights" if result.weights else "by how far each factor can be trusted"
    beside = ""
    if result.weights and result.mean_score is not None and result.max_score is not None:
        beside = f" The mean is {result.mean_score:.1f}, the best factor {result.max_score:.1f}."
    return f"Weighted {result.weighted_score:.1f} of 5, {how}.{beside}"


def _order(view: FactorView) -> tuple[float, float]:
    score = view.score
    if score is None or score.score is None:
        return (1.0, 0.0)
    return (-float(score.score), -(score.expected if score.expected is not None else 0.0))


def _row(view: FactorView, averages: Mapping[str, float]) -> FactorRow:
    score = view.score
    if score is None:
        return FactorRow(view.name, view.written, state="running" if view.running else "waiting")
    # Read and asked scores are on scales of their own.
    key = view.id if score.source == "asked" else f"{view.id}@{score.source}"
    average = averages.get(key) if not view.written else None
    note = "This model doesn't separate jokes on this factor." if score.separates is False else ""
    return FactorRow(view.name, view.written, score.score, score.expected, score.sd, average, "done", note)


# The joke as an editor would hand it back: its turn underlined, what could go struck through.

_MOST_CHARACTERS = 4000
"""Longer texts are shown by their beginning: the whole stands in the field."""
REASONS = {"turn": "The joke turns on “{}”.", "cut": "“{}” could go."}


class MarkedText(Paragraph):
    """Plain text with marks; each says its reason under the pointer, all of them to a screen reader."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", 18, 400, "text", 1.45, parent)

    def set_runs(self, runs: list[Run]) -> None:
        self.set_content(runs)
        self.setAccessibleDescription(" ".join(filter(None, map(reason, runs))))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self.run_at(event.pos().toPointF())
            words = reason(self._runs[number]) if number is not None else ""
            if words:
                QToolTip.showText(event.globalPos(), plain_tooltip(words), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


class MarkedCard(Card):
    """The text that the verdict is of."""

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.setAccessibleName("The joke as an editor reads it")
        self.text = MarkedText()
        self.add(self.text)

    def show_result(self, result: RatingResult) -> None:
        self.text.set_runs(marked_runs(result))


def reason(run: Run) -> str:
    """Why a run is marked; empty for one that isn't."""
    text, style = run
    words = REASONS.get(style, "")
    return words.format(wording.one_line(text)) if words else ""


def marked_runs(result: RatingResult) -> list[Run]:
    """The text in runs. Where marks meet, the turn goes first, then the earlier one."""
    text = result.text
    marks = [(result.turn.start, result.turn.end, "turn")] if result.turn else []
    for cut in sorted(result.cuts, key=lambda span: span.start):
        if all(cut.end <= start or end <= cut.start for start, end, _ in marks):
            marks.append((cut.start, cut.end, "cut"))
    runs: list[Run] = []
    at = 0
    for start, end, style in sorted(marks):
        runs += [(text[at:start], "normal"), (text[start:end], style)]  # type: ignore[list-item]
        at = end
    runs.append((text[at:] if len(text) <= _MOST_CHARACTERS else text[at:_MOST_CHARACTERS] + "…", "normal"))
    return [run for run in runs if run[0]]


# The editor's note: what works, what weakens the joke, what to try, and what its reader must know.


def note_lines(result: RatingResult) -> list[list[Run]]:
    """The note, and beneath it what has no part in the verdict."""
    lines = note_runs(result.note) if result.note is not None else []
    for said in filter(None, beside(result)):
        lines.append([(said, "muted")])
    return lines


def note_runs(note: EditorNote) -> list[list[Run]]:
    """The note's lines, each with its lead word strong."""
    lines: list[list[Run]] = []
    for lead, words in (("Works.", note.works), ("Weakens.", note.weakens)):
        if words:
            lines.append([(f"{lead} ", "strong"), (words, "normal")])
    for trial in note.trials:
        preferred = f"  An editor would prefer it in {100 * trial.p_better:.0f} of 100."
        lines.append([("Try. ", "strong"), (trial.text, "normal"), (preferred, "muted")])
    if note.apart:
        lines.append([(note.apart, "muted")])
    return lines


# Faults of the user's own: what the model says of them, which is never a finding.


class OwnFaultsCard(Card):
    """Hidden where the user has none."""

    def __init__(self) -> None:
        super().__init__("Your own faults", "asked, not measured")
        self.text = Paragraph("", gap=3)
        self.add(self.text)
        self.hide()

    def show_voices(self, voices: Sequence[FaultVoice]) -> None:
        """The likeliest first, then those that weren't asked about."""
        self.setVisible(bool(voices))
        runs: list[Run] = []
        for voice in sorted(voices, key=lambda voice: -(voice.p if voice.p is not None else -1.0)):
            runs += [("\n" if runs else "", "normal"), (f"{wording.one_line(voice.name)}: ", "strong")]
            runs.append((f"{own_fault_in_words(voice).rstrip('.')}.", "normal"))
        self.text.set_content(runs)


# What the audience's estimate says, in words.

UNKNOWN = "No estimate of the audience"
UNKNOWN_KIND = (
    "This is a kind of text that the program hasn't learned from: people might put it nearly anywhere, so no figure "
    "is shown. What an editor would say doesn't depend on that."
)
WHAT_TURNS = (
    "A joke turns where its end makes you see its beginning another way. Without that no estimate, kind, factor or "
    "edit is shown."
)
NO_HEAD = "Nothing was learned from people's votes for this model, so it can't say how funny people would find it."


def audience_words(result: RatingResult) -> tuple[str, str]:
    """Heading and sentence beside the gauge; both empty where questions were asked and there is no estimate."""
    if result.audience is not None and not result.audience.heard:
        return UNKNOWN, UNKNOWN_KIND
    if result.audience is not None:
        return f"Funnier than {in_hundred(result.audience.percentile)} in 100 jokes", _sure(result.audience)
    if not was_read(result):
        return "", ""
    if result.sense is not None and result.sense.said == "no turn":
        return NO_TURN, WHAT_TURNS
    return UNKNOWN, " ".join(result.warnings) or NO_HEAD


def _sure(audience: Audience) -> str:
    """Where people would put it, and how often such an estimate is right."""
    parts = []
    if audience.low is not None and audience.high is not None:
        parts.append(f"{in_hundred(audience.low)} to {in_hundred(audience.high)}.")
    if audience.agreement is not None and audience.kind == UNLEARNED:
        right = f"{100 * audience.agreement:.0f} of 100 pairs"
        parts.append(f"It hasn't learned this kind of text; of such it puts {right} in people's order.")
    elif audience.agreement is not None:
        of = f" of {audience.kind}" if audience.kind else ""
        parts.append(f"Right in {100 * audience.agreement:.0f} of 100 pairs{of} that people voted on.")
    return " ".join(parts)


_NARROW = 480
"""Under this width, in pixels at 100 %, the note stands under the gauge."""


class VerdictCard(Card):
    """``show_running`` while there is no mean yet, ``show_verdict`` from then on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName("Verdict")
        self.gauge = Gauge()
        self.heading = Heading("", 3)
        self.sentence = Paragraph("", 13)
        self.progress = ProgressLine(name="Progress")
        self._best_label = Label("Best factor", 14, 400, "text2")
        self._path_label = Label("Pathway", 14, 400, "text2")
        self.best = Paragraph("", 15, 600, "text")
        self.badge = ScoreBadge()
        self.pathway = Paragraph("", 14, 400, "text")
        self._notes = ParagraphsView(4), ParagraphsView(4)
        self._narrow = False
        self._result: RatingResult | None = None
        self.taste = TasteLine()
        self.trust_line = TrustLine()
        self.rule = Rule("line")
        self.explanation = ParagraphsView()
        self.writing = Paragraph("", 14, 400, "text3")

        self._facts = QWidget()
        self._grid = Grid(self._facts, gaps=(16, 2), wide=1)
        self.best.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._grid.addWidget(self._best_label, 0, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addLayout(HBox(self.best, self.badge, 1, gap=9), 0, 1)
        self._grid.addWidget(self._path_label, 1, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self.pathway, 1, 1)
        self.add(
            HBox(
                (self.gauge, 0, Qt.AlignmentFlag.AlignTop),
                (
                    VBox(
                        1,
                        self.heading,
                        self.sentence,
                        self.progress,
                        self._facts,
                        self._notes[0],
                        self.taste,
                        self.trust_line,
                        1,
                        gap=6,
                    ),
                    1,
                ),
                gap=24,
            ),
            self._notes[1],
            self.rule,
            self.explanation,
            self.writing,
        )
        self._lay_out()
        theme().changed.connect(self._lay_out)

    @property
    def editor(self) -> ParagraphsView:
        """What an editor would say: beside the gauge, or under it where the card is narrow, for a column of a few words
        is hard to read."""
        return self._notes[self._narrow]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_note()

    def _place_note(self) -> None:
        narrow = self.width() < px(_NARROW)
        if narrow != self._narrow:
            self._narrow = narrow
            self._show_note()

    def _show_note(self) -> None:
        for view in self._notes:
            result = self._result if view is self.editor else None
            view.show_paragraphs(note_lines(result) if result is not None else [])

    def _lay_out(self) -> None:
        self._place_note()

    def _show_words(self, heading: str, sentence: str) -> None:
        for widget, words in ((self.heading, heading), (self.sentence, sentence)):
            widget.set_content(words)
            widget.setVisible(bool(words))

    def show_running(self, heading: str, sentence: str, fraction: float | None, reads: bool = True) -> None:
        """What is going on; ``fraction`` 0…1 of it, or None for no line; ``reads``: whether no question is asked."""
        self._result = None
        for hidden in (self._facts, *self._notes, self.trust_line, self.rule, self.explanation, self.writing):
            hidden.hide()
        self.gauge.show()
        most = 100.0 if reads else 5.0
        if (self.gauge.state, self.gauge.most) != ("running", most):
            self.gauge.set_running(most)
        self._show_words(heading, sentence)
        self.progress.setVisible(fraction is not None)
        if fraction is not None:
            self.progress.set_fraction(fraction)

    def show_verdict(self, state: RateState) -> None:
        """Everything known of a rating that has a verdict, with the explanation as far as it is written."""
        result = state.result
        assert result is not None
        self.progress.hide()
        self._show_gauge(result)
        read = was_read(result)
        self._show_words(*audience_words(result))
        self._facts.setVisible(not read)
        if not read:
            self._show_facts(result)
        self._result = result
        self._show_note()
        self.trust_line.show_for(result)
        # What it would say of the estimate stands above already; a verdict without an estimate needs no such words.
        self.trust_line.text.setVisible(not read)
        text = state.explanation.strip().removeprefix(NO_TURN)
        note = ""
        if result.note is not None:
            text = result.prose.text if result.prose is not None else ""
        elif state.explaining and not text:
            note = "Writing the explanation…"
        elif state.phase in ("stopped", "interrupted") and not (result.explanation or "").strip():
            note = "Stopped while the explanation was being written. The scores are whole."
        elif state.phase == "failed" and state.error is not None:
            note = f"{state.error.sentence} {state.error.hint}".strip()
        if text and not note and result.prose is not None:
            note = result.prose.mark
        self.explanation.show_paragraphs(wording.explanation_runs(text, [result.text]))
        self.writing.setVisible(bool(note))
        self.writing.set_content(note)
        self.rule.setVisible(bool(text or note))

    def _show_gauge(self, result: RatingResult) -> None:
        audience = result.audience
        if audience is not None and not audience.heard:
            audience = None
        self.gauge.setVisible(audience is not None or (result.mean_score is not None and not was_read(result)))
        if audience is not None:
            shown = (audience.percentile, 100.0)
            if (self.gauge.value, self.gauge.most) != shown:
                self.gauge.set_place(audience.percentile, audience.low, audience.high)
        elif result.mean_score is not None and (self.gauge.value, self.gauge.most, self.gauge.spread) != (
            result.mean_score,
            5.0,
            result.spread,
        ):
            self.gauge.set_value(result.mean_score, result.spread)

    def _show_facts(self, result: RatingResult) -> None:
        best = best_factor(result)
        self.best.set_content(best.name if best else "–")
        self.badge.setVisible(best is not None)
        if best is not None:
            self.badge.set_score(best.score)
        self.pathway.set_content(wording.pathway_words(result))


_BULLET = "• "


class NodeRow(QWidget):
    """One node in a line; its readings behind a link. ``opened``: they were shown or hidden."""

    opened = Signal()

    def __init__(self, node: Node, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = wording.count_of(len(node.branches), "reading")
        doubts = doubts_line(node)
        self.line = Paragraph([(node_line(node), "strong"), (f"  {doubts}" if doubts else "", "muted")])
        self.link = LinkButton("")
        self.link.setCheckable(True)
        self.link.toggled.connect(self._toggle)
        readings = "\n".join(f"{_BULLET}{branch_line(node, branch)}" for branch in node.branches)
        self.readings = Paragraph(readings, 13, gap=2, hang=_BULLET)
        self._name = node.name
        VBox(self.line, (self.link, 0, Qt.AlignmentFlag.AlignLeft), self.readings, parent=self, gap=1)
        self._toggle(False)

    def _toggle(self, on: bool) -> None:
        self.readings.setVisible(on)
        self.link.setText("Hide" if on else f"{self._count}…")
        self.link.setAccessibleName(f"{'Hide' if on else 'Show'} the {self._count} of {self._name.lower()}")
        self.opened.emit()


class TreeCard(Card):
    """Shown under the factors of a deep verdict. ``opened``: a node was opened or closed."""

    opened = Signal()

    def __init__(self) -> None:
        super().__init__("Deep", "read again where there was doubt")
        self.summary = Paragraph("")
        self.add(self.summary)
        self.rows: list[NodeRow] = []
        self._shown: ReasoningTree | None = None
        self.hide()

    def show_tree(self, tree: ReasoningTree | None) -> None:
        """Draw the tree; nothing for a verdict without one."""
        if tree != self._shown:
            self._shown = tree
            for row in self.rows:
                self.body.removeWidget(row)
                row.hide()
                row.deleteLater()
            self.rows = []
            if tree is not None:
                said = [summary(tree), turn_line(tree), *(f"Contradiction: {each}" for each in tree.contradictions)]
                self.summary.set_content(" ".join(filter(None, said)))
                self.rows = [NodeRow(node) for node in tree.answers]
            before: QWidget = self
            for row in self.rows:
                row.opened.connect(self.opened)
                self.add(row)
                if before is not self:
                    self.setTabOrder(before, row.link)
                before = row.link
        self.setVisible(tree is not None)
