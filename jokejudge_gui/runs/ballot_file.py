"""The votes on a screened list: who won, when and against which; one line for each vote."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..files import atomic_write, parse_json
from ..judging.contest.screening_types import Ballot, belongs
from ..tables import read_bytes
from .lines import LinesFile, first_line, printable_json

_FIELDS = ("choice", "among", "when", "voter", "texts")


class BallotFile(LinesFile):
    """Opening reads the votes that are there. Raises ``UsageError`` ``E_SCREEN_VOTES`` for a file of anything else."""

    run = "screen votes"

    def __init__(self, path: Path) -> None:
        self.ballots: list[Ballot] = []
        super().__init__(path)

    def add(self, ballot: Ballot) -> None:
        """Keep one more vote."""
        self.append(_line(ballot, len(self.ballots)))
        self.ballots.append(ballot)

    def _take(self, line: bytes, number: int) -> None:
        try:
            self.ballots.append(_ballot(line))
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_SCREEN_VOTES",
            f"Line {number} of {self.path} isn't a vote on a screened list, so nothing was written to it.",
            "Give --votes a new name.",
        )


def _line(ballot: Ballot, place: int) -> dict[str, Any]:
    told = ballot.model_dump(mode="json")
    key = hashlib.sha256(f"{place}/{told}".encode()).hexdigest()[:24]
    return {"id": key, **told, "error": None}


def _ballot(line: bytes) -> Ballot:
    value = parse_json(line)
    required = {name: value[name] for name in _FIELDS[:3]}
    more = {name: value[name] for name in _FIELDS[3:] if name in value}
    return Ballot.model_validate(required | more, strict=False)


def read_ballots(path: Path) -> list[Ballot]:
    """The votes in a file, which isn't changed. Raises ``InputError`` ``E_SCREEN_VOTES`` for a file of anything else,
    and ``E_INPUT_FILE``."""
    found = []
    for number, line in enumerate(read_bytes(str(path)).splitlines(), start=1):
        try:
            if number == 1 and parse_json(line).get("run") == BallotFile.run:
                continue
            found.append(_ballot(line))
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise InputError(
                "E_SCREEN_VOTES",
                f"Line {number} of {path.name} isn't a vote on a screened list, so none was taken over.",
                "Choose a file that votes were exported to.",
            ) from fault
    return found


def write_ballots(path: Path, ballots: Iterable[Ballot]) -> int:
    """Add the votes that a file doesn't hold yet, making it where there is none; how many it then holds. Raises what
    ``BallotFile`` raises."""
    with closing(BallotFile(path)) as file:
        for ballot in joined(file.ballots, ballots)[len(joined(file.ballots)) :]:
            file.add(ballot)
        return len(file.ballots)


def export_ballots(path: Path, ballots: Iterable[Ballot]) -> int:
    """Write these votes and no others to a file, in one step; how many it then holds. Raises what writing raises."""
    found = joined(ballots)
    lines = (printable_json(json.dumps(_line(ballot, place))) for place, ballot in enumerate(found))
    atomic_write(path, first_line(BallotFile.run) + "".join(f"{line}\n" for line in lines).encode("utf-8"))
    return len(found)


def joined(*parts: Iterable[Ballot]) -> list[Ballot]:
    """Votes of several places, each once, in the order in which they come."""
    return list(dict.fromkeys(ballot for part in parts for ballot in part))


def of_list(ballots: Sequence[Ballot], texts: Mapping[str, str]) -> list[Ballot]:
    """Those of the votes that were given on jokes of a list (``texts`` by id), oldest first."""
    return sorted((ballot for ballot in ballots if belongs(ballot, texts)), key=lambda ballot: ballot.when)
