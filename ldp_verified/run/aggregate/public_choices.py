"""Describe what clients choose publicly and uniformly, and what reports of one choice can be.

A choice is a function, a column, a level or a row of a sketch. Given the choices, reports are
independent, and each of the counts here is a sum of coins, one for each report of a choice. The
chance of a coin lies between two cells of the table, whatever the user holds. That needs no draw of
the functions, so it holds where they were drawn once for all users too.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout, SignSketchLayout
from ldp_verified.run.aggregate.structured import CohortLayout, SignLayout
from ldp_verified.run.aggregate.tree_layout import TreeLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import FrequencyOracle

    Integers = NDArray[np.int64]


class Coins(NamedTuple):
    """Counts of coins, one for each report of a public choice.

    Attributes:
        name: of what is counted. n: coins, int64 (m,). counts: of those that fell, int64 (m,).
        least, most: the ends of their chances.
    """

    name: str
    n: Integers
    counts: Integers
    least: float
    most: float


@singledispatch
def uniform_counts(layout: object, counters: Any) -> Integers | None:
    """How often each public choice was made that clients draw uniformly; None where there is none.

    Args:
        layout: of the reports. counters: of a state.
    """
    del layout, counters
    return None


@uniform_counts.register(CohortLayout)
def _of_cohorts(layout: CohortLayout, counters: Any) -> Integers:
    return np.asarray(counters.reshape(-1, layout.g).sum(axis=1))


@uniform_counts.register(TreeLayout)
def _of_levels(layout: TreeLayout, counters: Any) -> Integers:
    return layout.users(counters)


@uniform_counts.register(SignLayout)
@uniform_counts.register(SignSketchLayout)
def _of_signs(layout: SignLayout | SignSketchLayout, counters: Any) -> Integers:
    """Columns, or rows of the sketch together with rows of Sylvester's matrix."""
    del layout
    return np.asarray(counters.reshape(-1, 2).sum(axis=1))


@uniform_counts.register(BitSketchLayout)
def _of_rows(layout: BitSketchLayout, counters: Any) -> Integers:
    return layout.tables(counters)[1]


@singledispatch
def coins_of(layout: object, counters: Any, oracle: FrequencyOracle) -> Coins | None:
    """The coins of a state whose reports say a public choice; None where they say none.

    Args:
        layout: of the reports. counters: of a state. oracle: of the reports.
    """
    del layout, counters, oracle
    return None


@coins_of.register(CohortLayout)
def _buckets(layout: CohortLayout, counters: Any, oracle: FrequencyOracle) -> Coins:
    """Each bucket of a function: that of the user's value, or another one."""
    own = float(oracle.p_star)
    n = np.repeat(_of_cohorts(layout, counters), layout.g)
    return Coins("buckets of each cohort", n, counters, (1 - own) / (layout.g - 1), own)


@coins_of.register(SignLayout)
@coins_of.register(SignSketchLayout)
def _signs(layout: SignLayout | SignSketchLayout, counters: Any, oracle: FrequencyOracle) -> Coins:
    """The sign of each column is + or - for the user's value, and is sent with the chance p*."""
    right = float(oracle.p_star)
    n = _of_signs(layout, counters)
    return Coins("signs of each column", n, counters[0::2], 1 - right, right)


@coins_of.register(BitSketchLayout)
def _bits(layout: BitSketchLayout, counters: Any, oracle: FrequencyOracle) -> Coins:
    """Each bit of a row: that of the bucket of the user's value, or another one."""
    ones, reports = layout.tables(counters)
    one, zero = bits_of(layout, oracle)
    n = np.repeat(reports, layout.buckets)
    return Coins("ones of each bucket", n, ones.reshape(-1), zero, one)


def bits_of(layout: BitSketchLayout, oracle: FrequencyOracle) -> tuple[float, float]:
    """The chances of a 1: of the bucket of the user's value, and of each other one.

    q* is a mixture: another value is in the same bucket with the chance 1/g.
    """
    g = layout.buckets
    return float(oracle.p_star), float((g * oracle.q_star - oracle.p_star) / (g - 1))
