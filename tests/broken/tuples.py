"""A state of tuples that counts half of a batch that it refuses."""

from __future__ import annotations

from typing import Any

from ldp_verified.protocols import TupleState


class AttributeByAttribute(TupleState):
    """Every attribute is counted before the next one is looked at."""

    def update(self, reports: Any, batch: str | None = None, repeated: str = "refuse") -> Any:
        """Count them one after the other."""
        for mine, each in zip(self._seen.now, reports, strict=True):
            mine.update(each, batch, repeated)
        return self
