"""Deep mode of a rating: the findings in doubt are asked again in other ways until they are settled.

Only questions in the model's plan are asked again; without any, Deep adds a warning. The joke is also read once
without its turn, to see the effect on the audience's estimate."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from ...core.errors import Cancelled, EngineError
from ...core.events import Stage, StageProgress
from ...core.statistics import sigmoid
from ...core.verdicts import Budget
from ...engine.base import CancelToken
from ...rubric.audiences import Listener
from ..judged_kind import staged
from ..main_judge import MainJudge
from .deep_nodes import (
    MIDDLE,
    Asking,
    Reasons,
    check_node,
    checks_after,
    contradictions,
    factor_node,
    factors_after,
    kind_node,
    kinds_after,
    to_mirror,
    written_steps,
)
from .listeners import ALL, who_is_asked
from .record import AUDIENCE, LAUGHS, Branch, Node, RatingDraft, Step
from .scores import put_scores
from .tree import Reasoner, mean_of, without_turn

# -- Other listeners as branches of deep mode's tree: those that the model distinguishes


def listeners_node(
    judge: MainJudge, text: str, listeners: Sequence[Listener], cancel: CancelToken | None = None
) -> Node:
    """Ask who would laugh: an ordinary listener first, then each of ``listeners``, all on one reading of the joke;
    probabilities in 100. It shows how tastes differ, and has no part in the audience's estimate. Raises the engine's
    errors."""
    asker = judge.listener_asker
    usual, *others = asker.ask(text, [asker.audiences.anyone, *(each.words for each in listeners)], cancel)
    values = [100.0 * sigmoid(odds) for odds in (usual, *others)]
    mean, error = mean_of(values)
    branches = tuple(
        Branch(how="another listener", value=value, listener=each.name)
        for each, value in zip(listeners, values[1:], strict=True)
    )
    return Node(
        id=LAUGHS, kind="verdict", name="Would laugh", before=values[0], after=mean, error=error, branches=branches,
        doubts=("tastes differ",),
    )  # fmt: skip


MOST_LOOPS = 2
NOTHING_MORE = "Deep gives the same result as Quick with this model."


class DeepJudge:
    """Continues a rating that quick mode has filled. ``draft.tree`` grows; Stop keeps it."""

    def __init__(
        self,
        draft: RatingDraft,
        judge: MainJudge,
        budget: Budget,
        cancel: CancelToken | None,
        *,
        explain: bool = True,
    ) -> None:
        """``explain``: with reasons, if the model passed the prose test."""
        self._draft = draft
        self._judge = judge
        self._cancel = cancel
        self._everything = draft.everything_asked
        reasons = Reasons(judge, draft.text, draft.seed) if explain and judge.writes else None
        self._asking = Asking(judge, draft.text, reasons)
        self._listeners = [each for each, reason in who_is_asked(judge, (ALL,)) if not reason]
        self._reasoner = Reasoner(
            (), self._asking.sources(), budget, lambda: judge.engine.usage, prompts=judge.deep_prompts.version
        )

    def reconsider(self) -> Iterator[Step]:
        """Repeat the checks that were near their limit. A rejected text may be admitted by that."""
        draft = self._draft
        names = {check.id: check.name for check in self._judge.criteria.template.checks}
        for check in draft.admissibility:
            self._reasoner.add(check_node(check, names.get(check.check, check.check)))
        yield from self._grow()
        draft.admissibility = checks_after(draft.admissibility, self._reasoner.nodes)
        if draft.admissible is False and all(check.passed for check in draft.admissibility):
            draft.admissible, draft.rejection = True, None
        yield from self._keep()

    def reason(self) -> Iterator[Step]:
        """Ask again about kinds and factors in doubt, and about contradictory ones, at most twice."""
        total = self._reasoner.tree.budget.branches
        yield from staged(self._draft, Stage.REASONING, self._reasoned(), total=total)

    def _reasoned(self) -> Generator[Step, None, None]:
        draft = self._draft
        for category in draft.categories:
            self._reasoner.add(kind_node(category, self._asks("kind", category.id)))
        for factor in draft.factors:
            asked = factor.origin == "shared" and self._asks("factor", factor.id)
            known = self._judge.calibration.scores.get(factor.id)
            self._reasoner.add(factor_node(factor, asked, known.mean_expected if known is not None else MIDDLE))
        if any(node.kind == "factor" and not node.settled for node in self._reasoner.nodes.values()):
            before = self._judge.engine.usage
            written_steps(self._judge, self._cancel)
            self._reasoner.disregard(self._judge.engine.usage - before)
        yield from self._grow()
        for _ in range(MOST_LOOPS):
            if not self._contradicted():
                break
            yield from self._grow()
        yield from self._mirror()
        self._take_over()
        yield from self._who_laughs()
        yield from self._without_turn()
        if not self._may_ask:
            self._reasoner.ended = "nothing to ask"
            draft.warn(NOTHING_MORE)
        draft.tree = self._reasoner.tree

    @property
    def _may_ask(self) -> bool:
        plan = self._judge.plan
        return self._everything or bool(plan.asked("kind") or plan.asked("factor") or self._listeners)

    def _asks(self, kind: str, id: str) -> bool:
        if self._everything:
            return True
        item = self._judge.plan.of("kind" if kind == "kind" else "factor", id)
        return item is not None and item.ask

    def _grow(self) -> Iterator[Step]:
        yield from self._branches(self._reasoner.grow(self._cancel), "Reading what is in doubt again")

    def _mirror(self) -> Iterator[Step]:
        """Compare the model's findings with those on the joke without its turn."""
        factors = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        ids = to_mirror(self._reasoner.nodes, factors)
        mirror = without_turn(self._draft.text, self._draft.turn) if ids else None
        if mirror is not None:
            steps = self._reasoner.mirror(ids, self._asking.mirrored(*mirror), self._cancel)
            yield from self._branches(steps, "Reading the joke without its turn")

    def _who_laughs(self) -> Iterator[Step]:
        """Ask for the listeners that this model distinguishes."""
        listeners = self._listeners[: self._reasoner.room()]
        if listeners:
            yield from self._branches(self._heard(listeners), "Asking for other listeners")

    def _heard(self, listeners: Sequence[Listener]) -> Iterator[int]:
        self._reasoner.add(listeners_node(self._judge, self._draft.text, listeners, self._cancel))
        yield self._reasoner.used

    def _branches(self, steps: Iterator[int], note: str) -> Iterator[Step]:
        """Open branches; Stop keeps those already opened."""
        try:
            for done in steps:
                total = self._reasoner.tree.budget.branches
                yield StageProgress(stage=Stage.REASONING, done=done, total=total, note=note)
                yield from self._keep()
        except Cancelled:
            self._reasoner.ended = "stopped"
            self._take_over()
            self._draft.tree = self._reasoner.tree
            raise

    def _keep(self) -> Iterator[Step]:
        self._draft.tree = self._reasoner.tree
        yield self._draft

    def _contradicted(self) -> bool:
        """Whether contradictory findings were reopened."""
        nodes = self._reasoner.nodes
        kinds = kinds_after(self._draft.categories, nodes)
        chosen = [kind for kind in kinds if kind.chosen and self._asks("kind", kind.id)]
        own = {category.id: category.factors[:2] for category in self._judge.criteria.categories}
        found = contradictions(nodes, chosen, own)
        opened = [self._reasoner.reopen(ids, why) for why, ids in found]
        return any(opened)

    def _take_over(self) -> None:
        """Replace the draft's findings by those after all branches."""
        draft, nodes = self._draft, self._reasoner.nodes
        draft.categories = kinds_after(draft.categories, nodes)
        factors = factors_after(draft.factors, nodes, self._joined)
        if factors != draft.factors:
            put_scores(draft, factors, draft.weights)

    def _joined(self, id: str, answer: float) -> float:
        """A mean answer about a factor, combined with the heads' estimate by the plan's weights."""
        item = self._judge.plan.of("factor", id) if not self._everything else None
        if item is None or item.weights is None or not item.ask:
            return answer
        predicted = self._judge.reader.read(self._draft.text, self._cancel, context=self._draft.context)
        read = predicted.editor.factors.get(id) if predicted.editor is not None else None
        joined = item.joined(answer, read.expected if read is not None else None)
        return answer if joined is None else joined

    def _without_turn(self) -> Iterator[Step]:
        """Read the joke without its turn, to see how far the audience's estimate depends on it."""
        draft, reader = self._draft, self._judge.reader
        if draft.turn is None or draft.audience is None or not draft.audience.heard:
            return
        mirror = without_turn(draft.text, draft.turn)
        if mirror is None:
            return
        rest, taken = mirror
        try:
            audience = reader.audience(reader.read(rest, self._cancel, context=draft.context))
        except EngineError as error:
            if error.code not in ("E_EMPTY", "E_CONTEXT"):
                raise
            return
        if audience is None:
            return
        before = draft.audience.percentile
        branch = Branch(how="without its turn", value=audience.percentile, counts=False, taken=taken)
        self._reasoner.add(
            Node(id=AUDIENCE, kind="verdict", name="Audience", before=before, after=before, branches=(branch,))
        )
        yield from self._keep()
