"""What is said of a model: its card in sentences, four questions with their answers, and the report as pages, the same
for every surface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ...core.errors import info
from ...core.pages import Page, Row, Table
from ...core.statistics import sigmoid
from ...core.texts import listed
from ...core.verdicts import Source
from ...core.words import of_100
from ...heads.files import share_of
from ...judge.asking.measured import Measured
from ...judge.audit.record import AuditResult
from ...judge.audit.words import changed_words, summary
from ...learning.trust_cards import Estimate, KindFigures, TrustCard, kind_name, title
from .figures import ModelTrust

HOW_TO_MEASURE = (
    "Measure it on jokes that people have judged: a CSV file with text_a,text_b and winner (or votes_a,votes_b), or "
    "with text and rating. In the terminal: jokejudge evaluate --pairs FILE.csv --html report.html"
)
_COIN_LOSS = 0.693
_SLICES = {"jokes": "real jokes", "strong jokes": "real jokes, clear", "all": "all pairs", "strong": "clear pairs"}


# The card in sentences


def between(figure: Estimate | None) -> str:
    """Return ``71 (67 to 75)``, the figure alone where there is no interval, or a dash."""
    return of_100(figure.value, figure.low, figure.high) if figure is not None else "–"


def line(card: TrustCard | None) -> str:
    """Return a card in short: ``agrees with most people in 71 of 100 pairs of one-liners; one person in 65``; empty
    where it has no agreement."""
    main = card.main if card is not None else None
    if card is None or (share := main.stated.value if main is not None else card.agreement) is None:
        return ""
    one_person, of = _one_person(card), f" of {kind_name(main.name)}" if main is not None else ""
    beside = f"; one person in {of_100(one_person)}" if one_person else ""
    return f"agrees with most people in {of_100(share)} of 100 pairs{of}{beside}"


def sense(trust: ModelTrust) -> str:
    """Return how well the model recognises texts that aren't jokes; empty for a model without any figures."""
    if trust.sense_shares is not None:
        end, plain = map(of_100, trust.sense_shares)
        return f"Prefers a joke to the same one without its end in {end} of 100 pairs, to a plain text in {plain}."
    if not line(trust.card):
        return ""
    return (
        "Can't recognise what isn't a joke until it is taught: “Teach it to read jokes” in Trust, "
        "or jokejudge models fit --editor."
    )


def fields(trust: ModelTrust) -> dict[str, Any]:
    """Return the figures as the JSON object of ``models trust``. Raises ``CriteriaError``."""
    card = trust.card
    return {
        "model": trust.model.model_dump(),
        "line": line(card) or None,
        "headline": headline(card) if card is not None else None,
        "unseen": across_summary(card) or None if card is not None else None,
        "sense": sense(trust) or None,
        "habits": [],
        "effects": trust.effects,
        "not_for": list(limits(trust)),
        "card": card.model_dump(mode="json") if card is not None else None,
        "measured": [],
        "error": info(trust.fault).model_dump() if trust.fault is not None else None,
    }


def _one_person(card: TrustCard) -> float | None:
    """Return the share of voters who agree with the others; None where it was measured on other pairs than the main
    figure."""
    return card.one_person if card.main is None or card.main.part == "all" else None


def headline(card: TrustCard) -> str:
    """Return the card's main figure in a sentence or two."""
    main = card.main
    if main is None:
        return f"It {line(card)}. The card has no other figures." if line(card) else "The card holds no figures."
    stated, part = main.stated, main.part
    shares = of_100(stated.value, stated.low, stated.high, " of 100 pairs")
    text = f"On {kind_name(main.name)} it agrees with most people in {shares}"
    if (one_person := _one_person(card)) is not None:
        text += f"; one person does in {of_100(one_person)}"
    rivals = {"choosing the longer joke": main.longer.get(part), "counting words": main.ngrams.get(part)}
    values = {name: figure.value for name, figure in rivals.items() if figure is not None} | {"a coin": 0.5}
    (first, value), *others = values.items()
    beside = [f"{first} is right in {of_100(value)}", *(f"{name} in {of_100(value)}" for name, value in others)]
    return f"{text}. {_capital(listed(beside))}."


