"""A ranked list at the desk: what the model judged, what the user has seen, kept and binned, the order of what is kept,
the joke that is shown, and the cut. The window draws it, and the history stores its notes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from statistics import NormalDist
from typing import Literal, NamedTuple

from ...core.pages import Mark, MarkedText, Page
from ...core.texts import number
from ...core.verdict_kinds import lean_of
from ...core.verdicts import OFTEN, WIDE, Audience
from ...core.words import fact_lines
from ...heads.audience import correlation_of, head_normal
from .ranking import families
from .record import NOTHING, ContestResult, DeskState, EntryNote, Notes, RankedEntry
from .words import left_out, marks_of, places_of, told, version

Part = Literal["kept", "all", "out", "twins", "known", "rest"]
PARTS: tuple[Part, ...] = ("kept", "all", "out", "twins", "known", "rest")
"""The parts of a list: the kept ones, all, and four that divide all."""
KNOWN = f"in {number(WIDE)} collections of jokes or more, or {number(OFTEN)} times in them"
"""What makes a joke one that was told before."""
VOTES_WHILE_BLIND = 20
"""Ranks are hidden until this many jokes have been kept or binned."""
_CUT = 0.3
"""Share of the list that is before the cut initially."""
_LEANS = (0.3, 0.4, 0.6, 0.7)
"""Odds of the upper half between which the steps of a lean lie."""
_WIDE_PLACES = 2 / 3
"""Share of the list from which on the places that a joke may have say nothing."""
_MOST_REASONS = 3
_MOST_SENTENCES = 2
_SENTENCE = re.compile(r"(?<=[.!?”])\s+(?=[A-Z“])")
_EVEN = 0.5
_NORMAL = NormalDist()


def _bare(text: str) -> str:
    """A text without its last marks, which don't make another joke of it."""
    return text.rstrip(".!?… ")


def _several(reason: str, count: int) -> str:
    """Return a reason with its count: "a heading", "two headings", "no turn found (3)"."""
    if count == 1:
        return reason
    article, _, what = reason.partition(" ")
    return f"{number(count)} {what}s" if article in ("a", "an") else f"{reason} ({count:,})"


Memory = tuple[Mapping[str, EntryNote], tuple[str, ...], str]
"""Notes on some jokes, the ids of the kept ones in their order, and the joke that was shown."""


class Tile(NamedTuple):
    """A part with its ``size`` and a description."""

    part: Part
    size: int
    title: str
    about: str


class Cut(NamedTuple):
    """The first ``first`` jokes of a list of ``size``. ``figures``: its gain and loss as the end of a sentence without
    its full stop; empty where nothing was measured. ``weak``: no cut of the list has one joke more than by chance."""

    first: int
    size: int
    figures: str = ""
    weak: bool = False


def chance(entry: RankedEntry) -> float | None:
    """Return the probability that people find a joke funnier than a typical one; None if unknown."""
    percentile, agreement = entry.read.percentile, entry.read.agreement
    return None if percentile is None or agreement is None else _chance(percentile, agreement)


@lru_cache(maxsize=1 << 14)
def _chance(percentile: float, agreement: float) -> float:
    """Cached, because a list is shown again whenever a joke is seen or marked."""
    rho = correlation_of(agreement)
    z = head_normal(percentile, agreement)
    return _NORMAL.cdf(rho * z / math.sqrt(max(1.0 - rho * rho, 1e-9)))


def _upper(entry: RankedEntry) -> float | None:
    """Return the odds of the upper half of people's votes; None if unknown, and where the text may be no joke."""
    sense = entry.read.sense
    return entry.read.upper if sense is None or sense.said == "joke" else None


def lean(entry: RankedEntry) -> int | None:
    """Return how the audience leans, from 0 (to the lower half) over 2 (to neither) to 4; None if unknown."""
    upper = _upper(entry)
    return None if upper is None else sum(upper >= step for step in _LEANS)


def leaning(entry: RankedEntry) -> str:
    """Return the half that the audience leans to, in words; empty where it leans to neither."""
    upper = _upper(entry)
    words = "" if upper is None or left_out(entry) else lean_of(Audience(percentile=0.0, score=0.0, upper=upper))
    return words[:1].lower() + words[1:]


