"""States of the Rate tab."""

from __future__ import annotations

from collections.abc import Callable

import canned
import canned_profile
from PySide6.QtCore import QUrl
from PySide6.QtTest import QTest

from jokejudge_gui.core.verdicts import (
    Audience,
    ModelRef,
    Offence,
    PanelFindings,
    PanelMember,
    Sense,
    Span,
    Status,
    Wordplay,
)
from jokejudge_gui.judge.rating.listeners import NOT_ASKED, WORTHLESS
from jokejudge_gui.judge.rating.record import (
    Branch,
    FaultVoice,
    ListenerVoice,
    Node,
    ReasoningTree,
    Reference,
    Remark,
    Trial,
)
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.rate.tab import RateTab
from states.frame import lose_model, voted

PANEL = PanelFindings(
    name="Friday jury",
    members=(
        PanelMember(
            model=ModelRef(name="SmolLM2 135M Instruct Q8_0", sha256="a"), worth=0.66, weight=0.41,
            headline="Funnier than 71 of 100 jokes",
        ),
        PanelMember(
            model=ModelRef(name="Qwen2.5 Coder 0.5B Instruct Q4_K_M", sha256="b"), worth=0.69, weight=0.59,
            headline="Funnier than 84 of 100 jokes",
        ),
        PanelMember(model=ModelRef(name="Llama 3.2 3B Instruct", sha256="c"), headline="Funnier than 40 of 100 jokes"),
    ),
    dissent=({"finding": "Leans to the upper half, 7 in 10", "agree": 2, "of": 3},),
)  # fmt: skip


def running(window: MainWindow) -> None:
    job = Job("rate", lambda _token: ())
    tab = window.by_kind["rate"]
    tab.begin(job, canned.PARALLEL)
    for event in canned.scoring():
        tab.handle(job, event)


def more(window: MainWindow) -> None:
    """The rest of a verdict's words, with a finding of its tree opened."""
    start = canned.SALMON.index("salmon")
    factor = Node(
        id="wordplay", name="Wordplay", before=3.9, after=3.2, error=0.2,
        doubts=("its answer is nearly even between the levels",),
        branches=(
            Branch(how="as in quick mode", value=3.8),
            Branch(how="another wording", value=3.7),
        ),
    )  # fmt: skip
    result = canned.read_rating(
        offence=Offence(p=0.72, trust=0.68, stated=True),
        references=(Reference(text="salmon", start=start, end=start + 6, why="name"),),
        listeners=(
            ListenerVoice(id="family", name="Family", p=0.81, anyone=0.62),
            ListenerVoice(id="", name="people who keep bees", p=None, anyone=None, reason=WORTHLESS),
        ),
        own_faults=(FaultVoice(id="long", name="Takes its time", p=None, reason=NOT_ASKED),),
        panel=PANEL,
        tree=ReasoningTree(nodes=(factor,), used_branches=4),
    )  # fmt: skip
    tab = window.by_kind["rate"]
    assert isinstance(tab, RateTab)
    tab.open(canned.entry(result))
    tab.page.rows.anchorClicked.emit(QUrl("#4"))
    QTest.qWait(150)
    tab.right.ensureWidgetVisible(tab.page.rows)


def rejected(window: MainWindow) -> None:
    result = canned.rating(
        text="The museum opens at nine and closes at",
        admissible=False,
        rejection="Not clearly a joke: no intent to amuse, and it stops mid-sentence.",
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


SHOP = "I went to the shop yesterday. They had no milk, so I came home."
GOSSIP = "A gossip is someone with a great sense of rumor."


def no_turn(window: MainWindow) -> None:
    """Nothing turns in either version."""
    nothing = {
        "audience": None, "factors": (), "categories": (), "turn": None, "mean_score": None,
        "remarks": (Remark(text="Nothing turns here.", about="heard", right=0.92),), "explanation": None,
        "sense": Sense(joke=0.1, whole=0.9, said="no turn"),
    }  # fmt: skip
    for number, text in enumerate(("I went to the shop. They had no milk.", SHOP)):
        canned_profile.record(window.session.store, canned.read_rating(f"n{number}", text, **nothing))
    window.open_verdict("n1")


def versions(window: MainWindow) -> None:
    """The third version of a joke, marked, as in the look guide's picture."""
    texts = (
        GOSSIP.replace("someone with", "a person who has a really"),
        GOSSIP.replace("someone with", "a person who has"),
    )
    for number, text in enumerate((*texts, GOSSIP)):
        at, word, great = text.index("sense"), text.index("rumor"), text.index("great")
        trial = Trial(kind="cut", text=text.replace("great ", ""), change="great", p_better=0.7)
        result = canned.read_rating(
            f"v{number}", text,
            audience=Audience(percentile=57.0 + 9 * number, score=0.4, low=32.0 + 10 * number, high=82.0 + 6 * number,
                              kind="short posts", agreement=0.65),
            turn=Span(start=at, end=len(text), text=text[at:], p=0.8),
            wordplay=Wordplay(start=word, end=word + 5, text="rumor", second="humor", link="sound", p=0.9,
                              sentence="“rumor” stands where “humor” is expected"),
            remarks=(
                Remark(text="“great” could go.", about="cut", right=0.74, start=great, end=great + 5, trial=trial),
                Remark(text="“A … is someone with …” is a familiar form.", about="form", right=0.83),
            ),
        )  # fmt: skip
        canned_profile.record(window.session.store, result)
    window.pane.refresh()
    window.open_verdict("v2")


def stale(window: MainWindow) -> None:
    versions(window)
    window.by_kind["rate"].joke.set_text(f"{GOSSIP} Pass it on.")


def without_model(window: MainWindow) -> None:
    lose_model(window)
    window.by_kind["rate"].joke.set_text(canned.PARALLEL)


STATES: dict[str, Callable[[MainWindow], object]] = {
    "rate_first": lambda window: None,
    "rate_running": running,
    "rate_finished": lambda window: window.open_verdict("h10"),
    "rate_asked": lambda window: window.by_kind["rate"].open(canned.entry(canned.rating())),
    "rate_read": lambda window: window.by_kind["rate"].open(canned.entry(canned.read_rating())),
    "rate_no_turn": no_turn,
    "rate_versions": versions,
    "rate_stale": stale,
    "rate_bit": lambda window: window.by_kind["rate"].open(canned.entry(canned.bit_reading())),
    "rate_foreign": lambda window: window.by_kind["rate"].open(
        canned.entry(
            canned.read_rating(
                text="Treffen sich zwei Jäger. Beide tot.",
                audience=None, mean_score=None, factors=(), categories=(), turn=None, remarks=(),
                explanation=None, stage_seconds={"reading": 0.4},
                warnings=(
                    "This doesn't look like English, and nothing was measured on such texts.",
                ),
            )
        )
    ),
    "rate_topic": lambda window: window.by_kind["rate"].open(
        canned.entry(canned.read_rating(context="A salmon talks to a smoker"))
    ),
    "rate_more": more,
    "rate_rejected": rejected,
    "rate_stopped": stopped,
    "rate_error": without_model,
    "rate_voted": lambda window: voted(window, "rate"),
}  # fmt: skip
