"""A rating in words: every surface draws this page, and the window its parts."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import Literal

from ...core.events import Stage
from ...core.languages import NOT_ENGLISH, is_english
from ...core.pages import ROOM, SIGNS, Mark, MarkedText, Page, Row, Sentence, Tone
from ...core.room import RoomLaugh
from ...core.texts import listed, number, word_set
from ...core.verdict_kinds import HALVES, NOTHING, foot_of, lean_of, notes_of
from ...core.verdicts import Earlier, Laugh, Span
from ...core.words import LONG, SPOKEN_PER_SECOND, WORD, a_minute, differing, fact_lines, quoted_words
from ...heads.intent import form_of
from ...heads.told import shared_words
from ..ensemble_words import panel_rows
from .record import STRONG, WEAK, CategoryScore, FactorScore, Node, RatingResult, ReasoningTree, Remark

LEAST_WORDS = 4
"""Least number of words of a text that can be rated."""
SURE_TURN = 0.5
"""Least probability at which the turn is marked."""
_WORKS = 0.5
"""Least probability that a text works as a joke at which factors are shown, and what it turns on is named first."""
_LEAST_RIGHT, _MOST_NOTES = 0.7, 4
_LEAST_KIND, _MOST_KINDS, _MOST_FACTORS = 0.65, 3, 2
_OFFENDS = 0.85
"""Least probability at which the page says that some would take offence."""
_HIGH = 0.95
"""Standing among jokes from which a factor is shown: lower ones and weak ones, but for wordplay that is tried, say
little of a text, since they depend on its form."""
_SAID_OF_EVERY_TEXT = ("clarity", "accessibility", "daring")
"""Factors that are high (the first two) or low in nearly every text, so they don't characterise any."""
_GOOD, _FAIR = 3.5, 2.0
"""Least mean scores, of 5, of the tones high and middle."""
_PLAIN_KINDS = word_set(
    "one_liner question_answer dialogue family marriage work school doctor money travel food age politics law religion "
    "technology science sport celebrity regional animal children history literature music"
)
"""Kinds that anybody sees: plain forms, and subjects."""
_PUNS = word_set("bent_phrase double_entendre homophone name_play portmanteau pun slip swifty")
_DEVICES = _PUNS | word_set(
    "absurdity analogy anti_joke callback definition exaggeration insult irony literalism logic meta misdirection "
    "parody rule_of_three sarcasm satire self_deprecating"
)
"""Kinds that name what a joke works by."""
_FORMS = word_set("bar_joke frame knock_knock lightbulb stranger swifty yo_mama")
_NAME = re.compile(r"(?<=[^.!?…:“”\"\n] )(?!I\b)[^\W\d_a-z]\w+")
"""A capitalised word that begins no sentence."""
_STEM = 4
"""Letters by which a word that comes back is known."""
_SENTENCE_AFTER = re.compile(r"(?:[.!?…]+[\"”’')\]]*\s+|\n\s*)(\w.*\S)", re.DOTALL)

NO_TURN = "Nothing turns here that I can find."
STILL_NO_TURN = "I still hear no turn there."
IN_DOUBT = "I may not get this one."
TOLD = "Widely told."
NO_ESTIMATE = "No audience estimate for this text."

Outcome = Literal["page", "no turn", "too short", "no text", "rejected", "no answer", "nothing"]
"""The outcome of a rating: findings that can be shown, or the reason why there are none; ``nothing``: it ended before
there were any."""
_SAID: dict[Outcome, tuple[str, ...]] = {
    "no turn": (NO_TURN, "A turn is where a reader has to think again."),
    "too short": ("Too short to read.",),
    "no text": ("This isn't a text that I can read as a joke.",),
    "no answer": (
        "The model gave no usable answer.",
        "None of its answers could be read as a score. A larger model may do better.",
    ),
    "nothing": ("No score",),
}


