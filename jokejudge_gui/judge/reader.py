"""Reads texts with a model's heads, each of them once."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from typing import NamedTuple, TypeAlias, TypeVar

from ..core.errors import InputError, JokeJudgeError
from ..core.languages import is_english
from ..core.statistics import sigmoid
from ..core.texts import clean_text
from ..core.verdicts import Audience, Laugh, Offence, Usage
from ..core.words import is_long
from ..engine.base import CancelToken, Engine, Scan, Segment
from ..heads.audience import AudienceHead, Features, KindAgreements, believed, pool
from ..heads.drafts import DraftComparison, DraftHeads, DraftReading, differences, reading
from ..heads.editor import EditorHeads, EditorReading
from ..heads.endings import by_itself, endings, ends_of, gain, judged_ends, judged_tail, tail_of
from ..heads.intent import CLEARLY_NOT, joke_odds
from ..heads.laughs import LaughsHead
from ..heads.near_duplicates import same_joke
from ..heads.offence import OffenceHead
from ..heads.sense import SenseHeads, SenseReading, TwoTexts
from ..heads.sense_features import edit_of
from ..heads.set_phrases import literal_phrase
from ..heads.told import heard
from ..heads.wordplay import WordplayHead, WordplayReading, may_be_pun, pun_odds
from .reading_pool import Key, ReadingPool

_REMEMBERED = 2000
"""Cached predictions: some 19 kB each, and the text itself."""

_REMEMBERED_SCANS = 32
"""Cached hidden states, some hundred kilobytes a text: enough for the versions of one joke."""

_LONGEST_FOR_SENSE = 120
"""Words of the longest text that the heads for sense were trained on."""
STRAIGHT = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})
"""Straight quotation marks and apostrophes, as in most training texts; no character moves."""
_NAMED = math.log(0.95 / 0.05)
"""Least log-odds at which the fault of the weaker draft is named."""
_HEADLINES = "headlines"
_IS_HEADLINE = 0.5
"""Least share of the audience head's kind "headlines" at which a text counts as a headline."""
MAY_BE_HEADLINE, _LONGEST_HEADLINE = 0.15, 30
"""The same at which a line of so few words is read as a headline, to tell satire from news."""
_OF_SATIRE, _OF_SATIRE_IN_EDITS = 2.6, 1.0
"""Weight of the log-odds of satire between two forms of one headline, alone and beside votes on such forms."""
_SATIRE_AGREEMENT = 0.77
"""Share of headlines that people made serious whose form before that has the greater odds of satire."""
_OF_SENSE = 0.7
"""Weight of the doubt that a text works as a joke, in log-odds, between two different texts."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Predictions:
    """The heads' predictions for one text, None where no head can tell. ``features``: the audience head's;
    ``in_context``: what the head for texts with a topic or scene found, if one was given. ``joke``: log-odds that the
    text and each part of it is meant as a joke; ``sense``: whether it works as one; ``wordplay``: the second meaning
    that it plays on; ``satire``: log-odds that a headline is satire and no news."""

    text: str
    features: Features | None
    editor: EditorReading | None
    in_context: Features | None = None
    joke: float | None = None
    offence: Offence | None = None
    sense: SenseReading | None = None
    wordplay: WordplayReading | None = None
    laughs: tuple[Laugh, ...] = ()
    satire: float | None = None


class Standing(NamedTuple):
    """``score``: the odds 0…1 that people put a text in the upper half of such jokes, less the doubt that it works as
    one; ``beside``: what orders texts with the same odds."""

    score: float
    beside: float


Apart: TypeAlias = tuple[Predictions, Scan, Usage]
Readers: TypeAlias = (
    "Callable[[Reader, Iterator[Key], int, Container[Key]], AbstractContextManager[ReadingPool | None]]"
)


@dataclass(eq=False)
class Reader:
    """Heads with the engine that they were fitted on. A joke that was rated before, or stands in many duels, isn't read
    again, and no text's reading depends on another's, so predictions are the same to the last bit. ``agreements``: the
    audience head's with people, by kind of text; ``contextual``: the audience head for texts behind a topic or scene;
    ``readers``: opens a pool of processes that read ahead for it."""

    engine: Engine
    head: AudienceHead | None = None
    editor: EditorHeads | None = None
    agreements: KindAgreements = field(default_factory=KindAgreements)
    drafts: DraftHeads | None = None
    contextual: AudienceHead | None = None
    offence: OffenceHead | None = None
    sense: SenseHeads | None = None
    wordplay: WordplayHead | None = None
    readers: Readers | None = None
    laughs: LaughsHead | None = None
    is_brief: bool = False

    def __post_init__(self) -> None:
        self.elsewhere = Usage()
        """The usage of texts that were read by other processes, or ahead of their turn."""
        self._pool: ReadingPool | None = None
        self._predictions: OrderedDict[Key, Predictions] = OrderedDict()
        self._scans: OrderedDict[str, Scan] = OrderedDict()
        self._drafts: OrderedDict[str, DraftReading] = OrderedDict()

        self._joins = self.head is not None and self.editor is not None and self.head.joined == self.editor.mark
        """Whether the audience head takes these editor's findings: those that it was fitted with."""

    @property
    def version(self) -> str:
        """Version of the audience head, with "alone" where it does without the editor's findings; "" without a head.
        Scores of two versions aren't comparable."""
        if self.head is None:
            return ""
        return self.head.version if self.head.joined is None or self._joins else f"{self.head.version} alone"

    def read(self, text: str, cancel: CancelToken | None = None, *, context: str = "") -> Predictions:
        """Return the heads' predictions for ``text`` from one reading of it, and from a second one behind ``context``,
        its topic or scene, if there is a head for that. Raises the errors of the engine, ``clean_text`` and heads."""
        key = self._key(text, context)
        return _kept(self._predictions, key, _REMEMBERED, lambda: self._taken(key, cancel))

    def _key(self, text: str, context: str) -> Key:
        return clean_text(text), context if self.contextual is not None else ""

    @contextmanager
    def expecting(self, texts: Iterable[tuple[str, str]], count: int) -> Iterator[None]:
        """While this is open, other processes read ahead of this one, if that makes sense for about ``count`` texts,
        given one by one with their contexts, in the order in which ``read`` will need them. The predictions are the
        same to the last bit."""

        def key(text: str, context: str) -> Key | None:
            with suppress(InputError):
                return self._key(text, context)
            return None

        keys = filter(None, starmap(key, texts))  # goes on where more texts come after an end
        with self.readers(self, keys, count, self._predictions) if self.readers else nullcontext() as pool:
            self._pool = pool
            try:
                yield
            finally:
                self._pool = None

    def brief(self) -> Reader:
        """Return a reader that takes one reading of a text and looks for no second meaning."""
        return replace(self, offence=None, wordplay=None, is_brief=True)

    def standing(self, predicted: Predictions) -> Standing:
        """Return what a text's reading is worth in order among others; 0 for a text that is clearly no joke."""
        estimate, sense = self.audience(predicted), predicted.sense
        if estimate is None or (predicted.joke or 0.0) < CLEARLY_NOT or (sense and sense.sense.said == "no turn"):
            return Standing(0.0, 0.0)
        return Standing((estimate.upper or 0.5) * math.exp(-_doubt(predicted)), estimate.percentile)

    @property
    def identity(self) -> tuple[object, ...]:
        """What two readers share if their predictions are the same."""
        info, parts = self.engine.info, (self.editor, self.drafts, self.contextual, self.offence, self.sense)
        versions = (part and getattr(part, "mark", getattr(part.meta, "version", None)) for part in parts)
        return info.sha256, info.build, self.version, *versions, self.wordplay and self.wordplay.editor

    def read_apart(self, keys: Sequence[Key], cancel: CancelToken | None = None) -> list[Apart | None]:
        """Return for each text its predictions, its scan, and their usage, for another reader or another time; None
        where it can't be read. The texts are read together."""
        texts = [key[0].translate(STRAIGHT) for key in keys]
        new = [text for text in dict.fromkeys(texts) if text not in self._scans]
        spent: dict[str, Usage] = {}
        with suppress(JokeJudgeError):  # a text that is too long is read, and fails, alone
            for text, read in zip(new, self.engine.scan_apart(new, cancel), strict=True):
                if read is not None:
                    scan, spent[text] = read
                    _kept(self._scans, text, _REMEMBERED_SCANS, lambda scan=scan: scan)  # type: ignore[misc]
        apart: list[Apart | None] = []
        for key, text in zip(keys, texts, strict=True):
            before, one = self.engine.usage, None
            with suppress(JokeJudgeError):
                predictions = self._read(*key, cancel)
                one = predictions, self._scans[text], self.engine.usage - before + spent.pop(text, Usage())
            apart.append(one)
        return apart

    def _taken(self, key: Key, cancel: CancelToken | None) -> Predictions:
        """Read a text, or take the predictions of the process that read it."""

        def ahead(keys: Sequence[Key]) -> list[Apart | None]:
            before = self.engine.usage
            apart = self.read_apart(keys, cancel)
            self.elsewhere -= self.engine.usage - before
            return apart

        apart: Apart | None = None
        if self._pool is not None:
            apart = self._pool.taken(key, ahead, cancel.check if cancel else lambda: None)
        if apart is None:
            return self._read(*key, cancel)
        predictions, scan, usage = apart
        _kept(self._scans, key[0].translate(STRAIGHT), _REMEMBERED_SCANS, lambda: scan)
        self.elsewhere += usage
        return predictions

    def audience(self, predicted: Predictions) -> Audience | None:
        """Return the audience estimate of a text with its interval; None without an audience head. An estimate above
        the middle shrinks where it is in doubt that the text works as a joke."""
        head, features = self._head_for(predicted)
        if head is None or features is None:
            return None
        estimate = head.audience(features)
        kind = self.agreements.taken_for(dict(zip(head.kinds, features.kinds, strict=True)))
        its = self.agreements.of(kind)
        if its is None:
            return estimate
        z = head.normal(estimate.score)
        z *= math.exp(-_doubt(predicted)) if z > 0.0 and predicted.in_context is None else 1.0
        shown = believed(z, its.agreement)
        upper = shown.upper if features.upper is None else sigmoid(features.upper)
        return estimate.replaced(
            percentile=shown.percentile, upper=upper, low=shown.low, high=shown.high, kind=its.name,
            agreement=its.agreement,
        )  # fmt: skip

    def score_at(self, predicted: Predictions, percentile: float) -> float:
        """Return the score at a percentile 0…100 of the head used for a text, which must be there."""
        head, _ = self._head_for(predicted)
        assert head is not None
        return head.score_at(percentile)

    def difference(self, a: Predictions, b: Predictions, *, length_controlled: bool = False) -> float:
        """Return the audience head's log-odds that people find a the funnier; swapping a and b negates it to the last
        bit. ``length_controlled``: without the part that length explains. Needs an audience head."""
        (head, first), (_, second) = self._head_for(a), self._head_for(b)
        assert head is not None
        assert first is not None
        assert second is not None
        odds = head.difference(first, second, float(len(a.text) - len(b.text)) if length_controlled else None)
        if not self._edited_headline(a, b):
            return odds + _OF_SENSE * (_doubt(b) - _doubt(a)) + 0.0
        satire = a.satire - b.satire if a.satire is not None and b.satire is not None else 0.0
        return odds + _OF_SATIRE_IN_EDITS * satire + 0.0

    def people(self, a: Predictions, b: Predictions) -> int | None:
        """Return in how many of 100 such pairs people agreed with the verdict, for two words at one place of a
        headline, or two other forms of one, where people were asked; else None."""
        if not self._edited_headline(a, b) and self._satirical_forms(a, b):
            return round(100 * _SATIRE_AGREEMENT)
        its = self.agreements.known.get(_HEADLINES) if self._edited_headline(a, b) else None
        return None if its is None else round(100 * its.agreement)

    def _edited_headline(self, a: Predictions, b: Predictions) -> bool:
        """Whether these are two edits of one headline, for which people's votes are the better training data."""
        if self.head is None or _HEADLINES not in self.head.kinds or a.in_context is not None:
            return False
        kind = self.head.kinds.index(_HEADLINES)
        gates = [predicted.features.kinds[kind] for predicted in (a, b) if predicted.features is not None]
        return len(gates) == 2 and min(gates) >= _IS_HEADLINE and edit_of(a.text, b.text) == "word"

    def _head_for(self, predicted: Predictions) -> tuple[AudienceHead | None, Features | None]:
        """Return the audience head used for a text, with its features."""
        if predicted.in_context is not None:
            return self.contextual, predicted.in_context
        return self.head, predicted.features

    def compare_drafts(self, a: str, b: str, cancel: CancelToken | None = None) -> DraftComparison | None:
        """Compare two drafts of one joke by the draft heads, and two near texts by the heads for sense; None for two
        different jokes, two edits of a headline, the same text twice, and without such heads. Raises the errors of
        the engine and the heads."""
        if a.translate(STRAIGHT) == b.translate(STRAIGHT):
            return None
        first, second = self.read(a, cancel), self.read(b, cancel)
        if self._edited_headline(first, second):
            return None
        if self._satirical_forms(first, second):
            odds = _OF_SATIRE * ((first.satire or 0.0) - (second.satire or 0.0)) + 0.0
            return _compared(TwoTexts(edit_of(a, b), odds, _SATIRE_AGREEMENT))
        drafts = None
        if self.drafts is not None and same_joke(a, b):
            drafts = self.drafts.compare(self.draft(a, cancel), self.draft(b, cancel))
            if abs(drafts.log_odds_a) < _NAMED:
                drafts = replace(drafts, fault=None)
        if self.sense is None or first.sense is None or second.sense is None:
            return drafts
        compared = self._near(first.sense, second.sense, drafts.log_odds_a if drafts else 0.0, cancel)
        if compared.edit == "different":
            return drafts
        if drafts is None:
            return _compared(compared)
        sure = abs(compared.log_odds_a) >= _NAMED and drafts.log_odds_a * compared.log_odds_a > 0
        return replace(_compared(compared), faults=drafts.faults, fault=drafts.fault if sure else None)

    @staticmethod
    def _satirical_forms(a: Predictions, b: Predictions) -> bool:
        """Whether both are forms of one headline, and read for satire."""
        return a.satire is not None and b.satire is not None and edit_of(a.text, b.text) != "different"

    def _near(self, a: SenseReading, b: SenseReading, drafts: float, cancel: CancelToken | None) -> TwoTexts:
        """Compare two texts: where one has something behind the other, by what that is; else by the heads for sense,
        and where they differ in their ends, by what the beginning adds to each end's likelihood, too."""
        assert self.sense is not None
        texts, agreement = (a.row.text, b.row.text), endings().agreement
        for shorter, longer, sign in ((a, b, 1.0), (b, a, -1.0)):
            if (tail := tail_of(shorter.row.text, longer.row.text)) is not None:
                edit, odds = judged_tail(shorter, longer, tail)
                return TwoTexts(edit, sign * odds, agreement[edit])
        compared = self.sense.compare(
            a, b, drafts, lambda *pair: differences(*(self.draft(text, cancel) for text in pair))
        )
        ends = ends_of(*texts) if compared.edit in ("end", "word") else None
        if ends is None:
            return compared
        gains = None
        if compared.edit == "end":
            first, second = (
                gain(self.scanned(text, cancel), text, self.engine.scan(by_itself(end), cancel), end)
                for text, end in zip(texts, ends, strict=True)
            )
            gains = first, second
        funny = float(a.scores[2] - b.scores[2]) / self.sense.funny_spread
        return TwoTexts(compared.edit, judged_ends(compared.log_odds_a, funny, gains) + 0.0, agreement["end"])

    def draft(self, text: str, cancel: CancelToken | None) -> DraftReading:
        """Return the draft heads' features of a text."""
        text = clean_text(text).translate(STRAIGHT)
        return _kept(self._drafts, text, _REMEMBERED_SCANS, lambda: reading(text, self.scanned(text, cancel)))

    def scanned(self, text: str, cancel: CancelToken | None) -> Scan:
        """Return a text as the model read it, once for every question about it."""
        return _kept(self._scans, text, _REMEMBERED_SCANS, lambda: self.engine.scan(text, cancel))

    def _read(self, given: str, context: str, cancel: CancelToken | None) -> Predictions:
        text = given.translate(STRAIGHT)
        scan = self.scanned(text, cancel)
        editor, findings = None, None
        if self.editor is not None:
            editor, findings = self.editor.found(scan.states, text, scan.spans, scan.logprobs)
        features = self.head.of_states(scan.states, text, findings if self._joins else None) if self.head else None
        within = None
        if context and self.contextual is not None:
            behind = (Segment(context.translate(STRAIGHT) + "\n", constant=True),)
            states = self.engine.embed([text], cancel, prompt=behind)[0]
            within = self.contextual.of_states(states, text)
        joke = joke_odds(self.head, scan, text, lambda part: self.engine.scan(part, cancel)) if self.head else None
        offence = self.offence.of_states(scan.states, text) if self.offence else None
        sensed = None
        if self.sense is not None and sense_is_known(text):
            intent = self.head.joke_odds(pool(scan.states, text)) if self.head is not None else None
            sensed = self.sense.read(text, scan, intent or 0.0)
        satire = self._satire(text, features, cancel) if features is not None and not context else None
        if self.sense is not None and sensed is not None and satire is not None:
            sensed = self.sense.as_headline(sensed, satire)
        played = self._played(text, scan, editor, cancel)
        if sensed is not None and played is not None and played.said is not None:
            sensed = sensed.with_second_meaning()
        if sensed is not None and sensed.sense.said != "joke" and (told := heard(text)) is not None and told.settles:
            sensed = sensed.as_joke()
        laughs = self.laughs.of_scan(text, scan) if self.laughs and is_long(text) and is_english(text) else ()
        return Predictions(given, features, editor, within, joke, offence, sensed, played, laughs, satire)

    def _satire(self, text: str, features: Features, cancel: CancelToken | None) -> float | None:
        """Return the log-odds that a text in the form of a headline is satire; None for other texts."""
        if self.head is None or self.contextual is None or _HEADLINES not in self.head.kinds:
            return None
        headline = features.kinds[self.head.kinds.index(_HEADLINES)] >= MAY_BE_HEADLINE
        short = "\n" not in text and len(text.split()) <= _LONGEST_HEADLINE
        return self.contextual.satire(self.engine, text, cancel) if headline and short else None

    def _played(
        self, text: str, scan: Scan, editor: EditorReading | None, cancel: CancelToken | None
    ) -> WordplayReading | None:
        """Return the second meaning of a text whose kinds suggest a pun, or the set phrase that it takes literally."""
        if self.wordplay is None or self.editor is None or editor is None or self.wordplay.editor != self.editor.mark:
            return None
        played = None
        if may_be_pun(pun_odds(editor.kinds)):
            choose = partial(self.engine.choose, cancel=cancel)
            played = self.wordplay.read(text, scan, editor, self.engine.output_rows, choose)
        if played is not None and played.said is not None:
            return played
        literal = literal_phrase(text, editor) if sense_is_known(text) else None
        return played if literal is None else WordplayReading(played.strength if played else 0.0, literal)


def sense_is_known(text: str) -> bool:
    """Whether the heads for sense were trained on texts like this one."""
    return len(text.split()) <= _LONGEST_FOR_SENSE and is_english(text)


def _doubt(predicted: Predictions) -> float:
    """Return the log-odds by which a text falls short of being called a joke; 0 for a joke and without sense."""
    if predicted.sense is None or predicted.sense.sense.said == "joke":
        return 0.0
    return max(0.0, predicted.sense.short)


def _compared(two: TwoTexts) -> DraftComparison:
    """The comparison of two texts, antisymmetric to the last bit."""
    odds, surer = two.log_odds_a, sigmoid(abs(two.log_odds_a))
    p_a = surer if odds >= 0 else 1.0 - surer
    return DraftComparison(p_a, odds, odds, two.agreement, faults={}, fault=None, edit=two.edit)


def _kept(kept: OrderedDict[K, V], key: K, most: int, make: Callable[[], V]) -> V:
    """Return the value of a key, made where it isn't kept; of more than ``most`` values the one used longest ago is
    dropped."""
    if key not in kept:
        kept[key] = make()
        if len(kept) > most:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
