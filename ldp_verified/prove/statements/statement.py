"""A mechanism as the text that certificates are about: variables, pair tables, claims."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from ldp_verified.derive.estimator import NoEstimator, estimator
from ldp_verified.derive.inverse import FullRank
from ldp_verified.derive.rational import simple
from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Form,
    GaussianLDP,
    Holds,
    Matrix,
    Mechanism,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    Points,
    Privacy,
    SameTable,
    Unbiased,
    Variance,
)
from ldp_verified.language.claims import Claim
from ldp_verified.language.exponents import beside
from ldp_verified.language.layout import CellLayout
from ldp_verified.language.numeric_claims import NumericClaim
from ldp_verified.prove.statements.event_signs import known_of_cells, known_of_pairs
from ldp_verified.prove.statements.outputs import outputs
from ldp_verified.prove.statements.ranges import variable
from ldp_verified.prove.statements.variance_region import derived_region, variance_gap


def text(value: Any) -> str:
    """A rational function as text, numerator over denominator, fully cancelled and factored.

    Coefficients are integers.
    """
    return str(simple(value))


def statement(mechanism: Mechanism, weights: Any = None) -> dict[str, Any]:
    """The statement of a mechanism.

    Args:
        mechanism: the declaration.
        weights: for tables whose estimator is not 1[support]: a sympy matrix B with one row per
            input and one column per output, B[x, y] being what output y adds to the estimate of x;
            for a large `Matrix` its layout, or why there is one.
    """
    form = mechanism.algebraic_table
    if isinstance(form, Points):
        return _of_points(mechanism, form)
    large = by_column(mechanism)
    table: dict[str, Any] = {"pair_tables": [] if large else _pair_tables(form)}
    if isinstance(form, Matrix) and large:
        table["matrix"] = {**_entries(form.layout), "support": _support(form)}
    return {
        "variables": _variables(mechanism),
        **table,
        "weights": None if weights is None else _weights(weights, by_column=large),
        "claims": [_claim(mechanism, claim) for claim in mechanism.claims],
    }


def _of_points(mechanism: Mechanism, form: Points) -> dict[str, Any]:
    named = ((name, getattr(form, name)) for name in ("decay", "cell", "low_end", "high_end"))
    return {
        "variables": _variables(mechanism),
        "points": {
            "size": form.size.name,
            **{name: None if value is None else text(value) for name, value in named},
        },
        "claims": [_claim_of_points(mechanism, claim) for claim in mechanism.claims],
    }


def _claim_of_points(mechanism: Mechanism, claim: Claim) -> dict[str, Any]:
    """A bound, and what each step from x to x' adds to it: so many times 1/t."""
    table = mechanism.table
    assert isinstance(table, Points)
    if isinstance(claim, MetricLDP):
        steps = int(table.steps("MetricLDP.epsilon", claim.epsilon))
        return {"kind": "ldp", "bound": "1", "steps": -steps, "tight": False}
    if isinstance(claim, LDP):
        bound = text(mechanism.algebraic("claim", claim.ratio))
        return {"kind": "ldp", "bound": bound, "steps": 0, "tight": claim.tight}
    assert isinstance(claim, Holds)
    return holds_statement(mechanism, claim)


MOST_COMPARED = 2000
"""Rows in all pair tables of a `Matrix` that is compared with another table."""


def by_column(mechanism: Mechanism) -> bool:
    """Return whether the statement holds the table itself and not its pair tables.

    Comparisons with another table go pair by pair, so as long as that is possible they have them.
    """
    form = mechanism.algebraic_table
    if not isinstance(form, Matrix) or form.written_out:
        return False
    compared = any(isinstance(claim, SameTable | BetterThan) for claim in mechanism.claims)
    return not compared or _large(form)


def _large(form: Form) -> bool:
    """Return whether its pair tables are too many to be compared one by one."""
    if not isinstance(form, Matrix):
        return False
    return len(form.inputs) * (len(form.inputs) - 1) * len(form.outputs) > MOST_COMPARED


def _entries(layout: CellLayout) -> dict[str, Any]:
    return {"cells": [_entry(cell) for cell in layout.cells], "index": layout.index.tolist()}


def _entry(cell: Any) -> str:
    # Numbers are in lowest terms already, and there may be a million of them.
    if cell.is_Rational:
        return str(cell.p) if cell.q == 1 else f"{cell.p}/{cell.q}"
    return text(cell)


