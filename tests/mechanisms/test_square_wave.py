"""The square wave against its spec, its width, and the distribution behind reports."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

from ldp_verified import Piecewise, SquareWave
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.language import load
from ldp_verified.run.kernels.window import window_sampler
from tests.mechanisms.against_density import check_law, check_sampler, small
from tests.registry import SAMPLER, covers

(SPEC,) = load("square_wave")
SIZES = [(4, 1, 5), (3, 2, 9), (5, 3, 14), (6, 5, 8)]


@pytest.mark.parametrize(("m", "w", "inside"), SIZES)
def test_cells_are_the_density(m: int, w: int, inside: int) -> None:
    check_law(small(SquareWave(1.0), m=m, w=w, inside=inside, total=16), SPEC)


@covers(SAMPLER, "SquareWave")
@pytest.mark.parametrize(("m", "w", "inside"), SIZES)
def test_the_sampler_is_the_table(m: int, w: int, inside: int) -> None:
    made = small(SquareWave(1.0), m=m, w=w, inside=inside, total=16)
    check_sampler(made, window_sampler(m, w, inside, 16, width=4), 4)


def test_the_width_maximises_the_bound_of_the_mutual_information() -> None:
    """Symbolically: the derivative in c = 2 b is linear over a positive denominator, and falls.

    It falls because e^eps > 1 + eps; so its one zero is the maximum, for every eps.
    """
    eps, c = sympy.symbols("eps c", positive=True)
    u = sympy.Symbol("u", positive=True)
    high, low = u / (c * u + 1), 1 / (c * u + 1)
    # log p = eps - log(c u + 1), log q = -log(c u + 1).
    log_high, log_low = eps - sympy.log(c * u + 1), -sympy.log(c * u + 1)
    bound = sympy.log(c + 1) + c * high * log_high + low * log_low
    slope = sympy.expand(sympy.simplify(sympy.diff(bound, c) * (c + 1) * (c * u + 1) ** 2))
    line = sympy.Poly(slope, c)
    assert line.degree() == 1
    assert sympy.expand(line.LC() - u * (1 + eps - u)) == 0
    (zero,) = sympy.solve(line.as_expr(), c)
    stated = (eps * u - u + 1) / (2 * u * (u - 1 - eps))
    assert sympy.cancel(zero / 2 - stated) == 0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 20.0])
def test_the_width_is_the_authors(epsilon: float) -> None:
    exact = sympy.exp(sympy.Rational(epsilon))
    stated = (epsilon * exact - exact + 1) / (2 * exact * (exact - 1 - epsilon))
    assert float(SquareWave(epsilon).b) == pytest.approx(float(stated.evalf(30)), abs=2.0**-30)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 20.0, 40.0])
def test_the_realized_epsilon_is_just_below_the_claim(epsilon: float) -> None:
    made = SquareWave(epsilon)
    assert 0 <= made.gap <= 2.0**-20 * epsilon


def test_the_distribution_is_found_where_noise_is_small() -> None:
    """At eps = 12 nearly every report is within b = 3e-4 of the value, so bins are plain."""
    made = SquareWave(12.0, bounds=(10, 20))
    values = np.repeat([10.5, 13.5, 19.5], [5000, 3000, 2000])
    found = made.distribution(made.privatize(values, rng=1), bins=10, smooth=False, simulated=True)
    assert found.converged
    wanted = np.zeros(10)
    wanted[[0, 3, 9]] = 0.5, 0.3, 0.2
    # A report is elsewhere with probability 2e-2 at most: 10 standard deviations of that, and it.
    assert np.abs(found.shares - wanted).max() < 0.03


def test_reports_of_another_mechanism_are_refused() -> None:
    reports = Piecewise(1.0).privatize([0.5], rng=1)
    with pytest.raises(ReportError):
        SquareWave(1.0).distribution(reports, simulated=True)


@pytest.mark.parametrize(("bins", "outputs"), [(0, 8), (8, 4), (5000, 5000)])
def test_numbers_of_bins_are_checked(bins: int, outputs: int) -> None:
    made = SquareWave(1.0)
    with pytest.raises(ParameterError):
        made.distribution(made.privatize([0.5], rng=1), bins, outputs=outputs, simulated=True)


def test_the_mean_is_corrected_for_the_bias_of_the_wave() -> None:
    made = small(SquareWave(1.0), m=5, w=3, inside=14, total=16)
    assert made.decoding.slope == Fraction(14, 16) - Fraction(2, 16) * Fraction(3, 5)


@pytest.mark.parametrize(("m", "w", "inside"), SIZES)
def test_chances_below_a_cell_are_sums_of_the_table(m: int, w: int, inside: int) -> None:
    made = small(SquareWave(1.0), m=m, w=w, inside=inside, total=16)
    cells, inputs = np.arange(m + w + 1), np.arange(m + 1)
    found = made.chance_below(cells, inputs)
    for i in inputs.tolist():
        sums = [float(sum(made.pmf(y, i) for y in range(cell))) for cell in cells.tolist()]
        assert found[i] == pytest.approx(sums, abs=1e-14)
    assert (np.diff(found, axis=0) <= 1e-14).all()


def test_probabilities_of_buckets_are_between_their_stated_ends() -> None:
    made = SquareWave(1.5)
    layout = made.counted().oracle.layout
    least, most = made.counted().oracle.ends  # type: ignore[attr-defined]  # a bucket's oracle
    inputs = np.unique(np.linspace(0, made.steps, 4001).astype(np.int64))
    chances = np.diff(made.chance_below(layout.starts, inputs), axis=1)  # type: ignore[attr-defined]  # its layout
    assert (chances >= least - 1e-15).all()
    assert (chances <= most + 1e-15).all()
    assert (most < 20 * least).all()


def test_states_of_buckets_add_up_are_saved_and_give_what_reports_give(tmp_path: Path) -> None:
    made = SquareWave(2.0, bounds=(-5.0, 20.0))
    one, two = (made.privatize(np.linspace(-5, 20, 3000), rng=seed) for seed in (1, 2))
    whole = made.counted(True).update(one).update(two)
    assert made.counted(True).update(one).merge(made.counted(True).update(two)) == whole
    whole.save(tmp_path / "state")
    assert made.load_counted(tmp_path / "state") == whole
    found = made.distribution(whole, 10)
    same = made.distribution([one, two], 10, simulated=True)
    assert np.array_equal(found.shares, same.shares)
    assert (found.n, found.edges.tolist()) == (6000, np.linspace(-5, 20, 11).tolist())
    assert found.quantile(0.5) == pytest.approx(7.5, abs=3)
    for other in (SquareWave(2.0).counted(), made.empty(), made.counted()):
        with pytest.raises(ParameterError, match="state: must"):
            made.bounded(other)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ReportError, match="simulated"):
        made.counted().update(one)
    for bins in (0, 1025, True):
        with pytest.raises(ParameterError, match="bins: must"):
            made.bounded(whole, bins)
        with pytest.raises(ParameterError, match="bins: must"):
            made.distribution(whole, bins)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-20, 2.0**-63, 2.0**-62])
def test_reports_that_would_say_nothing_are_refused(epsilon: float) -> None:
    """Their mean did not depend on the number, and an estimate divided by 0."""
    with pytest.raises(ParameterError, match=r"epsilon: must be above 2\^-62, got"):
        SquareWave(epsilon)


def test_the_least_epsilons_still_say_something() -> None:
    made = SquareWave(2.0**-61)
    assert made.empty().decoding.slope > 0
    state = made.empty(simulated=True).update(made.privatize([0.0, 1.0], rng=1))
    assert np.isfinite(state.estimate().std_error)