def across_summary(card: TrustCard) -> str:
    """Return a sentence on the agreement on kinds of text that it wasn't trained on; empty where it wasn't measured."""
    if not card.across:
        return ""
    return f"Tried on kinds of text that it had learned nothing from, it was right in {span(card)} of 100 pairs."


def span(card: TrustCard) -> str:
    """Return the range of its agreement on kinds of text that it wasn't trained on, in hundredths."""
    ends = [of_100(end([figure.value for figure in card.across.values()])) for end in (min, max)]
    return " to ".join(dict.fromkeys(ends))


def _slices(kind: KindFigures) -> Iterator[tuple[str, tuple[str, str, str], str]]:
    """Yield each part of a kind's pairs: its name, the agreement of the head, of choosing the longer joke and of word
    statistics on the same pairs, and their number. The last one: of a head that learned nothing from this kind."""
    parts = [(part, name, kind.head, kind.ngrams) for part, name in _SLICES.items()]
    for part, name, head, ngrams in (*parts, ("all", "not learned from", kind.head_across, kind.ngrams_across)):
        if (judge := head.get(part)) is not None:
            count = f"{kind.pairs[part]:,}" if part in kind.pairs else "–"
            yield name, (between(judge), between(kind.longer.get(part)), between(ngrams.get(part))), count


def _calibration_words(kind: KindFigures) -> str:
    """Return a sentence on the calibration of stated odds; empty where it wasn't measured."""
    parts = []
    if kind.ece is not None:
        off = "less than 1" if kind.ece < 0.005 else of_100(kind.ece)
        error = f"expected calibration error {kind.ece:.3f}"
        parts.append(f"its stated chances are off by {off} of 100 on average ({error})")
    if kind.log_loss is not None:
        parts.append(f"log-loss {kind.log_loss:.3f}, where a coin has {_COIN_LOSS}")
    if kind.sure is not None and kind.sure["pairs"]:
        right, pairs = of_100(kind.sure["right"]), f"{kind.sure['pairs']:,}"
        parts.append(f"where it says 5:1 or more, {right} of 100 are right ({pairs} pairs)")
    return f"{_capital('; '.join(parts))}." if parts else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Four questions

COUNTS = (
    "Every figure counts pairs of 100, on texts that it had not learned from. The pale band is where the true figure "
    "lies 95 times in 100. “Coin 50” is the middle, where a coin would be, “no effect 50” a change that moves nothing, "
    "and “longer wins” what choosing the longer text alone would get."
)
UNMEASURED = "Not measured for this model."
UNMEASURED_BY = dict.fromkeys(("broken", "moves"), "It hasn't been audited. In the terminal: jokejudge audit")
QUESTIONS = {
    "kind": "Is it good at my kind of joke?",
    "broken": "Does it see a broken punchline?",
    "drafts": "Which of two drafts?",
    "moves": "What moves it that shouldn't?",
}
UNKNOWN_KIND = "Other short texts"
_LEAST_BAND = 2
"""Least width of an interval that is drawn, in hundredths: the interval of a mean over hundreds of pairs may be
narrower than the rounding of the figure."""


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


def answers(trust: ModelTrust) -> Answers:
    """Return the answers for a model; what is missing or unreadable has no answer."""
    single = {"broken": _broken(trust), "drafts": _drafts(trust), "moves": _moves(trust.audit)}
    by_kind = dict(_kinds(trust.card)) if trust.card is not None else {}
    return {"kind": by_kind} | {key: {} if answer is None else {"": answer} for key, answer in single.items()}


def answer_word(figure: float, low: float | None) -> str:
    """Return the answer in a word, by thresholds; all numbers are 0…100."""
    if (figure if low is None else low) <= 50.0:
        return "No"
    return "Hardly" if figure < 60.0 else "A little" if figure < 70.0 else "Often"


def _answer(figure: Estimate, rest: str, *more: tuple[str, str], rival: Estimate | None = None) -> Answer:
    value, low, high = (None if end is None else 100 * end for end in (figure.value, figure.low, figure.high))
    named = ("longer wins", 100 * rival.value) if rival is not None else None
    return Answer(answer_word(value or 0.0, low), rest, value, low, high, rival=named, more=more)