def cut_of(jokes: Sequence[RankedEntry], first: int) -> Cut:
    """Return the cut after the ``first`` jokes of a list, best first, with the expected numbers of those that people
    find funnier than a typical joke: before it, in the whole list, and among as many jokes drawn at random. They follow
    from the measured accuracy of the audience's estimate. A joke without one counts as 0.5; where that is at least half
    of them the cut has no figures."""
    first = max(0, min(first, len(jokes)))
    chances = [chance(entry) for entry in jokes]
    if 2 * sum(p is not None for p in chances) <= len(chances):
        return Cut(first, len(jokes))
    filled = [0.5 if p is None else p for p in chances]
    whole, liked = math.fsum(filled), math.fsum(filled[:first])
    by_chance = f"({whole * first / len(jokes):.0f} by chance)"
    figures = f"hold about {liked:.0f} of the {whole:.0f} that people would like {by_chance}"
    gains = (before - whole * at / len(jokes) for at, before in enumerate(accumulate(filled), 1))
    return Cut(first, len(jokes), figures, max(gains) < 1.0)


def final_order(ids: Sequence[str], choices: Sequence[bool]) -> tuple[list[str], tuple[str, str] | None]:
    """Return jokes in the order of the user's ``choices`` between two, and the next pair to choose from, None where the
    order is complete. Each joke finds its place among those before it by halving; a choice is whether it comes before
    the other one."""
    order: list[str] = []
    answers = iter(choices)
    for at, id in enumerate(ids):
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            before = next(answers, None)
            if before is None:
                return [*order, *ids[at:]], (id, order[middle])
            low, high = (low, middle) if before else (middle + 1, high)
        order.insert(low, id)
    return order, None


