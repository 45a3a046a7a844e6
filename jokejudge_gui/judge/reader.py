"""Reads texts with a model's heads, each of them once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from ..core.texts import clean_text
from ..core.verdicts import Audience, Offence
from ..engine.base import CancelToken, Engine, Scan, Segment
from ..heads.audience import AudienceHead, Features, KindAgreements, interval, too_vague
from ..heads.drafts import DraftComparison, DraftHeads, DraftReading, foreseen
from ..heads.editor import EditorHeads, EditorReading
from ..heads.intent import joke_odds
from ..heads.near_duplicates import same_joke
from ..heads.offence import OffenceHead

_REMEMBERED = 2000
"""Texts of which it is remembered what was read: a few thousand bytes each, and the text itself."""

_REMEMBERED_DRAFTS = 64
"""Texts of which the states themselves are kept, some hundred kilobytes each: enough for the versions of one joke."""


@dataclass(frozen=True, eq=False)
class Heard:
    """What the heads found in one text. ``features``: the audience head's; ``editor``: the editor's heads'; None
    without that head. ``in_context``: what the head for texts with a topic or scene found, if one was given. ``joke``:
    log-odds that the text and each part of it is meant as a joke; ``offence``: whether some would take it; None
    where no head can tell."""

    text: str
    features: Features | None
    editor: EditorReading | None
    in_context: Features | None = None
    joke: float | None = None
    offence: Offence | None = None


class Reader:
    """Heads with the engine that they were fitted on. A joke that was rated before, or stands in many duels, isn't read
    again: a text is read alone, so what is found depends on nothing else and is the same to the last bit."""

    def __init__(
        self,
        engine: Engine,
        head: AudienceHead | None = None,
        editor: EditorHeads | None = None,
        ears: KindAgreements | None = None,
        drafts: DraftHeads | None = None,
        contextual: AudienceHead | None = None,
        offence: OffenceHead | None = None,
    ) -> None:
        """``ears``: how often the audience head agrees with people, by kind of text; ``drafts``: tell which of two
        drafts of one joke an editor prefers; ``contextual``: the audience head for texts behind a topic or scene;
        ``offence``: tells whether some would take offence."""
        self.head = head
        self.editor = editor
        self.ears = ears or KindAgreements()
        self._engine = engine
        self.drafts = drafts
        self.contextual = contextual
        self.offence = offence
        self._known: OrderedDict[tuple[str, str], Heard] = OrderedDict()
        self._drafts: OrderedDict[str, tuple[Scan, DraftReading]] = OrderedDict()

    @property
    def version(self) -> str:
        """Of the audience head, and whether it does without what the editor's heads find; "" without a head. Scores of
        two versions don't lie on one scale."""
        if self.head is None:
            return ""
        return self.head.version if self.head.joined is None or self._joins else f"{self.head.version} alone"

    @property
    def _joins(self) -> bool:
        """Whether the audience head hears what these editor's heads find, with which it was fitted."""
        return self.head is not None and self.editor is not None and self.head.joined == self.editor.mark

    def with_head(self, head: AudienceHead | None, ears: KindAgreements) -> Reader:
        """The same with another audience head, which reads every text anew."""
        return Reader(self._engine, head, self.editor, ears, self.drafts, self.contextual, self.offence)

    def with_editor(self, editor: EditorHeads | None, drafts: DraftHeads | None) -> Reader:
        """The same with other editor's and draft heads."""
        return Reader(self._engine, self.head, editor, self.ears, drafts, self.contextual, self.offence)

    def read(self, text: str, cancel: CancelToken | None = None, *, context: str = "") -> Heard:
        """What the heads find in ``text``, by one reading of it; by another one behind ``context``, the topic or scene
        that it is about, if there is one and a head that knows what to do with it. Raises what the engine,
        ``clean_text`` and the heads raise."""
        text = clean_text(text)
        key = (text, context if self.contextual is not None else "")
        found = self._known.get(key)
        if found is None:
            found = self._read(text, key[1], cancel)
            if len(self._known) >= _REMEMBERED:
                self._known.popitem(last=False)
            self._known[key] = found
        else:
            self._known.move_to_end(key)
        return found

    def audience(self, heard: Heard) -> Audience | None:
        """What people would say of a text, and how far that may be off; None without an audience head."""
        head, features = self._ear(heard)
        if head is None or features is None:
            return None
        found = head.audience(features)
        ear = self.ears.of(head.kinds[max(range(len(head.kinds)), key=features.kinds.__getitem__)])
        if ear is None:
            return found
        low, high = interval(found.percentile, ear.agreement)
        strange = self.ears.strange(dict(zip(head.kinds, features.kinds, strict=True)))
        return Audience(
            percentile=found.percentile,
            score=found.score,
            low=low,
            high=high,
            kind=ear.name,
            agreement=ear.agreement,
            heard=not too_vague(strange, low, high),
        )

    def score_at(self, heard: Heard, percentile: float) -> float:
        """The score at a percentile 0…100 of the head that speaks for a text. Needs that head."""
        head, _ = self._ear(heard)
        assert head is not None
        return head.score_at(percentile)

    def difference(self, a: Heard, b: Heard, *, length_controlled: bool = False) -> float:
        """Log-odds that people find a the funnier, by the audience head; swapping a and b negates it to the last bit.
        ``length_controlled``: without what length adds to it. Needs that head."""
        (head, first), (_, second) = self._ear(a), self._ear(b)
        assert head is not None
        assert first is not None
        assert second is not None
        return head.difference(first, second, float(len(a.text) - len(b.text)) if length_controlled else None)

    def _ear(self, heard: Heard) -> tuple[AudienceHead | None, Features | None]:
        """The head that speaks for a text, and what it found."""
        if heard.in_context is not None:
            return self.contextual, heard.in_context
        return self.head, heard.features

    def compare_drafts(self, a: str, b: str, cancel: CancelToken | None = None) -> DraftComparison | None:
        """What the draft heads say of two drafts of one joke; None for two different jokes, for the same text twice,
        and without such heads. Raises what the engine and the heads raise."""
        if self.drafts is None or a == b or not same_joke(a, b):
            return None
        return self.drafts.compare(self._draft(a, cancel), self._draft(b, cancel))

    def foresee_draft(self, edit: str, text: str, cancel: CancelToken | None = None) -> DraftComparison | None:
        """About what ``compare_drafts`` will say of an edit of ``text``, told without reading it; None where that says
        None. Raises what ``compare_drafts`` raises."""
        if self.drafts is None or edit == text or not same_joke(edit, text):
            return None
        known = self._draft(text, cancel)
        return self.drafts.compare(foreseen(known, edit, self._engine.spans(edit)), known)

    def _draft(self, text: str, cancel: CancelToken | None) -> DraftReading:
        assert self.drafts is not None
        return self._scan(clean_text(text), self.drafts, cancel)[1]

    def _scan(self, text: str, drafts: DraftHeads, cancel: CancelToken | None) -> tuple[Scan, DraftReading]:
        """A cleaned text as the model read it, once for every question about it, and what that says of a draft."""
        found = self._drafts.get(text)
        if found is None:
            scan = self._engine.scan(text, cancel)
            found = scan, drafts.of_scan(scan, text)
            if len(self._drafts) >= _REMEMBERED_DRAFTS:
                self._drafts.popitem(last=False)
            self._drafts[text] = found
        return found

    def _read(self, text: str, context: str, cancel: CancelToken | None) -> Heard:
        scan = self._scan(text, self.drafts, cancel)[0] if self.drafts else self._engine.scan(text, cancel)
        editor, found = self.editor.found(scan.states, text, scan.spans, scan.logprobs) if self.editor else (None, None)
        features = self.head.of_states(scan.states, text, found if self._joins else None) if self.head else None
        within = None
        if context and self.contextual is not None:
            behind = (Segment(context + "\n", constant=True),)
            within = self.contextual.of_states(self._engine.embed([text], cancel, prompt=behind)[0], text)
        joke = joke_odds(self.head, scan, text, lambda part: self._engine.scan(part, cancel)) if self.head else None
        offence = self.offence.of_states(scan.states, text) if self.offence else None
        return Heard(text, features, editor, within, joke, offence)
