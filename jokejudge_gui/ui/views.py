"""Which tab shows verdicts of which kind. A kind's tab is added by its room and its line here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..batch.screening import OwnScoreFiles
from ..core.config import Settings
from ..history.store import HistoryStore
from .contest.tab import ContestTab
from .duel.tab import DuelTab
from .judge_worker import JudgeWorker
from .rate.tab import RateTab
from .verdict.tab import VerdictTab


def make_views(
    store: HistoryStore,
    examples: Sequence[str],
    settings: Settings,
    side_worker: JudgeWorker,
    scores: OwnScoreFiles,
    dismissed: Path,
) -> dict[str, VerdictTab]:
    """A tab for each kind of verdict that can be asked for in the window, by the kind's name and in the tabs' order.
    ``side_worker``: a thread for what takes a moment; ``scores``: where the user's own scores are kept; ``dismissed``:
    the file of edits that the user doesn't want to see again."""
    tabs: tuple[VerdictTab, ...] = (
        RateTab(examples, store, dismissed),
        DuelTab(store),
        ContestTab(store, side_worker, scores, settings, examples),
    )
    return {tab.kind.name: tab for tab in tabs}
