"""Planted: workers that acknowledge reports before they are on the disk. The load test finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from collector import app
from collector.records import Answer
from collector.store import Sent, Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from collector.limits import Limits


class Hasty(Store):
    """It answers at once, and writes the reports with those that come next."""

    _left: tuple[Sent, ...] = ()

    def accept(self, sent: Sequence[Sent]) -> list[Answer]:
        """Write the reports of the call before."""
        before, self._left = self._left, tuple(sent)
        super().accept(before)
        return [Answer.COUNTED] * len(sent)


def create() -> Limits:
    """The application over such a store."""
    vars(app)["Store"] = Hasty
    return app.create()
