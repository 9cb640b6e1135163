"""Plans: exact probabilities at the planned numbers of users, and what is planned wrongly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import binom

from ldp_verified import CMS, GRR, OLH, OUE, Duchi, HadamardResponse, Laplace, SubsetSelection
from ldp_verified.deploy.collect import plan
from ldp_verified.deploy.collect.plan import (
    MOST_USERS,
    Need,
    epsilon_for,
    users_for_error,
    users_for_quantile,
    users_to_detect,
)
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, SHE, PaddedResponse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MADE = [GRR(2.0, 5), OUE(2.0, 5), OLH(2.0, 9), HadamardResponse(2.0, 9), SubsetSelection(2.0, 9)]
WRONG: Any = 1
EXACT: Any = Fraction(1, 2)
BERRY_ESSEEN = 0.56
"""A constant for which the theorem holds (Irina Shevtsova 2010, as cited widely)."""


def ask(made: Any) -> Need:
    return users_for_error(made, 0.1)


def name_of(made: Any) -> str:
    return type(made).__name__


def errors(made: Any, n: int, held: int) -> tuple[Floats, Floats]:
    """(errors of the estimated count, their probabilities), from the binomials of supports."""
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    # By Fourier transforms: off by 1e-15 or so, which no bound here is close to.
    chances: Floats = fftconvolve(
        binom.pmf(np.arange(held + 1), held, p), binom.pmf(np.arange(n - held + 1), n - held, q)
    )
    supports: Floats = np.arange(n + 1).astype(np.float64)
    return (supports - n * q) / (p - q) - held, chances


def failing(made: Any, n: int, error: float) -> float:
    """The largest probability of a larger error, over the shares of users in eighths."""
    found = []
    for held in {n * part // 8 for part in range(9)}:
        missed, chances = errors(made, n, held)
        found.append(chances[np.abs(missed) > error * n * (1 + 1e-12)].sum())
    return float(max(found))


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize(("error", "level"), [(0.1, 0.95), (0.05, 0.99), (0.3, 0.5)])
def test_the_guarantee_holds_exactly(made: Any, error: float, level: float) -> None:
    need = users_for_error(made, error, level)
    assert need.theorem == "Bernstein"
    assert need.users is not None
    assert need.guaranteed is not None
    assert need.users <= need.guaranteed
    assert failing(made, need.guaranteed, error) <= 1 - level
    assert failing(made, 4 * need.guaranteed, error) <= 1 - level


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, None])
def test_the_approximation_is_as_good_as_the_theorem_of_berry_and_esseen_says(
    made: Any, share: float | None
) -> None:
    level, error = 0.95, 0.05
    n = users_for_error(made, error, level, share=share).users
    assert n is not None
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    ends = [0.0, 1.0] if share is None else [share]
    found = []
    for f in ends:
        held = round(n * f)
        moments = [(p, held), (q, n - held)]
        third = sum(m * c * (1 - c) * (c * c + (1 - c) ** 2) for c, m in moments)
        spread = sum(m * c * (1 - c) for c, m in moments) ** 0.5
        off = 2 * BERRY_ESSEEN * third / spread**3
        missed, chances = errors(made, n, held)
        # Inside a whole step of the lattice nothing changes.
        outer = chances[np.abs(missed) > error * n * (1 + 1e-12)].sum()
        inner = chances[np.abs(missed) > error * n - 2 / (p - q)].sum()
        assert outer <= 1 - level + off
        found.append(inner >= 1 - level - off)
    assert any(found), "fewer users would do"


def test_planted_plans_fail() -> None:
    """What forgets the absent users' noise, or the larger share, is seen by the tests above."""
    made, level, error = GRR(2.0, 5), 0.95, 0.1
    right = users_for_error(made, error, level)
    assert right.guaranteed is not None
    assert failing(made, right.guaranteed // 4, error) > 1 - level
    rare = users_for_error(GRR(0.5, 50), 0.2, level, share=0.0).users
    assert rare is not None
    assert failing(GRR(0.5, 50), rare, 0.2) > 1.2 * (1 - level)


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize(("share", "level"), [(0.2, 0.95), (1.0, 0.9)])
def test_a_value_stands_out_exactly(made: Any, share: float, level: float) -> None:
    """Some threshold separates, with the probabilities that are promised."""
    need = users_to_detect(made, share, level)
    n = need.guaranteed
    assert n is not None
    assert need.users is not None
    assert need.users <= n
    missed, chances = errors(made, n, 0)
    high = missed[np.cumsum(chances) > 1 - (1 - level) / made.k][0]
    held = math.ceil(n * share)
    missed, chances = errors(made, n, held)
    assert chances[missed + held <= high].sum() <= 1 - level


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("made", [GRR(1.0, 9), GRR(4.0, 6)], ids=repr)
def test_a_quantile_is_found_exactly(made: Any, quantile: float) -> None:
    """Reports of k-ary response below a border are two binomials, whoever holds what."""
    error, level = 0.1, 0.95
    need = users_for_quantile(made, error, quantile, level)
    assert need.users is not None
    assert need.guaranteed is not None
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)

    def missed(n: int, border: int) -> float:
        held = round(n * quantile)
        reports = np.convolve(
            binom.pmf(np.arange(held + 1), held, p + (border - 1) * q),
            binom.pmf(np.arange(n - held + 1), n - held, border * q),
        )
        estimates = (np.arange(n + 1) - n * border * q) / (p - q)
        return float(reports[np.abs(estimates - held) > error * n * (1 + 1e-12)].sum())

    def worst(n: int) -> float:
        return max(missed(n, border) for border in range(1, made.k))

    assert worst(need.guaranteed) <= 1 - level
    assert worst(need.users) <= 1.2 * (1 - level)  # as a normal law has it, not much above
    assert worst(need.users // 2) > 1.5 * (1 - level)
    # Who plans for one value only plans for too few.
    (single,) = [users_for_error(made, error, level).users]
    assert made.epsilon > 2 or (single is not None and worst(single) > 1 - level)


def test_sums_whose_errors_are_only_bounded_need_more() -> None:
    exact, bounded = (users_for_quantile(made, 0.05).users for made in (OUE(1.0, 9), OLH(1.0, 9)))
    assert exact is not None
    assert bounded is not None
    assert bounded > 4 * exact


def test_the_population_is_farther_away_than_the_users() -> None:
    made = GRR(4.0, 2)
    users, everybody = (users_for_error(made, 0.02, population=p) for p in (False, True))
    assert users.users is not None
    assert everybody.users is not None
    # 1/4 is the largest variance of a sample; z^2/(4 E^2) users for it alone.
    assert everybody.users > 0.25 * 1.96**2 / 0.02**2 > users.users


def test_what_was_drawn_once_is_no_new_draw() -> None:
    """Chebyshev for rows and permanent answers; a table of few rows never gets there."""
    assert users_for_error(CMS(1.0, 100, 64, 64), 0.001) == Need(None, None, "Chebyshev")
    for made in (CMS(1.0, 100, 1024, 65_536), LGRR(2.0, 1.0, 3)):
        need = users_for_error(made, 0.01)
        assert need.theorem == "Chebyshev"
        assert need.users is not None
        assert need.guaranteed is not None
        assert need.guaranteed > 5 * need.users  # 1/(0.05 z^2) = 5.2
    assert users_for_error(PaddedResponse(1.0, 5, 2), 0.01).theorem == "Bernstein"


@pytest.mark.parametrize("made", [Duchi(1.0), Duchi(1.0, bounds=(-5, 15))], ids=repr)
def test_means_of_numbers(made: Duchi) -> None:
    """Duchi's reports are two numbers: the exact probability at the middle, which is the worst."""
    width = made.bounds[1] - made.bounds[0]
    need = users_for_error(made, 0.05 * width)
    n = need.guaranteed
    assert n is not None
    assert need.users == math.ceil(1.959963984540054**2 * made.worst_variance / (0.05 * width) ** 2)
    reach = float(max(abs(made.decoding.value(y)) for y in range(made.outputs))) * width / 2
    ups = np.arange(n + 1)
    off = np.abs(reach * (2 * ups - n)) > 0.05 * width * n
    assert binom.pmf(ups, n, 0.5)[off].sum() <= 0.05
    assert users_for_error(Laplace(1.0, bounds=(0, 120)), 1.0).users is not None


def test_where_no_number_of_users_is_enough() -> None:
    assert users_for_error(GRR(0.01, 10**6), 1e-4) == Need(None, None, "Bernstein")
    just = users_for_error(GRR(1.0, 3), 1e-5)
    assert just.users is None or just.users <= MOST_USERS
    assert epsilon_for(lambda e: OUE(e, 10), 10, lambda m: users_for_error(m, 0.001)) is None


def test_the_epsilon_is_the_smallest() -> None:
    found = epsilon_for(lambda e: OUE(e, 10), 10_000, lambda m: users_for_error(m, 0.05))
    assert found is not None
    enough, less = (users_for_error(OUE(e, 10), 0.05).users for e in (found, found / 1.002))
    assert enough is not None
    assert less is not None
    assert enough <= 10_000 < less
    least = epsilon_for(lambda e: OUE(e, 10), 10**9, lambda m: users_for_error(m, 0.5))
    assert least == plan.SMALLEST_EPSILON


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: users_for_error(OUE(1.0, 3), 0), "error: must be a number above 0, got 0"),
        (lambda: users_for_error(OUE(1.0, 3), True), "error: must be a number above 0"),
        (lambda: users_for_error(OUE(1.0, 3), math.nan), "error: must be a number above 0"),
        (lambda: users_for_error(OUE(1.0, 3), 0.1, 1.0), "level"),
        (lambda: users_for_error(OUE(1.0, 3), 0.1, share=1.5), "share"),
        (lambda: users_for_error(OUE(1.0, 3), 0.1, population=WRONG), "population"),
        (lambda: users_for_error(Duchi(1.0), 0.1, population=True), "population: must be left out"),
        (lambda: users_for_error(Duchi(1.0), 0.1, share=0.5), "share: must be left out"),
        (lambda: users_for_error(SHE(1.0, 3), 0.1), "mechanism: must be a mechanism"),
        (lambda: users_for_error(None, 0.1), "mechanism: must be a mechanism"),
        (lambda: users_to_detect(Duchi(1.0), 0.1), "mechanism: must estimate counts"),
        (lambda: users_to_detect(OUE(1.0, 3), 0), "share: must be a number above 0"),
        (lambda: users_to_detect(OUE(1.0, 3), 1.1), "share"),
        (lambda: users_to_detect(OUE(1.0, 3), EXACT), None),
        (lambda: epsilon_for(lambda e: OUE(e, 3), 0, ask), "n: must be"),
        (lambda: epsilon_for(lambda _: OUE(-1.0, 3), 10, ask), "epsilon"),
        (lambda: users_for_quantile(OUE(1.0, 3), 0.1, 1.0), "quantile: must be a number between"),
        (lambda: users_for_quantile(OUE(1.0, 3), 0), "error: must be a number above 0"),
        (lambda: users_for_quantile(OUE(1.0, 3), 0.1, level=2), "level: must"),
        (lambda: users_for_quantile(Duchi(1.0), 0.1), "mechanism: must estimate counts"),
    ],
)
def test_arguments_are_checked(call: Any, message: str | None) -> None:
    if message is None:
        assert call().users is not None
        return
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("level", [1 - 2**-53, 1 - 2**-52, 0.5, 2**-60, 1e-300, 5e-324])
def test_every_level_between_0_and_1_has_a_plan(level: float) -> None:
    """(1 + level)/2 was rounded to 1, and 1 - level is, where there is no quantile."""
    oracle = OUE(1.0, 3)
    for found in (
        users_for_error(oracle, 0.1, level),
        users_for_error(oracle, 0.1, level, population=True),
        users_for_error(Duchi(1.0), 0.1, level),
        users_for_quantile(oracle, 0.1, level=level),
        users_to_detect(oracle, 0.1, level),
    ):
        assert found.users is not None
        assert found.guaranteed is not None
        assert 1 <= found.users <= found.guaranteed


def test_the_level_next_to_1_reaches_eight_standard_errors() -> None:
    """8.29 of them, where the level 0.95 has 1.96."""
    surest, usual = (users_for_error(OUE(1.0, 3), 0.01, each).users for each in (1 - 2**-53, 0.95))
    assert surest is not None
    assert usual is not None
    assert surest / usual == pytest.approx((8.2924 / 1.95996) ** 2, rel=0.02)
