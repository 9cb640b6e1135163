"""Decide whether blocks with the stated counts can exist, if none are written down.

Let N be the incidence matrix of v values and b blocks of any sizes, every value in r of them and
every two values in lambda. Then:

    the classes of a pair hold lambda, r - lambda and b - 2r + lambda blocks: whole numbers >= 0
    the sizes sum to v r and their squares to v (r + lambda (v - 1)); b whole numbers of sum v r
        have a least sum of squares, reached where they differ by at most 1
    N N' = (r - lambda) I + lambda J has full rank if r > lambda, so b >= v; and where b = v, its
        determinant (r - lambda)^(v - 1) (r + lambda (v - 1)) is a square
    N N' is congruent to I over the rationals where b = v, so for an odd v the equation
        x^2 = (r - lambda) y^2 + (-1)^((v - 1)/2) lambda z^2 has a solution other than 0

R. A. Fisher (1940), An examination of the different possible solutions of a problem in incomplete
blocks, has b >= v for blocks of one size; R. H. Bruck, H. J. Ryser (1949), The nonexistence of
certain finite projective planes, and S. Chowla, H. J. Ryser (1950), Combinatorial problems, have
the equation. What passes all of them may still not exist: 111 blocks of 11 of 111 values, any two
values together in one of them, pass, and do not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.language.forms import Design


def impossible(form: Design, at: Mapping[Any, Any]) -> Witness | None:
    """Why no blocks have the stated counts at a point; None where nothing speaks against it.

    Args:
        form: a design in algebraic form; its structure is not looked at.
        at: sympy numbers for its symbols. Counts that keep a symbol are not judged.
    """
    b, r, both = (count.subs(at) for count in (form.blocks, form.containing, form.together))
    v = None if form.values is None else form.values.subs(at)
    stated = {"blocks": b, "containing": r, "together": both}
    if v is not None:
        stated["values"] = v
    if not all(number.is_number for number in stated.values()):
        return None
    # As many blocks as values, identically: then the counts are no multiple of other ones.
    symmetric = form.values is not None and sympy.expand(form.blocks - form.values) == 0
    why = _why(b, r, both, v, fixed=symmetric or not form.counts_vary)
    if not why:
        return None
    return Witness(
        {symbol.name: str(value) for symbol, value in at.items()},
        {name: str(number) for name, number in stated.items()},
        f"no blocks have these counts: {why}",
    )


def _why(b: Any, r: Any, both: Any, v: Any, *, fixed: bool) -> str:
    for name, count in (
        ("blocks with x and x'", both),
        ("blocks with x only", r - both),
        ("blocks with neither", b - 2 * r + both),
    ):
        if count < 0:
            return f"there would be {count} {name}"
        # Counts in symbols may stand for a multiple of themselves; numbers are what they are.
        if fixed and not count.is_Integer:
            return f"there would be {count} {name}, which is no whole number"
    if v is None:
        return ""
    if r > both and b < v:
        return f"with r > lambda there are at least as many blocks ({b}) as values ({v})"
    if fixed and r > both and b == v:
        determinant = (r - both) ** (v - 1) * (r + both * (v - 1))
        if not sympy.sqrt(determinant).is_Integer:
            return f"the determinant {determinant} of N N' must be a square where N is square"
        n, signed = int(r - both), int(both) * (-1) ** ((int(v) - 1) // 2)
        prime = _obstruction(n, signed) if v % 2 and both else None
        if prime is not None:
            return (
                f"x^2 = {n} y^2 {'-' if signed < 0 else '+'} {abs(signed)} z^2 has no solution but "
                f"0 modulo powers of {prime} (Bruck, Ryser, Chowla)"
            )
    members, squares = v * r, v * (r + both * (v - 1))
    least = members**2 / b
    if fixed:
        size = members // b
        larger = members - b * size
        least = larger * (size + 1) ** 2 + (b - larger) * size**2
    if squares < least:
        return (
            f"the sizes of the blocks sum to {members} and their squares to {squares}, but {b} "
            f"numbers of that sum have squares of at least {least}"
        )
    return ""


def _obstruction(a: int, b: int) -> int | None:
    """An odd prime p for which x^2 = a y^2 + b z^2 has no solution but 0 in the p-adic numbers.

    None where there is none; with a > 0 the equation then has a rational solution other than 0
    (Hasse, Minkowski; the prime 2 follows from the others by Hilbert's reciprocity).
    """
    for prime in sorted(set(sympy.primefactors(a)) | set(sympy.primefactors(abs(b)))):
        if prime == 2:
            continue
        powers, units = [], []
        for number in (a, b):
            power = sympy.multiplicity(prime, number)
            powers.append(int(power))
            units.append(number // prime ** int(power))
        # Hilbert's symbol at an odd prime.
        symbol = (-1) ** (powers[0] * powers[1] * (prime - 1) // 2)
        symbol *= sympy.legendre_symbol(units[0], prime) ** powers[1]
        symbol *= sympy.legendre_symbol(units[1], prime) ** powers[0]
        if symbol == -1:
            return int(prime)
    return None


def of_one_size(form: Design) -> str:
    """Return the consequence of the counts for blocks of one size; empty if they keep a symbol.

    b k = v r and r (k - 1) = lambda (v - 1) determine the number of values v and the size k.
    """
    b, r, both = form.blocks, form.containing, form.together
    if not all(count.is_number for count in (b, r, both)) or b * r == 0 or r**2 == b * both:
        return ""
    v = b * (r - both) / (r**2 - b * both)
    k = v * r / b
    if v.is_Integer and k.is_Integer and v >= 2 and 1 <= k <= v:
        why = _why(b, r, both, v, fixed=True)
        none = f", and there are none: {why}" if why else ""
        return f"blocks of one size would hold {k} of {v} values each{none}"
    return f"blocks of one size are impossible: each would hold {k} of {v} values"