def page(record: RatingResult, dismissed: Collection[str] = ()) -> Page:
    """Return a rating in words."""
    headline, *lead = headline_of(record)
    badge, tone = _badge(record)
    return Page(
        headline=headline,
        badge=badge,
        tone=tone,
        value=record.audience.percentile if badge != NOTHING and record.audience else None,
        lead=tuple(lead),
        notes=tuple(note for note in notes_of(record) if note != headline),
        texts=(MarkedText(record.text, marks=marks_of(record) if outcome(record) == "page" else ()), *yours(record)),
        sentences=sentences_of(record),
        rows=tuple(_rows(record, dismissed)),
        foot=foot_of(record),
    )


def yours(record: RatingResult) -> tuple[MarkedText, ...]:
    """Return the user's own earlier text that this one is like, with the words marked that both have; none where there
    is none."""
    own = record.yours
    if own is None:
        return ()
    shared = tuple(Mark(start, end, "shared") for start, end in shared_words(own.text, record.text))
    return (MarkedText(own.text, f"Yours of {_day(own)}", shared),)


def _day(own: Earlier) -> str:
    day = date.fromisoformat(own.day)
    return f"{day.day} {day:%B %Y}"


# -- What it came to --------------------------------------------------------------------------------------------------


def outcome(record: RatingResult) -> Outcome:
    """Return the outcome of a rating, as far as its record shows it."""
    checks = record.admissibility
    in_reading = Stage.READING.value in record.stage_seconds or all(one.source == "read" for one in checks)
    was_read = bool(checks) and in_reading
    given = record.asked_turn is not None or record.forced
    if not given and was_read and 0 < len(WORD.findall(record.text)) < LEAST_WORDS:
        return "too short"
    if not given and record.turns_nowhere and is_english(record.text):
        return "no text" if form_of(record.text) else "no turn"
    if record.mean_score is not None or record.audience is not None:
        return "page"
    if record.admissible is False and not record.forced:
        return "rejected" if WORD.search(record.text) else "no text"
    if was_read and record.error is None:
        return "page"
    return "no answer" if Stage.SCORES.value in record.stage_seconds else "nothing"


def headline_of(record: RatingResult) -> tuple[str, ...]:
    """Return the page's first line, which may be empty, and the sentences under it."""
    match outcome(record):
        case "rejected":
            return f"{(record.rejection or 'Not clearly a joke').rstrip('.')}.", "So nothing was scored."
        case "no text" if record.sense is not None and (form := form_of(record.text)):
            return *_SAID["no text"], f"It looks like {form}."
        case "page":
            return *_first_line(record), *([" · ".join(facts(record))] if in_sentences(record) else [])
        case other:
            return _SAID[other]


def _first_line(record: RatingResult) -> tuple[str, ...]:
    if not is_english(record.text):
        return (NOT_ENGLISH,)
    if record.asked_turn is not None and record.turns_nowhere:
        return STILL_NO_TURN, "The rest is shown as if there were one."
    if record.heard is not None and record.heard.widely:
        return (TOLD,)
    if record.in_doubt:
        return (IN_DOUBT,)
    if in_sentences(record):
        return (_laughs_in_words(record.laughs),)
    lean = lean_of(record.audience) if record.audience is not None else ""
    scored = f"{record.mean_score:.1f} of 5, as the model scores it" if _scored(record) else ""
    return (lean or scored or device_of(record),)


def _badge(record: RatingResult) -> tuple[str, Tone]:
    if outcome(record) != "page" or not is_english(record.text) or record.in_doubt:
        return NOTHING, "none"
    if record.audience is not None:
        return HALVES[record.audience.said]
    mean = record.mean_score
    if mean is None or not _scored(record):
        return NOTHING, "none"
    return f"{mean:.1f}", "high" if mean >= _GOOD else "middle" if mean >= _FAIR else "low"


def works(record: RatingResult) -> bool:
    """Whether the text is likely enough to work as a joke for findings that take that for granted."""
    sense = record.sense
    return record.asked_turn is not None or sense is None or sense.joke >= _WORKS or sense.said == "joke"


def device_of(record: RatingResult) -> str:
    """Return what a joke works by, with the words in question; empty where no such kind is sure enough."""
    if record.wordplay is not None:
        return f"A pun on “{record.wordplay.text}”"
    device = next((kind for kind in _sure_kinds(record) if kind.id in _DEVICES), None)
    if device is None or not works(record):
        return ""
    turn = quoted_words(record.turn.text) if record.turn is not None and record.turn.p >= SURE_TURN else ""
    return f"{device.name} {'in' if device.id in _PUNS else 'at'} “{turn}”" if turn else device.name


