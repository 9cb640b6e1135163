"""Derived closed forms against the published ones and against sums over drawn tables.

The published ones are written out here.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from sympy import Rational, Symbol

from ldp_verified.derive import Facts, NoEstimator, simple
from ldp_verified.language import Bits, Design, Matrix, Mechanism, OneHot, f, load, n, real
from tests.strategies import channels

CLOSED_FORMS = {
    "warner": (
        "(1 + 2*gamma)/(1 - 2*gamma)",
        "1/2 + gamma",
        "1/2 - gamma",
        "1/(16*gamma**2) - 1/4",
        "0",
    ),
    "binary_rr": ("u", "u/(u + 1)", "1/(u + 1)", "u/(u - 1)**2", "0"),
    "grr": ("u", "u/(u + k - 1)", "1/(u + k - 1)", "(k - 2 + u)/(u - 1)**2", "(k - 2)/(u - 1)"),
    "sue": ("s**2", "s/(s + 1)", "1/(s + 1)", "s/(s - 1)**2", "0"),
    "oue": ("u", "1/2", "1/(u + 1)", "4*u/(u - 1)**2", "1"),
    "olh": (
        "u",
        "u/(u + g - 1)",
        "1/g",
        "(g - 1 + u)**2/((g - 1)*(u - 1)**2)",
        "((g - 1)**2 - u)/((g - 1)*(u - 1))",
    ),
    "blh": ("u", "u/(u + 1)", "1/2", "(u + 1)**2/(u - 1)**2", "-1"),
}
"""Name -> tight ratio, p*, q*, variance of a count per user at f = 0, what a share f adds to it."""


def named(mechanism: Mechanism, text: str) -> Any:
    return sympy.sympify(text, locals={s.name: s for s in mechanism.variables})


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_textbook_forms_are_derived(name: str) -> None:
    (mechanism,) = (m for m in load(name) if m.name == name)
    facts = Facts(mechanism)
    ratio, p_star, q_star, at_zero, per_share = (
        named(mechanism, text) for text in CLOSED_FORMS[name]
    )
    assert facts.tight is not None
    assert facts.support is not None
    assert simple(facts.tight.ratio - ratio) == 0
    assert simple(facts.support.p_star - p_star) == 0
    assert simple(facts.support.q_star - q_star) == 0
    assert simple(facts.variance - n * at_zero - n * f * per_share) == 0
    assert facts.total_mass == (1,) * len(facts.total_mass)
    assert facts.equal_support


def test_optima_are_found_not_given() -> None:
    olh, oue, sue = load("olh")[0], load("oue")[0], load("sue")[0]
    u, s = olh.generator.symbol, sue.generator.symbol
    assert {p.name: v for p, v in Facts(olh).optimal_parameters.items()} == {"g": u + 1}
    assert Facts(oue).optimal_cells == {"one": Rational(1, 2), "zero": 1 / (u + 1)}
    assert Facts(sue).optimal_cells == {"one": Rational(1, 2), "zero": 1 / (s**2 + 1)}
    assert Facts(load("grr")[0]).optimal_parameters == {}


def test_a_table_of_infinite_epsilon_has_no_best_cells() -> None:
    eps = real("eps", above=0)
    table = Bits(1, 1 / (sympy.exp(eps) + 1), OneHot(3))
    assert Facts(Mechanism("m", parameters=[eps], table=table)).optimal_cells is None


def test_an_optimum_outside_the_domain_is_not_reported() -> None:
    capped = real("g", above=1, below=2)
    eps = real("eps", above=0)
    u = sympy.exp(eps)
    table = Design(capped, 1, 1 / capped, u / (u + capped - 1), 1 / (u + capped - 1))
    facts = Facts(Mechanism("m", parameters=[eps, capped], table=table))
    assert facts.optimal_parameters == {}


def test_delta_of_a_table_is_its_hockey_stick() -> None:
    mechanism = load("grr")[0]
    k = next(p for p in mechanism.parameters if p.name == "k")
    at = {mechanism.generator.symbol: 3, k: 4}
    delta = Facts(mechanism).delta(2).subs(at)
    assert delta == Rational(3, 6) - 2 * Rational(1, 6)
    assert Facts(mechanism).delta(3).subs(at) == 0


def test_the_loss_distribution_has_mass_one_and_its_atoms_agree() -> None:
    for name in ("grr", "oue", "sue", "olh"):
        facts = Facts(load(name)[0])
        atoms = facts.loss()
        assert simple(sum(a.mass for a in atoms)) == 1
        assert simple(sum(a.mass2 for a in atoms)) == 1
        assert all(simple(a.mass - a.ratio * a.mass2) == 0 for a in atoms)


def test_an_output_that_one_input_cannot_give_is_infinite_epsilon() -> None:
    forced_yes = Matrix([[Rational(1, 2), Rational(1, 2)], [1, 0]])
    facts = Facts(Mechanism("m", parameters=[], table=forced_yes))
    assert facts.epsilon == sympy.oo
    assert not facts.equal_support
    assert facts.tight is not None
    assert (facts.tight.pair_name, facts.tight.outputs) == ("x = 0, x' = 1", "y = 1")


def test_no_single_worst_row_is_said_to_be_none() -> None:
    p, q = real("p", above=0, below=1), real("q", above=0, below=1)
    table = Matrix([[p, 1 - p], [q, 1 - q]])
    assert Facts(Mechanism("m", parameters=[p, q], table=table)).tight is None


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (Matrix([[Rational(1, 2)] * 2] * 2), "rank 1 < 2"),
        (Matrix([[Rational(1, 2)] * 2, [Rational(1, 3), Rational(2, 3)], [0, 1]]), "rank 2 < 3"),
        (Bits(Rational(1, 3), Rational(1, 3), OneHot(4)), "says nothing"),
    ],
)
def test_no_unbiased_estimator_comes_with_its_reason(table: Any, reason: str) -> None:
    found = Facts(Mechanism("m", parameters=[], table=table)).estimator
    assert isinstance(found, NoEstimator)
    assert reason in found.reason


def test_a_matrix_wider_than_high_gets_the_left_inverse_of_least_variance() -> None:
    rows = [
        [Rational(1, 2), Rational(1, 3), Rational(1, 6)],
        [Rational(1, 6), Rational(1, 3), Rational(1, 2)],
    ]
    found = Facts(Mechanism("m", parameters=[], table=Matrix(rows))).estimator
    assert not isinstance(found, NoEstimator)
    assert not found.unique
    channel = sympy.Matrix(rows)
    assert channel * found.matrix.T == sympy.eye(2)
    kernel = sympy.Matrix(channel.nullspace()[0])
    uniform = [(rows[0][y] + rows[1][y]) / 2 for y in range(3)]

    def spread(weights: Any) -> Any:
        return sum(weights[y] ** 2 * uniform[y] for y in range(3))

    t = Symbol("t")
    for v in range(2):
        moved = spread(found.matrix.row(v).T + t * kernel)
        assert sympy.solve(sympy.diff(moved, t), t) == [0]


@settings(max_examples=40)
@given(channels())
def test_tight_ratio_and_delta_of_drawn_matrices(channel: list[list[Fraction]]) -> None:
    table = Matrix([[Rational(c.numerator, c.denominator) for c in row] for row in channel])
    facts = Facts(Mechanism("m", parameters=[], table=table))
    columns = list(zip(*channel, strict=True))
    worst = max(max(column) / min(column) for column in columns)
    assert facts.tight is not None
    assert Fraction(int(facts.tight.ratio.p), int(facts.tight.ratio.q)) == worst
    level = Fraction(4, 3)
    expected = max(
        sum(max(Fraction(0), a - level * b) for a, b in zip(x, x2, strict=True))
        for i, x in enumerate(channel)
        for j, x2 in enumerate(channel)
        if i != j
    )
    found = facts.delta(Rational(4, 3))
    assert Fraction(int(found.p), int(found.q)) == expected
