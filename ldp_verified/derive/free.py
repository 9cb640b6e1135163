"""A mechanism's table with free cells in the place of its formulas.

So unbiasedness and variance hold for the realized table too, whose cells are integers over 2^64.

`Design`: `inside` is free between 1/b and 1/r, `outside` follows from the sum. `Bits`:
0 < zero < one < 1 are free. A `Matrix` with two distinct cells and one relation between them (a
binary symmetric table): the first is free above the second.
"""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.derive.estimator import NoEstimator, estimator, variance
from ldp_verified.derive.rational import simple
from ldp_verified.language import (
    Bits,
    Design,
    Domain,
    Form,
    Matrix,
    Mechanism,
    Unbiased,
    Variance,
    f,
    n,
    real,
)
from ldp_verified.language.forms import sizes
from ldp_verified.language.sayable import small_points


def free_cells(mechanism: Mechanism) -> Mechanism | None:
    """Return the mechanism with free cells, claiming that its derived estimator is unbiased.

    It also claims that the estimator has the derived variance. Returns None where no
    parametrisation of the free cells is known (a `Matrix` with more than two distinct cells, or a
    `Design` some sizes of which leave one of the cells out).

    Args:
        mechanism: the declaration.
    """
    eps = mechanism.generator.eps
    kept = [p for p in mechanism.parameters if p != eps]
    made = None if _all_or_none(mechanism) else _freed(mechanism.table, [p.name for p in kept])
    if made is None:
        return None
    form, added = made
    everything = [*form.expressions(), *sizes(form)]
    used = {symbol for _, value in everything for symbol in value.free_symbols}
    kept = [
        p for p in kept if p in used or (isinstance(form, Design) and not _mentions(p.domain, eps))
    ]
    found = estimator(form)
    claims: list[Any] = []
    if not isinstance(found, NoEstimator):
        claims.append(Unbiased())
        total = variance(found, form)
        if total is not None:
            claims.append(Variance(total))
    whole = {p for p in kept if p.domain.integer}
    freed = Mechanism(
        f"{mechanism.name}_free",
        title=f"{mechanism.title}, free cells",
        parameters=[*kept, *added],
        table=form,
        claims=claims,
        assuming=[a for a in mechanism.assuming if a.free_symbols <= whole & {*kept}],
        origin=mechanism.origin,
    )
    # What mentions epsilon is needed by the mechanism itself, and decided there.
    own = {*freed.parameters, n, f}
    return freed.with_requirements(
        [needed for needed in freed.requirements if needed.value.free_symbols <= own]
    )


def _all_or_none(mechanism: Mechanism) -> bool:
    """Return whether a value may lie in none of the blocks of a design, or in all of them.

    Then one of the two cells has no place in a row, and none of the bounds 1/b and 1/r is one.
    """
    form = mechanism.table
    return isinstance(form, Design) and any(
        count.subs(point) == 0
        for count in (form.containing, form.blocks - form.containing)
        for point in small_points(count, mechanism.domains)
    )


def _mentions(domain: Domain, eps: Any) -> bool:
    bounds = [bound for bound in (domain.lower, domain.upper) if bound is not None]
    return eps is not None and any(sympy.sympify(bound).has(eps) for bound in bounds)


def _fresh(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _freed(form: Form, taken: list[str]) -> tuple[Form, list[Any]] | None:
    match form:
        case Design():
            b, r = form.blocks, form.containing
            inside = real(_fresh("inside", taken), above=1 / b, below=1 / r)
            outside = simple((1 - r * inside) / (b - r))
            return form.with_cells({"inside": inside, "outside": outside}), [inside]
        case Bits():
            zero = real(_fresh("zero", taken), above=0, below=1)
            one = real(_fresh("one", taken), above=zero, below=1)
            return form.with_cells({"one": one, "zero": zero}), [zero, one]
        case Matrix():
            return _freed_matrix(form, taken)
    return None


def _freed_matrix(form: Matrix, taken: list[str]) -> tuple[Form, list[Any]] | None:
    cells = form.cells()
    if len(cells) != 2:
        return None
    first = real(_fresh("c0", taken), above=sympy.Rational(1, 2), below=1)
    pattern = form.with_cells({"c0": sympy.Integer(1), "c1": sympy.Integer(0)})
    if any(sum(row) != 1 or len(row) != 2 for row in pattern.rows):
        return None
    return form.with_cells({"c0": first, "c1": 1 - first}), [first]
