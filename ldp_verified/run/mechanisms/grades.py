# Command: ldp-verified generate grades
# Input: spec/grades.py
# sha256 of the input: 85c295cea3a6f8345afa19152b9a2daa33dc96f8a80176cf3260034a32f74543
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Exponential mechanism: generated from spec/grades.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, TableRandomizer


@dataclass(frozen=True, repr=False)
class Grades(TableRandomizer):
    """Exponential mechanism.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        categories: the labels of the values, in order; None for the table's own, 1, 2, 3.

    Table, with u4 = e^(epsilon/2):

        c0 = u4^2/(u4^2 + u4 + 1)
        c1 = u4/(u4^2 + u4 + 1)
        c2 = 1/(u4^2 + u4 + 1)
        c3 = 1/(u4 + 2)
        c4 = u4/(u4 + 2)

    P(y|x) is the cell whose index is `pattern[x][y]`. Inputs, in order: 1, 2, 3. Outputs, in order:
    1, 2, 3. Counts are estimated by a left inverse of the realized table, `weights`, applied to how
    often each output came.

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify grades` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, holds (certificate: proofs/certificates/grades.json). Cells are rounded to integer
    thresholds, and the estimator is that of the rounded table. Thresholds and the layout of
    reports: `TableRandomizer`.
    """

    epsilon: float
    categories: Categories | None = None
    k: int = field(default=3, init=False)

    own_labels: ClassVar[tuple[str | int, ...] | None] = (1, 2, 3)
    name: ClassVar[str] = "grades"
    law_sha256: ClassVar[str] = "ed03a236e99df50335858a745269a415db4546a1f5f9c282081102ee8cce42b6"
    root: ClassVar[int] = 2
    pattern: ClassVar[tuple[tuple[int, ...], ...]] = (
        (0, 1, 2),
        (3, 4, 3),
        (2, 1, 0),
    )

    @staticmethod
    def cells(t: Number) -> tuple[Number, ...]:
        """The distinct probabilities at t = e^(-epsilon/2)."""
        return (
            1 / (1 + t + t**2),
            t / (1 + t + t**2),
            t**2 / (1 + t + t**2),
            t / (1 + 2 * t),
            1 / (1 + 2 * t),
        )
