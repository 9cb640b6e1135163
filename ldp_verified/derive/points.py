"""The largest ratio of points on a line, looked for between the two ends.

Proposed only: the certificate shows whether any other pair and output has a larger one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.derive.rational import sample_points, simple
from ldp_verified.language import Domain, Points, left, near, right, span


@dataclass(frozen=True)
class WorstOfEnds:
    """The largest ratio between the two ends.

    Attributes:
        ratio: P(y|x)/P(y|x'), in `span` and the algebraic variables. pair, output: in words.
    """

    ratio: Any
    pair: str
    output: str


def worst_of_ends(form: Points, variables: Mapping[Any, Domain]) -> WorstOfEnds | None:
    """The ratio at the ends that is the largest at every sample point; None where no one is.

    Args:
        form: in algebraic form. variables: its symbols with their domains.
    """
    candidates = []
    for end, formula in (("0", form.low_end), ("k - 1", form.high_end)):
        chances = {}
        for x in ("0", "k - 1"):
            at = {left: 1, right: span} if x == "0" else {left: span, right: 1}
            distance = sympy.S.One if x == end else span
            chosen = form.cell if formula is None else formula
            chances[x] = chosen.subs({near: distance, **at}, simultaneous=True)
        for x, x2 in (("0", "k - 1"), ("k - 1", "0")):
            if simple(chances[x2]) != 0:
                ratio = simple(chances[x] / chances[x2])
                candidates.append(WorstOfEnds(ratio, f"x = {x}, x' = {x2}", f"y = {end}"))
    best: set[int] = set()
    domains = {**variables, span: span.domain}
    for point in sample_points(domains):
        values = [candidate.ratio.subs(point) for candidate in candidates]
        if not values or not all(value.is_Rational for value in values):
            return None
        winners = {i for i, value in enumerate(values) if value == max(values)}
        best = best & winners if best else winners
        if not best:
            return None
    return candidates[min(best)] if best else None
