"""Which tab shows verdicts of which kind. A kind's tab is added by its room and its line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..batch.screening import OwnScoreFiles
from ..core.config import Settings
from ..history.store import HistoryStore
from .contest.tab import ContestTab
from .duel.tab import DuelTab
from .judge_worker import JudgeWorker
from .rate.tab import RateTab
from .verdict.tab import VerdictTab
from .workshop.tab import WorkshopTab


@dataclass(frozen=True)
class Supplies:
    """What tabs are made of: the history, example jokes, the settings, a thread for what takes a moment, and where own
    scores are kept."""

    store: HistoryStore
    examples: Sequence[str]
    settings: Settings
    side_worker: JudgeWorker
    scores: OwnScoreFiles


_MAKERS: tuple[Callable[[Supplies], VerdictTab], ...] = (
    lambda supplies: RateTab(supplies.examples),
    lambda supplies: DuelTab(supplies.store),
    lambda supplies: ContestTab(supplies.store, supplies.side_worker, supplies.scores, supplies.settings),
    lambda supplies: WorkshopTab(),
)


def make_views(supplies: Supplies) -> dict[str, VerdictTab]:
    """A tab for each kind of verdict that can be asked for in the window, by the kind's name and in the tabs' order."""
    tabs = [make(supplies) for make in _MAKERS]
    return {tab.kind.name: tab for tab in tabs}
