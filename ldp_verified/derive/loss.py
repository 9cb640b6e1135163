"""The privacy-loss distribution and the exact (eps, delta) curve, read off the pair table.

The largest delta is a sum of parts, each of which counts where its ratio is above e^eps only. They
are said with that condition, so that no one pattern of signs is taken for all parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.derive.rational import readable, sample_points, simple
from ldp_verified.language import Domain, PairTable


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


@dataclass(frozen=True)
class LossPart:
    """The outputs of one ratio: their excess, and the condition for it to add to delta.

    Attributes:
        excess: P(y|x) - level P(y|x'), summed over them.
        margin: polynomials (a, b): they count where a < b; None where they count everywhere.
    """

    excess: Any
    margin: tuple[Any, Any] | None


def parts(table: PairTable, level: Any, variables: Mapping[Any, Domain]) -> tuple[LossPart, ...]:
    """The parts of the largest delta for one type of pair, but for those that never count.

    Args:
        table: in algebraic form.
        level: e^eps', an expression in the variables.
        variables: the domain; `level` may have a variable of its own.
    """
    found = []
    for atom in loss_distribution(table):
        excess = simple(atom.mass - level * atom.mass2)
        top, bottom = _coprime(atom, variables)
        if excess == 0 or _never_negative(level * bottom - top, variables):
            continue
        always = atom.mass2 == 0 or _never_negative(top - level * bottom, variables)
        found.append(LossPart(excess, None if always else (simple(level * bottom), top)))
    return tuple(found)


def _coprime(atom: LossAtom, variables: Mapping[Any, Domain]) -> tuple[Any, Any]:
    """Positive multiples of the masses under x and x' without a common factor.

    Both masses are >= 0 everywhere, so that the factor has one sign.
    """
    if atom.mass2 == 0:
        return sympy.S.One, sympy.S.Zero
    top, bottom = sympy.fraction(sympy.cancel(sympy.together(atom.ratio)))
    for point in sample_points(variables):
        seen = [side.subs(point) for side in (top, bottom)]
        if any(value != 0 for value in seen):
            return (-top, -bottom) if any(value.is_negative for value in seen) else (top, bottom)
    return top, bottom


def _never_negative(value: Any, variables: Mapping[Any, Domain]) -> bool:
    """Return whether the coefficients over the distances from the bounds prove that it is >= 0."""
    moved = []
    for symbol, domain in variables.items():
        low, high = domain.lower, domain.upper
        if low is None or not low.is_Rational:
            continue
        step = sympy.Dummy(positive=True)
        finite = high is not None and high.is_Rational
        moved.append((symbol, (low + high * step) / (1 + step) if finite else low + step))
    top, bottom = sympy.fraction(sympy.cancel(sympy.together(value.subs(moved))))
    signs = set()
    for side in (top, bottom):
        free = sorted(side.free_symbols, key=str)
        if any(not symbol.is_positive or symbol in variables for symbol in free):
            return False
        terms = sympy.Poly(side, *free).coeffs() if free else [side]
        if not all(term.is_nonnegative for term in terms) and not all(
            term.is_nonpositive for term in terms
        ):
            return False
        signs.add(any(term.is_negative for term in terms))
    return len(signs) == 1 or top == 0


def largest_delta(
    tables: Sequence[PairTable],
    level: Any,
    variables: Mapping[Any, Domain],
    written: Callable[[Any], Any],
) -> str:
    """The smallest delta for which the table is (ln level, delta)-LDP, in words.

    Args:
        tables, level, variables: see `parts`. written: makes an expression readable.
    """

    def show(value: Any) -> str:
        return str(written(readable(value, variables)))

    def said(part: LossPart) -> str:
        if part.margin is None:
            return show(part.excess)
        low, high = part.margin
        return f"{show(part.excess)} where {show(low)} < {show(high)}"

    sums = {
        " plus ".join(sorted(map(said, found))) or "0": table.pair
        for table in reversed(tables)
        for found in [parts(table, level, variables)]
    }
    if len(sums) == 1:
        return next(iter(sums))
    named = (f"{text} ({pair})" for text, pair in reversed(sums.items()) if text != "0")
    return "the largest of: " + "; ".join(named)