def _scored(record: RatingResult) -> bool:
    """Whether the mean is one of the model's own answers."""
    return record.mean_score is not None and all(factor.source != "read" for factor in record.factors)


def _asked(record: RatingResult) -> bool:
    return record.everything_asked or any(factor.source != "read" for factor in record.factors)


# -- The rows ---------------------------------------------------------------------------------------------------------


def _rows(record: RatingResult, dismissed: Collection[str]) -> Iterator[Row]:
    came_to, long = outcome(record), in_sentences(record)
    legend = f"{SIGNS['likely']} a laugh is likely, {SIGNS['maybe']} it may come; seconds since the last mark"
    legend = f"{legend}; {ROOM} the room laughed" if record.room else legend
    yield Row(legend if long else " · ".join(facts(record)), quiet=True)
    if record.context:
        yield Row(record.context, "Topic or scene", quiet=True)
    if long:
        yield from _of_sentences(record)
    if came_to == "page" and (play := record.wordplay) is not None and play.sentence:
        yield Row(f"{play.sentence}.", "Second meaning", span=(play.start, play.end))
    if came_to in ("page", "no turn") and record.heard is not None:
        often = f", {record.heard.times} times" if record.heard.times > 1 else ""
        yield Row(f"The same {record.heard.same} stands in {record.heard.where}{often}.", "Heard before")
    if came_to == "page":
        if record.yours is not None:
            yield Row(f"Like yours of {_day(record.yours)}.", "Yours", beside=record.yours.id[:8])
        yield from (_remark_row(remark) for remark in remarks_of(record, dismissed))
    if came_to in ("page", "no answer", "nothing"):
        yield from _findings(record)
    if came_to == "page":
        yield from _audience(record)
    yield from _details(record)


def facts(record: RatingResult) -> tuple[str, ...]:
    """Return the countable facts of the text, to be joined by " · "."""
    came_to, long = outcome(record), in_sentences(record)
    turn = sure_turn(record) if came_to == "page" and not long else None
    lines = fact_lines(record.text, turn)
    if came_to == "no turn":
        return *lines, "no turn found"
    if long:
        likely = sum(one.mark == "likely" for one in record.laughs)
        rate = a_minute(likely, _spoken(record.text), " likely laughs").removeprefix(", ")
        return *lines, *([rate] if rate else [])
    return (*lines, "turn chosen by you") if turn is not None and record.asked_turn is not None else lines


def _audience(record: RatingResult) -> Iterator[Row]:
    """The odds of people's votes, none where they are nearly even; with the estimate's agreement on texts of this kind,
    which was measured on short ones."""
    estimate = record.audience
    if not odds_hold(record) or (estimate is not None and estimate.said == "unclear"):
        return
    beside = ""
    if estimate is not None and estimate.agreement is not None and len(WORD.findall(record.text)) <= LONG:
        kind = estimate.kind or "texts of other kinds"
        beside = f"{kind[:1].upper()}{kind[1:]}: picks the funnier of two {100 * estimate.agreement:.0f} times in 100"
    yield Row(NO_ESTIMATE if estimate is None else lean_of(estimate), "Audience", beside=beside, quiet=True)


def odds_hold(record: RatingResult) -> bool:
    """Whether the odds of people's votes can be told: not of a text in another language, or in doubt."""
    return is_english(record.text) and not record.turns_nowhere and not record.in_doubt


def _findings(record: RatingResult) -> Iterator[Row]:
    if kinds := kinds_of(record):
        yield Row(", ".join(kinds), "Kinds")
    first, rest = _factors(record)
    if first:
        yield Row("", "What stands out", rows=tuple(map(_factor_row, first)))
    own = bool(record.weights) or _asked(record)
    if rest and own:
        yield Row(", ".join(map(score_of, rest)), "Other factors", beside="of 5", quiet=True)
    if own and record.weighted_score is not None and is_english(record.text):
        how = "by your weights" if record.weights else "by how far each factor can be trusted"
        yield Row(f"{record.weighted_score:.1f} of 5, {how}", "Weighted")


