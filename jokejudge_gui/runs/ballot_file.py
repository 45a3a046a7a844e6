"""The votes on a screened list: who won, when and against which; one line for each vote."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import UsageError
from ..files import parse_json
from .lines import LinesFile
from .screening import Ballot


class BallotFile(LinesFile):
    """Opening reads the votes that are there. Raises ``UsageError`` ``E_SCREEN_VOTES`` for a file of anything else."""

    run = "screen votes"

    def __init__(self, path: Path) -> None:
        self.ballots: list[Ballot] = []
        super().__init__(path)

    def add(self, ballot: Ballot) -> None:
        """Keep one more vote."""
        told = ballot.model_dump(mode="json")
        key = hashlib.sha256(f"{len(self.ballots)}/{told}".encode()).hexdigest()[:24]
        self.append({"id": key, **told, "error": None})
        self.ballots.append(ballot)

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            self.ballots.append(
                Ballot.model_validate({name: value[name] for name in ("choice", "among", "when")}, strict=False)
            )
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_SCREEN_VOTES",
            f"Line {number} of {self.path} isn't a vote on a screened list, so nothing was written to it.",
            "Give --votes a new name.",
        )
