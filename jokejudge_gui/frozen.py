"""The base of every value that is passed about."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Base of every value here: immutable, strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replaced(self, **changes: Any) -> Self:
        """A copy with some fields changed. Raises ``ValidationError`` for a name that it doesn't have or a value that
        it can't have; pydantic's own ``model_copy`` takes both."""
        known = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(known | changes)
