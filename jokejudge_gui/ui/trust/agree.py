"""The card that compares the model with the user: blind choices between pairs of the user's own jokes."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ...batch.lists import read_list
from ...core.errors import JokeJudgeError
from ...core.events import Cancelled, Failed, Finished
from ...core.verdict_kinds import Subject
from ...engine.base import CancelToken
from ...heads.near_duplicates import same_joke
from ...history.query import HistoryQuery
from ...judge.duel.kind import DUEL
from ...judge.duel.record import DuelResult
from ...judge.rating.kind import RATING
from ...session.session import Session
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..look import wording
from ..widgets.actions import add_keys
from ..widgets.cards import Card
from ..widgets.controls import LinkButton, PrimaryButton
from ..widgets.fields import TextEditor
from ..widgets.labels import ProgressLine
from ..widgets.layout import HBox, VBox
from ..widgets.pair import PairChooser
from ..widgets.text import Heading, Paragraph

PAIRS, LEAST = 15, 8
Choice = Literal["A", "B"]
Phase = Literal["idle", "jokes", "choosing", "waiting", "done"]


def pairs_of(texts: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Return at most fifteen random pairs of these jokes, each joke in one pair, without two versions of one joke."""
    chosen: list[str] = []
    order = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    random.Random(seed).shuffle(order)
    for text in order:
        if len(chosen) == 2 * PAIRS:
            break
        if not any(same_joke(text, other) for other in chosen):
            chosen.append(text)
    return list(zip(chosen[::2], chosen[1::2], strict=False))


def score_words(right: int, of: int) -> str:
    """Return a sentence on agreement in ``right`` of ``of`` pairs."""
    if of == 0:
        return "You preferred neither in all pairs, so there is nothing to compare."
    tail, low = 0.0, -1
    while tail <= 0.025:  # outside the central 95 % of so many coin tosses
        low += 1
        tail += math.comb(of, low) / 2.0**of
    high = of - low
    luck = f"{low} to {high} would be luck"
    if right > high:
        return f"It agrees with you in {right} of {of}; {luck}."
    if right < low:
        return f"It agrees with you in {right} of {of}, which is less than luck: {luck}."
    return f"It agrees with you in {right} of {of}, which may be luck: {luck}."