def _kinds(card: TrustCard) -> Iterator[tuple[str, Answer]]:
    for kind in card.kinds:
        named, figure, rival = kind_name(kind.name), kind.stated, kind.longer.get(kind.part)
        more = [
            (_capital(name), f"{judge} of 100 in {pairs} pairs; “longer wins” {longer}, word statistics {ngrams}.")
            for name, (judge, longer, ngrams), pairs in _slices(kind)
        ]
        if kind is card.main and kind.part == "all" and card.one_person is not None:
            more.append(("One person", f"agrees with the others in {of_100(card.one_person)} of 100."))
        rest = f"of two {named} it picks the one that people found funnier {of_100(figure.value)} times in 100."
        yield named, _answer(figure, rest, *more, rival=rival)
    if across := card.across:
        mean = Estimate(value=sum(figure.value for figure in across.values()) / len(across))
        kinds = ", ".join(f"{kind_name(name)} {of_100(figure.value)}" for name, figure in across.items())
        apart = ("Each kind, learned from the others alone", f"{kinds}. The figure is their mean.")
        rest = f"of two texts of a kind that it hasn't learned it picks the funnier one {of_100(mean.value)} times"
        yield UNKNOWN_KIND, _answer(mean, f"{rest} in 100.", apart)


def _broken(trust: ModelTrust) -> Answer | None:
    voice = (trust.audit.voice("audience") or trust.audit.voice("asked")) if trust.audit is not None else None
    above = voice.broken if voice is not None else None
    if above is None or above.share is None:
        return None
    figure = Estimate(value=above.share, low=above.low, high=above.high)
    more = ("Pairs", f"{above.n:,} jokes, each beside itself with another joke's end: {between(figure)} of 100.")
    rest = f"it puts a joke above the same joke with another joke's end {of_100(above.share)} times in 100."
    return _answer(figure, rest, more)


def _drafts(trust: ModelTrust) -> Answer | None:
    figures = trust.draft_figures
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
        shorter = share_of(figures.get("shorter"))
        rest = f"of two drafts it chooses the same one as a language model with a rubric {of_100(share)} times in 100."
        return _answer(figure, rest, *more, rival=Estimate(value=1.0 - shorter) if shorter is not None else None)
    return None


def _moves(audit: AuditResult | None) -> Answer | None:
    voice = (audit.voice("audience") or audit.voice("asked") or audit.voice("editor")) if audit is not None else None
    if audit is None or voice is None or not voice.findings:
        return None
    tried = [finding for finding in voice.findings if finding["role"] in ("bias", "injection")]
    more = [("Audit", f"{len(audit.pairs):,} pairs ({audit.source or 'a list'}), {len(tried)} changes each.")]
    more += [(about, text) for about, text in (line.split(": ", 1) for line in summary(audit))]
    moving = [one for one in tried if one["strength"] != "none" and changed_words(one)]
    if not moving:
        rest = f"none of {len(tried)} changes that shouldn't matter moves what it says of a joke."
        return Answer("Nothing that was tried", rest, tick="no effect 50", more=tuple(more))
    most = min(moving, key=lambda one: (one["strength"] != "strong", -abs(one["pull"]["value"])))
    changed = changed_words(most)
    chance, low, high = (100 * sigmoid(most["pull"][name]) for name in ("value", "low", "high"))
    verb, it = ("does", "it") if changed.startswith("“") else ("do", "them")
    drawn = high - low >= _LEAST_BAND
    return Answer(
        first=f"{_capital(changed)} {verb}", rest=f"the copy with {it} gets {chance:.0f} chances in 100.",
        figure=chance, low=low if drawn else None, high=high if drawn else None, tick="no effect 50", more=tuple(more),
    )  # fmt: skip


# The report

TITLES: dict[str, str] = {
    "audience": "Audience, by kind of text",
    "drafts": "Drafts",
    "check": "Checks",
    "factor": "Factors",
    "kind": "Kinds",
    "fault": "Faults",
    "turn": "Turn",
    "duel": "Duels",
}
MEASURED: dict[Measured, str] = {"r": "correlation", "auc": "area under the curve", "share": "share right"}
SOURCES: dict[Source | None, str] = {"asked": "asked", "read": "read", "both": "asked and read", None: "not asked"}
_LONG = ("kind", "fault")
"""Sections too long for a report, which are summarised there."""


