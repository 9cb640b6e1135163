"""The laws of the noise: probabilities, variances, prices, and what is drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from ldp_verified.analysis.account import PrivacyLoss, composed, gaussian_sigma
from ldp_verified.analysis.central import Sensitivity
from ldp_verified.analysis.central.laws import (
    GaussianLaw,
    GeometricLaw,
    StaircaseLaw,
    delta_of_several,
    delta_of_two,
)
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.real_numbers.discrete_gaussian import TOTAL, UNITS, DiscreteGaussian

if TYPE_CHECKING:
    from ldp_verified.analysis.central.laws import NoiseLaw

TWO = Sensitivity(2, 1, 2)
LAWS: dict[str, NoiseLaw] = {
    "geometric": GeometricLaw(1.0, 1),
    "geometric for 5": GeometricLaw(2.0, 5),
    "Laplace": GeometricLaw(1.0, 1, 16),
    "staircase": StaircaseLaw(1.0, Sensitivity.of_number(1)),
    "staircase for two": StaircaseLaw(2.0, TWO),
    "staircase for 7": StaircaseLaw(4.0, Sensitivity.of_number(7)),
    "Gaussian": GaussianLaw(1.0, 1e-5, Sensitivity.of_number(1)),
    "Gaussian for two": GaussianLaw(1.0, 1e-5, TWO),
}


@pytest.mark.parametrize("name", LAWS)
def test_probabilities_are_symmetric_and_have_that_variance(name: str) -> None:
    law = LAWS[name]
    far = 60 * law.fine * max(1, math.ceil(float(law.variance) ** 0.5))
    chances = {z: float(law.pmf(z)) for z in range(-far, far + 1)}
    assert all(law.pmf(z) == law.pmf(-z) for z in range(0, far, 1 + far // 50))
    assert math.fsum(chances.values()) == pytest.approx(1, abs=1e-12)
    square = math.fsum(p * (z / law.fine) ** 2 for z, p in chances.items())
    assert square == pytest.approx(float(law.variance), rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_what_is_drawn_has_those_probabilities(name: str, seed: int) -> None:
    """Null: the law in 40 classes of neighbouring points; level 2e-10, n = 200,000.

    A scale that is off by a tenth moves a share of 0.02 or more and is missed with probability <
    1e-9.
    """
    law, n = LAWS[name], 200_000
    drawn = law.draw(n, word_source(seed, "test", name))
    far = 8 * law.fine * max(1, math.ceil(float(law.variance) ** 0.5))
    chances = np.array([float(law.pmf(z)) for z in range(-far, far + 1)])
    inside = drawn[np.abs(drawn) <= far]
    counts = np.bincount(inside + far, minlength=2 * far + 1)
    # Equal shares of the mass, but for points that have more than that.
    classes = np.minimum(39, np.floor((np.cumsum(chances) - chances) * 40)).astype(int)
    found = np.append(np.bincount(classes, counts, 40), n - len(inside))
    expected = np.append(np.bincount(classes, chances, 40), 1 - chances.sum()) * n
    some = expected > 100
    rest = found[~some].sum(), expected[~some].sum()
    found = np.append(found[some], rest[0])
    expected = np.append(expected[some], rest[1])
    if rest[1] <= 100:  # too few for chi-squared: one of them where 0.01 are expected is no alarm
        assert binom.sf(rest[0] - 1, n, rest[1] / n) > 1e-10
        found, expected = found[:-1], expected[:-1]
    expected *= found.sum() / expected.sum()
    assert chisquare(found, expected).pvalue > 1e-10


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0, 20.0])
def test_no_law_costs_more_than_it_claims(epsilon: float) -> None:
    for law in (
        GeometricLaw(epsilon, 3),
        StaircaseLaw(epsilon, Sensitivity.of_number(3)),
        StaircaseLaw(epsilon, TWO),
    ):
        assert epsilon * (1 - 1e-6) <= law.realized_epsilon <= epsilon
    gaussian = GaussianLaw(epsilon, 1e-4, Sensitivity.of_number(3))
    assert 0.99e-4 <= gaussian.realized_delta <= 1e-4


def test_noise_for_two_counts_is_little_more_than_the_continuous_one_needs() -> None:
    law = LAWS["Gaussian for two"]
    sigma = gaussian_sigma(1.0, 1e-5, math.sqrt(2))
    assert sigma * 0.99 <= float(law.variance) ** 0.5 <= sigma * 1.03
    assert 0.8e-5 < law.realized_delta <= 1e-5


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("each", [1, 2, 5])
def test_the_delta_of_two_numbers_is_that_of_all_pairs(each: int, epsilon: float) -> None:
    """By another route: every pair of reports with its ratio; and the accountant's two bounds."""
    table = DiscreteGaussian.of(round(1.3 * UNITS))
    weights = [Fraction(w, TOTAL) for w in table.weights]
    none = [Fraction(0)] * each
    one = PrivacyLoss(zip(weights + none, none + weights, strict=True))
    found = delta_of_two(table, epsilon, each)
    assert found == pytest.approx(one.together(one).delta_at(epsilon), rel=1e-14)
    bounds = composed(one, 2)
    assert bounds.delta_below(epsilon) <= found <= bounds.delta(epsilon)
    assert delta_of_several(table, epsilon, 3, each) > found


def test_numbers_that_move_further_than_the_table_are_told_apart() -> None:
    assert delta_of_two(DiscreteGaussian.of(UNITS), 1.0, 1000) == 1.0


def test_staircase_noise_beats_laplace_noise_at_a_large_epsilon() -> None:
    one = Sensitivity.of_number(1)
    assert StaircaseLaw(8.0, one).variance < GeometricLaw(8.0, 1, 4096).variance / 2
    assert GeometricLaw(0.1, 1).variance == pytest.approx(Fraction(200), rel=0.01)


def test_what_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        GaussianLaw(1e-4, 1e-9, Sensitivity.of_number(1000))
    with pytest.raises(ParameterError, match="epsilon"):
        GeometricLaw(1e-9, 1000)
    with pytest.raises(ParameterError, match="epsilon"):
        StaircaseLaw(1e-30, Sensitivity.of_number(1))
