"""A contest in words: its certainty, the duels and readings behind it, and what is to be said of each joke."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...core.pages import Mark, MarkedText, Page, Row, Table
from ...core.texts import number
from ...core.verdict_kinds import foot_of, notes_of, told_in_words
from ...core.words import differing
from .record import ContestResult, EntryNote, RankedEntry, Screened, Screening, generator_of

ORIGINAL = (
    "Original, 0 to 100: the share of jokes that are less original; low for a joke that seems to be told often, and "
    "divided by its number of versions in the list."
)
TOLD = "Told: in how many collections of jokes it stands; the others aren't in what I know."
NO_ESTIMATE = "No estimate for this kind: the order is chance."
LITTLE_BETTER = (
    "This order is little better than chance. It is better to read the jokes with their places hidden: choose “Hide or "
    "show places” in the menu."
)
OTHER_MODEL = "The earlier run's results come from another model or version, so everything was judged again."
OTHER_TOPIC = "The earlier run's results are about another topic or scene, so everything was judged again."
OTHER_MODE = "The duels of the earlier run were held in another mode, so they are held again."
_ASIDE = {
    "joke": ("as no joke", "as no jokes"),
    "version": ("as a twin of a better one", "as twins of better ones"),
    "stock": ("as widely told", "as widely told"),
}
"""By reason, the words for one joke and for several that are set aside."""
_DECISIONS = {"promote": "Promoted", "show": "Vote now", "wait": "Vote later", "reject": "Rejected"}
_REASONS = {"version": "a better version is in the list", "stock": "widely told", "joke": "no joke"}
_FEW = 3


def page(result: ContestResult, screening: Sequence[str] = ()) -> Page:
    """Return a contest in words; ``screening``: the sentences of its screening."""
    count = sum(map(_unread, result.entries))
    verb = "isn't" if count == 1 else "aren't"
    unread = (f"{jokes(count)} {verb} read yet.",) if count else ()
    return replace(
        glance(result),
        lead=(*((name_of(result),) if result.title or result.context else ()), *unread, *reasons(result)),
        notes=notes_of(result),
        rows=(Row(screening[0], "Screening", rows=tuple(map(Row, screening[1:]))),) if screening else (),
        tables=(ranking(result), *(table for table in (writers(result),) if table.rows)),
        foot=(*_of_columns(result), *foot_of(result)),
    )


def _unread(entry: RankedEntry) -> bool:
    """Whether the contest was stopped before an entry was read."""
    return entry.rank is None and entry.error is None and entry.reading is None


def _of_columns(result: ContestResult) -> tuple[str, ...]:
    """A sentence about the column that its name doesn't explain, where it is shown."""
    original = (ORIGINAL,) if any(entry.originality is not None for entry in result.entries) else ()
    return (*original, *((TOLD,) if any(map(told, result.entries)) else ()))


def glance(result: ContestResult) -> Page:
    """Return the headline of a contest's page alone, as a row of a list shows it."""
    count, kept = len(result.entries), sum(entry.user.mark == "keep" for entry in result.entries)
    badge = f"{count}" if count < 1000 else f"{count // 1000}k"
    marked = f"; {kept:,} kept" if kept else ""
    return Page(headline=f"{sentence(result)}{marked}", badge=badge)


def ranking(result: ContestResult, entries: Sequence[RankedEntry] | None = None) -> Table:
    """Return the list as a table, best first, with the columns of which something is known. ``entries``: those to list;
    None: all that were read or can't be, each text once."""
    if entries is None:
        entries = [
            entry for entry in result.entries if entry.text and not (_unread(entry) or (entry.rank and entry.same_as))
        ]
    of_100 = by_place(result.ranked)
    columns = {
        "Rank": [str(entry.rank or "–") for entry in entries],
        "From–to": [places_of(entry) for entry in entries],
        "In 100" if of_100 else "Score": [number_of(entry, of_100=of_100) for entry in entries],
        "Original": [_share(entry.originality) for entry in entries],
        "Told": [f"{heard.collections} of {heard.of}" if (heard := entry.read.heard) else "" for entry in entries],
        "On topic": [_share(entry.relevance) for entry in entries],
        "Scored": [next((f"{one['mean']:.1f}" for one in e.rounds if one["scale"] == "humor"), "") for e in entries],
        "Joke": [entry.text for entry in entries],
        "Remarks": ["; ".join(line for line in remarks(entry) if line != told(entry)) for entry in entries],
    }
    shown = {name: cells for name, cells in columns.items() if name in ("Rank", "Joke") or any(cells)}
    return Table("", tuple(shown), tuple(zip(*shown.values(), strict=True)))


def places_of(entry: RankedEntry, to: str = "–") -> str:
    """Return the places that an entry may have, such as "1–23"; empty where it has none."""
    if entry.rank is None:
        return ""
    low, high = entry.rank_low or entry.rank, entry.rank_high or entry.rank
    return f"{low:,}" if low == high else f"{low:,}{to}{high:,}"


def _share(value: float | None) -> str:
    return "" if value is None else str(round(100 * value))


