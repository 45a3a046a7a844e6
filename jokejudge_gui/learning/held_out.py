"""Heads that haven't learned from the texts that they are measured on, in the place of a judge's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from ..judging.main_judge import MainJudge
from ..judging.reading.editor import EditorHeads, EditorReading, States, Unlearn
from ..judging.reading.reader import Heard, Reader
from ..statistics import Vector
from .editor_apart import Apart


class _EditorApart(EditorHeads):
    """Editor's heads of which each text that they learned from is left out when it is read."""

    def __init__(self, heads: EditorHeads) -> None:
        vars(self).update(vars(heads))

    @cached_property
    def _apart(self) -> Apart:
        """Inverses of large matrices: half a minute, so only where something is read."""
        return Apart(self)

    def found(
        self, states: States, text: str, spans: object, logprobs: object = None, *, unlearn: Unlearn | None = None
    ) -> tuple[EditorReading, Vector]:
        return super().found(states, text, spans, logprobs, unlearn=unlearn or self._apart)  # type: ignore[arg-type]


class _Apart(Reader):
    """A reader with such heads. ``scores``: log-odds scores of texts by audience maps that didn't see them."""

    scores: Mapping[str, float]

    def difference(self, a: Heard, b: Heard, *, length_controlled: bool = False) -> float:
        if a.text in self.scores and b.text in self.scores:
            return self.scores[a.text] - self.scores[b.text]
        return super().difference(a, b, length_controlled=length_controlled)


@contextmanager
def held_out(judge: MainJudge, scores: Mapping[str, float], *, editor: bool = True) -> Iterator[None]:
    """While it lasts the judge compares the audience ``scores`` of texts that have one and, with ``editor``, reads with
    the editor's heads without the text that is read. Afterwards it reads as before."""
    before = judge.reader
    heads = _EditorApart(before.editor) if before.editor is not None and editor else before.editor
    apart = _Apart(judge.engine, before.head, heads, before.ears, before.drafts, before.contextual, before.offence)
    apart.scores = scores
    judge.reader = apart
    try:
        yield
    finally:
        judge.reader = before
