"""Verdicts made by hand: twelve of a rating and of a duel, some of each other kind; every surface must say the same of
them (tests/unit/kinds/test_one_truth.py, tests/ui/test_one_truth.py)."""

from __future__ import annotations

import math
from typing import Any

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.room import RoomLaugh
from jokejudge_gui.core.verdicts import (
    Audience,
    CheckResult,
    Laugh,
    ModelRef,
    Sense,
    Span,
    Status,
    Usage,
    VerdictResult,
)
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.audit.record import AuditResult
from jokejudge_gui.judge.contest.record import ContestResult, RankedEntry
from jokejudge_gui.judge.duel.record import Drafts, DuelResult, DuelText, OrderResult
from jokejudge_gui.judge.kinds import kind_of
from jokejudge_gui.judge.rating.record import (
    Branch,
    CategoryScore,
    FactorScore,
    Node,
    RatingResult,
    ReasoningTree,
)
from jokejudge_gui.judge.set.record import Bit, SetResult
from jokejudge_gui.judge.templates.record import TemplateResult
from jokejudge_gui.judge.versions import WorkshopRequest, WorkshopResult

MODEL = ModelRef(name="tiny_model", sha256="c" * 64)
JOKE = "I told my wife she drew her eyebrows too high. She looked *surprised* at me & <laughed>."
A = "I asked the librarian for a book on paranoia. She whispered: it's behind you."
B = "I asked the librarian for a book on paranoia. She said: second shelf."
GERMAN = "Ich habe meiner Frau gesagt, dass sie ihre Augenbrauen zu hoch malt. Sie sah überrascht aus."
ERROR = ErrorInfo(code="E_MODEL", sentence="The model stopped.", hint="Try again.")
TURN = Span(start=JOKE.index("*sur"), end=JOKE.index(" at me"), text="*surprised*", p=0.9)


def check(passed: bool = True, source: str = "read") -> CheckResult:
    return CheckResult(check="intent", p_admit=0.9 if passed else 0.04, passed=passed, reliable=True, source=source)


def factor(name: str, standing: float | None = None, **more: Any) -> FactorScore:
    read = {"standing": standing, "source": "read", "trust": 0.5} if standing is not None else {}
    usual = {"id": name.lower(), "name": name, "origin": "shared", "score": 3, "expected": 3.25, "sd": 0.4}
    return FactorScore.model_validate(usual | read | more)


def rating(id: str, **more: Any) -> RatingResult:
    usual = {
        "id": id, "text": JOKE, "admissible": True, "admissibility": (check(),), "model": MODEL,
        "usage": Usage(tokens_evaluated=40, tokens_reused=2, seconds=1.5), "stage_seconds": {"reading": 0.5},
    }  # fmt: skip
    return RatingResult.model_validate(usual | more)


def audience(percentile: float, low: float, high: float, **more: Any) -> Audience:
    usual = {"percentile": percentile, "score": 0.1, "low": low, "high": high, "kind": "one-liners", "agreement": 0.62,
        "upper": 0.7 if low > 50.0 else 0.3 if high < 50.0 else 0.52,
    }  # fmt: skip
    return Audience.model_validate(usual | more)


def duel(id: str, p_a: float = 0.9, **more: Any) -> DuelResult:
    odds = max(p_a, 1 - p_a) / min(p_a, 1 - p_a)
    usual: dict[str, Any] = {
        "id": id, "text_a": A, "text_b": B, "p_a": p_a, "confidence_factor": odds, "measured_factor": odds,
        "winner": "tie", "band": "strong", "edit": "end", "people": 78,
        "read_a": DuelText(turn=Span(start=60, end=77, text="it's behind you", p=0.9), said="joke", kind="one-liners"),
        "read_b": DuelText(said="joke", kind="one-liners"), "model": MODEL,
    }  # fmt: skip
    found = DuelResult.model_validate(usual | more)
    return found.replaced(winner=found.winner_by(math.log(p_a / (1 - p_a))))


_FACTORS = (factor("Wit", 0.999), factor("Logic", 0.05), factor("Truth", 0.5))
_PUN = CategoryScore(id="pun", name="Pun", p=0.9, z=1.0, chosen=True)
_DEEP = ReasoningTree(
    nodes=(
        Node(id="wit", name="Wit", before=3.9, after=3.2, error=0.2,
             branches=(Branch(how="as in quick mode", value=3.8), Branch(how="another wording", value=2.6))),
    ),
    used_branches=2,
)  # fmt: skip
_ORDERS = (OrderResult(first="A", p_a=0.8, log_odds_a=1.4), OrderResult(first="B", p_a=0.4, log_odds_a=-0.4))
_NO_TURN = DuelText(said="no turn", kind="one-liners")