def left_out(entry: RankedEntry) -> str:
    """Return why an entry is left out; empty where it isn't."""
    if entry.error is not None:
        return entry.error.sentence.rstrip(".")
    return entry.read.reason or ("no joke" if entry.read.joke is False else "")


def jokes(count: int) -> str:
    return "1 joke" if count == 1 else f"{count:,} jokes"


def name_of(result: ContestResult) -> str:
    """Return a contest's name: its title or its topic, and its length."""
    count = jokes(len(result.entries))
    if result.title:
        return f"{result.title}: {count}"
    return f"{count} about {result.context}" if result.context else count


def _tied(result: ContestResult) -> int:
    """The number of jokes at the top that can't be distinguished; 1: the first one is clearly first."""
    return sum(entry.group == 1 for entry in result.ranked)


def sentence(result: ContestResult) -> str:
    count, tied = len(result.ranked), _tied(result)
    if count < 2:
        alone = "1 joke ranked" if any(map(_unread, result.entries)) else "1 joke, so there is nothing to rank"
        return alone if count else "No ranking"
    if tied == count:
        return f"{count:,} jokes ranked, none of them surely above another"
    first = "a clear first" if tied == 1 else f"the first {number(tied)} can't be told apart"
    return f"{count:,} jokes ranked, {first}"


def summary(result: ContestResult) -> list[str]:
    """Return sentences about the order's certainty and reasons, as far as they are known."""
    if len(result.ranked) < 2:
        return []
    tied = _tied(result)
    sure = {1: "The first one stands out.", len(result.ranked): "None of these is surely above another."}
    return [sure.get(tied, f"The first {number(tied)} can't be told apart."), *reasons(result)]


def reasons(result: ContestResult) -> list[str]:
    """Return sentences about what the order rests on, and how far people would agree with it."""
    if len(result.ranked) < 2:
        return []
    lines = []
    if alike := {frozenset((entry.id, other)) for entry in result.ranked for other in entry.like}:
        pairs = "One pair is" if len(alike) == 1 else f"{number(len(alike)).capitalize()} pairs are"
        lines.append(f"{pairs} the same joke in other words.")
    if repeated := sum(entry.same_as is not None for entry in result.entries):
        repeat = "repeats" if repeated == 1 else "repeat"
        lines.append(f"{number(repeated).capitalize()} {repeat} the text of another one.")
    lines += _of_rounds(result)
    if result.agreement is not None:
        lines.append(f"People would agree with this order in about {round(100 * result.agreement)} of 100 pairs.")
    if result.interval == "judge":
        lines.append("The intervals say how consistent the judge is, not how far people would agree.")
    return lines


def _of_rounds(result: ContestResult) -> list[str]:
    """Sentences about the shuffled rounds, and whether they count."""
    if not result.scored:
        return []
    count = number(max(chunk.round for chunk in result.scored))
    lines = [f"The model scored the jokes in {count} shuffled round{'' if count == 'one' else 's'}."]
    effects = next((of["effects"] for of in result.place_effects if of["scale"] == "humor"), ())
    if not effects:
        return [*lines, "It gave no scores that could be read."]
    if (most := max(effects, key=abs)) and abs(most) >= 0.1:
        change = f"{'raised' if most > 0 else 'lowered'} a score by {abs(most):.1f}"
        lines.append(f"Being in place {effects.index(most) + 1} {change} points; this was taken out.")
    if not result.rounds_weight:
        lines.append(
            "These scores are the model's own opinion and weren't measured to be good: they are shown beside the order "
            "and don't change it."
        )
    return lines


def writers(result: ContestResult) -> Table:
    """Return the mean place of the jokes of each model that wrote some of the list; no rows where that isn't several
    models."""
    places: dict[str, list[float]] = {}
    for entry in result.ranked:
        if entry.percentile is not None and (name := generator_of(entry)):
            places.setdefault(name, []).append(entry.percentile)
    means = sorted(((sum(of) / len(of), name, len(of)) for name, of in places.items()), reverse=True)
    rows = tuple((name, f"{count:,}", f"{mean:.0f}") for mean, name, count in means)
    return Table("By writer", ("Written by", "Jokes", "Mean place of 100"), rows if len(rows) > 1 else ())


def by_place(entries: Sequence[RankedEntry]) -> bool:
    """Whether the order is that of the percentiles, so that these can be shown beside it; where duels or the model's
    own answers changed it, the scores are shown instead."""
    places = sorted((entry.rank, -entry.percentile) for entry in entries if entry.rank and entry.percentile is not None)
    return bool(places) and all(one[1] <= other[1] for one, other in itertools.pairwise(places))


def number_of(entry: RankedEntry, *, of_100: bool) -> str:
    """Return the number by which an entry is ranked; ``of_100``: see ``by_place``."""
    if of_100:
        return "" if entry.percentile is None else str(min(99, max(1, round(entry.percentile))))
    return "" if entry.score is None else f"{entry.score:+.1f}"


def told(entry: RankedEntry) -> str:
    """Return where a joke is told, in words; empty where that isn't known."""
    return told_in_words(entry.read.heard)


