"""How often each public choice was made that clients draw uniformly: functions, columns, levels."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.sketch import BitSketchLayout, SignSketchLayout
from ldp_verified.aggregate.structured import CohortLayout, SignLayout
from ldp_verified.aggregate.tree_layout import TreeLayout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


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