def _sure_kinds(record: RatingResult) -> list[CategoryScore]:
    named = (kind for kind in record.categories if kind.chosen)
    sure = (kind for kind in named if kind.p >= _LEAST_KIND or (kind.sure and kind.id in _DEVICES))
    turn = record.turn
    comes_back = turn is not None and takes_up(turn.text, record.text[: turn.start], _STEM)
    holds = {"callback": comes_back, "name_play": bool(_NAME.search(record.text))}
    return [kind for kind in sure if holds.get(kind.id, True)]


def takes_up(one: str, other: str, letters: int) -> bool:
    """Whether a word of one text, or one that begins with the same letters, is in the other."""
    stems = {word.lower()[:letters] for word in WORD.findall(one) if len(word) >= letters}
    return any(word.lower()[:letters] in stems for word in WORD.findall(other))


def kinds_of(record: RatingResult) -> tuple[str, ...]:
    """Return the names of the kinds that are sure enough to be shown, without those that anybody sees; of a text in
    doubt only those that are forms."""
    if not is_english(record.text):
        return ()
    shown = [kind for kind in _sure_kinds(record) if kind.id not in _PLAIN_KINDS]
    return tuple(kind.name for kind in shown if kind.id in _FORMS or not record.in_doubt)[:_MOST_KINDS]


def _factors(record: RatingResult) -> tuple[list[FactorScore], list[FactorScore]]:
    """The factors that stand out, and the others: first the user's own and those written for the joke, then, of a text
    that works, at most two that are strong among jokes, and wordplay where it is tried; where places among jokes aren't
    known, those with the highest scores."""
    shown = record.shown_factors
    own = [one for one in shown if one.own or one.origin == "dynamic" or (one.source == "read" and one.trust is None)]
    punning = record.wordplay is not None or any(kind.id in _PUNS for kind in _sure_kinds(record))
    holds = {"wordplay": punning, "originality": record.heard is None}
    rest = [one for one in shown if one not in own and one.id not in _SAID_OF_EVERY_TEXT and holds.get(one.id, True)]
    placed = sorted(((one.standing, one) for one in rest if one.standing is not None), key=lambda one: -one[0])
    strong = [one for place, one in placed if place >= _HIGH or (one.id == "wordplay" and not WEAK < place < STRONG)]
    first = [*own, *(strong[:_MOST_FACTORS] if works(record) else ())]
    rest = [factor for factor in shown if factor not in first]
    if not any(factor.standing is not None for factor in shown):
        rest.sort(key=lambda factor: -(factor.expected or 0.0))
        first, rest = [*first, *rest[:3]], rest[3:]
    return first, rest


def score_of(factor: FactorScore) -> str:
    """Return a factor's name and score."""
    return f"{factor.name} {'no answer' if factor.expected is None else f'{factor.expected:.1f}'}"


def _factor_row(factor: FactorScore) -> Row:
    """A factor's place among jokes, or its score where the place isn't known."""
    beside = (
        (factor.own, "your own"),
        (factor.origin == "dynamic", "exploratory: written by the model"),
        (factor.separates is False, "this model hardly tells jokes apart here"),
    )
    text = "no answer" if factor.expected is None else f"{factor.expected:.1f} of 5"
    if factor.expected is not None and factor.standing is not None:
        place = min(9, math.floor(max(factor.standing, 1 - factor.standing) * 10 + 1e-9))
        text = f"{'stronger' if factor.standing >= 0.5 else 'weaker'} than in {place} of 10 jokes"
    return Row(text, factor.name, beside="; ".join(words for holds, words in beside if holds))


# -- A longer text, sentence by sentence ------------------------------------------------------------------------------

_MOST_OF_TAG = 8
"""The most words of a marked sentence right behind a likely laugh, in its paragraph, that is called a tag."""
_LEAST_STRETCH = 8.0
"""Seconds from which a stretch without a laugh is mentioned."""
_PREMISE = 0.2
"""Chance of a laugh after the last sentence below which the text has no end yet."""


