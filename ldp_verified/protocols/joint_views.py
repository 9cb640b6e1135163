"""Views for joint tables, chosen so that every table of a few attributes is counted best.

A view of more attributes has more cells, and a table in it is a sum of more of them; but it has
more tables, so that fewer views, each with more users, are enough. Zhikun Zhang, Tianhao Wang,
Ninghui Li, Shibo He, Jiming Chen (2018), CALM: Consistent Adaptive Local Marginal, weigh the two.
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.joint_tables import (
    MOST_CELLS,
    JointTables,
    checked_attributes,
    least_variance,
)
from ldp_verified.run.realize.parameters import check_epsilon, check_integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ldp_verified.protocols.attribute_scheme import Make
    from ldp_verified.protocols.joint_tables import Attributes

    View = tuple[str, ...]

MOST_TABLES = 1 << 16
"""Tables that are counted; each is looked at for every choice of views."""


def best_views(
    epsilon: float,
    attributes: Attributes,
    size: int = 2,
    make: Make = least_variance,
) -> tuple[View, ...]:
    """Choose views that have every table of `size` attributes, with the least noise.

    The choices have at most 4, 8, 16, ... cells a view. The views of a choice are found greedily:
    each begins with a table that no view has yet, and takes the attribute that brings most others.
    Noise is what `table_noise` says, on average over the tables. It does not depend on how many
    users there are, for all choices share them alike.

    Args:
        epsilon: of one user's whole record; a number > 0.
        attributes: as in `JointTables`.
        size: how many attributes each table has, at least 1.
        make: the mechanism of a view, as in `JointTables`.

    Returns:
        The views, for `JointTables`.

    Raises:
        ParameterError: an argument is out of range, there are more than 65,536 tables, or one of
            them has more than 65,536 cells.
    """
    epsilon, found = check_epsilon(epsilon), checked_attributes(attributes)
    check_integer("size", size, 1, len(found))
    ks = {name: len(labels) for name, labels in found.items()}
    wanted = list(combinations(ks, size))
    if len(wanted) > MOST_TABLES:
        raise ParameterError("size", f"must leave at most {MOST_TABLES} tables", size)
    largest = max(prod(ks[name] for name in table) for table in wanted)
    check_integer("cells of the largest table", largest, 2, MOST_CELLS)
    choices = [tuple(wanted), *_choices(ks, wanted)]

    def noise(views: tuple[View, ...]) -> float:
        return sum(table_noise(JointTables(epsilon, attributes, views, make), wanted))

    return min(choices, key=noise)


def table_noise(made: JointTables, tables: Sequence[View]) -> list[float]:
    """Variance of a rare cell's share in each table, times the number of all users.

    Views that have the table are weighed by their precision.

    Args:
        made: with views that have all tables. tables: of names.
    """
    views = made.listed
    single = [
        made.make(made.epsilon, prod(made.shape(view))).variance(1) * len(views) for view in views
    ]
    found = []
    for table in tables:
        held = [
            1 / (variance * prod(made.shape(view)) / prod(made.shape(table)))
            for view, variance in zip(views, single, strict=True)
            if set(table) <= set(view)
        ]
        found.append(1 / sum(held))
    return found


def _choices(ks: Mapping[str, int], wanted: Sequence[View]) -> Iterator[tuple[View, ...]]:
    """Views of at most 4, 8, ... cells, as long as more cells make another choice possible."""
    most = 4
    while True:
        yield tuple(_covering(ks, wanted, most))
        if most >= min(MOST_CELLS, prod(ks.values())):
            return
        most *= 2


def _covering(ks: Mapping[str, int], wanted: Sequence[View], most: int) -> Iterator[View]:
    """Views of at most so many cells, or of one table, that have all tables together."""
    missing = dict.fromkeys(wanted)
    while missing:
        view = set(next(iter(missing)))
        while True:
            room = most // prod(ks[name] for name in view)
            brings = {name: 0 for name, k in ks.items() if name not in view and k <= room}
            for table in missing:
                new = set(table) - view
                if len(new) == 1 and (name := new.pop()) in brings:
                    brings[name] += 1
            if not any(brings.values()):
                break
            view.add(max(brings, key=lambda name: (brings[name], -ks[name])))
        for table in [table for table in missing if view.issuperset(table)]:
            del missing[table]
        yield tuple(name for name in ks if name in view)