RATINGS = {
    "sure": rating("r1", audience=audience(81, 55.4, 99.8), turn=TURN, factors=_FACTORS, categories=(_PUN,)),
    "unsure": rating("r2", audience=audience(52, 12, 90), turn=TURN),
    "doubtful": rating("r3", audience=audience(60, 12, 90), sense=Sense(joke=0.4, whole=0.9, said="unsure"),
                        mean_score=3.9, factors=_FACTORS, categories=(_PUN,)),
    "unknown kind": rating("r4", audience=audience(81, 55, 99, heard=False, upper=0.5), mean_score=3.9,
                            factors=_FACTORS, weighted_score=3.8, categories=(_PUN,)),
    "no turn": rating("r5", sense=Sense(joke=0.1, whole=0.9, said="no turn")),
    "not English": rating("r6", text=GERMAN, audience=audience(81, 55, 99), mean_score=3.0, factors=_FACTORS),
    "not admitted": rating("r7", admissible=False, rejection="Not clearly a joke: it breaks off.",
                            admissibility=(check(passed=False),)),
    "asked": rating("r8", everything_asked=True, admissibility=(check(source="asked"),), mean_score=2.45, spread=0.35,
                     max_score=3.2, factors=(factor("Wit"),), stage_seconds={"scores": 1.0}),
    "weighted": rating("r9", audience=audience(81, 55, 99), weights={"wit": 2.0}, weighted_score=3.149,
                        mean_score=3.1, everything_asked=True, factors=_FACTORS),
    "deep": rating("r10", mode="deep", audience=audience(81, 55, 99), tree=_DEEP, factors=_FACTORS),
    "in a room": rating("r13", text=A, laughs=(Laugh(start=0, end=45, p=0.1), Laugh(start=46, end=len(A), p=0.9)),
                         room=(RoomLaugh(at=45),)),
    "old row": RatingResult(id="r11", text=JOKE, mean_score=3.0, categories=(_PUN,)),
    "failed": RatingResult(id="r12", text=JOKE, error=ERROR),
}  # fmt: skip
DUELS = {
    "sure": duel("d1"),
    "probable": duel("d2", 0.3),
    "59 in 100": duel("d3", 0.59),
    "tie": duel("d4", 0.5),
    "within noise": duel("d5", within_noise=True),
    "unknown kind": duel("d6", text_b=JOKE, edit="different", people=None, read_a=DuelText(kind="", heard=False)),
    "nothing turns in one": duel("d7", read_a=_NO_TURN),
    "nothing turns in both": duel("d8", read_a=_NO_TURN, read_b=_NO_TURN),
    "orders disagree": duel("d9", 0.66, orders=_ORDERS, consistent=False, measured_factor=3.0, position_bias=0.2),
    "drafts": duel("d10", drafts=Drafts(p_a=0.9, agreement=0.83, fault="explained", fault_p=0.97), people=None),
    "old row": DuelResult(id="d11", text_a=A, text_b=B, winner="A", p_a=0.9, confidence_factor=9.0),
    "failed": DuelResult(id="d12", text_a=A, text_b=B, error=ERROR),
}  # fmt: skip
_BITS = (
    Bit.model_validate({"id": "1", "title": "Books", "text": f"{A} [laugh]", "punchline": None, "rating": "r20"}),
    Bit(id="2", text=JOKE, punchline=TURN, laughs=(Laugh(start=0, end=len(JOKE), p=0.9),),
        room=(RoomLaugh(at=len(JOKE), strength=3),)),
    Bit(id="3", text=f"Again: {TURN.text}!", error=ERROR),
)  # fmt: skip
_VERSIONS = WorkshopRequest.of(A, B).versions
OTHERS: dict[str, VerdictResult] = {
    "contest": ContestResult(
        id="c1", model=MODEL, context="books",
        entries=(RankedEntry(id="1", text=A, rank=1, rank_low=1, rank_high=2, score=0.4),
                 RankedEntry(id="2", text=B, rank=2, rank_low=1, rank_high=2, score=0.1)),
    ),
    "contest, empty": ContestResult(id="c2", model=MODEL),
    "contest, failed": ContestResult(id="c3", error=ERROR),
    "versions, begun": WorkshopResult.model_validate({"id": "w1", "versions": _VERSIONS, "model": MODEL}),
    "versions, failed": WorkshopResult.model_validate({"id": "w2", "versions": _VERSIONS, "error": ERROR}),
    "set": SetResult(id="s1", model=MODEL, title="Friday", minutes=1.0, bits=_BITS),
    "set, failed": SetResult(id="s2", error=ERROR),
    "audit, nothing run": AuditResult(id="a1", model=MODEL, source="mine"),
    "audit, failed": AuditResult(id="a2", error=ERROR),
    "template": TemplateResult.model_validate({"id": "t1", "pack": "stages", "module": "intent", "input": A,
                                               "output": True, "expected": False, "model": MODEL}),
    "template, failed": TemplateResult.model_validate({"id": "t2", "pack": "stages", "module": "intent", "input": A,
                                                       "error": ERROR}),
}  # fmt: skip
RECORDS: dict[str, VerdictResult] = {
    **{f"rating, {name}": record for name, record in RATINGS.items()},
    **{f"duel, {name}": record for name, record in DUELS.items()},
    **OTHERS,
}


def record(store: HistoryStore, result: VerdictResult, status: Status = Status.FINISHED, **made: Any) -> None:
    """Put a verdict into a history; ``made``: what made it, where that matters."""
    kind = kind_of(result)
    usual = {"mode": "quick", "model": result.model, "prompt_version": "p", "criteria_version": "c", "seed": 1}
    store.begin(id=result.id, kind=kind.name, subjects=kind.subjects(kind.request_of(result)), **(usual | made))
    store.end(result.id, status, result, result.error)
