"""A ranked list at the desk: what the model judged, what the user has seen, kept and binned, the order of what is kept,
the joke that is shown, and the cut. The window draws it, and the history stores its notes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, NamedTuple

from ...core.pages import Mark, MarkedText, Page
from ...core.texts import number
from ...core.verdict_kinds import lean_of
from ...core.verdicts import Audience
from ...core.words import fact_lines
from ...heads.audience import correlation_of, head_normal
from .notes import NOTHING, DeskState, EntryNote
from .ranking import families
from .record import UNREAD, ContestResult, Notes, RankedEntry
from .words import left_out, marks_of, places_of, told, version

Part = Literal["kept", "all", "out", "twins", "known", "rest"]
PARTS: tuple[Part, ...] = ("kept", "all", "out", "twins", "known", "rest")
"""The parts of a list: the kept ones, all, and four that divide all."""
VOTES_WHILE_BLIND = 20
"""Ranks are hidden until this many jokes have been kept or binned."""
_CUT = 0.3
"""Share of the list that is before the cut initially."""
_LEANS = (0.3, 0.4, 0.6, 0.7)
"""Odds of the upper half between which the steps of a lean lie."""
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


class Memory(NamedTuple):
    """Notes on some jokes, the ids of the kept ones in their order, and the joke that was shown."""

    notes: Mapping[str, EntryNote]
    kept: tuple[str, ...]
    at: str


@dataclass(frozen=True)
class Tile:
    """A part with its size and a description."""

    part: Part
    count: int
    title: str
    about: str


@dataclass(frozen=True)
class Cut:
    """The first ``first`` jokes of a list of ``size``. ``liked``: expected number of them that people find funnier than
    a typical joke, ``all_liked`` of the whole list, ``at_random`` of as many jokes drawn at random. The numbers follow
    from the measured accuracy of the audience's estimate; None where it wasn't measured."""

    first: int
    size: int
    liked: float | None = None
    all_liked: float | None = None
    at_random: float | None = None

    @property
    def figures(self) -> str:
        """The gain and loss as the end of a sentence without its full stop; empty where nothing was measured."""
        if self.liked is None or self.all_liked is None or self.at_random is None:
            return ""
        return (
            f"hold about {self.liked:.0f} of the {self.all_liked:.0f} that people would like "
            f"({self.at_random:.0f} by chance)"
        )


def chance(entry: RankedEntry) -> float | None:
    """Return the probability that people find a joke funnier than a typical one; None if unknown."""
    reading = entry.reading
    if reading is None or reading.percentile is None or reading.agreement is None:
        return None
    return _chance(reading.percentile, reading.agreement)


@lru_cache(maxsize=1 << 14)
def _chance(percentile: float, agreement: float) -> float:
    """Cached, because a list is shown again whenever a joke is seen or marked."""
    rho = correlation_of(agreement)
    z = head_normal(percentile, agreement)
    return _NORMAL.cdf(rho * z / math.sqrt(max(1.0 - rho * rho, 1e-9)))


def _upper(entry: RankedEntry) -> float | None:
    """Return the odds of the upper half of people's votes; None if unknown, and where the text may be no joke."""
    reading = entry.reading or UNREAD
    return reading.upper if reading.sense is None or reading.sense.said == "joke" else None


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
    """Return the cut after the ``first`` jokes of a list, best first. A joke without an estimate counts as 0.5; where
    that is at least half of them the cut has no figures."""
    first = max(0, min(first, len(jokes)))
    chances = [chance(entry) for entry in jokes]
    if 2 * sum(p is not None for p in chances) <= len(chances):
        return Cut(first, len(jokes))
    filled = [0.5 if p is None else p for p in chances]
    whole = math.fsum(filled)
    return Cut(first, len(jokes), math.fsum(filled[:first]), whole, whole * first / len(jokes))


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
        read, order, held = (self.result.entries, self.result.order, self.result.held) if self.result else ((), (), ())
        self._won = Counter(
            duel.a if duel.p_a > _EVEN else duel.b for duel in held if duel.drafts and duel.p_a != _EVEN
        )
        self._listed = {id: at for at, id in enumerate(order)}
        self.entries = {entry.id: entry for entry in read if entry.rank is not None or entry.error is not None}
        self._family: dict[str, tuple[str, ...]] = {}
        self._part: dict[str, Part] = {}
        out = {id for id, entry in self.entries.items() if left_out(entry) and not self.notes[id].back}
        there = {_bare(entry.text) for id, entry in self.entries.items() if id not in out}
        out = {id for id in out if self.entries[id].error is not None or _bare(self.entries[id].text) not in there}
        for family in self._families(out):
            stays, *others = family
            self._family |= dict.fromkeys(family, (stays, *others))
            self._part |= dict.fromkeys(others, "twins")
        self._order: dict[Part, list[RankedEntry]] = {part: [] for part in PARTS}
        for id, entry in self.entries.items():
            if id in out:
                self._part[id] = "out"
            elif id not in self._part:
                heard = (entry.reading or UNREAD).heard
                self._part[id] = "known" if heard is not None and heard.widely else "rest"
        for entry in sorted(self.entries.values(), key=self._by_rank):
            self._order["all"].append(entry)
            self._order[self._part[entry.id]].append(entry)

    def _by_rank(self, entry: RankedEntry) -> tuple[bool, int, int]:
        listed = self._listed.get(entry.id, len(self._listed))
        if self.blind:
            return False, 0, listed
        return entry.rank is None, entry.rank or 0, listed

    def _families(self, out: set[str]) -> list[list[str]]:
        """Ids of entries that are versions of one joke, the one that stays first: the one that the user chose, else the
        winner of most duels between versions, else the one with the better rank."""
        there, bare = self.entries.keys() - out, dict[str, str]()
        pairs = (
            (entry.id, other)
            for entry in self.entries.values()
            if entry.id in there
            for other in (*entry.like, entry.same_as, bare.setdefault(_bare(entry.text), entry.id))
            if other in there and other != entry.id
        )
        return [sorted(family, key=self._stays_before) for family in families(pairs)]

    def _stays_before(self, id: str) -> tuple[bool, bool, int, bool, int, bool]:
        entry, note = self.entries[id], self.notes[id]
        doubtful = bool(left_out(entry)) and not note.back
        return not note.chosen, doubtful, -self._won[id], entry.rank is None, entry.rank or 0, entry.same_as is not None

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
        """Return the parts that aren't empty with their descriptions; the last four counts add up to that of all,
        without those of the others that are kept."""
        counts = {part: len(self.rows(part)) if part == "kept" else len(self._order[part]) for part in PARTS}
        counts["rest"] -= sum(self.notes[entry.id].mark == "keep" for entry in self._order["rest"])
        twins, stay = counts["twins"], len(self.rows("twins"))
        words = {
            "kept": ("kept", "your shortlist"),
            "all": ("judged", "show all"),
            "out": ("left out", self._reasons()),
            "twins": (
                "twins" if twins != stay else f"pair{'' if twins == 1 else 's'} of twins",
                "the better one stays",
            ),
            "known": ("told before", "in collections of jokes"),
            "rest": ("others", "to look through"),
        }
        always: tuple[Part, ...] = ("kept", "all", "rest")
        return [
            Tile(part, counts[part], f"{counts[part]:,} {words[part][0]}", words[part][1])
            for part in PARTS
            if counts[part] or part in always
        ]

    def _reasons(self) -> str:
        counted = Counter(left_out(entry) for entry in self._order["out"])
        words = [_several(reason, n) for reason, n in counted.most_common(_MOST_REASONS)]
        return ", ".join([*words, *(["others"] if len(counted) > _MOST_REASONS else [])])

    # Words about one entry

    def place_of(self, entry: RankedEntry, to: str = "–") -> str:
        """Return the places that a joke may have, such as "1–40"; empty without a place, where it is left out, or while
        places are hidden."""
        return "" if self.blind or self._part[entry.id] == "out" else places_of(entry, to)

    def remarks(self, id: str) -> list[str]:
        """Return what is to be said of an entry beside its text, its place first."""
        entry, ranked = self.entries[id], sum(one.rank is not None for one in self._order["all"])
        place = self.place_of(entry, " to ")
        lines = [f"left out: {left_out(entry)}"] if self._part[id] == "out" else []
        lines += [f"place {place} of {ranked}" if place else "", "" if self.blind else leaning(entry)]
        lines += [told(entry), *marks_of(self.notes[id])]
        if self._part[id] != "out" and not self.stays(id):
            lines.append("a better twin stays")
        return [line for line in lines if line]

    def page(self, id: str) -> Page:
        """Return an entry as a page: its text with the turn marked, then its twins with the words that differ; as
        headline its place, as lead at most two sentences about it, and the facts of its text at the foot."""
        entry = self.entries[id]
        reading = entry.reading or UNREAD
        turn = reading.turn if not left_out(entry) else None
        marks = (Mark(turn.start, turn.end, "turn"),) if turn is not None else ()
        twins = self.twins_of(id) if self._part[id] != "out" else []
        label = "Its twin" if len(twins) == 1 else "A twin"
        place = self.place_of(entry, " to ")
        facts = (*fact_lines(entry.text, turn), reading.device, "" if self.blind else leaning(entry))
        return Page(
            headline=f"place {place}" if place else "",
            lead=tuple(self._sentences(entry)[:_MOST_SENTENCES]),
            texts=(MarkedText(entry.text, marks=marks), *(version(twin.text, entry.text, label) for twin in twins)),
            foot=tuple(filter(None, facts)),
        )

    def _sentences(self, entry: RankedEntry) -> list[str]:
        reading = entry.reading or UNREAD
        lines = [f"Left out: {left_out(entry)}."] if self._part[entry.id] == "out" else []
        if not self.stays(entry.id):
            lines.append("Its twin stays, as the one that is probably better.")
        if words := told(entry):
            lines.append(f"{words[:1].upper()}{words[1:]}.")
        lines += _SENTENCE.split(reading.note) if reading.note else []
        if not reading.english:
            lines.append("This may not be English, and the program reads English only.")
        return lines

    # What the user has seen

    def unseen(self, id: str) -> bool:
        """Whether the user has neither marked the entry nor seen it long enough."""
        note = self.notes[id]
        return note.mark is None and not note.read

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
        if all are seen."""
        rows = self.rows(part)
        at = next((at for at, entry in enumerate(rows) if entry.id == after), -1)
        turned = [*rows[at + 1 :], *rows[: at + 1]]
        unseen = next((entry for entry in turned if self.unseen(entry.id)), None)
        return unseen or next((entry for entry in turned if self.open(entry.id)), None)

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
        parts = ("back", "chosen")
        moved = any(getattr(note, name) != getattr(before[id], name) for id, note in notes.items() for name in parts)
        if moved or blind != self.blind:
            self._divide()

    def change(self, act: Callable[[], object]) -> tuple[Memory, Memory]:
        """Change something, and return what ``recall`` takes to undo it, and to make it again."""
        one, kept, at = dict(self.notes.by_id), self.place.kept, self.at
        act()
        other = self.notes.by_id
        ids = [id for id in {**one, **other} if one.get(id) != other.get(id)]
        old, new = ({id: notes.get(id, NOTHING) for id in ids} for notes in (one, other))
        return Memory(old, kept, at), Memory(new, self.place.kept, self.at)

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

    def reorder(self, ids: Sequence[str]) -> None:
        """Put the kept jokes into this order."""
        self.keep_place(kept=tuple(ids))

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
        aside = ("out", "twins")
        return [entry for entry in shown if entry.rank is not None and self._part[entry.id] not in aside]

    def cut(self) -> Cut:
        """Return the cut through the jokes that are shown."""
        pool, first = self.pool, self.place.cut
        return cut_of(pool, round(len(pool) * _CUT) if first is None else first)
