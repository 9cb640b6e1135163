"""The privacy-loss distribution and the exact (eps, delta) curve, read off the pair table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.derive.rational import simple
from ldp_verified.language import PairTable


@dataclass(frozen=True)
class LossAtom:
    """One value of the privacy loss ln(P(y|x)/P(y|x')) under x.

    Attributes:
        ratio: P(y|x)/P(y|x'); sympy.oo where x' cannot give the output. mass: its probability under
            x. mass2: under x'.
    """

    ratio: Any
    mass: Any
    mass2: Any


def loss_distribution(table: PairTable) -> tuple[LossAtom, ...]:
    """The distribution of e^loss under x for one type of pair.

    Rows of equal ratio are merged, empty ones left out.
    """
    masses: dict[Any, list[Any]] = {}
    for row in table.rows:
        mass, mass2 = simple(row.count * row.px), simple(row.count * row.px2)
        if mass == 0:
            continue
        ratio = sympy.oo if mass2 == 0 else simple(row.px / row.px2)
        entry = masses.setdefault(ratio, [0, 0])
        entry[0] += mass
        entry[1] += mass2
    return tuple(LossAtom(ratio, simple(a), simple(b)) for ratio, (a, b) in masses.items())


def delta(tables: Sequence[PairTable], level: Any) -> Any:
    """The smallest delta for which the table is (ln level, delta)-LDP.

    It is the largest over the pairs of sum max(0, P(y|x) - level P(y|x')).

    Args:
        tables: pair tables in algebraic form.
        level: e^eps', a positive number or expression.
    """
    sums = {
        sympy.Add(
            *(
                sympy.Max(0, simple(atom.mass - level * atom.mass2))
                for atom in loss_distribution(table)
            )
        )
        for table in tables
    }
    return sums.pop() if len(sums) == 1 else sympy.Max(*sums)
