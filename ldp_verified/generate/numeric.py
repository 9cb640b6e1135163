"""The numeric side of a mechanism: what a sampler of its form needs to know, as formulas.

A form has a numeric side if its table is two cells, a truth and a lie, over a structure for which
there is a kernel; everything else is refused with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, free_cells, simple
from ldp_verified.derive.estimator import support
from ldp_verified.errors import SpecError
from ldp_verified.generate.formulas import Function, equal, function
from ldp_verified.language import Bits, Design, Domain, HashBlocks, Matrix, Mechanism, Singletons
from ldp_verified.language.claims import Variance, f, n

if TYPE_CHECKING:
    from ldp_verified.language import Form

RESERVED = {"epsilon", "k", "g", "categories", "t", "f", "n"}
"""Names that a rational parameter cannot have in the generated class."""

OPEN_UNIT = Domain(lower=sympy.Integer(0), upper=sympy.Integer(1), lower_open=True, upper_open=True)


@dataclass(frozen=True)
class Shape:
    """What a table form is called on the numeric side.

    Attributes:
        base: the base class in `ldp_verified.realize`.
        cells: names of the truth and the lie, as arguments.
        meaning: what each of them is the probability of.
        sizes: size argument -> expression in the spec (k and g).
        in_cells: the sizes that `cells` takes. in_support: those that `support` takes.
        scale: what the spec's cells are multiplied by.
    """

    base: str
    cells: tuple[str, str]
    meaning: tuple[str, str]
    sizes: dict[str, Any]
    in_cells: tuple[str, ...] = ()
    in_support: tuple[str, ...] = ()
    scale: Any = sympy.S.One


@dataclass(frozen=True)
class NumericSide:
    """A mechanism as a generated class needs it.

    Attributes:
        mechanism: where it comes from.
        shape: its form.
        root: the cells are functions of t = e^(-epsilon/root); None where epsilon does not enter.
        parameter: the rational parameter that they are functions of then; None where they are
            numbers.
        cells, support, worst_ratio, variance: the functions.
        cell_values: the two cells in the mechanism's variables. support_values: p* and q* in the
            two cells.
    """

    mechanism: Mechanism
    shape: Shape
    root: int | None
    parameter: Any
    cells: Function
    support: Function
    worst_ratio: Function
    variance: Function
    cell_values: tuple[Any, Any]
    support_values: tuple[Any, Any]


def numeric_side(mechanism: Mechanism) -> NumericSide:
    """Derive the formulas and prove that their text agrees with the spec.

    Raises:
        SpecError: the mechanism has no numeric side; the message says what stands in the way.
    """
    facts = Facts(mechanism)
    if any(simple(mass - 1) != 0 for mass in facts.total_mass):
        raise _refusal(mechanism, "its table must be a distribution", facts.total_mass)
    shape = _shape(mechanism)
    root, parameter = _argument(mechanism, shape, facts)
    names = {size: sympy.Symbol(size, positive=True) for size in shape.sizes}
    renamed = {symbol: names[size] for size, symbol in shape.sizes.items() if not symbol.is_Integer}
    generator = mechanism.generator.symbol
    point = sympy.Symbol("t" if parameter is None else parameter.name, positive=True)
    back: dict[Any, Any] = {}
    if root is not None:
        back[generator] = 1 / point
    elif parameter is not None:
        back[parameter] = point

    form = mechanism.algebraic_table
    truth, lie = (simple(value * shape.scale) for value in form.cells().values())
    values = tuple(value.subs(renamed | back) for value in (truth, lie))
    _check_drops_out(mechanism, shape, values)
    size_domain = Domain(lower=sympy.Integer(2), integer=True)
    domain = OPEN_UNIT if parameter is None else mechanism.domains[parameter]
    domains: dict[Any, Domain] = {point: domain, **{names[s]: size_domain for s in shape.sizes}}
    cells = function(
        "cells", [point, *(names[s] for s in shape.in_cells)], values, [point], domains
    )

    free = tuple(sympy.Symbol(name, positive=True) for name in shape.cells)
    inside = {free[0]: OPEN_UNIT, free[1]: OPEN_UNIT, **domains}
    open_form = _with_cells(form, free, shape.scale)
    common = support(open_form.pair_tables())
    if common is None:
        raise _refusal(mechanism, "all pairs of values must agree on one p* and one q*")
    stars = tuple(value.subs(renamed) for value in (common.p_star, common.q_star))
    _check_drops_out(mechanism, shape, stars)
    arguments = [*free, *(names[s] for s in shape.in_support)]
    support_ = function("support", arguments, stars, free, inside)
    ratio = _worst_ratio(mechanism, facts, open_form, free)
    return NumericSide(
        mechanism,
        shape,
        root,
        parameter,
        cells,
        support_,
        function("worst_ratio", free, [ratio], free, inside),
        _variance(mechanism),
        (truth, lie),
        (common.p_star, common.q_star),
    )


def _refusal(mechanism: Mechanism, rule: str, *got: Any) -> SpecError:
    return SpecError(mechanism.name, f"has no numeric side: {rule}", *got)


def _shape(mechanism: Mechanism) -> Shape:
    match mechanism.algebraic_table:
        case Design(structure=Singletons() as structure) as form:
            k = structure.values
            _check_counts(mechanism, form, (k, 1, 0))
            meaning = ("the report is the value", "the report is another one, for each of them")
            shape = Shape("SingletonRandomizer", ("inside", "outside"), meaning, {"k": k}, ("k",))
        case Design(structure=HashBlocks() as structure) as form:
            k, g, m = structure.values, structure.buckets, structure.functions
            _check_counts(mechanism, form, (m * g, m, m / g))
            meaning = ("the bucket is the value's", "the bucket is another one, for each of them")
            shape = Shape(
                "HashedRandomizer",
                ("inside", "outside"),
                meaning,
                {"k": k, "g": g},
                ("g",),
                ("g",),
                m,
            )
        case Bits() as bits:
            meaning = ("the value's own bit is 1", "any other bit is 1")
            shape = Shape("OneHotRandomizer", ("one", "zero"), meaning, {"k": bits.encoder.values})
        case Matrix() as matrix:
            _check_diagonal(mechanism, matrix)
            meaning = ("the report is the value", "the report is another one, for each of them")
            size = sympy.Integer(matrix.values)
            shape = Shape("MatrixRandomizer", ("truth", "lie"), meaning, {"k": size})
        case _:
            rule = "there is no sampler for this structure of outputs"
            raise _refusal(mechanism, rule, mechanism.table)
    for name, size in shape.sizes.items():
        _check_size(mechanism, name, size)
    return shape


def _check_counts(mechanism: Mechanism, form: Design, wanted: tuple[Any, Any, Any]) -> None:
    stated = (form.blocks, form.containing, form.together)
    if any(simple(a - b) != 0 for a, b in zip(stated, wanted, strict=True)):
        rule = f"blocks, containing, together must be those of the structure, {wanted}"
        raise _refusal(mechanism, rule, stated)


def _check_diagonal(mechanism: Mechanism, form: Matrix) -> None:
    size = len(form.inputs)
    names = {cell: name for name, cell in form.cells().items()}
    pattern = [[names[cell] for cell in row] for row in form.rows]
    wanted = [["c0" if x == y else "c1" for y in range(size)] for x in range(size)]
    own = tuple(frozenset([x]) for x in form.inputs)
    if pattern != wanted or form.inputs != form.outputs or form.support != own:
        rule = "a Matrix needs one probability on its diagonal and one other everywhere else"
        raise _refusal(mechanism, rule, pattern)


def _check_size(mechanism: Mechanism, name: str, size: Any) -> None:
    if size.is_Integer and size >= 2:
        return
    domain = mechanism.domains.get(size)
    if domain is None or not (domain.integer and domain.lower == 2 and domain.upper is None):
        rule = f"{name} must be an integer parameter at_least=2 without other bounds, or a number"
        raise _refusal(mechanism, rule, size)


def _argument(mechanism: Mechanism, shape: Shape, facts: Facts) -> tuple[int | None, Any]:
    """(root, rational parameter): what the cells are functions of, besides sizes."""
    eps = mechanism.generator.eps
    known = {eps, *shape.sizes.values(), *shape.scale.free_symbols}
    others = [p for p in mechanism.parameters if p not in known]
    if len(others) > (0 if eps is not None else 1):
        rule = "its cells must depend on one parameter besides sizes"
        raise _refusal(mechanism, rule, [p.name for p in others])
    tight = facts.tight
    if tight is None:
        raise _refusal(mechanism, "no output has the largest ratio for all parameters")
    if eps is not None:
        root = (
            sympy.degree(tight.ratio, mechanism.generator.symbol)
            if tight.ratio.is_polynomial(mechanism.generator.symbol)
            else 0
        )
        if root < 1 or simple(tight.ratio - mechanism.generator.symbol**root) != 0:
            raise _refusal(mechanism, "its tight epsilon must be a multiple of eps", tight.ratio)
        return int(root), None
    if not others:
        return None, None
    parameter = others[0]
    domain = mechanism.domains[parameter]
    bounds = (domain.lower, domain.upper)
    if parameter.name in RESERVED:
        raise _refusal(mechanism, "the parameter needs another name", parameter.name)
    if not (domain.lower_open and domain.upper_open and all(b.is_Rational for b in bounds)):
        raise _refusal(
            mechanism, "the parameter needs an open range", domain.describe(parameter.name)
        )
    return None, parameter


def _with_cells(form: Form, cells: tuple[Any, ...], scale: Any) -> Form:
    names = tuple(form.cells())
    return form.with_cells({name: cell / scale for name, cell in zip(names, cells, strict=True)})


def _check_drops_out(mechanism: Mechanism, shape: Shape, values: tuple[Any, ...]) -> None:
    left = {s for value in values for s in value.free_symbols} & shape.scale.free_symbols
    if left:
        raise _refusal(
            mechanism, "the number of hash functions must cancel", sorted(map(str, left))
        )


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
        raise _refusal(mechanism, "the truth must be the likelier of the two cells", ratio)
    for table in tables:
        for other in table.rows:
            if simple(other.count) != 0 and not any(
                equal(other.px / other.px2, value) for value in (sympy.Integer(1), ratio, 1 / ratio)
            ):
                raise _refusal(mechanism, "a row's ratio is neither 1, the worst nor its inverse")
    return ratio


def _variance(mechanism: Mechanism) -> Function:
    """The variance per user in p* and q*, compared with the one that is proved for free cells."""
    p, q = sympy.symbols("p_star q_star", positive=True)
    value = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
    body = (
        "spread = p_star - q_star",
        "held = f * p_star * (1 - p_star)",
        "return (held + (1 - f) * q_star * (1 - q_star)) / spread**2",
    )
    made = Function("variance_per_user", ("p_star", "q_star", "f"), body, 1)
    (printed,) = made.on_symbols({"p_star": p, "q_star": q, "f": f})
    open_cells = free_cells(mechanism)
    if open_cells is None:
        raise _refusal(
            mechanism, "its cells cannot be freed, so nothing is proved of their rounding"
        )
    facts = Facts(open_cells)
    derived = [claim for claim in open_cells.claims if isinstance(claim, Variance)]
    if facts.support is None or isinstance(facts.estimator, NoEstimator) or not derived:
        raise _refusal(mechanism, "it has no unbiased estimator with a variance in n and f alone")
    stars = {p: facts.support.p_star, q: facts.support.q_star}
    if not equal(printed, value) or not equal(n * value.subs(stars), derived[0].value):
        raise _refusal(mechanism, "its variance is not that of counting supports")
    return made