def in_sentences(record: RatingResult) -> bool:
    """Whether the page shows the text sentence by sentence, with where people would laugh."""
    return bool(record.laughs) and is_english(record.text) and outcome(record) == "page"


def _spoken(text: str) -> float:
    return len(WORD.findall(text)) / SPOKEN_PER_SECOND


def stretches_of(laughs: Sequence[Laugh]) -> Iterator[tuple[int, int]]:
    """Yield the runs of sentences without a mark, from the first one to the one behind the last."""
    start = 0
    for place in range(len(laughs) + 1):
        if place == len(laughs) or laughs[place].mark:
            if place > start:
                yield start, place
            start = place + 1


def _stretch(record: RatingResult) -> tuple[float, tuple[int, int]]:
    """The longest stretch without a mark: its seconds, from a mark to the next, with its sentence, or to the end of the
    text; its first sentence, and the one behind its last. (0, (0, 0)): none is long enough."""
    laughs, none = record.laughs, (0.0, (0, 0))
    runs = ((first, last, laughs[first].start, laughs[: last + 1][-1].end) for first, last in stretches_of(laughs))
    best = max(((_spoken(record.text[start:end]), (first, last)) for first, last, start, end in runs), default=none)
    return best if best[0] >= _LEAST_STRETCH and any(one.mark for one in laughs) else none


def sentences_of(record: RatingResult) -> tuple[Sentence, ...]:
    """Return a longer text's sentences with their marks: how long after the mark before, and which are tags."""
    if not in_sentences(record):
        return ()
    shown, (_, (first, last)), since, came = [], _stretch(record), 0.0, _came(record.laughs, record.room)
    before: Laugh | None = None
    for place, laugh in enumerate(record.laughs):
        text = record.text[laugh.start : laugh.end]
        since += _spoken(text)
        likely = before is not None and before.mark == "likely" and "\n" not in record.text[before.end : laugh.start]
        tag = likely and len(WORD.findall(text)) <= _MOST_OF_TAG
        beside = f"{'tag, ' if tag else ''}{max(1, round(since))} s" if laugh.mark else ""
        shown.append(Sentence(text, laugh.mark, beside, flat=first <= place < last, room=laugh in came))
        since, before = 0.0 if laugh.mark else since, laugh
    return tuple(shown)


def _laughs_in_words(laughs: Sequence[Laugh]) -> str:
    """How many laughs a longer text is likely to get."""
    likely, maybe = (sum(one.mark == mark for one in laughs) for mark in ("likely", "maybe"))
    if not likely:
        return f"No laugh is likely; {number(maybe)} may come." if maybe else "No laugh is likely."
    more = f", {number(maybe)} more may come" if maybe else ""
    return f"{number(likely).capitalize()} likely laugh{'' if likely == 1 else 's'}{more}"


def _of_sentences(record: RatingResult) -> Iterator[Row]:
    seconds, (first, last) = _stretch(record)
    if last:
        words = quoted_words(record.text[record.laughs[first].start : record.laughs[first].end])
        yield Row(f"{seconds:.0f} s, from “{words}”", "Longest without a laugh")
    if len(record.laughs) > 1 and record.laughs[-1].p < _PREMISE:
        yield Row("The last sentence leads to something, and nothing follows.", "No end yet")


_WRONG = {
    ("likely", False): "Likely, but no laugh",
    ("", True): "Laughed, though none was expected",
    ("maybe", True): "Laughed, where it may come",
}


def room_row(name: str, text: str, laughs: Sequence[Laugh], room: Sequence[RoomLaugh]) -> Row:
    """Return how often a room laughed, and under it the sentences where it disagreed: it was silent where a laugh was
    likely, or laughed where it was not."""
    came = _came(laughs, room)
    likely = [laugh in came for laugh in laughs if laugh.mark == "likely"]
    places = f"; at {sum(likely)} of {len(likely)} likely place{'s' * (len(likely) > 1)}" if likely else ""
    rows = tuple(
        Row(f"“{quoted_words(text[one.start : one.end])}”", _WRONG[one.mark, one in came], span=(one.start, one.end))
        for one in laughs
        if (one.mark, one in came) in _WRONG
    )
    times = f"{len(room)} laugh{'s' * (len(room) > 1)}{a_minute(len(room), _spoken(text))}"
    return Row(f"{times}{places}.", name, rows=rows)