class Desk:
    """One list. Each entry that the judge read is in ``all`` and in exactly one of ``out``, ``twins``, ``known`` and
    ``rest``. ``at``: id of the joke that is shown, empty where all are seen; ``led``: the program chose that joke, so
    it moves to the best one when the contest ends."""

    def __init__(self, result: ContestResult | None = None, notes: Notes | None = None) -> None:
        """``notes``: the user's notes, None: those of the result; the judge of a running contest reads them, too."""
        self.result: ContestResult | None = None
        self.notes = notes if notes is not None else Notes() if result is None else Notes.of(result)
        self.part: Part = "rest"
        self.at, self.led = "", True
        self.entries: dict[str, RankedEntry] = {}
        self._divide()
        if result is not None:
            self.take(result)

    def take(self, result: ContestResult) -> None:
        """Take up a newer state of the ranking."""
        self.result = result
        self._divide()
        stored = self.place.at
        if not self.at and stored in self.entries:
            self.at, self.led = stored, False
            if self._part[stored] != self.part:
                self.part = self._part[stored] if self.stays(stored) else "all"
        elif not self.at:
            self.lead()

    def lead(self) -> None:
        """Go to the first joke to be seen."""
        first = self.next(self.part)
        self.at = first.id if first is not None else ""

    @property
    def place(self) -> DeskState:
        """What is stored of the reader's place."""
        return self.notes.desk or DeskState()

    @property
    def current(self) -> RankedEntry | None:
        """The joke that is shown."""
        return self.entries.get(self.at)

    # The parts

    def _divide(self) -> None:
        """Divide the list anew, which takes some ten microseconds an entry."""
        result, notes = self.result or ContestResult(id=""), self.notes
        entries = {entry.id: entry for entry in result.entries if entry.rank is not None or entry.error is not None}
        aside = {id for id, entry in entries.items() if left_out(entry) and not notes[id].back}
        there = {_bare(entry.text) for id, entry in entries.items() if id not in aside}
        out = {id for id in aside if entries[id].error is not None or _bare(entries[id].text) not in there}
        won = Counter(
            duel.a if duel.p_a > _EVEN else duel.b for duel in result.held if duel.drafts and duel.p_a != _EVEN
        )

        def stays_before(id: str) -> tuple[object, ...]:
            """Of versions of one joke the one that the user chose stays, else the winner of most duels between them,
            else the one with the better rank."""
            entry = entries[id]
            repeats = entry.same_as is not None
            return not notes[id].chosen, id in aside, -won[id], entry.rank is None, entry.rank or 0, repeats

        bare = dict[str, str]()
        pairs = (
            (entry.id, other)
            for entry in entries.values()
            if entry.id not in out
            for other in (*entry.like, entry.same_as, bare.setdefault(_bare(entry.text), entry.id))
            if other in entries and other not in out and other != entry.id
        )
        self.entries, self._family, self._part = entries, dict[str, tuple[str, ...]](), dict[str, Part]()
        for family in families(pairs):
            stays, *others = sorted(family, key=stays_before)
            self._family |= dict.fromkeys(family, (stays, *others))
            self._part |= dict.fromkeys(others, "twins")
        self._order: dict[Part, list[RankedEntry]] = {part: [] for part in PARTS}
        self._listed = {id: at for at, id in enumerate(result.order)}
        for entry in sorted(entries.values(), key=self._by_rank):
            heard = entry.read.heard
            part: Part = "out" if entry.id in out else "known" if heard is not None and heard.widely else "rest"
            self._order["all"].append(entry)
            self._order[self._part.setdefault(entry.id, part)].append(entry)

    def _by_rank(self, entry: RankedEntry) -> tuple[bool, int, int]:
        listed = self._listed.get(entry.id, len(self._listed))
        return (False, 0, listed) if self.blind else (entry.rank is None, entry.rank or 0, listed)

    def rows(self, part: Part) -> list[RankedEntry]:
        """Return the entries of a part in their order, best first; the kept ones in the user's order; for ``twins`` the
        ones that stay, each once."""
        if part == "kept":
            listed = {id: at for at, id in enumerate(self.place.kept)}
            kept = [entry for entry in self._order["all"] if self.notes[entry.id].mark == "keep"]
            return sorted(kept, key=lambda entry: listed.get(entry.id, len(listed)))
        if part != "twins":
            return self._order[part]
        stays = dict.fromkeys(self._family[entry.id][0] for entry in self._order["twins"])
        return sorted((self.entries[id] for id in stays), key=self._by_rank)

    def part_of(self, id: str) -> Part:
        return self._part[id]

    def twins_of(self, id: str) -> list[RankedEntry]:
        """Return the other versions of a joke, the one that stays first."""
        return [self.entries[other] for other in self._family.get(id, ()) if other != id]

    def stays(self, id: str) -> bool:
        """Whether the entry stays in the list: it has no twins, or is the one chosen from them."""
        return self._family.get(id, (id,))[0] == id

    @property
    def blind(self) -> bool:
        return self.place.blind and self.blind_left > 0

    @property
    def blind_left(self) -> int:
        """Number of jokes still to be kept or binned before ranks are shown."""
        return max(0, VOTES_WHILE_BLIND - self.notes.count("keep", "bin"))

    def tiles(self) -> list[Tile]:
        """Return the parts that aren't empty with their descriptions; the last four sizes add up to that of all."""
        sizes = {part: len(entries) for part, entries in self._order.items()} | {"kept": len(self.rows("kept"))}
        reasons = Counter(map(left_out, self._order["out"]))
        why = [_several(reason, count) for reason, count in reasons.most_common(_MOST_REASONS)]
        pairs = f"pair{'' if sizes['twins'] == 1 else 's'} of twins"
        words = {
            "kept": ("kept", "your shortlist"),
            "all": ("judged", "show all"),
            "out": ("left out", ", ".join([*why, *(["others"] if len(reasons) > _MOST_REASONS else [])])),
            "twins": (pairs if sizes["twins"] == len(self.rows("twins")) else "twins", "the better one stays"),
            "known": ("told before", KNOWN),
            "rest": ("to read", "all the rest, kept or not"),
        }
        shown = [part for part in PARTS if sizes[part] or part in ("kept", "all", "rest")]
        return [Tile(part, sizes[part], f"{sizes[part]:,} {words[part][0]}", words[part][1]) for part in shown]

    # Words about one entry

    def place_of(self, entry: RankedEntry, to: str = "–") -> str:
        """Return the places that a joke may have, such as "1–40"; empty without a place, where it is left out, while
        places are hidden, and where it may be nearly anywhere."""
        span = (entry.rank_high or 0) - (entry.rank_low or 0)
        wide = span and span + 1 > _WIDE_PLACES * len(self._order["all"])
        return "" if wide or self.blind or self._part[entry.id] == "out" else places_of(entry, to)

    def remarks(self, id: str) -> list[str]:
        """Return what is to be said of an entry beside its text, its place first."""
        entry, out = self.entries[id], self._part[id] == "out"
        place, ranked = self.place_of(entry, " to "), sum(one.rank is not None for one in self._order["all"])
        lines = [f"left out: {left_out(entry)}" if out else "", f"place {place} of {ranked}" if place else ""]
        lines += ["" if self.blind else leaning(entry), told(entry), *marks_of(self.notes[id])]
        count = len(self._family.get(id, ()))
        has = "" if count < 2 else "has a twin" if count == 2 else f"one of {count} that are nearly the same"
        return list(filter(None, [*lines, "" if out else has if self.stays(id) else "a better twin stays"]))

    def page(self, id: str) -> Page:
        """Return an entry as a page: its text with the turn marked, then its twins with the words that differ; as
        headline its place, as lead at most two sentences about it, and the facts of its text at the foot."""
        entry = self.entries[id]
        reading, out = entry.read, self._part[id] == "out"
        turn = reading.turn if not left_out(entry) else None
        marks = (Mark(turn.start, turn.end, "turn"),) if turn is not None else ()
        twins = self.twins_of(id) if not out else []
        label = "Its twin" if len(twins) == 1 else "A twin"
        place, where = self.place_of(entry, " to "), told(entry)
        lead = [
            f"Left out: {left_out(entry)}." if out else "",
            "" if self.stays(id) else "Its twin stays, as the one that is probably better.",
            f"{where[:1].upper()}{where[1:]}." if where else "",
            *_SENTENCE.split(reading.note),
            "" if reading.english else "This may not be English, and the program reads English only.",
        ]
        return Page(
            headline=f"place {place}" if place else "",
            lead=tuple(filter(None, lead))[:_MOST_SENTENCES],
            texts=(MarkedText(entry.text, marks=marks), *(version(twin.text, entry.text, label) for twin in twins)),
            foot=tuple(
                filter(None, (*fact_lines(entry.text, turn), reading.device, "" if self.blind else leaning(entry)))
            ),
        )

    # What the user has seen

    def unseen(self, id: str) -> bool:
        """Whether the user has neither marked the entry nor seen it long enough."""
        return self.notes[id].mark is None and not self.notes[id].read

    def open(self, id: str) -> bool:
        """Whether the entry is still to be seen: it is unseen, or was put off."""
        return self.unseen(id) or self.notes[id].mark == "later"

    def progress(self, part: Part) -> tuple[int, int, int]:
        """Return the numbers of a part's entries that are seen, kept, and still to be seen."""
        ids = [entry.id for entry in self.rows(part)]
        to_go = sum(map(self.open, ids))
        return len(ids) - to_go, sum(self.notes[id].mark == "keep" for id in ids), to_go

    def next(self, part: Part, after: str = "") -> RankedEntry | None:
        """Return the next unseen joke after ``after``, wrapping around at the end; then those that were put off; None
        if all are seen. Of the kept ones, the next."""
        rows = self.rows(part)
        at = next((at for at, entry in enumerate(rows, start=1) if entry.id == after), 0)
        if part == "kept":
            return rows[at] if at < len(rows) else None
        todo = [entry for entry in (*rows[at:], *rows[:at]) if self.open(entry.id)]
        return next((entry for entry in todo if self.unseen(entry.id)), todo[0] if todo else None)

    # Changes

    def say(self, ids: Sequence[str], **changes: object) -> None:
        """Change these fields of the notes on some entries."""
        self._say({id: self.notes[id]._replace(**changes) for id in ids})  # type: ignore[arg-type]

    def _say(self, notes: Mapping[str, EntryNote]) -> None:
        before, blind, self.led = {id: self.notes[id] for id in notes}, self.blind, False
        for id, note in notes.items():
            self.notes[id] = note
        self.keep_place()
        # Marks don't change the parts, unless they end a blind reading.
        moved = any((note.back, note.chosen) != (before[id].back, before[id].chosen) for id, note in notes.items())
        if moved or blind != self.blind:
            self._divide()

    def change(self, act: Callable[[], object]) -> tuple[Memory, Memory]:
        """Change something, and return what ``recall`` takes to undo it, and to make it again."""
        one, kept, at = dict(self.notes.by_id), self.place.kept, self.at
        act()
        other = self.notes.by_id
        ids = [id for id in {**one, **other} if one.get(id) != other.get(id)]
        old, new = ({id: notes.get(id, NOTHING) for id in ids} for notes in (one, other))
        return (old, kept, at), (new, self.place.kept, self.at)

    def recall(self, memory: Memory) -> None:
        """Bring back what the user said of some jokes, the order of the kept ones and the joke that was shown."""
        notes, kept, self.at = memory
        self._say(notes)
        self.keep_place(kept=kept)
        if self.at and all(entry.id != self.at for entry in self.rows(self.part)):
            self.part = "all"

    def keep_twin(self, id: str) -> None:
        """Let this twin stay instead of the others of its family, and go to it."""
        family = [id, *(twin.id for twin in self.twins_of(id))]
        self._say({one: self.notes[one]._replace(chosen=one == id) for one in family})
        self.at = id

    def keep_place(self, **changes: object) -> None:
        """Store the joke that is shown, and ``changes``: fields of ``DeskState``."""
        self.notes.desk = self.place.replaced(at="" if self.led else self.at, **changes)
        if "blind" in changes:
            self._divide()

    # The cut

    @property
    def pool(self) -> list[RankedEntry]:
        """The jokes that the cut divides, best first: those with a rank, without those left out and without twins that
        don't stay."""
        shown = self.rows(self.part if self.part in ("all", "known") else "rest")
        return [one for one in shown if one.rank is not None and self._part[one.id] not in ("out", "twins")]

    def cut(self) -> Cut:
        """Return the cut through the jokes that are shown."""
        pool, first = self.pool, self.place.cut
        return cut_of(pool, round(len(pool) * _CUT) if first is None else first)
