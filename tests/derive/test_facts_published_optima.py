"""Published optima, crossings, estimators and bounds against what is derived or computed here."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
import sympy

from ldp_verified import SquareWave
from ldp_verified.analysis.account.shuffle import shuffle_closed_form, shuffled_delta
from ldp_verified.protocols import DBitFlip, DuchiVector
from tests.derive.published import SPECS, g, k, of_line, omega, ours, u

a, c = sympy.symbols("a c", positive=True)


def test_k_ary_response_and_unary_encoding_cross_where_the_paper_says() -> None:
    """Wang et al. 2017: d < 3 e^eps + 2, at f = 0."""
    gap = ours("grr", "variance at f = 0") - ours("oue", "variance at f = 0")
    (crossing,) = sympy.solve(sympy.numer(sympy.together(gap)), k)
    assert sympy.expand(crossing - (3 * u + 2)) == 0


def test_the_best_number_of_buckets_is_the_printed_one() -> None:
    """Wang et al. 2017: g = e^eps + 1."""
    slope = sympy.numer(sympy.together(sympy.diff(ours("olh", "variance at f = 0"), g)))
    assert sympy.expand(slope.subs(g, u + 1)) == 0
    assert sympy.expand(slope.subs(g, u + 2)) != 0


def test_the_best_size_of_a_set_is_the_printed_one() -> None:
    """Ye, Barg 2018: one of the integers next to k/(e^eps + 1), for uniform shares."""
    risk = ours("subset_selection", "risk at uniform shares")
    slope = sympy.numer(sympy.together(sympy.diff(risk, omega)))
    assert sympy.expand(sympy.numer(sympy.together(slope.subs(omega, k / (u + 1))))) == 0


def test_the_buckets_of_loloha_are_the_printed_ones() -> None:
    """Arcolezi et al. 2023: a root of the derivative of their variance, with their second step.

    a and c are e^eps of all reports and of one. Ours solves for the exact epsilon of one report,
    for which the best g is that of local hashing at that epsilon: e^eps_1 + 1 (the test above).
    """
    second = (a * c - 1) / (a - c)
    first, again = (a - 1) / (a + g - 1), (second - 1) / (second + g - 1)
    variance = 1 / (first**2 * again**2 * (g - 1))
    root = sympy.sqrt(a**4 - 14 * a**2 + 12 * a * c * (1 - a * c) + 12 * a**3 * c + 1)
    printed = 1 + (1 - a**2 + root) / (6 * (a - c))
    for at in ({a: 5, c: 2}, {a: 20, c: 3}, {a: sympy.Rational(9, 4), c: sympy.Rational(3, 2)}):
        best = printed.subs(at)
        slope = sympy.diff(variance, g).subs(at)
        assert abs(sympy.N(slope.subs(g, best), 30)) < 1e-20
        assert abs(sympy.N(slope.subs(g, best + 1), 30)) > 1e-6
    mine = ours("loloha", "variance at f = 0")
    keep_1, keep_2 = (sympy.Symbol(f"keep_{i}", positive=True) for i in (1, 2))
    theirs = mine.subs({keep_1: first, keep_2: again})
    assert sympy.expand(sympy.numer(sympy.together(theirs - variance))) == 0


def test_the_least_variance_of_staircase_noise_is_the_printed_one() -> None:
    """Geng, Viswanath 2014: (2^(-2/3) b^(2/3) (1 + b)^(2/3) + b) Delta^2/(1 - b)^2, b = e^-eps.

    At gamma = -b/(1 - b) + (b - 2 b^2 + 2 b^4 - b^5)^(1/3)/(2^(1/3) (1 - b)^2); Delta is 2 here.
    """
    variance = of_line("staircase", "variance of a report")
    names = {symbol.name: symbol for symbol in variance.free_symbols}
    step = next(s for name, s in names.items() if name == "g")
    level = next(s for name, s in names.items() if name != "g")
    for low in (sympy.Rational(1, 20), sympy.Rational(1, 3), sympy.Rational(9, 10)):
        cubed = low - 2 * low**2 + 2 * low**4 - low**5
        best = -low / (1 - low) + sympy.cbrt(cubed / 2) / (1 - low) ** 2
        printed = 4 * (sympy.cbrt(low**2 * (1 + low) ** 2 / 4) + low) / (1 - low) ** 2
        of_step = variance.subs(level, 1 / low)
        assert abs(sympy.N(of_step.subs(step, best) - printed, 40)) < 1e-30
        assert abs(sympy.N(sympy.diff(of_step, step).subs(step, best), 40)) < 1e-30
        assert abs(sympy.N(of_step.subs(step, best / 2) - printed, 40)) > 1e-4


def test_the_estimator_of_chosen_bits_is_unbiased_under_the_table() -> None:
    """Ding et al. 2017: b/(n d) times the sum of (bit (e^(eps/2) + 1) - 1)/(e^(eps/2) - 1)."""
    share, zero, one = SPECS["sampled_bit"].variables
    s = sympy.Symbol("s", positive=True)
    weights = [0, -1 / (share * (s - 1)), s / (share * (s - 1))]
    table: Any = SPECS["sampled_bit"].algebraic_table
    for row, mean in zip(table.rows, (1, 0), strict=True):
        found = sum(cell * weight for cell, weight in zip(row, weights, strict=True))
        found = found.subs({one: s / (s + 1), zero: 1 / (s + 1)})
        assert sympy.simplify(found - mean) == 0
    # And it is the one that the class uses, at its realized probabilities.
    oracle: Any = DBitFlip(1.0, 100, 10, 4).oracle
    root = math.exp(0.5)
    yes, no = 1 - oracle.zero, -oracle.zero
    found = [float(w / (oracle.one - oracle.zero) * Fraction(10, 4)) for w in (yes, no)]
    assert found == pytest.approx([2.5 * root / (root - 1), -2.5 / (root - 1)], rel=1e-12)


@pytest.mark.parametrize("d", [1, 3, 5, 7])
def test_the_length_of_a_corner_is_the_printed_one(d: int) -> None:
    """Duchi, Jordan, Wainwright 2018: B = C_d (e^eps + 1)/(e^eps - 1), for odd d.

    For even d, where corners can be as near as far, `DuchiVector` counts half of those as near; the
    form first printed does not, and costs ln(e^eps + 1) (`tests/protocols/test_duchi_vector.py`).
    """
    printed = 2 ** (d - 1) / math.comb(d - 1, (d - 1) // 2) * (math.e + 1) / (math.e - 1)
    assert float(DuchiVector(1.0, d).length) == pytest.approx(printed, rel=1e-12)


def test_the_width_of_the_square_wave_is_the_printed_one() -> None:
    """Li et al. 2020: b = (eps e^eps - e^eps + 1)/(2 e^eps (e^eps - 1 - eps))."""
    for epsilon in (0.5, 1.0, 4.0):
        level = math.exp(epsilon)
        printed = (epsilon * level - level + 1) / (2 * level * (level - 1 - epsilon))
        assert float(SquareWave(epsilon).b) == pytest.approx(printed, rel=1e-3)


@pytest.mark.parametrize(("epsilon0", "users"), [(0.5, 2000), (1.0, 5000), (2.0, 5000)])
def test_shuffled_reports_are_bounded_below_the_printed_forms(epsilon0: float, users: int) -> None:
    """Feldman, McMillan, Talwar: two closed forms, at delta = 1e-6.

    2021, Hiding Among the Clones, and 2022, Stronger Privacy Amplification by Shuffling, whose
    ln(1 + (u - 1) (4 sqrt(2 ln(4/delta)/((u + 1) n)) + 4/n)) needs eps_0 <= ln(n/(8 ln(2/delta)) -
    1). Ours is a sum over the same two distributions as in 2021 instead of a closed form: delta is
    below 1e-6 at the smaller of the two epsilons, although the argument of 2022 counts more clones.
    """
    delta, level = 1e-6, math.exp(epsilon0)
    assert epsilon0 <= math.log(users / (8 * math.log(2 / delta)) - 1)
    inside = 4 * math.sqrt(2 * math.log(4 / delta) / ((level + 1) * users)) + 4 / users
    printed = [math.log(1 + (level - 1) * inside)]
    if epsilon0 <= math.log(users / (16 * math.log(2 / delta))):
        printed.append(shuffle_closed_form(epsilon0, users, delta))
    assert shuffled_delta(min(printed), Fraction(level), users) < delta
    assert shuffled_delta(min(printed) / 8, Fraction(level), users) > delta
