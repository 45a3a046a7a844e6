"""Four questions about a model, answered from its measured figures, each in the first words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..core.errors import CriteriaError
from ..core.paths import Profile, models_dir
from ..core.statistics import sigmoid
from ..core.words import of_100
from ..heads.files import heads_figures, share_of
from ..judge.audit.record import AuditResult
from ..judge.audit.words import probe_name
from ..learning.trust_cards import Estimate, KindFigures, TrustCard, kind_name
from ..rubric.perturbations import Form, parse_perturbations
from .card_words import between, slices

COUNTS = (
    "Every figure counts pairs of 100, on texts that it had not learned from. The pale band is where the true figure "
    "lies 95 times in 100."
)
UNMEASURED = "Not measured for this model."
QUESTIONS = {
    "kind": "Is it good at my kind of joke?",
    "broken": "Does it see a broken punchline?",
    "drafts": "Which of two drafts?",
    "moves": "What moves it that shouldn't?",
}
UNKNOWN_KIND = "Other short texts"
_MOST_EFFECTS = 8
_LEAST_BAND = 2
"""Least width of an interval that is drawn, in hundredths: the interval of a mean over hundreds of pairs may be
narrower than the rounding of the figure."""
_CONTRASTS = {
    "torso": "without its end",
    "flat": "with a flat end",
    "wrong_end": "with another joke's end",
    "lost_word": "without the word on which it turns",
    "plain": "as a plain text on its subject",
    "nonsense": "with words that make no sense",
    "unfunned": "as a headline whose joke people took out",
}
"""The texts that the heads for sense were tested on, by the names in their file."""
_BY_EDIT = "drafts, by edit"
_EDITS = {
    "word": "in a word or a few",
    "cut": "by words that were cut",
    "added": "by words that were added",
    "moved": "in the order of their words",
    "end": "in their end",
    "reworded": "in all their words",
}


@dataclass(frozen=True)
class Answer:
    """``first``: the answer, ``rest``: the rest of its sentence; ``figure`` in 100 with its 95 % interval, None where
    there is none; ``tick``: the meaning of 50; ``rival``: another judge's name and its figure on the same pairs;
    ``more``: further sentences, each with its subject."""

    first: str
    rest: str
    figure: float | None = None
    low: float | None = None
    high: float | None = None
    tick: str = "coin 50"
    rival: tuple[str, float] | None = None
    more: tuple[tuple[str, str], ...] = ()


Answers = dict[str, dict[str, Answer]]
"""The answers to each of ``QUESTIONS``: one without a name, or by the kind of text, in the card's order, the one for
unknown kinds last. A question without an answer wasn't measured."""
NO_ANSWERS: Answers = {key: {} for key in QUESTIONS}


def answers_for(sha256: str, card: TrustCard | None, audit: AuditResult | None, profile: Profile) -> Answers:
    """Return the answers for a model, from its card, its audit, and the files of its heads; unreadable files count as
    missing."""
    sense = heads_figures(sha256, profile.sense, models_dir() / "sense")
    single = {
        "broken": _broken(audit, sense) if audit is not None else None,
        "drafts": _drafts(heads_figures(sha256, profile.drafts, models_dir() / "drafts"), sense),
        "moves": _moves(audit) if audit is not None else None,
    }
    answers = {"kind": dict(_kinds(card))} if card is not None else {"kind": {}}
    return answers | {key: {"": answer} if answer is not None else {} for key, answer in single.items()}


def answer_word(figure: float, low: float | None, high: float | None) -> str:
    """Return the answer in a word, by thresholds; all numbers are 0…100."""
    low, high = (figure if low is None else low), (figure if high is None else high)
    if low <= 50.0:
        return "No"
    return "Hardly" if figure < 60.0 else "A little" if figure < 70.0 else "Often"


def _answer(figure: Estimate, rest: str, **more: Any) -> Answer:
    value = 100 * figure.value
    low, high = (None if end is None else 100 * end for end in (figure.low, figure.high))
    return Answer(first=answer_word(value, low, high), rest=rest, figure=value, low=low, high=high, **more)


# Is it good at my kind of joke?


def _kinds(card: TrustCard) -> Iterator[tuple[str, Answer]]:
    for kind in card.kinds:
        yield kind_name(kind.name), _kind(kind, card.one_person if kind is card.main else None)
    if across := card.across:
        mean = sum(figure.value for figure in across.values()) / len(across)
        kinds = ", ".join(f"{kind_name(name)} {of_100(figure.value)}" for name, figure in across.items())
        rest = f"of two texts of a kind that it hasn't learned it picks the funnier one {of_100(mean)} times in 100."
        more = (("Each kind, learned from the others alone", f"{kinds}. The figure is their mean."),)
        yield UNKNOWN_KIND, _answer(Estimate(value=mean), rest, more=more)


def _kind(kind: KindFigures, one_person: float | None) -> Answer:
    more = []
    for name, judge, longer, ngrams, pairs in slices(kind):
        count = f" in {pairs:,} pairs" if pairs is not None else ""
        rivals = f"“longer wins” {between(longer)}, word statistics {between(ngrams)}"
        more.append((_capital(name), f"{between(judge)} of 100{count}; {rivals}."))
    if one_person is not None and kind.part == "all":
        more.append(("One person", f"agrees with the others in {of_100(one_person)} of 100."))
    named, mine, rival = kind_name(kind.name), kind.stated, kind.longer.get(kind.part)
    rest = f"of two {named} it picks the one that people found funnier {of_100(mine.value)} times in 100."
    return _answer(mine, rest, rival=("longer wins", 100 * rival.value) if rival else None, more=tuple(more))