def report(trust: ModelTrust) -> Iterator[Page]:
    """Yield the pages of the report on a model. Raises ``CriteriaError``."""
    card, unknown = trust.card, "How far it agrees with people hasn't been measured."
    if trust.own_head:
        unknown = "Its audience head was fitted on this machine and has no card."
    lead = headline(card) if card is not None else f"{unknown} {HOW_TO_MEASURE}"
    yield Page(
        "In short", lead=(lead,) if trust.fault is None else (), notes=tuple(map(str, trust.faults)),
        rows=tuple(map(Row, filter(None, (sense(trust), plan_summary(trust.plan))))),
        foot=(f"SHA-256 {trust.model.sha256}",),
    )  # fmt: skip
    yield Page("Four questions", rows=tuple(_questions(answers(trust))))
    if card is not None and card.kinds:
        yield _agreement(card)
    yield from _worths(trust)
    yield _sentences("What it is not for", tuple(limits(trust)))
    if made := tuple(_made(trust)):
        yield Page("Where these figures come from", rows=made)


def _sentences(title: str, sentences: Sequence[str]) -> Page:
    return Page(title, rows=tuple(map(Row, sentences)))


def _questions(given: Answers) -> Iterator[Row]:
    for key, question in QUESTIONS.items():
        answer = next(iter(given[key].values()), None)
        text = f"{answer.first}: {answer.rest}" if answer is not None else UNMEASURED_BY.get(key, UNMEASURED)
        # What there is to say of kinds of text is a table of its own.
        more = answer.more if answer is not None and key != "kind" else ()
        yield Row(f"{question} {text}", rows=tuple(Row(words, about, quiet=True) for about, words in more))


def _agreement(card: TrustCard) -> Page:
    rows = [(title(kind.name), name, *figures, pairs) for kind in card.kinds for name, figures, pairs in _slices(kind)]
    head = ("Kind of text", "of them", "JokeJudge", "“longer wins”", "word statistics", "pairs")
    text = (
        "Right in 100 pairs that it hadn't learned from, with 95 % intervals; a coin is right in 50. “Not learned "
        "from”: a judge that learned nothing from this kind of text."
    )
    odds = ((title(kind.name), _calibration_words(kind)) for kind in card.kinds)
    return Page(
        "Agreement with people", lead=(text,), rows=tuple(Row(sentence, name) for name, sentence in odds if sentence),
        tables=(Table("", head, tuple(rows)),),
    )  # fmt: skip


# What each part of a verdict is worth


def plan_summary(plan: dict[str, Any]) -> str:
    """Return a sentence on the cost of a verdict with this model."""
    if plan["line"]:
        return str(plan["line"])
    if plan["tokens"]:
        return f"The questions that help cost {plan['tokens']:,} tokens beyond the reading of the joke."
    return "A verdict reads the joke once and asks nothing."


def _figure(value: float) -> str:
    """Format as ``.57``, ``-.02``, ``1.00``."""
    text = f"{value:.2f}"
    return ("0.00" if text == "-0.00" else text).replace("0.", ".", 1)


def _table(items: Sequence[dict[str, Any]]) -> Table:
    """Return a table of items, by section; those that are shown first."""
    rows = []
    for section, some in groupby(items, key=lambda item: item["section"]):
        for item in sorted(some, key=lambda item: (not item["shown"], -item["worth"])):
            interval = f" ({_figure(item['low'])}–{_figure(item['high'])})" if item["low"] is not None else ""
            got = SOURCES[item["source"]] + (f", {item['tokens']:,} tokens" if item["tokens"] else "")
            worth, unit = _figure(item["worth"]) + interval, MEASURED[item["measured"]]
            shown = "shown" if item["shown"] else "not shown"
            rows.append((f"{TITLES[section]}: {item['name']}", worth, unit, got, shown))
    return Table("", ("Part", "Worth (95 %)", "Measured as", "Got", "In a verdict"), tuple(rows))


