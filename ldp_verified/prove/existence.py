"""Whether blocks with the stated counts can exist at all, where none are written down.

Let N be the incidence matrix of v values and b blocks of any sizes, every value in r of them and
every two values in lambda. Then:

    the classes of a pair hold lambda, r - lambda and b - 2r + lambda blocks: whole numbers >= 0
    the sizes sum to v r and their squares to v (r + lambda (v - 1)); b whole numbers of sum v r
        have a least sum of squares, reached where they differ by at most 1
    N N' = (r - lambda) I + lambda J has full rank if r > lambda, so b >= v; and where b = v, its
        determinant (r - lambda)^(v - 1) (r + lambda (v - 1)) is a square

R. A. Fisher (1940), An examination of the different possible solutions of a problem in incomplete
blocks, has the last one for blocks of one size. What passes all of them may still not exist.
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
    why = _why(b, r, both, v, fixed=not form.counts_vary)
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


def of_one_size(form: Design) -> str:
    """What the counts say of blocks of one size, in words; empty where they keep a symbol.

    b k = v r and r (k - 1) = lambda (v - 1) determine the number of values v and the size k.
    """
    b, r, both = form.blocks, form.containing, form.together
    if not all(count.is_number for count in (b, r, both)) or b * r == 0 or r**2 == b * both:
        return ""
    v = b * (r - both) / (r**2 - b * both)
    k = v * r / b
    if v.is_Integer and k.is_Integer and v >= 2 and 1 <= k <= v:
        return f"blocks of one size would hold {k} of {v} values each"
    return f"blocks of one size are impossible: each would hold {k} of {v} values"
