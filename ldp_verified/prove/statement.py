"""A mechanism as the text that certificates are about: variables, pair tables, claims."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.derive.estimator import NoEstimator, estimator, variance
from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Form,
    Holds,
    Mechanism,
    MetricLDP,
    Optimal,
    PersonalisedLDP,
    Privacy,
    SameTable,
    Unbiased,
    Variance,
    f,
    n,
)
from ldp_verified.language.claims import Claim
from ldp_verified.language.feasible import interior_point
from ldp_verified.prove.domains import Variable


def text(value: Any) -> str:
    """A rational function as text, numerator over denominator, fully cancelled and factored.

    Coefficients are integers.
    """
    return str(sympy.factor(sympy.cancel(sympy.together(value))))


def statement(mechanism: Mechanism, weights: Any = None) -> dict[str, Any]:
    """The statement of a mechanism.

    Args:
        mechanism: the declaration.
        weights: for tables whose estimator is not 1[support]: a sympy matrix B with one row per
            input and one column per output, B[x, y] being what output y adds to the estimate of x.
    """
    return {
        "variables": [
            variable(symbol, domain).to_json() for symbol, domain in mechanism.variables.items()
        ],
        "pair_tables": _pair_tables(mechanism.algebraic_table),
        "weights": None if weights is None else _weights(weights),
        "claims": [_claim(mechanism, claim) for claim in mechanism.claims],
    }


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


def variable(symbol: Any, domain: Any) -> Variable:
    """A symbol with its domain as text."""
    return Variable(
        symbol.name,
        None if domain.lower is None else text(domain.lower),
        None if domain.upper is None else text(domain.upper),
        domain.lower_open,
        domain.upper_open,
        domain.integer,
    )


def _weights(matrix: Any) -> list[list[list[str]]]:
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
                "kind": "unbiased",
                "supported": algebraic(claim.supported) if given else None,
                "otherwise": algebraic(claim.otherwise) if given else None,
            }
        case Variance():
            return {
                "kind": "variance",
                "value": algebraic(claim.value),
                "at_f": None if claim.at_f is None else text(claim.at_f),
            }
        case Optimal():
            return _optimal(mechanism, claim, algebraic)
        case SameTable():
            return {"kind": "same_table", "other": _pair_tables(_other(mechanism, claim))}
        case BetterThan():
            return _better(mechanism, claim)
        case Holds():
            return holds_statement(mechanism, claim)
    raise SpecError("claims", "needs a Density", type(claim).__name__)


def holds_statement(mechanism: Mechanism, claim: Holds) -> dict[str, Any]:
    """A relation with the larger side first."""
    sides = (claim.relation.lhs, claim.relation.rhs)
    if isinstance(claim.relation, sympy.Le | sympy.Lt):
        sides = sides[::-1]
    strict = isinstance(claim.relation, sympy.Lt | sympy.Gt)
    relation = "==" if isinstance(claim.relation, sympy.Eq) else ">" if strict else ">="
    left, right = (text(mechanism.algebraic("claim", side)) for side in sides)
    return {"kind": "holds", "left": left, "right": right, "relation": relation}


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
    tables = mechanism.algebraic_table.pair_tables()
    delta = mechanism.algebraic("claim", claim.delta) if isinstance(claim, LDP) else sympy.S.Zero
    bounds, positive = [], []
    inside = interior_point(mechanism.variables)
    for table in tables:
        if table.labels is None and not isinstance(claim, LDP):
            raise SpecError(
                type(claim).__name__,
                "needs a Matrix, whose inputs have labels; in other forms all pairs are alike: LDP",
                mechanism.name,
            )
        ratio = claim.ratio_between(*(table.labels or (None, None)))
        bound = None if ratio is None else mechanism.algebraic("claim", ratio)
        bounds.append(None if bound is None else text(bound))
        # Which rows exceed the bound is guessed at one point, and proved by the certificate.
        positive.append(
            []
            if bound is None
            else [
                r
                for r, row in enumerate(table.rows)
                if (row.px - bound * row.px2).subs(inside).is_positive
            ]
        )
    return {
        "kind": "ldp",
        "bounds": bounds,
        "tight": isinstance(claim, LDP) and claim.tight,
        "delta": text(delta),
        "positive": positive if delta != 0 else [],
    }


def _other(mechanism: Mechanism, claim: SameTable | BetterThan) -> Form:
    assert claim.table is not None
    return claim.table.map(lambda value: mechanism.algebraic("other table", value))


def _better(mechanism: Mechanism, claim: BetterThan) -> dict[str, Any]:
    form = _other(mechanism, claim)
    own, theirs = estimator(mechanism.algebraic_table), estimator(form)
    gap = sympy.nan
    if not isinstance(own, NoEstimator) and not isinstance(theirs, NoEstimator):
        variances = [variance(own, mechanism.algebraic_table), variance(theirs, form)]
        if None not in variances:
            gap = ((variances[1] - variances[0]) / n).subs(f, claim.at_f)
    condition = mechanism.algebraic("condition", claim.condition.gts - claim.condition.lts)
    factor = sympy.cancel(gap / condition)
    matrix = None if isinstance(theirs, NoEstimator) else theirs.matrix
    return {
        "kind": "better",
        "other": _pair_tables(form),
        "other_weights": None if matrix is None else _weights(matrix),
        "condition": text(condition),
        "factor": text(factor) if factor.is_rational_function() else "0",
        "at_f": text(claim.at_f),
    }
