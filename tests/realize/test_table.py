"""The realized table: what its thresholds are, and that they keep the claim.

Expected numbers come from the textbook formulas below and from `decimal`, not from the code's own.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize import HashedRandomizer
from ldp_verified.run.realize.tables.claimed_table import COARSE, MAX_GAP
from tests.mechanisms.strategies import BUCKET_NUMBERS, GAMMAS, WIDE_SIZES, all_mechanisms
from tests.realize import exact
from tests.strategies import EPSILONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.realize import RoundedTable

ONE = Fraction(1)
UNIT = 2**64


def up(probability: Fraction) -> int:
    """A lie as a threshold."""
    return max(1, math.ceil(probability * UNIT))


def cells(mechanism: RoundedTable) -> tuple[Fraction, Fraction]:
    """The papers' probabilities, to 400 digits."""
    if isinstance(mechanism, Warner):
        gamma = Fraction(mechanism.gamma)
        return ONE / 2 + gamma, ONE / 2 - gamma
    u = exact.exp(mechanism.epsilon)
    if isinstance(mechanism, SUE):
        root = exact.exp(mechanism.epsilon / 2)
        return root / (root + 1), 1 / (root + 1)
    if isinstance(mechanism, OUE):
        return ONE / 2, 1 / (u + 1)
    outputs = mechanism.buckets if isinstance(mechanism, HashedRandomizer) else mechanism.k
    return u / (u + outputs - 1), 1 / (u + outputs - 1)


@given(all_mechanisms())
def test_realized_epsilon_is_the_least_double_above_and_never_above_the_claim(
    mechanism: RoundedTable,
) -> None:
    loss = exact.ln(mechanism.worst_ratio(mechanism.p, mechanism.q))
    realized = mechanism.realized_epsilon
    assert Fraction(math.nextafter(realized, 0)) < loss <= Fraction(realized)
    assert loss <= Fraction(mechanism.epsilon)
    assert realized <= mechanism.epsilon
    assert mechanism.gap == mechanism.epsilon - realized


@given(all_mechanisms())
def test_the_gap_is_within_its_bound_or_saturation_is_stated(mechanism: RoundedTable) -> None:
    share = 1 - Fraction(mechanism.realized_epsilon) / Fraction(mechanism.epsilon)
    assert mechanism.saturated == (share > MAX_GAP)
    assert mechanism.saturated == ("saturated=True" in repr(mechanism))
    assert repr(mechanism.realized_epsilon) in repr(mechanism)
    assert repr(mechanism.epsilon) in repr(mechanism)


@given(EPSILONS, WIDE_SIZES)
def test_thresholds_of_k_ary_response(epsilon: float, k: int) -> None:
    mechanism = GRR(epsilon, k)
    _, q = cells(mechanism)
    if len(mechanism.thresholds) == 1:
        assert k <= 1 << 20
        assert mechanism.thresholds == (up(q),)
        assert mechanism.q == Fraction(up(q), UNIT)
    else:
        assert mechanism.thresholds == (up(k * q), k)
        assert mechanism.q == Fraction(up(k * q), k * UNIT)
    assert mechanism.p == 1 - (k - 1) * mechanism.q
    assert (mechanism.p_star, mechanism.q_star) == (mechanism.p, mechanism.q)


@given(st.builds(BinaryRR, EPSILONS) | st.builds(Warner, GAMMAS))
def test_thresholds_of_binary_tables(mechanism: RoundedTable) -> None:
    _, q = cells(mechanism)
    assert mechanism.thresholds == (up(q),)
    assert mechanism.q == Fraction(up(q), UNIT)
    assert mechanism.p == 1 - mechanism.q


@given(EPSILONS, WIDE_SIZES)
def test_thresholds_of_unary_encodings(epsilon: float, k: int) -> None:
    for mechanism in (SUE(epsilon, k), OUE(epsilon, k)):
        p, q = cells(mechanism)
        one, zero = UNIT - up(1 - p), up(q)
        assert mechanism.thresholds == (one, zero)
        assert (mechanism.p, mechanism.q) == (Fraction(one, UNIT), Fraction(zero, UNIT))
        assert (mechanism.p_star, mechanism.q_star) == (mechanism.p, mechanism.q)