def _support(form: Matrix) -> list[list[int]] | None:
    if form.support is None:
        return None
    places = {x: i for i, x in enumerate(form.inputs)}
    return [sorted(places[x] for x in values) for values in form.support]


def _pair_tables(form: Form) -> list[dict[str, Any]]:
    return [
        {
            "pair": table.pair,
            "rows": [
                {
                    "outputs": row.outputs,
                    "count": text(row.count),
                    "px": text(row.px),
                    "px2": text(row.px2),
                    "supports_x": row.supports_x,
                    "supports_x2": row.supports_x2,
                }
                for row in table.rows
            ],
        }
        for table in form.pair_tables()
    ]


def _weights(matrix: Any, *, by_column: bool) -> Any:
    if by_column and isinstance(matrix, sympy.MatrixBase):
        matrix = CellLayout.of(matrix.tolist())
    if isinstance(matrix, CellLayout):
        if by_column:
            return _entries(matrix)
        matrix = sympy.Matrix(matrix.rows())
    if isinstance(matrix, FullRank):
        return {"prime": matrix.prime} if by_column else None
    size, outputs = matrix.shape
    return [
        [[text(matrix[i, y]), text(matrix[j, y])] for y in range(outputs)]
        for i in range(size)
        for j in range(size)
        if i != j
    ]


def _claim(mechanism: Mechanism, claim: Claim) -> dict[str, Any]:
    def algebraic(value: Any) -> str:
        return text(mechanism.algebraic("claim", value))

    match claim:
        case LDP() | MetricLDP() | PersonalisedLDP():
            return _privacy(mechanism, claim)
        case Unbiased():
            given = claim.supported is not None
            return {
                "kind": Kind.UNBIASED,
                "supported": algebraic(claim.supported) if given else None,
                "otherwise": algebraic(claim.otherwise) if given else None,
            }
        case Variance():
            return {
                "kind": Kind.VARIANCE,
                "value": algebraic(claim.value),
                "at_f": None if claim.at_f is None else text(claim.at_f),
            }
        case Optimal():
            return _optimal(mechanism, claim, algebraic)
        case SameTable():
            other = _other(mechanism, claim)
            large = _large(other)
            own = mechanism.algebraic_table
            return {
                "kind": Kind.SAME_TABLE,
                "other": None if large else _pair_tables(other),
                "outputs": None if large else [outputs(form, text) for form in (own, other)],
            }
        case BetterThan():
            return _better(mechanism, claim)
        case Holds():
            return holds_statement(mechanism, claim)
    if isinstance(claim, GaussianLDP | NumericClaim):
        needed = "Normal noise" if isinstance(claim, GaussianLDP) else "a Density"
        raise SpecError("claims", f"needs {needed}", type(claim).__name__)
    # A kind that this statement has no words of its own for: its expressions, by name.
    values = {where: algebraic(value) for where, value in claim.expressions()}
    return {"kind": claim.kinds[0], "values": values}


def holds_statement(mechanism: Mechanism, claim: Holds) -> dict[str, Any]:
    """A relation with the larger side first."""
    sides = (claim.relation.lhs, claim.relation.rhs)
    if isinstance(claim.relation, sympy.Le | sympy.Lt):
        sides = sides[::-1]
    strict = isinstance(claim.relation, sympy.Lt | sympy.Gt)
    relation = "==" if isinstance(claim.relation, sympy.Eq) else ">" if strict else ">="
    left, right = (text(mechanism.algebraic("claim", side)) for side in sides)
    return {"kind": Kind.HOLDS, "left": left, "right": right, "relation": relation}


def _optimal(mechanism: Mechanism, claim: Optimal, algebraic: Any) -> dict[str, Any]:
    keys = list(claim.values)
    if set(keys) == {"one", "zero"} and isinstance(mechanism.table, Bits):
        return {
            "kind": "optimal_bits",
            **{name: algebraic(claim.values[name]) for name in ("one", "zero")},
            "at_f": text(claim.at_f),
            "generator": mechanism.generator.symbol.name,
            "root": mechanism.generator.root,
        }
    (parameter,) = keys
    return {
        "kind": "optimal_parameter",
        "parameter": parameter.name,
        "value": algebraic(claim.values[parameter]),
        "at_f": text(claim.at_f),
    }


