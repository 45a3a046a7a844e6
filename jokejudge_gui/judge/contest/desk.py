"""The parts of a ranked list: jokes left out and why, twins, jokes that may be well known, and jokes to read; and the
figures of a cut through the list."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

from ...core.pages import Mark, MarkedText, Page
from ...core.texts import number
from ...core.words import facts_of
from ...heads.audience import correlation_of, head_normal
from .notes import OwnScale
from .ranking import families
from .record import UNREAD, HeldDuel, Notes, RankedEntry
from .words import left_out, marks_of, place_of, version, well_known

Part = Literal["all", "out", "twins", "known", "read"]
PARTS: tuple[Part, ...] = ("all", "out", "twins", "known", "read")
"""The parts of a list; the first contains all others."""
VOTES_WHILE_BLIND = 20
"""Ranks are hidden until this many jokes have been kept or binned."""
_MOST_REASONS = 3
_MOST_SENTENCES = 2
_SENTENCE = re.compile(r"(?<=[.!?”])\s+(?=[A-Z“])")
_EVEN = 0.5
_NORMAL = NormalDist()


def _several(reason: str, count: int) -> str:
    """Return a reason with its count: "a heading", "two headings", "no turn found (3)"."""
    if count == 1:
        return reason
    article, _, what = reason.partition(" ")
    return f"{number(count)} {what}s" if article in ("a", "an") else f"{reason} ({count:,})"


@dataclass(frozen=True)
class Tile:
    """A part with its size and a description."""

    part: Part
    count: int
    title: str
    about: str


@dataclass(frozen=True)
class Cut:
    """The first ``keep`` jokes of a list of ``size``. ``liked``: expected number of them that people find funnier than
    a typical joke, ``all_liked`` of the whole list, ``at_random`` of as many jokes drawn at random. The numbers follow
    from the measured accuracy of the audience's estimate; None where it wasn't measured."""

    keep: int
    size: int
    liked: float | None = None
    all_liked: float | None = None
    at_random: float | None = None

    @property
    def figures(self) -> str:
        """The gain and loss as a sentence without its full stop; empty where nothing was measured."""
        if self.liked is None or self.all_liked is None or self.at_random is None:
            return ""
        return (
            f"about {self.liked:.0f} of the {self.all_liked:.0f} that people would like; at random {self.at_random:.0f}"
        )


def chance(entry: RankedEntry, own: OwnScale | None = None) -> float | None:
    """Return the probability that people find a joke funnier than a typical one, or with ``own`` that this person finds
    it good; None if unknown."""
    reading = entry.reading
    if reading is None or reading.percentile is None or reading.agreement is None:
        return None
    p = _chance(reading.percentile, reading.agreement)
    return p if own is None else own.p(p)


@lru_cache(maxsize=1 << 14)
def _chance(percentile: float, agreement: float) -> float:
    """Cached, because a list is shown again whenever a joke is read or marked."""
    rho = correlation_of(agreement)
    z = head_normal(percentile, agreement)
    return _NORMAL.cdf(rho * z / math.sqrt(max(1.0 - rho * rho, 1e-9)))


def cut_of(jokes: Sequence[RankedEntry], keep: int) -> Cut:
    """Return the cut after the first ``keep`` of jokes in their order, best first. A joke without an estimate counts as
    0.5; where that is at least half of them the cut has no figures."""
    keep = max(0, min(keep, len(jokes)))
    chances = [chance(entry) for entry in jokes]
    if 2 * sum(p is not None for p in chances) <= len(chances):
        return Cut(keep, len(jokes))
    filled = [0.5 if p is None else p for p in chances]
    whole = math.fsum(filled)
    return Cut(keep, len(jokes), math.fsum(filled[:keep]), whole, whole * keep / len(jokes))


class Desk:
    """The parts of a list. Each entry that the judge read is in ``all`` and in exactly one of the other parts. Rebuilt
    when entries or notes change, which takes some ten microseconds an entry."""

    def __init__(
        self,
        entries: Sequence[RankedEntry] = (),
        notes: Notes | None = None,
        order: Sequence[str] = (),
        held: Sequence[HeldDuel] = (),
    ) -> None:
        """``order``: ids of the entries in their list's order; ``held``: duels, which decide between twins."""
        self._notes = notes or Notes()
        self._won = Counter(
            duel.a if duel.p_a > _EVEN else duel.b for duel in held if duel.drafts and duel.p_a != _EVEN
        )
        self._listed = {id: at for at, id in enumerate(order)}
        self.entries = {entry.id: entry for entry in entries if entry.rank is not None or entry.error is not None}
        self.last = max((entry.rank_high or entry.rank or 0 for entry in self.entries.values()), default=0)
        """The last rank that any entry may have."""
        self._family: dict[str, tuple[str, ...]] = {}
        self._part: dict[str, Part] = {}
        self._divide()

    def _divide(self) -> None:
        out = {id for id, entry in self.entries.items() if left_out(entry) and not self._notes[id].back}
        for family in self._families(out):
            stays, *others = family
            self._family |= dict.fromkeys(family, (stays, *others))
            self._part |= dict.fromkeys(others, "twins")
        for id, entry in self.entries.items():
            if id in out:
                self._part[id] = "out"
            elif id not in self._part:
                self._part[id] = "known" if well_known(entry) else "read"
        self._order: dict[Part, list[RankedEntry]] = {part: [] for part in PARTS}
        for entry in sorted(self.entries.values(), key=self._place):
            self._order["all"].append(entry)
            self._order[self._part[entry.id]].append(entry)

    def _place(self, entry: RankedEntry) -> tuple[bool, int, int]:
        listed = self._listed.get(entry.id, len(self._listed))
        if self.blind:
            return False, 0, listed
        return entry.rank is None, entry.rank or 0, listed

    def _families(self, out: set[str]) -> list[list[str]]:
        """Ids of entries that are versions of one joke, the one that stays first: the one that the user chose, else the
        winner of most duels between versions, else the one with the better rank."""
        there = self.entries.keys() - out
        pairs = (
            (entry.id, other)
            for entry in self.entries.values()
            for other in (*entry.like, entry.same_as)
            if entry.id in there and other is not None and other in there
        )
        return [sorted(family, key=self._stays_before) for family in families(pairs)]

    def _stays_before(self, id: str) -> tuple[bool, int, bool, int, bool]:
        entry = self.entries[id]
        chosen, place = self._notes[id].chosen, entry.rank or 0
        return not chosen, -self._won[id], entry.rank is None, place, entry.same_as is not None

    # Contents

    def rows(self, part: Part) -> list[RankedEntry]:
        """Return the entries of a part in their order, best first; for ``twins`` the ones that stay, each once."""
        if part != "twins":
            return self._order[part]
        stays = dict.fromkeys(self._family[entry.id][0] for entry in self._order["twins"])
        return sorted((self.entries[id] for id in stays), key=self._place)

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
        desk = self._notes.desk
        return desk is not None and desk.blind and self.blind_left > 0

    @property
    def blind_left(self) -> int:
        """Number of jokes still to be kept or binned before ranks are shown."""
        return max(0, VOTES_WHILE_BLIND - self._notes.decided)

    def tiles(self) -> list[Tile]:
        """Return the parts that aren't empty with their descriptions; all counts but the first add up to the first."""
        counts = {part: len(self._order[part]) for part in PARTS}
        words = {
            "all": ("read", "show all"),
            "out": ("left out", self._reasons()),
            "twins": (self._pairs(), "the better one stays"),
            "known": ("may be well known", "much like one told often"),
            "read": ("to read", "in the list below"),
        }
        tiles = []
        for part in PARTS:
            title, about = words[part]
            if counts[part] or part in ("all", "read"):
                tiles.append(Tile(part, counts[part], f"{counts[part]:,} {title}", about))
        return tiles

    def _pairs(self) -> str:
        """Return the title of the twins: pairs where each has only one other."""
        twins = len(self._order["twins"])
        if twins != len(self.rows("twins")):
            return "twins"
        return "pair of twins" if twins == 1 else "pairs of twins"

    def _reasons(self) -> str:
        counted = Counter(left_out(entry) for entry in self._order["out"])
        words = [_several(reason, n) for reason, n in counted.most_common(_MOST_REASONS)]
        return ", ".join([*words, *(["others"] if len(counted) > _MOST_REASONS else [])])

    # Words about one entry

    def remarks(self, id: str) -> list[str]:
        """Return what is to be said of an entry beside its text, its place first."""
        entry = self.entries[id]
        twins, note = len(self.twins_of(id)), self._notes[id]
        lines = [f"{place_of(entry)} of {self.last}"] if entry.rank is not None and not self.blind else []
        lines += marks_of(note)
        if note.read and note.mark is None:
            lines.append("read")
        if self._part[id] == "out":
            lines.append(f"left out: {left_out(entry)}")
        elif not self.stays(id):
            lines.append("a better twin stays")
        elif twins:
            lines.append(f"has {twins} twin{'' if twins == 1 else 's'}")
        return lines

    def page(self, id: str) -> Page:
        """Return an entry as a page: its text with the turn marked, then its twins with the words that differ; as
        headline its place, as lead at most two sentences about it, and the facts of its text at the foot."""
        entry = self.entries[id]
        reading = entry.reading
        turn = reading.turn if reading is not None and not left_out(entry) else None
        marks = (Mark(turn.start, turn.end, "turn"),) if turn is not None else ()
        twins = self.twins_of(id) if self._part[id] != "out" else []
        label = "Its twin" if len(twins) == 1 else "A twin"
        return Page(
            headline="" if self.blind or entry.rank is None else place_of(entry),
            lead=tuple(self._sentences(entry)[:_MOST_SENTENCES]),
            texts=(MarkedText(entry.text, marks=marks), *(version(twin.text, entry.text, label) for twin in twins)),
            foot=facts_of(entry.text, turn).lines(),
        )

    def _sentences(self, entry: RankedEntry) -> list[str]:
        reading = entry.reading or UNREAD
        lines = [f"Left out: {left_out(entry)}."] if self._part[entry.id] == "out" else []
        if not self.stays(entry.id):
            lines.append("Its twin is kept, as the one that is probably better.")
        if self._part[entry.id] == "known":
            lines.append(f"Much like ones that are told often: “{well_known(entry)}”.")
        lines += _SENTENCE.split(reading.note) if reading.note else []
        if not reading.english:
            lines.append("This may not be English, and the program reads English only.")
        return lines

    # Progress of the reading

    def unread(self, id: str) -> bool:
        """Whether the user has neither marked the entry nor seen it long enough."""
        note = self._notes[id]
        return note.mark is None and not note.read

    def open(self, id: str) -> bool:
        """Whether the entry is still to be read: it is unread, or was put off."""
        return self.unread(id) or self._notes[id].mark == "later"

    def progress(self, part: Part) -> tuple[int, int, int]:
        """Return the numbers of a part's entries that are read, kept, and still to be read."""
        ids = [entry.id for entry in self.rows(part)]
        to_go = sum(map(self.open, ids))
        return len(ids) - to_go, sum(self._notes[id].mark == "keep" for id in ids), to_go

    def next(self, part: Part, after: str = "") -> RankedEntry | None:
        """Return the next unread joke after ``after``, wrapping around at the end; then those that were put off; None
        if all are read."""
        rows = self.rows(part)
        at = next((at for at, entry in enumerate(rows) if entry.id == after), -1)
        turned = [*rows[at + 1 :], *rows[: at + 1]]
        unread = next((entry for entry in turned if self.unread(entry.id)), None)
        return unread or next((entry for entry in turned if self.open(entry.id)), None)

    # The cut

    def pool(self, part: Part) -> list[RankedEntry]:
        """Return the jokes that a cut divides while a part is shown, best first: those with a rank, without those left
        out and without twins that don't stay."""
        shown = self.rows(part if part in ("all", "known") else "read")
        aside = ("out", "twins")
        return [entry for entry in shown if entry.rank is not None and self._part[entry.id] not in aside]
