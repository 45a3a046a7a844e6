"""What a run over judge templates came to, to be looked through a row at a time: nothing but the place of each row is
kept in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from ..rubric.template_types import Pack
from .template_run import ModuleSummary, read_results, result_at, summarise

Group = Literal["failed", "untold", "passed", "errors"]
_OUTCOMES: dict[str | None, Group] = {"FAIL": "failed", None: "untold", "PASS": "passed"}


class TemplateResults:
    """The rows that a run over ``pack`` wrote to ``path``, by what became of them, and its modules. Opening goes
    through them once. Raises ``InputError`` ``E_TEMPLATE_OUT``."""

    def __init__(self, pack: Pack, path: Path) -> None:
        self.pack = pack
        self._path = path
        self._places: dict[Group, array[int]] = {name: array("Q") for name in ("failed", "untold", "passed", "errors")}
        self.modules: tuple[ModuleSummary, ...] = tuple(summarise(pack, self._all()))

    def count(self, group: Group) -> int:
        """How many rows ended so."""
        return len(self._places[group])

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    def row(self, group: Group, number: int) -> dict[str, Any]:
        """The ``number``th row (from 0) that ended so. Raises ``InputError`` ``E_TEMPLATE_OUT``."""
        return result_at(self._path, self._places[group][number])

    def _all(self) -> Iterator[dict[str, Any]]:
        for begins, line in read_results(self._path):
            group = "errors" if line.get("error") is not None else _OUTCOMES[line["verdict"]]
            self._places[group].append(begins)
            yield line
