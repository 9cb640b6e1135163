"""Finding a polynomial as a sum of products of what is >= 0 on a domain, with weights >= 0.

David Handelman (1988), Representing polynomials by positive linear functions on compact convex
polyhedra. A linear program in floats proposes which products occur, exact arithmetic finds their
weights. Untrusted: the verifier, or Coq, multiplies out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq_mat

from ldp_verified.prove.certificates.polynomials import Exponents, Poly, multiply, power

MOST_FACTORS = 4
"""Factors in one product."""

MOST_PRODUCTS = 1200
"""Products that are tried together."""

SMALL = 1e-9
"""Weights below it are taken for 0 by the linear program's answer."""

Constraint = tuple[Poly, bool]
"""(a polynomial that is >= 0 on the domain, whether it is never 0 there)."""


def combination(target: Poly, given: Sequence[Constraint]) -> dict[str, Any] | None:
    """Weights with sign * scale * target = sum of weight * product; None where none were found.

    Args:
        target: a polynomial over the same variables as the constraints.
        given: what is >= 0.

    Returns:
        {"sign": 1 or -1, "scale": int > 0, "terms": [[weight > 0, [exponent of each], ...], ...]}.
    """
    for most in range(1, MOST_FACTORS + 1):
        products = list(_products(given, most))
        if len(products) > MOST_PRODUCTS:
            return None
        for side in (1, -1):
            goal = {exponents: side * c for exponents, c in target.items()}
            terms = _weights(goal, products, given)
            if terms is not None:
                scale = lcm(*(int(weight.q) for weight, _ in terms))
                whole = [[int(weight.p) * scale // int(weight.q), [*e]] for weight, e in terms]
                return {"sign": side, "scale": scale, "terms": whole}
    return None


def _products(given: Sequence[Constraint], most: int) -> Iterator[tuple[Exponents, Poly]]:
    size = len(next(iter(given[0][0]))) if given else 0
    for factors in range(most + 1):
        for chosen in combinations_with_replacement(range(len(given)), factors):
            exponents = tuple(chosen.count(i) for i in range(len(given)))
            product: Poly = {(0,) * size: 1}
            for (poly, _), exponent in zip(given, exponents, strict=True):
                if exponent:
                    product = multiply(product, power(poly, exponent, size))
            yield exponents, product


def _weights(
    goal: Poly, products: Sequence[tuple[Exponents, Poly]], given: Sequence[Constraint]
) -> list[tuple[Any, Exponents]] | None:
    """Exact weights > 0, strict products preferred."""
    # Here, since it takes half a second to load, and most declarations need no linear program.
    from scipy.optimize import linprog

    monomials = sorted({m for _, product in products for m in product})
    if not goal.keys() <= set(monomials):
        return None
    place = {monomial: row for row, monomial in enumerate(monomials)}
    matrix = np.zeros((len(monomials), len(products)))
    for column, (_, product) in enumerate(products):
        largest = max(map(abs, product.values()))
        for monomial, c in product.items():
            matrix[place[monomial], column] = c / largest
    right = np.zeros(len(monomials))
    for monomial, c in goal.items():
        right[place[monomial]] = c
    strict = [all(given[i][1] for i, e in enumerate(exps) if e) for exps, _ in products]
    for cost in (-np.array(strict, dtype=float), np.ones(len(products))):
        answer = linprog(cost, A_eq=matrix, b_eq=right, bounds=(0, None), method="highs-ds")
        if answer.status == 2:
            return None
        if answer.status == 0 and answer.x is not None:
            chosen = [i for i, weight in enumerate(answer.x) if weight > SMALL]
            found = _solved(goal, [products[i] for i in chosen], monomials)
            if found is not None:
                return found
    return None


def _solved(
    goal: Poly, chosen: Sequence[tuple[Exponents, Poly]], monomials: Sequence[Exponents]
) -> list[tuple[Any, Exponents]] | None:
    """The exact weights of the chosen products; None where one is negative or there are none."""
    if not chosen:
        return None
    rows = [[*(p.get(m, 0) for _, p in chosen), goal.get(m, 0)] for m in monomials]
    reduced, rank = fmpq_mat(rows).rref()
    weights: dict[int, Any] = {}
    for row in range(rank):
        pivot = next(i for i in range(len(chosen) + 1) if reduced[row, i] != 0)
        if pivot == len(chosen):
            return None
        weights[pivot] = reduced[row, len(chosen)]
    if any(weight < 0 for weight in weights.values()):
        return None
    return [(weights[i], chosen[i][0]) for i in sorted(weights) if weights[i] != 0] or None
