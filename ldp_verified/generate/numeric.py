"""The numeric side of a mechanism: what a sampler of its form needs to know, as formulas.

A table of two cells, a truth and a lie, over a structure for which there is a kernel has p* and q*
and is estimated by counting supports. Any other table that is written out in full is sampled row by
row and estimated by a left inverse. What is neither is refused with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, free_cells, simple
from ldp_verified.derive.estimator import support
from ldp_verified.errors import SpecError
from ldp_verified.generate.arguments import OPEN_UNIT, Arguments, arguments, refusal
from ldp_verified.generate.explicit import TableSide, table_side
from ldp_verified.generate.formulas import Function, equal, function
from ldp_verified.generate.shapes import ArgumentShape, check_counts, shape_of
from ldp_verified.generate.solved import Solved, solved
from ldp_verified.language import (
    Blocks,
    Design,
    Matrix,
    Mechanism,
    Singletons,
)
from ldp_verified.language.claims import Variance, f, n

if TYPE_CHECKING:
    from ldp_verified.language import Form


@dataclass(frozen=True)
class NumericSide:
    """A mechanism of two cells as a generated class needs it.

    Attributes:
        mechanism: where it comes from.
        shape: its form.
        arguments: what the cells are functions of.
        cell_sizes: the sizes among them.
        cells, support, worst_ratio: the functions.
        cell_values: the two cells in the mechanism's variables. support_values: p* and q* in the
            two cells. ratio: e^epsilon.
        solved: the parameter at a wanted epsilon, where there is a formula for one.
    """

    mechanism: Mechanism
    shape: ArgumentShape
    arguments: Arguments
    cell_sizes: tuple[str, ...]
    cells: Function
    support: Function
    worst_ratio: Function
    cell_values: tuple[Any, Any]
    support_values: tuple[Any, Any]
    ratio: Any
    solved: Solved | None

    @property
    def base(self) -> str:
        """The base class in `ldp_verified.run.realize`."""
        return self.shape.base


def numeric_side(mechanism: Mechanism) -> NumericSide | TableSide:
    """Derive the formulas and prove that their text agrees with the spec.

    Args:
        mechanism: a declaration whose claims say what its epsilon is.

    Returns:
        The formulas that its class computes with.

    Raises:
        SpecError: the mechanism has no numeric side; the message says what stands in the way.
    """
    form = mechanism.algebraic_table
    if isinstance(form, Matrix):
        if not _is_diagonal(form):
            return table_side(mechanism, form)
        try:
            return _two_cells(_as_design(mechanism))
        except SpecError:
            return table_side(mechanism, form)  # lies likelier than truths, say
    if isinstance(form, Design) and isinstance(form.structure, Blocks):
        blocks = form.structure.blocks
        check_counts(mechanism, form, _counts(mechanism, form.structure))
        if not _shared_equally(len(blocks), int(form.containing)):
            values = range(form.structure.values)
            rows = [
                [form.inside if x in block else form.outside for block in blocks] for x in values
            ]
            return table_side(mechanism, Matrix(rows))
    return _two_cells(mechanism)


def _written_out(form: Design, structure: Blocks) -> Matrix:
    inside, outside = form.cells().values()
    return Matrix(
        [
            [inside if x in block else outside for block in structure.blocks]
            for x in range(structure.values)
        ]
    )


def _shared_equally(blocks: int, containing: int) -> bool:
    """Return whether 2^64 words less a multiple of b - r may be divisible by r."""
    common = gcd(blocks, containing)
    return common & (common - 1) == 0


def _two_cells(mechanism: Mechanism) -> NumericSide:
    facts = Facts(mechanism)
    if any(simple(mass - 1) != 0 for mass in facts.total_mass):
        raise refusal(mechanism, "its table must be a distribution", facts.total_mass)
    shape = shape_of(mechanism)
    form = mechanism.algebraic_table
    truth, lie = (simple(value * shape.scale) for value in form.cells().values())
    _check_drops_out(mechanism, shape, (truth, lie))
    if facts.tight is None:
        rule = "no output has the largest ratio for all parameters; assume what orders the cells"
        raise refusal(mechanism, rule)
    given = arguments(mechanism, shape.sizes, (truth, lie), facts.tight.ratio, shape.derived)
    values = tuple(given.printed(value) for value in (truth, lie))
    inside_cells = {s for value in values for s in value.free_symbols}
    cell_sizes = tuple(
        name
        for name, size in {**given.sizes, **given.derived}.items()
        if name in shape.in_cells or (size in inside_cells and not size.is_Integer)
    )
    names = {size: sympy.Symbol(size, positive=True) for size in (*shape.sizes, *shape.derived)}
    cells = function(
        "cells",
        [*given.points, *(names[s] for s in cell_sizes)],
        values,
        given.points,
        given.domains,
    )

    free = tuple(sympy.Symbol(name, positive=True) for name in shape.cells)
    inside = {free[0]: OPEN_UNIT, free[1]: OPEN_UNIT, **given.domains}
    open_form = _with_cells(form, free, shape.scale)
    common = support(open_form.pair_tables())
    if common is None:
        raise refusal(mechanism, "all pairs of values must agree on one p* and one q*")
    sizes_only = {s: v for s, v in given.renamed.items() if v in names.values()}
    stars = tuple(value.subs(sizes_only) for value in (common.p_star, common.q_star))
    _check_drops_out(mechanism, shape, stars)
    taken = [*free, *(names[s] for s in shape.in_support)]
    support_ = function("support", taken, stars, free, inside)
    ratio = _worst_ratio(mechanism, facts, open_form, free)
    _check_variance(mechanism)
    return NumericSide(
        mechanism,
        shape,
        given,
        cell_sizes,
        cells,
        support_,
        function("worst_ratio", free, [ratio], free, inside),
        (truth, lie),
        (common.p_star, common.q_star),
        facts.tight.ratio,
        solved(mechanism, given, facts),
    )


def _counts(mechanism: Mechanism, structure: Blocks) -> tuple[Any, Any, Any]:
    """b, r and lambda as the blocks have them."""
    pairs: dict[tuple[int, int], int] = {}
    for block in structure.blocks:
        for x in block:
            for x2 in block:
                pairs[x, x2] = pairs.get((x, x2), 0) + 1
    values = range(structure.values)
    through = {pairs.get((x, x), 0) for x in values}
    together = {pairs.get((x, x2), 0) for x in values for x2 in values if x != x2}
    if len(through) != 1 or len(together) != 1:
        rule = "every value must be in equally many blocks, and every two values"
        raise refusal(mechanism, rule, (sorted(through), sorted(together)))
    return len(structure.blocks), through.pop(), together.pop()


def _is_diagonal(form: Matrix) -> bool:
    """Return whether there is one probability on the diagonal and one other everywhere else."""
    size = len(form.inputs)
    names = {cell: name for name, cell in form.cells().items()}
    pattern = [[names[cell] for cell in row] for row in form.rows]
    wanted = [["c0" if x == y else "c1" for y in range(size)] for x in range(size)]
    own = tuple(frozenset([x]) for x in form.inputs)
    return pattern == wanted and form.inputs == form.outputs and form.support == own


def _with_cells(form: Form, cells: tuple[Any, ...], scale: Any) -> Form:
    names = tuple(form.cells())
    return form.with_cells({name: cell / scale for name, cell in zip(names, cells, strict=True)})


def _check_drops_out(mechanism: Mechanism, shape: ArgumentShape, values: tuple[Any, ...]) -> None:
    left = {s for value in values for s in value.free_symbols} & shape.dropped
    if left:
        rule = "what the sizes of its structure determine must cancel"
        raise refusal(mechanism, rule, sorted(map(str, left)))


def _worst_ratio(mechanism: Mechanism, facts: Facts, form: Form, free: tuple[Any, ...]) -> Any:
    """The ratio of the tight row for free cells, once it is seen to exceed every other row's."""
    assert facts.tight is not None
    tables = form.pair_tables()
    row = tables[facts.tight.pair].rows[facts.tight.row]
    ratio = simple(row.px / row.px2)
    truth, lie = free
    # It exceeds 1 where truth > lie: ratio - 1 is (truth - lie) over something positive.
    excess = (ratio - 1) * lie * (1 - truth) / (truth - lie)
    if not any(equal(excess, positive) for positive in (sympy.Integer(1), 1 - truth)):
        raise refusal(mechanism, "the truth must be the likelier of the two cells", ratio)
    for table in tables:
        for other in table.rows:
            if simple(other.count) != 0 and not any(
                equal(other.px / other.px2, value) for value in (sympy.Integer(1), ratio, 1 / ratio)
            ):
                raise refusal(mechanism, "a row's ratio is neither 1, the worst nor its inverse")
    return ratio


