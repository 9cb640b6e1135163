"""A mechanism as the text that certificates are about: variables, pair tables, claims."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.language import LDP, Bits, Holds, Mechanism, Optimal, Unbiased, Variance
from ldp_verified.language.claims import Claim
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
    tables = mechanism.algebraic_table.pair_tables()
    return {
        "variables": [
            _variable(symbol, domain).to_json() for symbol, domain in mechanism.variables.items()
        ],
        "pair_tables": [
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
            for table in tables
        ],
        "weights": None if weights is None else _weights(weights),
        "claims": [_claim(mechanism, claim) for claim in mechanism.claims],
    }


def _variable(symbol: Any, domain: Any) -> Variable:
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
        case LDP():
            return {"kind": "ldp", "ratio": algebraic(claim.ratio), "tight": claim.tight}
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
        case Holds():
            sides = (claim.relation.lhs, claim.relation.rhs)
            if isinstance(claim.relation, sympy.Le | sympy.Lt):
                sides = sides[::-1]
            strict = isinstance(claim.relation, sympy.Lt | sympy.Gt)
            relation = "==" if isinstance(claim.relation, sympy.Eq) else ">" if strict else ">="
            return {
                "kind": "holds",
                "left": algebraic(sides[0]),
                "right": algebraic(sides[1]),
                "relation": relation,
            }


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