def remarks(entry: RankedEntry) -> list[str]:
    """Return what is to be said of an entry beside its rank."""
    out = left_out(entry)
    version = "has another version" if entry.like else ""
    lines = [
        out if entry.rank is not None or not out else f"left out: {out}",
        "the same text again" if entry.same_as is not None else version,
        "in your history" if entry.seen is not None else "",
        told(entry),
        "" if entry.read.english else "perhaps not English",
    ]
    return [*filter(None, lines), *marks_of(entry.user)]


def marks_of(note: EntryNote) -> list[str]:
    """Return the user's mark, star and tags of an entry in words."""
    mark = [{"keep": "kept", "bin": "binned", "later": "for later"}[note.mark]] if note.mark is not None else []
    return [*mark, *(["starred"] if note.starred else []), *note.tags]


def version(text: str, other: str, label: str) -> MarkedText:
    """Return a version of a joke with the words that differ from the ``other`` one marked."""
    _, spans = differing(other, text)
    if 2 * sum(end - start for start, end in spans) > len(text):
        spans = ()  # where most of the text differs, marks say nothing
    return MarkedText(text, label, tuple(Mark(start, end, "differs") for start, end in spans))


def estimated(result: ContestResult) -> bool:
    """Whether the order is informative: it follows from an estimate of people's preferences or from the model's
    answers."""
    return result.interval == "judge" or any(entry.read.agreement is not None for entry in result.entries)


# -- A list's screening


def screening_sentences(screening: Screening) -> list[str]:
    """Return what is decided, and both errors, as far as there are any: good jokes that are missed, and others that
    pass."""
    lines, rows, shown = list[str](), screening.entries, len(screening.shown)
    waiting = sum(row.decision == "wait" for row in rows)
    if screening.promoted is not None:
        votes = "1 vote" if screening.votes == 1 else f"{screening.votes} votes"
        chosen = f"People have chosen, after {votes}."
        lines.append(chosen if screening.decided else "One joke stands out and needs no vote.")
    if screening.fallback:
        lines.append("None of those that are left passes the limits; the best of them is shown anyway.")
    elif shown:
        lines.append(f"Vote on {shown:,} now{f', {waiting:,} later' if waiting else ''}.")
        if unknown := sum(row.p is None and row.decision in ("show", "wait") for row in rows):
            they = "it isn't" if unknown == 1 else "they aren't"
            lines.append(f"For {unknown:,} of these no chance is known, so {they} rejected.")
    elif screening.decided and waiting:
        lines.append(f"{waiting:,} more could be voted on.")
    if aside := Counter(row.reason for row in rows if row.decision == "reject" and row.reason in _ASIDE):
        first, *more = [(count, _ASIDE[reason][count > 1]) for reason, count in aside.most_common()]
        words = ", ".join(f"{count:,} {word}" for count, word in (first, *more))
        lines.append(f"{aside.total():,} set aside{f': {words}' if more else f' {first[1]}'}.")
    rejected = sum(row.decision == "reject" and not row.reason for row in rows)
    passed = sum(row.p is not None and (row.decision != "reject" or row.reason == "vote") for row in rows)
    if rejected == 1:
        be = "be" if screening.missed >= 0.5 else "not be"
        lines.append(f"The one rejected would probably {be} funnier than a typical joke.")
    elif rejected:
        missed = _about(screening.missed, rejected)
        lines.append(f"{missed} of the {rejected:,} rejected would be funnier than a typical joke.")
    if passed == 1 and not screening.fallback:
        better = "no better" if screening.wasted >= 0.5 else "better"
        lines.append(f"The one that passes would probably be {better} than a typical joke.")
    elif passed and not screening.fallback:
        wasted = _about(screening.wasted, passed)
        lines.append(f"{wasted} of the {passed:,} that pass would be no better than a typical joke.")
    return lines


def _about(expected: float, count: int) -> str:
    few = "Hardly any" if count > _FEW else "Probably none"
    return few if expected < 0.5 else f"About {expected:.0f}"


def decision_on(row: Screened, screening: Screening) -> str:
    """Return what is decided on a joke, in a word or two."""
    if row.decision == "reject" and row.reason:
        return "Set aside" if row.reason in _ASIDE else "Voted out"
    return "Best" if screening.fallback and row.decision == "show" else _DECISIONS[row.decision]


def why_decided(row: Screened, screening: Screening) -> str:
    """Return the reason of the decision, without a full stop."""
    limits = screening.thresholds
    if row.reason == "vote":
        return "won the vote" if row.decision == "promote" else "another one won the vote"
    if row.reason:
        return _REASONS[row.reason]
    if row.p is None:
        return "nothing is known of texts of its kind"
    if row.decision == "promote":
        return f"the only high one, over {limits.promote:.2f}"
    if row.p < limits.reject:
        return f"under {limits.reject:.2f}" if row.decision == "reject" else "the best, though none passes"
    return f"high ({limits.high:.2f} or more)" if row.p >= limits.high else f"good enough ({limits.reject:.2f} or more)"
