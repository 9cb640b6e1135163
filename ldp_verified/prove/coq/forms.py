"""The forms of table that have printers, and the claims that each of these can say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import Mechanism
from ldp_verified.language.forms import form_of
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.registry import Open, Rules

COQ: Rules[Callable[[Mechanism, bool], Any]] = Rules("coq")
"""What makes the `Theorems` of a mechanism, for each form of table."""

OF_EVERY_TABLE = (
    Kind.DEFINED,
    Kind.NONNEGATIVE,
    Kind.SUMS_TO_ONE,
    Kind.EQUAL_SUPPORT,
    Kind.RATIO,
    Kind.TIGHT,
    Kind.HOLDS,
)
OF_COUNTS = (
    Kind.CLASS_COUNTS,
    Kind.FREE_CELLS,
    Kind.UNBIASED,
    Kind.VARIANCE,
    Kind.OPTIMAL,
    Kind.SAME_TABLE,
    Kind.BETTER,
)
"""Kinds about tables whose estimator is a function of one report."""

COQ.leave_open(
    (*OF_EVERY_TABLE, *OF_COUNTS),
    (TableForm.POINTS,),
    "no theorem is printed of points on a line",
)


def theorems_of(mechanism: Mechanism, attempt: bool) -> Any:
    """Return the printer for a mechanism's form of table: its `Theorems`.

    Args:
        mechanism: the declaration. attempt: see `Algebra`.

    Raises:
        NotCertifiedError: the form, a parameter, or the table, has no printed form.
    """
    made = COQ.find(Kind.NONNEGATIVE, form_of(mechanism.table))
    if isinstance(made, Open):
        raise NotCertifiedError(made.reason)
    return made(mechanism, attempt)
