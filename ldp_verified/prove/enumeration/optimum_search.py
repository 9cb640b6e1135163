"""Optimality claims, looked at by trying rivals: each is written out, measured and compared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.kinds import FINITE, Kind
from ldp_verified.language.forms import Bits, Design, Form, Matrix
from ldp_verified.prove.enumeration.expand import (
    ExpandedTable,
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
    expand_form,
)
from ldp_verified.prove.enumeration.points import (
    Values,
    candidates,
    describe,
    inside,
    points,
    structure_symbols,
)
from ldp_verified.prove.enumeration.table_facts import Exists, estimator, worst
from ldp_verified.prove.enumeration.witnesses import ENUMERATION, both
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.language.claims import Optimal
    from ldp_verified.language.mechanism import Mechanism

# Cells are tried in steps of 1/GRID at structure sizes up to SMALL.
GRID = 12
SMALL = 3


@dataclass(frozen=True)
class Search:
    """The sizes that were tried, and the witness that won.

    Attributes:
        sizes: points and rivals in words. witness: a rival that beats the claimed optimum, or None.
    """

    sizes: str
    witness: Witness | None


@dataclass(frozen=True)
class _Measured:
    """One table: its tight ratio, and the variance `[x][v]` that a user with x adds to count v."""

    ratio: Fraction
    variance: tuple[tuple[Fraction, ...], ...]


def _measure(form: Form, table: ExpandedTable, limit: Fraction | None) -> _Measured | None:
    """Measure a table; None without a finite ratio up to `limit`, or an unbiased estimator."""
    if any(min(c.weights) < 0 for c in table.columns) or set(table.row_sums) != {Fraction(1)}:
        return None
    ratio = worst(table).ratio
    if ratio is None or (limit is not None and ratio > limit):
        return None
    found = estimator(table, matrix=isinstance(form, Matrix))
    if isinstance(found, str | Exists):
        return None
    size = range(len(table.inputs))
    return _Measured(ratio, tuple(tuple(found.variance(x, v) for v in size) for x in size))


def _expand(form: Form, point: Values, limit: Fraction | None = None) -> _Measured | None:
    try:
        return _measure(form, expand_form(form, point), limit)
    except (UndefinedCellError, NotExpandableError):
        return None


def _better(rival: _Measured, best: _Measured, share: Fraction) -> tuple[Fraction, Fraction] | None:
    """(rival's, claimed) variance of one user's count where the rival's is smaller."""
    size = range(len(best.variance))
    for v, x in product(size, size):
        if x == v or len(rival.variance) != len(best.variance):
            continue
        ours, theirs = (
            share * m.variance[v][v] + (1 - share) * m.variance[x][v] for m in (best, rival)
        )
        if theirs < ours:
            return theirs, ours
    return None


@ENUMERATION.rule((Kind.OPTIMAL,), FINITE)
def search_optimum(mechanism: Mechanism, claim: Optimal, largest: int) -> Search | None:
    """Try rivals of a claimed optimum; None where nothing could be compared.

    Over parameters: the members of their domains that `candidates` gives, up to `largest`, at
    points where the claimed optimum is itself in the domain. Over cells: a grid of rational
    cells, and those that use up the whole claimed ratio.
    """
    claimed = _claimed(mechanism, claim)
    if claimed is None:
        return None
    values, chosen = claimed
    if not chosen:
        return _search_cells(mechanism, values, claim.at_f)
    return _search_parameters(mechanism, chosen, claim.at_f, largest)


def rival_at(mechanism: Mechanism, claim: Optimal, point: Values) -> Search | None:
    """Compare a claimed optimum with the point itself; None where nothing could be compared.

    Over parameters the rival is the point's own value of each, over cells the declared table.
    """
    form, claimed = mechanism.algebraic_table, _claimed(mechanism, claim)
    if claimed is None:
        return None
    values, chosen = claimed
    try:
        full = complete(form, point)
        share = evaluate(claim.at_f, full)
        if not chosen:
            return _declared_cells(form, full, values, share)
        optimum = full | {symbol: evaluate(value, full) for symbol, value in chosen.items()}
        if not inside(mechanism, optimum):
            return None
        best, own = _expand(form, optimum), _expand(form, full)
        if best is None or own is None:
            return None
        beaten = _better(own, best, share)
        witness = beaten and _witness(complete(form, optimum), chosen, full, beaten)
    except (NotExpandableError, ZeroDivisionError):
        return None
    return Search(describe([optimum]), witness)


def _declared_cells(
    form: Form, point: Values, values: dict[str, Any], share: Fraction
) -> Search | None:
    """The cells claimed best against those that are declared."""
    claimed = {name: evaluate(value, point) for name, value in values.items()}
    declared = {name: evaluate(form.cells()[name], point) for name in values}
    own = _expand(form, point)
    if own is None:
        return None
    exact = {name: _exact(value) for name, value in claimed.items()}
    best = _expand(form.with_cells(form.cells() | exact), point, own.ratio)
    if best is None:
        return Search(describe([point]), _no_table(point, claimed, own.ratio))
    beaten = _better(own, best, share)
    return Search(describe([point]), beaten and _witness(point, [*values], declared, beaten))


def _claimed(mechanism: Mechanism, claim: Optimal) -> tuple[dict[str, Any], dict[Any, Any]] | None:
    """Return what is claimed best: name -> value; parameter -> value, which is empty for cells."""
    values = {
        str(key): mechanism.algebraic("Optimal", value) for key, value in claim.values.items()
    }
    if values.keys() <= {*mechanism.algebraic_table.cells()} - {
        p.name for p in mechanism.variables
    }:
        return values, {}
    chosen = {p: values[p.name] for p in mechanism.variables if p.name in values}
    return (values, chosen) if len(chosen) == len(values) else None


def _exact(value: Fraction) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _rivals(mechanism: Mechanism, order: list[Any], base: Values, largest: int) -> Iterator[Values]:
    if not order:
        yield base
        return
    for value in candidates(mechanism.variables[order[0]], base, largest):
        yield from _rivals(mechanism, order[1:], base | {order[0]: value}, largest)


def _search_parameters(
    mechanism: Mechanism, chosen: dict[Any, Any], at_f: Any, largest: int
) -> Search | None:
    form = mechanism.algebraic_table
    order = list(chosen)
    try:
        bases = points(mechanism, largest, without=frozenset(order))
    except NotExpandableError:  # Another parameter's bound mentions the optimised one.
        return None
    sizes, _ = structure_symbols(form)
    covered: list[Values] = []
    compared = 0
    for base in bases:
        optimum = dict(base)
        for symbol, value in chosen.items():
            optimum[symbol] = evaluate(value, base)
        if not inside(mechanism, optimum) or any(optimum[s] > largest for s in order if s in sizes):
            continue
        best = _expand(form, optimum)
        if best is None:
            continue
        share = evaluate(at_f, base)
        covered.append(optimum)
        for rival in _rivals(mechanism, order, base, largest):
            if rival == optimum or not inside(mechanism, rival):
                continue
            measured = _expand(form, rival)
            if measured is None:
                continue
            compared += 1
            beaten = _better(measured, best, share)
            if beaten is not None:
                return Search(
                    describe(covered), _witness(complete(form, optimum), chosen, rival, beaten)
                )
    if not compared:
        return None
    return Search(f"{describe(covered)}; {compared} rivals", None)


def _witness(
    point: Values, names: Any, rival: dict[Any, Fraction], beaten: tuple[Fraction, Fraction]
) -> Witness:
    better, claimed = beaten
    instead = ", ".join(f"{name} = {both(rival[name])}" for name in names)
    return Witness(
        {symbol.name: str(value) for symbol, value in point.items()},
        {f"{name} instead": str(rival[name]) for name in names}
        | {"variance at the claimed optimum": str(claimed), "variance": str(better)},
        f"variance per user {both(claimed)} at the claimed optimum, {both(better)} at {instead}",
    )


def _search_cells(mechanism: Mechanism, values: dict[str, Any], at_f: Any) -> Search | None:
    form = mechanism.algebraic_table
    covered: list[Values] = []
    compared = 0
    try:
        bases = [complete(form, point) for point in points(mechanism, SMALL)]
    except NotExpandableError:
        return None
    for base in bases:
        claimed = {name: evaluate(value, base) for name, value in values.items()}
        best_form = form.with_cells(form.cells() | {c: _exact(v) for c, v in claimed.items()})
        own = _expand(form, base)
        if own is None:
            continue
        best = _expand(best_form, base, own.ratio)
        share = evaluate(at_f, base)
        covered.append(base)
        if best is None:
            return Search(describe(covered), _no_table(base, claimed, own.ratio))
        for rival in _cell_rivals(form, base, list(values), own.ratio):
            rival_form = form.with_cells(form.cells() | {c: _exact(v) for c, v in rival.items()})
            measured = _expand(rival_form, base, own.ratio)
            if measured is None:
                continue
            compared += 1
            beaten = _better(measured, best, share)
            if beaten is not None:
                return Search(describe(covered), _witness(base, list(values), rival, beaten))
    if not compared:
        return None
    return Search(f"{describe(covered)}; {compared} rival tables of at most the same eps", None)


def _no_table(point: Values, claimed: dict[str, Fraction], ratio: Fraction) -> Witness:
    cells = ", ".join(f"{name} = {both(value)}" for name, value in claimed.items())
    return Witness(
        {symbol.name: str(value) for symbol, value in point.items()},
        {name: str(value) for name, value in claimed.items()} | {"ratio": str(ratio)},
        f"the cells claimed best, {cells}, are no table that has an estimator and whose ratio is "
        f"at most the declared one's, {both(ratio)}",
    )


def _cell_rivals(
    form: Form, point: Values, names: list[str], ratio: Fraction
) -> Iterator[dict[str, Fraction]]:
    """Cells to try: a grid, and pairs on the edge of the allowed ratio. Each will be measured."""
    steps = [Fraction(i, GRID) for i in range(GRID + 1)]
    if isinstance(form, Design):
        yield from _design_rivals(form, point, names, ratio)
    elif len(names) <= 2:
        for grid in product(steps, repeat=len(names)):
            yield dict(zip(names, grid, strict=True))
    if isinstance(form, Bits) and set(names) == {"one", "zero"}:
        for one in [Fraction(i, 2 * GRID) for i in range(1, 2 * GRID)]:
            for odds in (ratio, 1 / ratio):
                yield {"one": one, "zero": one / (odds * (1 - one) + one)}


def _design_rivals(
    form: Design, point: Values, names: list[str], ratio: Fraction
) -> Iterator[dict[str, Fraction]]:
    """Pairs (inside, outside) that sum to one over the outputs of input 0."""
    if set(names) != {"inside", "outside"}:
        return
    marked = form.with_cells({"inside": sympy.Integer(2), "outside": sympy.Integer(1)})
    table = expand_form(marked, point)
    blocks = table.outputs
    holding = int(table.row_sums[0]) - blocks
    rest = blocks - holding
    if not holding or not rest:
        return
    for odds in (ratio, 1 / ratio):
        outside = 1 / (holding * odds + rest)
        yield {"inside": odds * outside, "outside": outside}
    for i in range(1, GRID):
        share = Fraction(i, GRID)
        yield {"inside": share / holding, "outside": (1 - share) / rest}