@given(EPSILONS, WIDE_SIZES, BUCKET_NUMBERS)
def test_thresholds_of_local_hashing(epsilon: float, k: int, g: int | None) -> None:
    for mechanism in (OLH(epsilon, k, g), BLH(epsilon, k)):
        _, q = cells(mechanism)
        assert mechanism.thresholds == (up(q),)
        assert mechanism.q == Fraction(up(q), UNIT)
        assert mechanism.p == mechanism.p_star == 1 - (mechanism.buckets - 1) * mechanism.q
        assert mechanism.q_star == Fraction(1, mechanism.buckets)


@given(all_mechanisms(), st.integers(0, 10**12), st.floats(0, 1))
def test_the_ideal_numbers_are_correctly_rounded(mechanism: RoundedTable, n: int, f: float) -> None:
    p, q = cells(mechanism)
    p_star = p
    q_star = Fraction(1, mechanism.buckets) if isinstance(mechanism, HashedRandomizer) else q
    ideal = mechanism.ideal
    assert (ideal.p, ideal.q) == (float(p), float(q))
    assert (ideal.p_star, ideal.q_star) == (float(p_star), float(q_star))
    share = Fraction(f)
    per_user = share * p_star * (1 - p_star) + (1 - share) * q_star * (1 - q_star)
    # p* - q* loses the 1/epsilon leading digits of 400; what is left still rounds correctly.
    assert ideal.variance(n, f) == float(n * per_user / (p_star - q_star) ** 2)


@given(GAMMAS)
def test_the_epsilon_of_warner_is_the_least_double_above(gamma: float) -> None:
    g = Fraction(gamma)
    loss = exact.ln((1 + 2 * g) / (1 - 2 * g))
    epsilon = Warner(gamma).epsilon
    assert Fraction(math.nextafter(epsilon, 0)) < loss <= Fraction(epsilon)


@given(st.integers(1, 2**63 - 1))
def test_rational_thresholds_are_kept_exactly(units: int) -> None:
    gamma = Fraction(1, 2) - Fraction(units, UNIT)
    try:
        mechanism = Warner(gamma)
    except ParameterError:
        assert gamma < Fraction(1, 2**30)  # epsilon, about 4 gamma, is too small for 64-bit words
    else:
        assert mechanism.thresholds == (units,)
        assert mechanism.p == Fraction(1, 2) + gamma


def paper_variance(u: Fraction, g: int) -> Fraction:
    """Local hashing at f = 0 (Wang et al. 2017)."""
    return (g - 1 + u) ** 2 / ((g - 1) * (u - 1) ** 2)


@settings(max_examples=50)
@given(st.sampled_from([1e-6, 1.0, 5.6, 11.0904, 12.0, 700.0]) | st.floats(1e-6, 12))
def test_the_best_number_of_buckets(epsilon: float) -> None:
    u = exact.exp(epsilon)
    g = OLH(epsilon, 10).buckets
    near = {2, 65536} | {min(max(2, math.floor(u + 1) + i), 65536) for i in range(-1, 3)}
    assert all(paper_variance(u, g) <= paper_variance(u, other) for other in near)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 2.0, 3.0])
def test_no_other_number_of_buckets_is_better(epsilon: float) -> None:
    u = exact.exp(epsilon)
    assert OLH(epsilon, 10).buckets == min(range(2, 60), key=lambda g: paper_variance(u, g))


@pytest.mark.parametrize(
    ("k", "words"), [(2, 1), (1 << 20, 1), ((1 << 20) + 1, 2), (1 << 31, 2), (1 << 32, 2)]
)
def test_large_domains_take_a_mixing_word(k: int, words: int) -> None:
    mechanism = GRR(1.0, k)
    assert len(mechanism.thresholds) == words
    assert not mechanism.saturated