def _privacy(mechanism: Mechanism, claim: Privacy) -> dict[str, Any]:
    bound = beside(mechanism.table, claim)
    if bound is None:
        return _bounded(mechanism, claim)
    # The factor is written like any bound; the verifier multiplies it by what it knows of e^x.
    plain = LDP(sympy.log(bound.factor), tight=isinstance(claim, LDP) and claim.tight)
    exponent = text(mechanism.algebraic("claim", bound.exponent))
    return {**_bounded(mechanism, plain), "exponent": exponent}


def _bounded(mechanism: Mechanism, claim: Privacy) -> dict[str, Any]:
    form = mechanism.algebraic_table
    if isinstance(form, Matrix) and by_column(mechanism):
        return _privacy_of_large(mechanism, form, claim)
    tables = mechanism.algebraic_table.pair_tables()
    bounds = []
    for table in tables:
        if table.labels is None and not isinstance(claim, LDP):
            raise SpecError(
                type(claim).__name__,
                "needs a Matrix, whose inputs have labels; in other forms all pairs are alike: LDP",
                mechanism.name,
            )
        ratio = claim.ratio_between(*(table.labels or (None, None)))
        bounds.append(None if ratio is None else text(mechanism.algebraic("claim", ratio)))
    stated = {"kind": "ldp", "bounds": bounds, **_tight_and_delta(mechanism, claim)}
    if stated["delta"] != "0":
        stated |= known_of_pairs(_variables(mechanism), {"pair_tables": _pair_tables(form)}, stated)
    return stated


def _tight_and_delta(mechanism: Mechanism, claim: Privacy) -> dict[str, Any]:
    delta = mechanism.algebraic("claim", claim.delta) if isinstance(claim, LDP) else sympy.S.Zero
    tight = isinstance(claim, LDP) and claim.tight
    return {"tight": tight, "delta": text(delta), "positive": []}


def _variables(mechanism: Mechanism) -> list[dict[str, Any]]:
    return [variable(symbol, domain).to_json() for symbol, domain in mechanism.variables.items()]


def _privacy_of_large(mechanism: Mechanism, form: Matrix, claim: Privacy) -> dict[str, Any]:
    """Bounds as distinct texts, and which is for which (x, x'); null where there is one only."""
    cells: list[Any] = []
    index: list[list[int]] | None = None
    if isinstance(claim, LDP):
        cells = [mechanism.algebraic("claim", claim.ratio)]
    else:
        ratios = CellLayout.of(
            [
                [None if x == x2 else claim.ratio_between(x, x2) for x2 in form.inputs]
                for x in form.inputs
            ]
        )
        cells = [mechanism.algebraic("claim", r) for r in ratios.cells if r is not None]
        kept = [i for i, r in enumerate(ratios.cells) if r is not None]
        number = {old: new for new, old in enumerate(kept)}
        index = [[number.get(i, -1) for i in row] for row in ratios.index.tolist()]
    stated = {
        "kind": "ldp",
        "bounds": {"cells": [text(cell) for cell in cells], "index": index},
        **_tight_and_delta(mechanism, claim),
    }
    if stated["delta"] != "0":
        matrix = {**_entries(form.layout), "support": None}
        stated |= known_of_cells(_variables(mechanism), {"matrix": matrix}, stated)
    return stated


def _other(mechanism: Mechanism, claim: SameTable | BetterThan) -> Form:
    assert claim.table is not None
    return claim.table.map(lambda value: mechanism.algebraic("other table", value))


def _better(mechanism: Mechanism, claim: BetterThan) -> dict[str, Any]:
    form = _other(mechanism, claim)
    if _large(form) or _large(mechanism.algebraic_table):
        return {"kind": Kind.BETTER, "other": None}
    theirs = estimator(form)
    gap = variance_gap(mechanism.algebraic_table, form, claim.at_f)
    if claim.condition is None:
        claim = replace(claim, condition=derived_region(mechanism, claim))
    condition = mechanism.algebraic("condition", claim.margin)
    # Where neither is ever better the gap is 0, and so is the condition.
    both_zero = gap == 0 and condition == 0
    factor = sympy.S.One if both_zero else sympy.nan if gap is None else gap / condition
    factor = sympy.cancel(factor)
    matrix = None
    if not isinstance(theirs, NoEstimator):
        matrix = theirs.layout if theirs.matrix is None else theirs.matrix
    return {
        "kind": Kind.BETTER,
        "other": _pair_tables(form),
        "other_weights": None if matrix is None else _weights(matrix, by_column=False),
        "condition": text(condition),
        "factor": text(factor) if factor.is_rational_function() else "0",
        "at_f": text(claim.at_f),
    }