def _came(laughs: Sequence[Laugh], room: Sequence[RoomLaugh]) -> set[Laugh]:
    """The sentences after which a room laughed."""
    return {sentence for one in room for sentence in [laugh for laugh in laughs if laugh.start < one.at][-1:]}


# -- The text's marks and the note ------------------------------------------------------------------------------------

_ABOUT = {"carries": "Words", "cut": "Try", "weak": "Weakest", "heard": "Works", "fault": "Fault", "form": "Form"}
"""The names of remarks by what they are about, in the order in which they are shown."""
NOTES = frozenset({"Second meaning", "Heard before", "Yours", *_ABOUT.values()})
"""The names of the rows that are remarks on the text."""


def sure_turn(record: RatingResult) -> Span | None:
    """Return the turn, where it is sure enough to be marked."""
    turn = record.turn
    return turn if turn is not None and turn.p >= SURE_TURN and not record.in_doubt else None


def marks_of(record: RatingResult, dismissed: Collection[str] = ()) -> tuple[Mark, ...]:
    """Return the marks on the text: its turn, the tag behind it, the words that could go, and those with a second
    meaning."""
    marks: list[Mark] = []
    if (turn := sure_turn(record)) is not None:
        marks.append(Mark(turn.start, turn.end, "turn"))
        if tag := _SENTENCE_AFTER.search(record.text, turn.end):
            marks.append(Mark(tag.start(1), tag.end(1), "tag"))
    for remark in remarks_of(record, dismissed):
        if (trial := remark.trial) is not None and trial.kind == "cut":
            marks += [Mark(*span, "cut") for span in differing(record.text, trial.text)[0]]
    if record.wordplay is not None:
        marks.append(Mark(record.wordplay.start, record.wordplay.end, "wordplay"))
    return tuple(marks)


def remarks_of(record: RatingResult, dismissed: Collection[str] = ()) -> tuple[Remark, ...]:
    """Return the remarks to show, sorted by subject: without those that are wrong too often, and without dismissed
    edits."""
    right = [one for one in record.remarks if one.right is None or one.right >= _LEAST_RIGHT]
    shown = [remark for remark in right if remark.trial is None or remark.trial.text not in dismissed]
    return tuple(sorted(shown, key=lambda remark: [*_ABOUT].index(remark.about))[:_MOST_NOTES])


def _remark_row(remark: Remark) -> Row:
    """A remark with how often such ones are right, rounded down, and the edited text below it."""
    trial, right = remark.trial, remark.right
    return Row(
        remark.text,
        _ABOUT[remark.about],
        beside="" if right is None else f"right in {math.floor(right * 10 + 1e-9)} of 10",
        span=(remark.start, remark.end) if remark.start is not None and remark.end is not None else None,
        rows=(Row(trial.text),) if trial is not None else (),
    )


# -- Details ----------------------------------------------------------------------------------------------------------

_PATHS = {
    "standard": "factors of its categories",
    "independent": "no category fits, factors chosen from all of them",
    "dynamic": "factors written for this joke",
}
INSIDER = "insider"
"""The fault of a text that needs knowledge."""


