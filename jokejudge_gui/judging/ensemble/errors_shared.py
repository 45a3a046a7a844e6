"""How far the errors of two models go together, measured where people's opinion is known (``models/panels``)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from ...errors import ModelError
from ...files import read_json
from ...verdicts import Frozen

Matrix = npt.NDArray[np.float64]

FILE = "errors.json"
_UNMEASURED = 0.8
"""For models of which nothing was measured: those that were, correlate at .7 to .9."""
_MOST = 0.98
"""Two models are never taken for quite the same, so that their matrix can be inverted."""


class Shared(Frozen):
    """The correlation −1…1 of two models' errors over ``n`` texts, with its 95 % interval."""

    models: tuple[str, str]
    correlation: Annotated[float, Field(ge=-1, le=1)]
    low: Annotated[float, Field(ge=-1, le=1)]
    high: Annotated[float, Field(ge=-1, le=1)]
    n: Annotated[int, Field(ge=2)]


class _Measured(Frozen):
    pairs: tuple[Shared, ...]
    command: str = ""
    about: str = ""


@dataclass(frozen=True)
class SharedErrors:
    """What is known of pairs of models, by their hashes."""

    known: Mapping[frozenset[str], float] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> SharedErrors:
        """From ``errors.json`` in the folder, nothing where there is none. Raises ``ModelError`` ``E_PANEL_FILE``."""
        path = folder / FILE
        try:
            found = _Measured.model_validate(read_json(path))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, ValidationError) as error:
            raise ModelError(
                "E_PANEL_FILE",
                f"{path} can't be read, which says how far models' errors go together.",
                "Install JokeJudge again, or delete the file.",
            ) from error
        return cls({frozenset(pair.models): pair.correlation for pair in found.pairs})

    @property
    def usual(self) -> float:
        """For two models that were never measured together: the highest of those that were, so that a panel isn't
        taken for more than it is."""
        return max(self.known.values(), default=_UNMEASURED)

    def between(self, models: Sequence[str]) -> tuple[Matrix, bool]:
        """The correlations of models' errors, (n, n) with ones on the diagonal, and whether all were measured."""
        found = np.eye(len(models))
        measured = True
        for (i, one), (j, other) in itertools.combinations(enumerate(models), 2):
            known = self.known.get(frozenset((one, other)))
            measured = measured and known is not None
            found[i, j] = found[j, i] = min(_MOST, self.usual if known is None else known)
        return found, measured