def test_a_small_epsilon_takes_a_mixing_word_where_one_word_is_too_coarse() -> None:
    assert len(GRR(1e-6, 1 << 20).thresholds) == 2
    with pytest.raises(ParameterError, match=r"epsilon: must be realizable .* k = 4294967296"):
        GRR(1e-6, 1 << 32)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-300, 5e-324])
def test_an_epsilon_too_small_for_the_words_is_refused(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon: must be realizable"):
        GRR(epsilon, 1000)


TOP = UNIT - 1
LARGEST_RATIOS = [
    (BinaryRR, (), TOP),
    (SUE, (1000,), TOP**2),
    (OUE, (1000,), TOP),
    (GRR, (1000,), UNIT - 999),
    (OLH, (1000,), UNIT - 65535),
    (BLH, (1000,), TOP),
]


@pytest.mark.parametrize("epsilon", [100.0, 700.0, 1e4, 1e300])
@pytest.mark.parametrize(("mechanism", "sizes", "ratio"), LARGEST_RATIOS)
def test_a_huge_epsilon_saturates_where_words_end(
    mechanism: Callable[..., RoundedTable], sizes: tuple[int, ...], ratio: int, epsilon: float
) -> None:
    made = mechanism(epsilon, *sizes)
    assert made.saturated
    assert made.worst_ratio(made.p, made.q) == ratio


def test_saturation_begins_where_a_lie_has_few_words() -> None:
    grid = [30 + i / 4 for i in range(60)]
    lies = {epsilon: BinaryRR(epsilon) for epsilon in grid}
    assert not lies[30].saturated
    assert lies[44.5].saturated
    assert all(m.thresholds[0] <= COARSE for m in lies.values() if m.saturated)


@pytest.mark.parametrize("width", [4, 8, 13, 63])
@given(
    mechanism=st.sampled_from(
        [Warner(0.2), BinaryRR(1), GRR(1, 5), SUE(1, 5), OUE(2, 5), OLH(1, 5)]
    )
)
def test_narrow_words_keep_the_claim_too(width: int, mechanism: RoundedTable) -> None:
    found = list(mechanism.realizations(width))
    assert found
    for realization in found:
        assert realization.width == width
        assert exact.ln(realization.worst_ratio) <= Fraction(mechanism.epsilon)
        assert (realization.p * 2**width).denominator in (1, mechanism.k)
        assert realization.q >= cells(mechanism)[1]


def test_the_realization_in_use_comes_first() -> None:
    mechanism = GRR(1.0, 5)
    first = next(mechanism.realizations())
    assert first.thresholds == mechanism.thresholds
    assert (first.p, first.q) == (mechanism.p, mechanism.q)


@pytest.mark.parametrize("width", [0, 65, 8.0, True, "8"])
def test_what_is_no_width(width: int) -> None:
    with pytest.raises(ParameterError, match="width"):
        GRR(1.0, 5).realizations(width)


def test_words_too_narrow_for_the_table_realize_nothing() -> None:
    assert list(GRR(0.1, 1000).realizations(8)) == []


@pytest.mark.parametrize(("n", "f"), [(-1, 0), (1.0, 0), (True, 0), (1, -0.1), (1, 1.1), (1, True)])
def test_variance_refuses_what_is_no_count_or_share(n: int, f: float) -> None:
    mechanism = GRR(1.0, 5)
    with pytest.raises(ParameterError):
        mechanism.variance(n, f)
    with pytest.raises(ParameterError):
        mechanism.ideal.variance(n, f)


@given(all_mechanisms(), st.integers(0, 10**9), st.floats(0, 1))
def test_the_realized_variance_is_close_to_the_claimed_one(
    mechanism: RoundedTable, n: int, f: float
) -> None:
    # ln V has slope at most about 2 in epsilon, and 2/epsilon near 0; the gap is below
    # 2^-20 epsilon < 3e-5, so V moves by less than a share 1e-4.
    if not mechanism.saturated and mechanism.epsilon < 30:
        assert mechanism.variance(n, f) == pytest.approx(mechanism.ideal.variance(n, f), rel=1e-4)