def _details(record: RatingResult) -> Iterator[Row]:
    """The rows below the findings: figures of the model's own, listeners, references and its own sentences."""
    asked, english = _asked(record), is_english(record.text)
    checks = [
        f"{one.check} {one.p_admit:.2f}{'' if one.passed else ' (failed)'}"
        for one in record.admissibility
        if one.reliable or not one.passed
    ]
    if checks and (asked or record.admissible is False):
        forced = record.forced and record.admissible is False
        yield Row(", ".join(checks), "Admission", beside="rated anyway" if forced else "", quiet=True)
    if record.pathway and asked:
        yield Row(f"{record.pathway}: {_PATHS[record.pathway]}", "Path", quiet=True)
    if record.mean_score is not None and english and asked:
        spread = f", give or take {record.spread:.1f}" if record.spread is not None else ""
        best = f"; best factor {record.max_score:.1f}" if record.max_score is not None else ""
        yield Row(f"{record.mean_score:.1f} of 5{spread}{best}", "Mean", quiet=True)
    if record.room:
        yield room_row("Your room", record.text, record.laughs, record.room)
    yield from _voices(record)
    offence = record.offence
    if works(record) and offence is not None and offence.stated and offence.p >= _OFFENDS:
        yield Row(f"Some would take offence ({100 * min(0.99, offence.p):.0f} in 100).", "Offence")
    # Elsewhere nearly every second name needn't be known.
    names = [" ".join(reference.text.split()) for reference in record.references if reference.why == "name"]
    if names and any(fault.id == INSIDER for fault in record.faults):
        yield Row(f"Needs knowing: {listed(names)}.", "References")
    yield from panel_rows(record.panel)
    if record.tree is not None:
        yield _tree_row(record.tree)
    if record.prose is not None:
        revised = " and revised once" if record.prose.revised else ""
        yield Row(
            "",
            "In the model's words",
            beside=f"Written by the model{revised}: don't rely on it.",
            rows=tuple(map(_labelled, record.prose.text.split("\n"))),
        )


def _voices(record: RatingResult) -> Iterator[Row]:
    """The model's answers on listeners and on the user's own faults, which are no findings."""
    listeners, faults = list[Row](), list[Row]()
    for one in record.listeners:
        laughs = f"would laugh, says the model ({100 * (one.p or 0):.0f} in 100; anyone {100 * (one.anyone or 0):.0f})"
        listeners.append(Row(f"not asked. {one.reason}" if one.p is None else laughs, one.name))
    for fault in sorted(record.own_faults, key=lambda fault: -(-1.0 if fault.p is None else fault.p)):
        usual = f"; in a usual joke {100 * fault.usual:.0f}" if fault.usual is not None else ""
        there = f"there, says the model ({100 * (fault.p or 0):.0f} in 100{usual}). "
        silent = fault.reason[:1].lower() + fault.reason[1:]
        faults.append(Row(silent if fault.p is None else f"{there}Nobody measured how often it is right", fault.name))
    yield from (Row("", name, rows=tuple(of)) for name, of in (("Listeners", listeners), ("Your faults", faults)) if of)


def _labelled(line: str) -> Row:
    label, stop, sentence = line.partition(". ")
    return Row(sentence, label) if stop and label in ("Works", "Weakens it", "Try") else Row(line)


_ENDED = {
    "settled": "nothing was in doubt any more",
    "branches": "the budget of branches was used up",
    "stopped": "it was stopped",
    "nothing to ask": "the model was asked about no factor",
}


def _tree_row(tree: ReasoningTree) -> Row:
    """The findings that were read again, each with its readings."""
    count, opened = tree.used_branches, len(tree.opened)
    readings = f"{count} further reading{'' if count == 1 else 's'}"
    things = f" of {opened} thing{'' if opened == 1 else 's'}" if opened else ""
    lines = (Row(f"Contradiction: {line}") for line in tree.contradictions)
    return Row(f"{readings}{things}; {_ENDED[tree.ended]}.", "Deep", rows=(*lines, *map(_node_row, tree.opened)))


def _node_row(node: Node) -> Row:
    """A factor with its score before and after, and its readings."""
    before, after, *values = (
        "no answer" if value is None else f"{value:.1f} of 5"
        for value in (node.before, node.after, *(branch.value for branch in node.branches))
    )
    change = after if before == after else f"{before} → {after}"
    error = "" if node.error is None else f" ± {node.error:.1f}"
    branches = tuple(
        Row(
            f"{branch.how.capitalize()}: {value}",
            shares=tuple((str(level), share) for level, share in enumerate(branch.distribution)),
        )
        for branch, value in zip(node.branches, values, strict=True)
    )
    return Row(f"{node.name}: {change}{error}", beside="; ".join(dict.fromkeys(node.doubts)), rows=branches)
