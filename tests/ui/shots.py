"""Renders the window's states to PNG, light and dark, at three sizes, to be looked at: shots.py FOLDER [WORD…]."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import canned
import canned_profile
import shots_judges
from contest_driving import JOKES, contest, screenable, tab_of
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jokejudge_gui.audit.drift import drift
from jokejudge_gui.config import Settings
from jokejudge_gui.engine.base import CancelToken, EngineInfo
from jokejudge_gui.engine.fake_engine import FakeEngine
from jokejudge_gui.evaluation.comparison import Comparison, RunRef, paired
from jokejudge_gui.events import Stage, StageProgress, StageStarted, Started
from jokejudge_gui.judging.asking.explanation import TOO_CLOSE
from jokejudge_gui.judging.audit.saved import read_audit
from jokejudge_gui.judging.audit.words import Names
from jokejudge_gui.judging.contest.marks import Said
from jokejudge_gui.judging.contest.steps import ContestRanked
from jokejudge_gui.judging.contest.types import RankedEntry
from jokejudge_gui.judging.plan.deep_worth import Compared, Costs, DeepDuels, DeepRatings, DeepWorth, Spent
from jokejudge_gui.judging.plan.listeners import (
    OWN,
    SAME,
    ListenerFiles,
    ListenerWorth,
    ListenerWorths,
    listener_version,
)
from jokejudge_gui.judging.rating.own_faults import NOT_ASKED
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.paths import Profile, models_dir
from jokejudge_gui.reasoned import LAUGHS, Branch, Node, ReasoningTree
from jokejudge_gui.rubric.audiences import parse_audiences
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.rubric.perturbations import parse_perturbations
from jokejudge_gui.runs.evaluation import RowsDone
from jokejudge_gui.session import Session
from jokejudge_gui.ui.criteria.dialog import CriteriaDialog
from jokejudge_gui.ui.frame.judge_worker import Job
from jokejudge_gui.ui.frame.main_window import MainWindow
from jokejudge_gui.ui.library.fit_card import FitCard
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.trust.beside import HeldBeside
from jokejudge_gui.ui.trust.measuring import Labelled
from jokejudge_gui.verdicts import (
    Audience,
    EditorNote,
    ErrorInfo,
    FaultVoice,
    ListenerVoice,
    ModelRef,
    Offence,
    ProbabilityA,
    Reference,
    Status,
)

EXAMPLES = (canned.PARALLEL, canned.GRAVITY, canned.DOG)
INFO = EngineInfo(
    "SmolLM2-135M-Instruct", "a" * 64, "x.gguf", 145_000_000, "llama", "Q8_0", 4096, 8192, "attention", True, 576
)
SIZES = {"wide": (1360, 860, 1.0), "small": (1024, 700, 1.0), "big": (1024, 700, 1.5), "large": (1360, 860, 1.5)}


def running(window: MainWindow) -> None:
    job = Job("rate", lambda _token: ())
    tab = window.by_kind["rate"]
    tab.begin(job, canned.PARALLEL)
    for event in canned.scored(4):
        tab.handle(job, event)


def beside(window: MainWindow) -> None:
    """What stands beside a verdict: offence, references, listeners."""
    start = canned.SALMON.index("salmon")
    result = canned.read_rating(
        offence=Offence(p=0.72, trust=0.68, stated=True),
        references=(Reference(text="salmon", start=start, end=start + 6, why="name"),),
        listeners=(
            ListenerVoice(id="family", name="Family", p=0.81, anyone=0.62),
            ListenerVoice(id="students", name="Students", p=0.44, anyone=0.62),
            *(ListenerVoice(id=name.lower(), name=name, p=None, anyone=None, reason=SAME)
              for name in ("Workplace", "British", "Programmers", "Older people", "Affiliative", "Aggressive")),
            ListenerVoice(id="", name="people who keep bees", p=None, anyone=None, reason=OWN),
        ),
        own_faults=(
            FaultVoice(id="dull", name="Dull", p=0.31, usual=0.44),
            FaultVoice(id="long", name="Takes its time", p=None, reason=NOT_ASKED),
        ),
    )  # fmt: skip
    tab = window.by_kind["rate"]
    tab.open(canned.entry(result))
    QTest.qWait(150)
    tab.right.ensureWidgetVisible(tab.listeners)


def deep(window: MainWindow) -> None:
    """A deep verdict, its first finding opened."""
    factor = Node(
        id="factor:wordplay", kind="factor", name="Wordplay", before=3.9, after=3.2, error=0.2, power=0.5, usual=2.6,
        doubts=("its answer is nearly even between the levels",),
        branches=(
            Branch(how="as in quick mode", value=3.8, reason="the last words are meant in two senses at once."),
            Branch(how="another wording", value=3.9, reason="“parallel” is used of lines and of people."),
            Branch(
                how="without its turn", value=3.7, counts=False, taken="they'll never meet", beside="another wording"
            ),
        ),
    )  # fmt: skip
    laughs = Node(
        id=LAUGHS, kind="verdict", name="Would laugh", before=43.0, after=55.0, error=12.0, doubts=("tastes differ",),
        branches=(Branch(how="another listener", value=67.0, listener="Students"),),
    )  # fmt: skip
    tab = window.by_kind["rate"]
    tab.open(canned.entry(canned.rating(tree=ReasoningTree(nodes=(factor, laughs), used_branches=4))))
    QTest.qWait(50)
    tab.tree.rows[0].link.click()
    QTest.qWait(150)
    tab.right.ensureWidgetVisible(tab.tree)


def listeners(window: MainWindow) -> None:
    """Choosing who else is asked: one that the model knows, one that it doesn't, one that isn't measured."""
    window.start()
    while window.session.judge is None or window.worker.busy:
        QTest.qWait(10)
    worth = {each.id: ListenerWorth(ratio=3.0 if each.id == "family" else 1.0) for each in parse_audiences().listeners}
    sha256, version = window.session.judge.model.sha256, listener_version()
    files = ListenerFiles(window.session.profile.listeners, window.session.profile.listeners)
    files.save(ListenerWorths(model_sha256=sha256, version=version, texts=60, worth=worth))
    own = {
        "name": "Viennese",
        "description": "people who know Vienna",
        "likes": "The tram is late.\nSo is the emperor.",
    }
    OwnFile(window.session.profile.criteria).set_item("listener", "viennese", own, new=True)
    window.criteria.take_up()
    while window.worker.busy:
        QTest.qWait(10)
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    tab.open(canned.entry(canned.read_rating()))
    tab.listener.set_names(("Family", "Students", "Viennese", "people who keep bees"))
    QTest.qWait(300)


def rejected(window: MainWindow) -> None:
    result = canned.rating(
        text="The museum opens at nine and closes at",
        admissible=False,
        rejection="no intent to amuse, and it stops mid-sentence",
        admissibility=canned.checks(("intent", "completeness")),
        categories=(), factors=(), mean_score=None, max_score=None, spread=None, explanation=None, pathway=None,
        stage_seconds={"admissibility": 1.9},
    )  # fmt: skip
    window.by_kind["rate"].open(canned.entry(result))


def stopped(window: MainWindow) -> None:
    result = canned.rating(
        factors=canned.FACTORS[:4], mean_score=None, max_score=None, spread=None, explanation=None,
        stage_seconds={"admissibility": 2.1, "factors": 2.7},
    )  # fmt: skip
    window.by_kind["rate"].open(canned.entry(result, Status.CANCELLED))


def missing(window: MainWindow) -> None:
    window.models.lose(
        ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint="Choose another model.")
    )
    window.by_kind["rate"].joke.set_text(canned.PARALLEL)


def duel_same(window: MainWindow) -> None:
    window.show_tab("duel")
    window.by_kind["duel"].set_texts(canned.PARALLEL, canned.PARALLEL)


def duel_open(**changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("duel")
        window.by_kind["duel"].open(
            canned.entry(canned.duel(**changes), note="For the second half", tags=("set", "closer"))
        )

    return act


def independent(window: MainWindow) -> None:
    result = canned.rating(
        text=canned.DOG, mean=4.1, pathway="independent",
        categories=tuple(canned.category(n, p, False) for n, p in (("Pun", 0.31), ("Absurdity", 0.44), ("Irony", 0.2))),
        warnings=("This model doesn't separate jokes on 5 of 7 factors: try a larger one.",),
    )  # fmt: skip
    window.by_kind["rate"].open(canned.entry(result, starred=True))


def unheard(window: MainWindow) -> None:
    audience = Audience(percentile=60.0, score=0.1, low=10.0, high=90.0, heard=False)
    note = EditorNote(weakens="It is weaker than most jokes: little hangs on its end.")
    window.by_kind["rate"].open(
        canned.entry(canned.read_rating(text="My computer is slow.", audience=audience, turn=None, cuts=(), note=note))
    )


def duel_topic(window: MainWindow) -> None:
    window.show_tab("duel")
    window.by_kind["duel"].open(canned.entry(canned.duel(context="#RuinADinnerIn4Words")))


def voted(window: MainWindow, kind: str) -> None:
    """Twenty-five votes, mostly with the judge, the last of them on the verdict that is shown."""
    canned_profile.vote(window.session)
    window.taste.refresh()
    window.open_verdict("h9" if kind == "duel" else "h10")


def criteria(section: str) -> Callable[[MainWindow], None]:
    """The criteria of a section; the first item has something wrong typed in."""

    def act(window: MainWindow) -> None:
        own = OwnFile(window.session.profile.criteria)
        own.set_item("kind", "pun", {"description": "Two meanings of one word meet."})
        own.set_weights({"wit": 0.6, "clarity": 0.4})
        window.criteria.open()
        while window.side_worker.busy:
            QTest.qWait(10)
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, CriteriaDialog)
        dialog.sections.set_current(section)
        row = dialog.form.rows.get("name")
        if row is not None and row.line is not None and section != "weights":
            row.line.clear()
            row.edited.emit()
            QTest.qWait(250)

    return act


def slow_library(window: MainWindow) -> None:
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    dialog.current_text.set_content("In use: Some model · 98 MB · llama Q4_1")
    dialog.notes_text.set_content("Q4_1 has no fast kernels in llama.cpp; a copy of this model in Q8_0 is faster.")
    dialog.notes_text.show()
    row = dialog.faster
    row.facts.set_content(
        "The same model in Q8_0 reads prompts faster. It takes 145 MB more of the disk and costs a hair of precision; "
        "Some model stays as it is."
    )
    row.set_action("Stop")
    row.set_progress(60, 145, "Copying · 60 MB of 145 MB")
    row.show()


def fit_card(window: MainWindow) -> FitCard:
    """The library's card for fitting, scrolled to, as with a model of one's own in use."""
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    dialog.model_ready(INFO)
    dialog.fit_card.show_head("none")
    QTest.qWait(1)
    dialog.column.ensureWidgetVisible(dialog.fit_card)
    return dialog.fit_card


def fitting(window: MainWindow) -> None:
    card = fit_card(window)
    card.begin()
    card.show_progress(214, 720, "reading texts that people voted on")


def fitted(kept: bool) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        card = fit_card(window)
        report = canned_profile.head_report(kept)
        card.end_with(report)
        card.show_head(report.in_use, report.head.share)

    return act


def trust(window: MainWindow) -> None:
    list(window.session.load())
    window.trust_tab.refresh()
    window.show_tab("trust")


def trust_deep(window: MainWindow) -> None:
    list(window.session.load())
    assert window.session.model is not None
    costs = Costs(quick=Spent(tokens=41, seconds=0.2), deep=Spent(tokens=76, seconds=0.4))
    all_costs = Costs(quick=Spent(tokens=812, seconds=9), deep=Spent(tokens=3120, seconds=41))
    none = Compared(quick=0.47, deep=0.47, low=0.0, high=0.0, n=60)
    some = Compared(quick=0.12, deep=0.21, low=0.02, high=0.17, n=60)
    unsure = Compared(quick=0.55, deep=0.58, low=-0.04, high=0.1, n=60)
    found = DeepWorth(
        model_sha256=window.session.model.sha256,
        questions=window.trust_tab.index.shelf.deep_mark,
        ratings=(
            DeepRatings(ask="plan", texts=60, factors=none, kinds=none, costs=costs, moved=0.0, branches=0),
            DeepRatings(ask="all", texts=60, factors=some, kinds=unsure, costs=all_costs, moved=1.0, branches=22),
        ),
        duels=DeepDuels(right=unsure, costs=all_costs, moved=0.1),
    )
    window.trust_tab.index.shelf.deep.save(found)
    trust(window)
    QTest.qWait(50)
    bar = window.trust_tab.right.verticalScrollBar()
    bar.setValue(window.trust_tab.deep.pos().y())


def trust_none(window: MainWindow) -> None:
    window.session.settings.model = "other"
    trust(window)


def trust_ready(window: MainWindow) -> None:
    trust(window)
    measurer = window.trust_tab.measurer
    measurer.files = (Labelled(Path("my-votes.csv"), "pairs", 2340, ties=120, bad=3),)
    measurer.phase = "ready"
    window.trust_tab.measure.draw()


def trust_running(window: MainWindow) -> None:
    trust_ready(window)
    measurer = window.trust_tab.measurer
    measurer._job = Job("trust", lambda _token: ())
    measurer.progress, measurer.phase = RowsDone(done=120, total=300, seconds=90.0), "running"
    window.trust_tab.measure.draw()


def trust_own(window: MainWindow) -> None:
    window.session.settings.model = "other"
    trust(window)
    assert window.session.model is not None
    canned_profile.keep_measurements(window.session.profile, window.session.model)
    window.trust_tab.refresh()


def trust_beside(window: MainWindow) -> None:
    """Another model was measured on the same files, and one audit is held against another."""
    trust_own(window)
    tab = window.trust_tab
    kept = tab.own.shown
    assert kept is not None
    beside = tab.own.beside
    beside.offer(kept, [kept])
    hits = [float(place % 3 > 0) for place in range(120)], [float(place % 2) for place in range(120)]
    runs = [
        RunRef(file="my-votes.csv", model=model, mode="quick", program="0.3", answers=120, unused=0)
        for model in (kept.found.model, ModelRef(name="Llama 3.2 3B Instruct Q4_K_M", sha256="c" * 64))
    ]
    found = Comparison(first=runs[0], second=runs[1], duels=paired(*hits), admission=paired(hits[1], hits[0]))
    beside.show_comparison(HeldBeside(kept, found))
    old = read_audit(models_dir() / "audits" / f"{EMBEDDED_SHA256[:16]}.json")
    pairs = tuple(
        pair.replaced(odds={voice: -odds for voice, odds in pair.odds.items()}) if place < 7 else pair
        for place, pair in enumerate(old.pairs)
    )
    new = old.replaced(program="0.4", pairs=pairs)
    card = tab.audit.card
    card.show_audit(new, True)
    card.show_drift(new, drift(old, new, Names(parse_perturbations())), "audit-in-june.json")
    QTest.qWait(50)
    tab.left.ensureWidgetVisible(beside)
    tab.right.ensureWidgetVisible(card.save_link)


def trust_damaged(window: MainWindow) -> None:
    profile = window.session.profile
    for place, suffix in ((profile.heads, "npz"), (profile.cards, "json")):
        place.mkdir()
        (place / f"{EMBEDDED_SHA256[:16]}.{suffix}").write_text("{", encoding="utf-8")
    window.trust_tab.show_model(ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256))
    window.trust_tab.refresh()
    window.show_tab("trust")


def contest_list(*texts: str, form: str = "numbered") -> Callable[[MainWindow], None]:
    """A list on its page."""

    def act(window: MainWindow) -> None:
        lines = [f"{number}. {text}" if form == "numbered" else text for number, text in enumerate(texts, start=1)]
        window.show_tab("contest")
        tab_of(window).list_page.set_text("\n".join(lines))

    return act


def contest_open(status: Status = Status.FINISHED, **changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab_of(window).open(canned.entry(contest(**changes), status))
        tab_of(window).ranking.view.select_row(1)

    return act


def contest_running(window: MainWindow) -> None:
    window.show_tab("contest")
    tab, job = tab_of(window), Job("contest", lambda _token: ())
    half = contest().entries[:5]
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    for event in (
        Started(id="c1", kind="contest"),
        StageStarted(stage=Stage.READING, total=9),
        ContestRanked(result=contest(entries=half, held=(), decisive=())),
        StageProgress(stage=Stage.READING, done=5, total=9, note="Reading the jokes"),
    ):
        tab.handle(job, event)


def contest_stopped(window: MainWindow) -> None:
    read = contest().entries[:5]
    waiting = [RankedEntry(id=str(number), text=text) for number, text in enumerate(JOKES[5:], start=6)]
    contest_open(Status.CANCELLED, entries=(*read, *waiting), held=(), decisive=())(window)


def contest_adding(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.add_button.click()
    tab_of(window).list_page.set_text("One more.\nAnd another.")


def contest_editing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    view = tab_of(window).list_page.view
    view.setCurrentIndex(view.model().index(1, 0))
    view.edit_current()


def contest_missing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    window.models.lose(
        ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint="Choose another model.")
    )


def screening(agreement: float = 0.69, more: int = 11, **changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab = tab_of(window)
        tab.open(canned.entry(screenable(agreement, more, **changes)))
        tab.show_screening()

    return act


def screening_vote(window: MainWindow) -> None:
    screening(0.8)(window)
    page = tab_of(window).screening
    page.vote_button.click()
    for _ in range(3):
        page.vote.choices[0].button.click()


def screening_decided(window: MainWindow) -> None:
    screening_vote(window)
    page = tab_of(window).screening
    best = page.vote.choices[0].entry_id
    while page.face == "vote":
        next(choice for choice in page.vote.choices if choice.entry_id == best).button.click()


def screening_score(window: MainWindow) -> None:
    screening(0.8)(window)
    page = tab_of(window).screening
    page.own.score_button.click()
    for score in (3, 7, 2):
        page.score.buttons[score].click()


def screening_own(window: MainWindow) -> None:
    screening(0.69, 30)(window)
    page = tab_of(window).screening
    page.own.score_button.click()
    for score in [3, 7, 2] * 8:
        page.score.buttons[score].click()
    tab_of(window).columns["screening"].verticalScrollBar().setValue(10_000)


def contest_kept(window: MainWindow) -> None:
    """Two are kept, one of them tagged and voted on, and only those are shown."""
    contest_open()(window)
    tab = tab_of(window)
    tab.state.notes["1"] = Said("keep", tags=("opener", "short"))
    tab.state.votes = {JOKES[0]: "up", JOKES[1]: "down"}
    tab.ranking.show_part("kept")


def contest_blind(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.view.blind_asked.emit()


def contest_tagging(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.view.tag_asked.emit()


def contest_rewriting(window: MainWindow) -> None:
    contest_open()(window)
    view = tab_of(window).ranking.view
    view.version_asked.emit(view.chosen()[0])


def contest_rewritten(window: MainWindow) -> None:
    contest_open()(window)
    tab = tab_of(window)
    tab.desk.add_version(tab.ranking.view.chosen()[0], "If smoking is bad, why does it cure salmon?")


def contest_exported(window: MainWindow) -> None:
    contest_open()(window)
    window.notices.say("info", "Exported 2 jokes to shortlist.txt.")


def contest_failed(window: MainWindow) -> None:
    error = ErrorInfo(code="E_FULL", sentence="The disk is full.", hint="Make room, then go on.")
    contest_open(Status.FAILED, error=error)(window)


def engine(_file: ModelFile, settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
    """An engine in name only: the embedded model's, or with a model set another one's."""
    if settings.model:
        return FakeEngine(name="Qwen2.5 Coder 0.5B Instruct Q4_K_M")
    return FakeEngine(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)


STATES: dict[str, Callable[[MainWindow], object]] = {
    "rate_first": lambda window: None,
    "rate_preparing": lambda window: window.models.show_preparing(2, 6),
    "rate_running": running,
    "rate_finished": lambda window: window.open_verdict("h10"),
    "rate_asked": lambda window: window.by_kind["rate"].open(canned.entry(canned.rating())),
    "rate_read": lambda window: window.by_kind["rate"].open(canned.entry(canned.read_rating())),
    "rate_foreign": lambda window: window.by_kind["rate"].open(
        canned.entry(
            canned.read_rating(
                text="Treffen sich zwei Jäger. Beide tot.",
                audience=None, mean_score=None, factors=(), categories=(), turn=None, cuts=(), note=None,
                explanation=None, stage_seconds={"reading": 0.4},
                warnings=(
                    "This text doesn't seem to be English, and the estimates were learned from English jokes alone.",
                ),
            )
        )
    ),
    "rate_unheard": unheard,
    "rate_topic": lambda window: window.by_kind["rate"].open(
        canned.entry(canned.read_rating(context="A salmon talks to a smoker"))
    ),
    "duel_topic": duel_topic,
    "rate_independent": independent,
    "rate_beside": beside,
    "rate_deep": deep,
    "rate_listeners": listeners,
    "rate_rejected": rejected,
    "rate_stopped": stopped,
    "rate_error": missing,
    "duel_empty": lambda window: window.show_tab("duel"),
    "duel_same": duel_same,
    "duel_clear": duel_open(),
    "duel_inconsistent": duel_open(**canned.INCONSISTENT),
    "duel_noise": duel_open(
        p_a=0.52, confidence_factor=1.07, measured_factor=1.24, band="nearly identical", within_noise=True,
        explanation=TOO_CLOSE,
    ),
    "duel_b": duel_open(
        winner="B", p_a=0.04, confidence_factor=24.0, band="overwhelming", length_controlled=ProbabilityA(p_a=0.1)
    ),
    "rate_voted": lambda window: voted(window, "rate"),
    "duel_versions": duel_open(**canned.VERSIONS),
    "duel_tie": duel_open(
        **canned.VERSIONS | {"winner": "tie", "p_a": 0.5, "confidence_factor": 1.0, "band": "nearly identical"}
    ),
    "duel_voted": lambda window: voted(window, "duel"),
    "criteria_kinds": criteria("kind"),
    "criteria_factors": criteria("factor"),
    "criteria_faults": criteria("fault"),
    "criteria_listeners": criteria("listener"),
    "criteria_notes": criteria("note"),
    "criteria_weights": criteria("weights"),
    "settings_voted": lambda window: (voted(window, "rate"), window.open_settings())[1],
    "trust_card": trust,
    "trust_deep": trust_deep,
    "trust_none": trust_none,
    "trust_ready": trust_ready,
    "trust_running": trust_running,
    "trust_own": trust_own,
    "trust_beside": trust_beside,
    "trust_damaged": trust_damaged,
    "contest_empty": lambda window: window.show_tab("contest"),
    "contest_list": contest_list(*JOKES, JOKES[0], "  "),
    "contest_broken": contest_list('{"text": "One."}', "{", form="lines"),
    "contest_editing": contest_editing,
    "contest_running": contest_running,
    "contest_finished": contest_open(),
    "contest_stopped": contest_stopped,
    "contest_cut_off": contest_open(Status.INTERRUPTED, entries=(), held=(), decisive=()),
    "contest_failed": contest_failed,
    "contest_kept": contest_kept,
    "contest_blind": contest_blind,
    "contest_tagging": contest_tagging,
    "contest_rewriting": contest_rewriting,
    "contest_rewritten": contest_rewritten,
    "contest_exported": contest_exported,
    "contest_adding": contest_adding,
    "contest_missing": contest_missing,
    "screening_list": screening(0.85),
    "screening_strict": screening(0.64),
    "screening_unknown": screening(entries=contest().entries),
    "screening_vote": screening_vote,
    "screening_decided": screening_decided,
    "screening_score": screening_score,
    "screening_own": screening_own,
    "settings": lambda window: window.open_settings(),
    "library_slow": slow_library,
    "slow_notice": lambda window: window.notices.offer_copy(
        "Q4_1 reads slowly here. A copy of this model in Q8_0 is faster.", "Make a faster copy"
    ),
    "library": lambda window: window.models.open_library(),
    "library_fitting": fitting,
    "library_kept": fitted(True),
    "library_not_kept": fitted(False),
    "pane": lambda window: window.history.toggle(),
    **shots_judges.STATES,
}  # fmt: skip


def main(folder: Path, words: list[str]) -> None:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    folder.mkdir(parents=True, exist_ok=True)
    for size, (width, height, scale) in SIZES.items():
        for mode in ("light", "dark"):
            for name, act in STATES.items():
                label = f"{name}_{size}_{mode}"
                if words and not all(word in label for word in words):
                    continue
                theme.install(app, mode, scale, reduced_motion=True)  # type: ignore[arg-type]
                with tempfile.TemporaryDirectory() as place:
                    profile = Profile.at(Path(place))
                    if name != "rate_first":
                        canned_profile.fill_history(profile)
                    settings = Settings(theme=mode, text_scale=scale, reduced_motion=True)  # type: ignore[arg-type]
                    window = MainWindow(Session(profile, settings, loader=engine), EXAMPLES)
                    window.resize(width, height)
                    window.show()
                    window.models.show_status("ready", INFO.name, "145 MB · offline")
                    act(window)
                    QTest.qWait(150)
                    dialog = app.activeModalWidget()
                    (dialog or window).grab().save(str(folder / f"{label}.png"))
                    if dialog is not None:
                        dialog.close()
                    window.close()
                    while not window.is_closed():
                        QTest.qWait(10)
                    window.deleteLater()
                    QTest.qWait(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
