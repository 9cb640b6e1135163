"""`help` of everything that estimates says in which unit its numbers are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

from ldp_verified.deploy.succession import CombinedShares
from ldp_verified.protocols.clipped_mean import ClippedEstimate
from ldp_verified.protocols.joint_estimate import JointEstimate
from ldp_verified.protocols.over_days import OverDays
from ldp_verified.protocols.range_grid_estimate import BoxEstimate
from ldp_verified.run.aggregate.combined import Combined
from ldp_verified.run.aggregate.distribution import Distribution, DistributionBounds
from ldp_verified.run.aggregate.tabulated import Tabulated
from ldp_verified.run.aggregate.tested import Compared

OTHERS = (
    *(BoxEstimate, ClippedEstimate, Combined, Compared, Distribution, DistributionBounds),
    *(CombinedShares, JointEstimate, OverDays),
)
UNIT = re.compile(r"\b(users?|shares?|units?|chance|variance)\b|in \[0, 1\]", re.IGNORECASE)
NO_NUMBERS = {
    *("names", "labels", "heading", "honesty", "labelled", "of_all_values", "network", "plot"),
    *("differing", "rejected", "independent", "beside", "best", "taken", "factors", "weights"),
    "tested",
}
"""Public methods whose answers are no estimates."""


def below(kind: type) -> Iterator[type]:
    """A class of the package and all that are derived from it."""
    yield kind
    derived: list[type] = kind.__subclasses__()
    for each in derived:
        if each.__module__.startswith("ldp_verified"):
            yield from below(each)


CLASSES = [*dict.fromkeys([*below(Tabulated), *OTHERS])]


def numbers(kind: type) -> list[tuple[str, Any]]:
    """The public methods and properties of a class that answer with numbers."""
    found = []
    for name in dir(kind):
        held = inspect.getattr_static(kind, name)
        answers = inspect.isfunction(held) or isinstance(held, property | cached_property)
        if answers and not name.startswith("_") and name not in NO_NUMBERS:
            found.append((name, held))
    return found


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_help_names_the_unit(kind: type) -> None:
    assert kind.__doc__
    without = [name for name, held in numbers(kind) if not UNIT.search(inspect.getdoc(held) or "")]
    assert not without


def test_planted_a_number_without_a_unit_is_found() -> None:
    class Bare(Tabulated):
        """An estimate."""

        @property
        def width(self) -> float:
            """How wide it is."""
            return 1.0

    assert [name for name, held in numbers(Bare) if name == "width"] == ["width"]
    assert not UNIT.search(str(inspect.getattr_static(Bare, "width").__doc__))
    assert len(CLASSES) >= 24
