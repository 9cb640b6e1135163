"""Planted-wrong mechanisms, as a spec file could declare them, and what a checker must say of them.

The registry is shared: whatever decides obligations is run over all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp_verified.language import (
    LDP,
    Bits,
    Blocks,
    Claim,
    Design,
    Eq,
    HashBlocks,
    Holds,
    Matrix,
    Mechanism,
    OneHot,
    Optimal,
    Rational,
    Singletons,
    Unbiased,
    Variance,
    exp,
    integer,
    log,
    n,
    real,
)
from tests.broken.combined import COMBINED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language import Form, Parameter

half = Rational(1, 2)
eps = real("eps", above=0)
gamma = real("gamma", above=0, below=half)
p = real("p", above=0, below=1)
k = integer("k", at_least=2)
g = integer("g", at_least=2)
M = integer("M", at_least=1)
u = exp(eps)
s = exp(eps / 2)


Place = tuple[int | None, str]


@dataclass(frozen=True)
class Broken:
    """A mechanism with one thing wrong.

    Attributes:
        mechanism: the declaration.
        wrong: what is wrong with it, as a phrase.
        by_expansion: the obligations, as (position of the claim or None for the laws, name), that
            the expanded table refutes, each with a witness; it refutes no other. "rows" is the
            comparison of the pair table's rows with the expanded table.
        by_rows: those that fail in the pair table as declared; no other does. Where the pair table
            itself is what is wrong, that is a different set, even an empty one.
    """

    mechanism: Mechanism
    wrong: str
    by_expansion: frozenset[Place]
    by_rows: frozenset[Place]


def _broken(
    name: str,
    wrong: str,
    parameters: Sequence[Parameter],
    table: Form,
    claims: Sequence[Claim],
    by_expansion: Sequence[Place],
    by_rows: Sequence[Place] | None = None,
) -> Broken:
    mechanism = Mechanism(name, parameters=parameters, table=table, claims=claims)
    rows = by_expansion if by_rows is None else by_rows
    return Broken(mechanism, wrong, frozenset(by_expansion), frozenset(rows))


def _grr(**changes: Any) -> Design:
    fields: dict[str, Any] = {
        "blocks": k,
        "containing": 1,
        "together": 0,
        "inside": u / (u + k - 1),
        "outside": 1 / (u + k - 1),
        "structure": Singletons(k),
    }
    return Design(**(fields | changes))


def _hashing(together: object) -> Design:
    return Design(
        blocks=M * g,
        containing=M,
        together=together,
        inside=u / (u + g - 1) / M,
        outside=1 / (u + g - 1) / M,
        structure=HashBlocks(values=k, buckets=g, functions=M),
    )


def _oue(one: object = half, zero: object = 1 / (u + 1)) -> Bits:
    return Bits(one=one, zero=zero, encoder=OneHot(k))


# Supported mass under another value if collisions were 1/g^2 instead of 1/g.
_wrong_q = u / (u + g - 1) / g**2 + (1 - 1 / g**2) / (u + g - 1)
_wrong_gap = u / (u + g - 1) - _wrong_q
_FANO = Blocks(7, [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}])
_LOPSIDED = Blocks(3, [{0, 1}, {1, 2}, {0}, {2}])

BROKEN = (
    _broken(
        "wrong_lambda",
        "two values are said to collide with probability 1/g^2; the claims agree with that",
        [eps, k, g, M],
        _hashing(M / g**2),
        [
            LDP(eps, tight=True),
            Unbiased(supported=(1 - _wrong_q) / _wrong_gap, otherwise=-_wrong_q / _wrong_gap),
            Variance(n * _wrong_q * (1 - _wrong_q) / _wrong_gap**2, at_f=0),
        ],
        [(None, "rows"), (1, "unbiased"), (2, "variance")],
        [],
    ),
    _broken(
        "wrong_lambda_true_claims",
        "two values are said to collide with probability 1/g^2; the claims are right",
        [eps, k, g, M],
        _hashing(M / g**2),
        [
            LDP(eps, tight=True),
            Unbiased(),
            Variance(n * (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2), at_f=0),
        ],
        [(None, "rows")],
        [(2, "variance")],
    ),
    _broken(
        "wrong_fano_lambda",
        "two points are said to be on two common lines of the Fano plane",
        [eps],
        Design(7, 3, 2, u / (3 * u + 4), 1 / (3 * u + 4), _FANO),
        [LDP(eps, tight=True)],
        [(None, "rows")],
        [],
    ),
    _broken(
        "wrong_count",
        "k + 1 outputs are counted where there are k",
        [eps, k],
        _grr(blocks=k + 1),
        [LDP(eps, tight=True)],
        [(None, "rows")],
        [(None, "sums_to_one")],
    ),
    _broken(
        "lopsided_blocks",
        "the blocks do not hold every pair of values equally often",
        [eps],
        Design(4, 2, 1, u / (2 * u + 2), 1 / (2 * u + 2), _LOPSIDED),
        [LDP(eps, tight=True), Unbiased()],
        [(None, "rows"), (1, "unbiased")],
        [],
    ),
    _broken(
        "wrong_sum",
        "the probabilities sum to less than 1",
        [eps, k],
        _grr(inside=u / (u + k), outside=1 / (u + k)),
        [LDP(eps, tight=True)],
        [(None, "sums_to_one")],
    ),
    _broken(
        "negative_cell",
        "a cell is negative for gamma > 1/4, and 0 at 1/4",
        [gamma],
        Matrix([[half + 2 * gamma, half - 2 * gamma], [half - 2 * gamma, half + 2 * gamma]]),
        [Unbiased()],
        [(None, "nonnegative"), (None, "equal_support")],
    ),
    _broken(
        "zero_cell",
        "an output that only one input can give",
        [p],
        Matrix([[1 - p, p], [0, 1]]),
        [LDP(log(1 / p)), Unbiased()],
        [(None, "equal_support"), (0, "ratio")],
    ),
    _broken(
        "certain_bit",
        "the own bit is never flipped",
        [eps, k],
        _oue(one=1),
        [LDP(eps), Unbiased()],
        [(None, "equal_support"), (0, "ratio")],
    ),
    _broken(
        "wide_domain",
        "p = 1/2 is allowed, where reports say nothing, and p = 0 and 1, where they say all",
        [wide := real("wide", at_least=0, at_most=1)],
        Matrix([[wide, 1 - wide], [1 - wide, wide]]),
        [Unbiased()],
        [(None, "equal_support"), (0, "unbiased")],
    ),
    _broken(
        "half_epsilon",
        "eps/2 is claimed",
        [eps, k],
        _grr(),
        [LDP(eps / 2), Unbiased()],
        [(0, "ratio")],
    ),
    _broken(
        "double_epsilon",
        "unary encoding spends eps on each of two bits and claims eps",
        [eps, k],
        _oue(one=u / (u + 1)),
        [LDP(eps, tight=True), Unbiased()],
        [(0, "ratio"), (0, "tight")],
    ),
    _broken(
        "not_tight",
        "2 eps is said to be tight",
        [eps, k],
        _grr(),
        [LDP(2 * eps, tight=True), Unbiased()],
        [(0, "tight")],
    ),
    _broken(
        "wrong_variance",
        "k - 1 for k - 2",
        [eps, k],
        _grr(),
        [LDP(eps), Unbiased(), Variance(n * (k - 1 + u) / (u - 1) ** 2, at_f=0)],
        [(2, "variance")],
    ),
    _broken(
        "variance_without_f",
        "the variance at f = 0 is claimed for every f",
        [eps, k],
        _oue(),
        [LDP(eps), Unbiased(), Variance(4 * n * u / (u - 1) ** 2)],
        [(2, "variance")],
    ),
    _broken(
        "wrong_share",
        "the variance at f = 0 is claimed at f = 1/2",
        [eps, k],
        _oue(),
        [Variance(4 * n * u / (u - 1) ** 2, at_f=half)],
        [(0, "variance")],
    ),
    _broken(
        "raw_counts",
        "the reports are counted without correction",
        [eps, k],
        _grr(),
        [LDP(eps), Unbiased(supported=1, otherwise=0)],
        [(1, "unbiased")],
    ),
    _broken(
        "swapped_matrix",
        "truth and lie change places, the estimator does not",
        [gamma],
        Matrix([[half - gamma, half + gamma], [half + gamma, half - gamma]]),
        [
            LDP(log((1 + 2 * gamma) / (1 - 2 * gamma)), tight=True),
            Unbiased(
                supported=(half + gamma) / (2 * gamma), otherwise=-(half - gamma) / (2 * gamma)
            ),
        ],
        [(1, "unbiased")],
    ),
    _broken(
        "swapped_bits",
        "p and q of unary encoding change places",
        [eps, k],
        _oue(one=1 / (u + 1), zero=half),
        [LDP(eps, tight=True), Unbiased(), Variance(4 * n * u / (u - 1) ** 2, at_f=0)],
        [(2, "variance")],
    ),
    _broken(
        "wrong_buckets",
        "e^eps buckets are said to be best",
        [eps, k, g, M],
        _hashing(M / g),
        [LDP(eps, tight=True), Unbiased(), Optimal({g: u}, at_f=0)],
        [(2, "optimal")],
    ),
    _broken(
        "symmetric_is_not_best",
        "symmetric unary encoding is said to be best at f = 0",
        [eps, k],
        _oue(one=s / (s + 1), zero=1 / (s + 1)),
        [LDP(eps), Optimal({"one": s / (s + 1), "zero": 1 / (s + 1)}, at_f=0)],
        [(1, "optimal")],
    ),
    _broken(
        "rank_two",
        "three inputs whose rows are linearly dependent",
        [eps],
        Matrix(
            [
                [u / (u + 2), 1 / (u + 2), 1 / (u + 2)],
                [1 / (u + 2), u / (u + 2), 1 / (u + 2)],
                [(u + 1) / (2 * u + 4), (u + 1) / (2 * u + 4), 1 / (u + 2)],
            ],
            outputs=["a", "b", "c"],
        ),
        [LDP(eps, tight=True), Unbiased()],
        [(1, "unbiased")],
    ),
    _broken(
        "false_comparison",
        "GRR is said to beat unary encoding at every k",
        [eps, k],
        _grr(),
        [LDP(eps), Holds((k - 2 + u) / (u - 1) ** 2 <= 4 * u / (u - 1) ** 2)],
        [(1, "holds")],
    ),
    _broken(
        "false_equation",
        "p* + q* = 1 is said of optimized unary encoding",
        [eps, k],
        _oue(),
        [LDP(eps), Holds(Eq(half + 1 / (u + 1), 1))],
        [(1, "holds")],
    ),
    *(_broken(*each) for each in COMBINED),
)