# Does it see a broken punchline?


def _broken(audit: AuditResult, sense: dict[str, Any]) -> Answer | None:
    voice = audit.voice("audience") or audit.voice("asked")
    above = voice.broken if voice is not None else None
    if above is None or above.share is None:
        return None
    figure = Estimate(value=above.share, low=above.low, high=above.high)
    more = [("Pairs", f"{above.n:,} jokes, each beside itself with another joke's end: {between(figure)} of 100.")]
    if contrasts := _shares(sense, "pairs", _CONTRASTS):
        more.append(("In a duel, of 100 times a joke is preferred to itself", f"{contrasts}."))
    rest = f"it puts a joke above the same joke with another joke's end {of_100(above.share)} times in 100."
    return _answer(figure, rest, more=tuple(more))


def _shares(sense: dict[str, Any], group: str, names: dict[str, str]) -> str:
    """Return the named figures of a group: a name in words, the share, and the number of its pairs."""
    parts = []
    for key, name in names.items():
        with suppress(KeyError, TypeError, ValueError):
            count, given = sense[group][key]
            if type(count) is int and (share := share_of(given)) is not None:
                parts.append(f"{name} {of_100(share)} ({count:,} pairs)")
    return "; ".join(parts)


# Which of two drafts?


def _drafts(figures: dict[str, Any], sense: dict[str, Any]) -> Answer | None:
    with suppress(KeyError, TypeError, ValueError):
        share, low, high = map(share_of, (figures["edited"]["share"], *figures["interval"]))
        if share is None or low is None or high is None:
            return None
        figure = Estimate(value=share, low=min(low, share), high=max(high, share))
        pairs, jokes = int(figures["edited"]["n"]), int(figures["jokes"])
        more = [
            ("Pairs", f"{pairs:,}, of drafts of {jokes:,} jokes: {between(figure)} of 100."),
            ("Editor", "Drafts and marks were written by a large language model with a rubric, not by people."),
        ]
        if (rewritten := share_of(figures.get("rewritten"))) is not None:
            more.append(("Where a draft was rewritten as a whole", f"{of_100(rewritten)} of 100."))
        if edits := _shares(sense, _BY_EDIT, _EDITS):
            more.append(("In a duel, where drafts differ", f"{edits}."))
        shorter = share_of(figures.get("shorter"))
        rival = ("longer wins", 100 * (1.0 - shorter)) if shorter is not None else None
        chosen = f"of two drafts it chooses the same one as a language model with a rubric {of_100(share)} times"
        return _answer(figure, f"{chosen} in 100.", rival=rival, more=tuple(more))
    return None


# What moves it that shouldn't?


def _moves(audit: AuditResult) -> Answer | None:
    voice = audit.voice("audience") or audit.voice("asked") or audit.voice("editor")
    forms = _forms()
    if voice is None or not voice.findings:
        return None
    tried = [finding for finding in voice.findings if finding["role"] in ("bias", "injection")]
    moving = sorted(
        (one for one in tried if one["strength"] != "none" and (one["probe"], one["form"]) in forms),
        key=lambda one: (one["strength"] != "strong", -abs(one["pull"]["value"])),
    )
    counted = (
        "Tried",
        f"{len(tried)} changes that shouldn't matter, each on {voice.n:,} pairs of jokes. A figure is their mean.",
    )
    others = [
        (_capital(_changed(forms, one)), f"{_chance(one['pull']['value']):.0f} chances in 100.")
        for one in moving[1:_MOST_EFFECTS]
    ]
    editor = audit.voice("editor")
    if editor is not None and editor is not voice:
        moved = {one["probe"] for one in editor.findings if one["strength"] != "none" and one["role"] != "control"}
        if moved:
            names = ", ".join(sorted(probe_name(id).lower() for id in moved))
            others.append(("The editor's reading", f"(factors and notes) is moved by {names}."))
    if not moving:
        rest = f"none of {len(tried)} changes that shouldn't matter moves what it says of a joke."
        return Answer(first="Nothing that was tried", rest=rest, tick="no effect 50", more=(counted, *others))
    first = moving[0]
    form, changed = forms[first["probe"], first["form"]], _capital(_changed(forms, first))
    verb, it = ("do", "them") if form.do is not None else ("does", "it")
    other = "the one without the group" if form.than else "the other one"
    chance, low, high = (_chance(first["pull"][name]) for name in ("value", "low", "high"))
    both = (changed, f"{chance:.0f} chances in 100, {other} {100 - round(chance)}.")
    drawn = high - low >= _LEAST_BAND
    return Answer(
        first=f"{changed} {verb}", rest=f"the copy with {it} gets {chance:.0f} chances in 100.", figure=chance,
        low=low if drawn else None, high=high if drawn else None, tick="no effect 50", more=(counted, both, *others),
    )  # fmt: skip


def _chance(log_odds: float) -> float:
    return 100 * sigmoid(log_odds)


def _forms() -> dict[tuple[str, str], Form]:
    try:
        return {(probe.id, form.id): form for probe in parse_perturbations().probes for form in probe.forms}
    except CriteriaError:
        return {}


def _changed(forms: dict[tuple[str, str], Form], finding: dict[str, Any]) -> str:
    """Return the change of a joke: the words that were added, or the form's name."""
    form = forms[finding["probe"], finding["form"]]
    words = (form.before or form.after).strip().strip("():").strip()
    return f"“{words}”" if words else form.name.lower()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