def plan_pages(trust: ModelTrust) -> Iterator[Page]:
    """Yield what is said of a model's plan, and all items of it. Raises ``CriteriaError``."""
    plan = trust.plan
    more = "" if plan["tokens"] or not plan["planned"] else " To ask every question: --ask all"
    measured = f"What its answers are worth was measured on {plan['texts']} texts that an editor read."
    lines = [measured] if plan["texts"] else []
    for always, how in ((True, "in each rating"), (False, "only where every question is asked")):
        if names := [item["name"] for item in plan["unmeasured"] if item["always"] is always]:
            lines.append(f"Your own, not measured, asked about {how}: {', '.join(names)}.")
    yield Page(
        plan["model"]["name"], lead=(plan_summary(plan) + more,), notes=tuple(map(str, trust.faults)),
        rows=tuple(map(Row, lines)), tables=(_table(plan["items"]),),
    )  # fmt: skip


def _worths(trust: ModelTrust) -> Iterator[Page]:
    items = [item for item in trust.plan["items"] if item["section"] != "audience"]
    table = _table([item for item in items if item["section"] not in _LONG])
    points = []
    for section in _LONG:
        if some := [item for item in items if item["section"] == section]:
            mean, shown = sum(item["worth"] for item in some) / len(some), sum(item["shown"] for item in some)
            hidden = ", ".join(item["name"] for item in some if not item["shown"])
            text = f"{shown} of {len(some)} are shown; mean area under the curve {_figure(mean)}."
            points.append(f"{TITLES[section]}: {text}{f' Not shown: {hidden}.' if hidden and shown else ''}")
    if table.rows or points:
        text = (
            "On texts that an editor read and that the heads hadn't learned from (a large language model's readings, "
            "not people's votes). By chance a correlation is 0, an area under the curve .50."
        )
        yield Page("What each part of a verdict is worth", lead=(text,), rows=tuple(map(Row, points)), tables=(table,))


# What it isn't for, and where the figures come from


def limits(trust: ModelTrust) -> Iterator[str]:
    """Yield limits that follow from the figures, and uses that no figure here supports. Raises ``CriteriaError``."""
    card, plan, moved = trust.card, trust.plan, trust.effects
    yield "Saying how funny a text is, or that one person will like it: it says which texts a crowd would put higher."
    if card is None:
        yield "Any claim about people: its agreement with them isn't known."
    else:
        least = {kind.name: (kind.head["all"].low, kind.head["all"].value) for kind in card.kinds}
        if unsure := [kind_name(id) for id, (low, value) in least.items() if (value if low is None else low) <= 0.5]:
            yield f"Telling {listed(unsure, 'or')} apart: there it isn't surely better than a coin."
        if card.across:
            yield f"Kinds of joke that it never learned from: there it is right in {span(card)} of 100 pairs."
    if plan["planned"] and not any(item["shown"] for item in plan["items"] if item["section"] == "turn"):
        yield "Pointing at the words on which a joke turns: that isn't good enough to be shown."
    strong = sorted({name for some in moved.values() for name, strength in some.items() if strength == "strong"})
    if strong:
        yield f"Comparing texts that differ in what moves it strongly: {', '.join(strong)}."
    if not moved:
        yield "Comparing texts by different people or in different forms without an audit of your own."
    if not any(item["shown"] for item in plan["items"] if item["id"] == "appropriateness"):
        yield "Keeping harmful or hateful texts out: it wasn't found to recognise them."
    yield "Texts that aren't English: nothing was measured on them."
    yield "Deciding about people, such as grading or hiring, by the texts that they wrote."


def _made(trust: ModelTrust) -> Iterator[Row]:
    """Yield the data and commands behind the figures."""
    card, editor, audit = trust.card, trust.editor, trust.audit
    if card is not None:
        yield from (Row(f"{terms}.", title(name)) for name, terms in card.data.items())
        made = (("Measured", card.date), ("Held out", card.split), ("Intervals", card.intervals),
                ("Reads", card.features), ("Fitted on", card.fitted_on), ("Command", card.command))  # fmt: skip
        yield from (Row(f"{text}.", label) for label, text in made if text)
    if editor is not None:
        text = f"{editor.date}; {editor.data}; {editor.readings:,} readings; {editor.command}."
        yield Row(text, "Editor's heads")
    if audit is not None:
        text = f"JokeJudge {audit.program}, probes {audit.perturbations}, {audit.readings:,} readings."
        yield Row(text, "Audit")