def _as_design(mechanism: Mechanism) -> Mechanism:
    """A matrix of one truth and one lie as the design of singletons, whose cells can be freed."""
    form = mechanism.table
    if not isinstance(form, Matrix) or len(form.inputs) == 2:
        return mechanism
    k = sympy.Integer(len(form.inputs))
    truth, lie = form.cells().values()
    table = Design(k, 1, 0, truth, lie, structure=Singletons(k))
    return Mechanism(
        mechanism.name,
        title=mechanism.title,
        parameters=mechanism.parameters,
        table=table,
        claims=mechanism.claims,
        assuming=mechanism.assuming,
        origin=mechanism.origin,
    )


def _check_variance(mechanism: Mechanism) -> None:
    """Compare the variance that is proved for free cells with that of counting supports.

    That is what `variance_per_user` of every class in `ldp_verified.run.realize` computes.
    """
    open_cells = free_cells(mechanism)
    if open_cells is None:
        raise refusal(
            mechanism, "its cells cannot be freed, so nothing is proved of their rounding"
        )
    facts = Facts(open_cells)
    derived = [claim for claim in open_cells.claims if isinstance(claim, Variance)]
    if facts.support is None or isinstance(facts.estimator, NoEstimator) or not derived:
        raise refusal(mechanism, "it has no unbiased estimator with a variance in n and f alone")
    counted = variance_of_supports(facts.support.p_star, facts.support.q_star, f)
    if not equal(n * counted, derived[0].value):
        raise refusal(mechanism, "its variance is not that of counting supports")


def variance_of_supports(p_star: Any, q_star: Any, share: Any) -> Any:
    """The variance of an estimated count per user, where the estimate is a scaled support count."""
    held = share * p_star * (1 - p_star)
    return (held + (1 - share) * q_star * (1 - q_star)) / (p_star - q_star) ** 2