class AgreementCard(Card):
    """The offer, the field for jokes, the pairs one by one, and the score at the end. The card requests a duel of each
    pair in which the user chose, which leaves no row in the history, and keeps the choice as a blind vote. ``changed``:
    the card shows another phase; it carries the card."""

    changed = Signal(object)

    def __init__(self, session: Session, worker: JudgeWorker) -> None:
        super().__init__()
        self._session, self._worker = session, worker
        self._jobs: dict[Job, Choice] = {}
        self.phase: Phase = "idle"
        self.pairs: list[tuple[str, str]] = []
        self.place = self.right = self.judged = 0
        self.setAccessibleName("Does it agree with you?")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.heading = Heading("Does it agree with you?", 4)
        self.text = Paragraph("", 13)
        self.try_button = PrimaryButton("Try it on 30 of mine", act=lambda: self.set_phase("jokes"))
        self.field = TextEditor("Paste jokes, one a line or with blank lines between", "Your jokes", 6)
        self.field.textChanged.connect(self._count)
        self.count = Paragraph("", 13)
        self.begin_button = PrimaryButton("Begin", act=self._begin)
        self.history_link = LinkButton("Take the newest from the history", act=self._from_history)
        self.cancel_link = LinkButton("Cancel", act=self.stop)
        self.pair = PairChooser()
        self.pair.chosen.connect(lambda first: self.choose("A" if first else "B"))
        self.pair.equal.connect(lambda: self.choose(None))
        self.pair.stop_button.clicked.connect(self.stop)
        self.pair.undo_button.hide()
        self.line = ProgressLine(name="Pairs")
        self.score = Heading("", 3)
        self._jokes_part, self._pair_part = QWidget(), QWidget()
        VBox(
            self.field, self.count, HBox(1, self.cancel_link, self.history_link, self.begin_button, gap=14),
            parent=self._jokes_part, gap=8,
        )  # fmt: skip
        VBox(self.line, self.pair, parent=self._pair_part, gap=10)
        self.add(
            HBox((VBox(self.heading, self.score, self.text, gap=2), 1), self.try_button, gap=20),
            self._jokes_part, self._pair_part,
        )  # fmt: skip
        add_keys(self, "In a trial: choose the first joke, the second, or neither", "1, 2, 0")
        self._count()
        self.draw()

    def draw(self) -> None:
        """Draw the current phase."""
        phase = self.phase
        holder = self.window().focusWidget() if self.isVisible() else None
        inside = holder is not None and self.isAncestorOf(holder)
        self.try_button.setVisible(phase in ("idle", "done"))
        self.try_button.setEnabled(self._session.model is not None)
        self.try_button.setText("Try other pairs" if phase == "done" else "Try it on 30 of mine")
        self._jokes_part.setVisible(phase == "jokes")
        self._pair_part.setVisible(phase == "choosing")
        self.score.show_text(score_words(self.right, self.judged) if phase == "done" else "")
        self.text.show_text(self._words())
        if phase == "choosing":
            self.line.set_fraction(self.place / len(self.pairs))
            self.pair.show_pair(self.pairs[self.place], f"{self.place + 1} of {len(self.pairs)}", undo=False)
        if phase == "choosing" or (inside and phase != "jokes"):
            self.setFocus() if phase == "choosing" else self.try_button.setFocus()
        elif phase == "jokes" and not self._jokes_part.isAncestorOf(holder or self):
            self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        acts: dict[Qt.Key, Choice | None] = {Qt.Key.Key_1: "A", Qt.Key.Key_2: "B", Qt.Key.Key_0: None}
        key = Qt.Key(event.key())
        if self.phase == "choosing" and key in acts:
            self.choose(acts[key])
        elif self.phase in ("choosing", "jokes") and key == Qt.Key.Key_Escape:
            self.stop()
        else:
            super().keyPressEvent(event)

    def _words(self) -> str:
        match self.phase:
            case "idle":
                return (
                    "Choose the better one in 15 pairs of your own jokes, before any score is shown. It takes about "
                    "three minutes."
                )
            case "jokes":
                return f"Give 30 jokes; {2 * LEAST} are the least. Your choices are stored as votes on duels."
            case "choosing":
                return ""
            case "waiting":
                return "Reading the last pairs…"
            case _:
                left = len(self.pairs) - self.judged
                skipped = (
                    f" Not counted: {wording.count_of(left, 'pair')} without a choice or a verdict." if left else ""
                )
                return f"Your choices are stored as votes.{skipped}"

    def _jokes(self) -> list[str]:
        try:
            return [item.text for item in read_list(self.field.toPlainText()).jokes]
        except JokeJudgeError:
            return []

    def _count(self) -> None:
        count = len(self._jokes())
        self.count.set_content(wording.count_of(count, "joke") if count else "")
        self.begin_button.setEnabled(count >= 2 * LEAST)

    def _begin(self) -> None:
        texts = self._jokes()
        self.start(texts)
        if self.phase == "jokes":
            self.count.set_content("Too many of these are versions of one joke; add some others.")

    def _from_history(self) -> None:
        try:  # the jokes rated last, each once
            rows = self._session.store.search(HistoryQuery(kinds=(RATING.name,), limit=200))
        except JokeJudgeError as error:
            self.count.set_content(error.sentence)
            return
        texts = list(dict.fromkeys(row.text_a for row in rows))
        self.field.setPlainText("\n\n".join(texts[: 4 * PAIRS]))
        if len(pairs_of(texts, 1)) < LEAST:
            self.count.set_content(f"The history has {wording.count_of(len(texts), 'joke')}; paste some more.")

    # Choices and duels

    def set_phase(self, phase: Phase) -> None:
        self.phase = phase
        self._show()

    def _show(self) -> None:
        self.draw()
        self.changed.emit(self)

    def start(self, texts: Sequence[str]) -> None:
        """Start the choice between pairs of these jokes, if there are enough."""
        pairs = pairs_of(texts, random.randrange(2**31))
        if len(pairs) < LEAST:
            return
        self.pairs = pairs
        self.place = self.right = self.judged = 0
        self.set_phase("choosing")

    def choose(self, choice: Choice | None) -> None:
        """Store the user's choice in the current pair, None for neither, and go on to the next."""
        if self.phase != "choosing":
            return
        if choice is not None:
            text_a, text_b = self.pairs[self.place]
            job = self._worker.submit("agree", lambda token: self._duel(text_a, text_b, token), self._on_event)
            self._jobs[job] = choice
        self.place += 1
        if self.place == len(self.pairs):
            self.set_phase("waiting")
            self._finish()
        else:
            self._show()

    def stop(self) -> None:
        """Stop without a score; the votes so far are kept."""
        for job in self._jobs:
            self._worker.cancel(job)
        self._jobs.clear()
        if self.phase != "idle":
            self.set_phase("idle")

    def _duel(self, text_a: str, text_b: str, token: CancelToken) -> JobSteps:
        request = self._session.request(DUEL, text_a=text_a, text_b=text_b, explain=False)
        return self._session.run(DUEL, request, record=False, cancel=token)

    def _keep_vote(self, result: DuelResult, choice: Choice) -> bool:
        """Keep the choice as a vote, without a row in the history; False if it can't be used as one."""
        score = DUEL.vote_score(result)
        if score is None or result.model is None:
            return False
        with suppress(JokeJudgeError):
            self._session.store.votes.add(
                verdict_id=None, kind=DUEL.name, choice=choice, blind=True, vote_score=score, model=result.model,
                prompt_version=result.prompt_version, criteria_version=result.criteria_version,
                subjects=tuple(Subject(text=text) for text in (result.text_a, result.text_b)),
            )  # fmt: skip
            return True
        return False

    def _on_event(self, item: JobEvent) -> None:
        if item.job not in self._jobs or not isinstance(item.event, Finished | Failed | Cancelled):
            return
        choice = self._jobs.pop(item.job)
        result = item.event.result if isinstance(item.event, Finished) else None
        if isinstance(result, DuelResult) and result.p_a not in (None, 0.5) and self._keep_vote(result, choice):
            self.judged += 1  # as many as votes were kept
            self.right += ((result.p_a or 0.0) > 0.5) == (choice == "A")
        self._finish()

    def _finish(self) -> None:
        if self.phase == "waiting" and not self._jobs:
            self.set_phase("done")
        elif self.phase == "waiting":
            self._show()
