"""A cap on the ones of a report: the law of accepted reports, enumerated, and what fakes can do."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, OUE, SUE
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.realize.designs.capped import CappedBits
from tests.broken.influences import CappedWithoutCondition
from tests.mechanisms.against_table import every_report

if TYPE_CHECKING:
    from ldp_verified.run.realize.designs.onehot import OneHotRandomizer

MADE = {"oue": OUE(1.0, 4), "sue": SUE(0.5, 3)}


def means(capped: CappedBits) -> set[tuple[bool, Fraction]]:
    """(whether v is the user's value, mean of what an accepted report adds to the count of v)."""
    made, oracle = capped.mechanism, capped.oracle
    kept = [y for y in every_report(made) if int(y[0]).bit_count() <= capped.most]
    found = set()
    for x in range(made.k):
        chances = [made.pmf(y, x) for y in kept]
        for v in range(made.k):
            hits = [Fraction(int(y[0]) >> v & 1) for y in kept]
            support = sum((c * h for c, h in zip(chances, hits, strict=True)), Fraction(0))
            mean = support / sum(chances, Fraction(0))
            found.add((x == v, (mean - oracle.q_star) / (oracle.p_star - oracle.q_star)))
    return found


@pytest.mark.parametrize("name", MADE)
def test_accepted_reports_give_unbiased_estimates(name: str) -> None:
    made: OneHotRandomizer = MADE[name]
    for most in range(1, made.k + 1):
        capped = CappedBits(made, most)
        assert means(capped) == {(True, Fraction(1)), (False, Fraction(0))}
        for x in range(made.k):
            kept = (made.pmf(y, x) for y in every_report(made) if int(y[0]).bit_count() <= most)
            assert sum(kept, Fraction(0)) == capped.acceptance
    everything = CappedBits(made, made.k)
    assert (everything.oracle.p_star, everything.oracle.q_star) == (made.p_star, made.q_star)
    assert everything.acceptance == 1


def test_unconditional_probabilities_are_biased() -> None:
    assert means(CappedWithoutCondition(MADE["oue"], 2)) != {
        (True, Fraction(1)),
        (False, Fraction(0)),
    }


def test_influence_is_the_extreme_over_accepted_reports() -> None:
    capped = CappedBits(MADE["oue"], 2)
    added = np.array(
        [
            capped.aggregate(capped.mechanism.reports(y[np.newaxis], False)).estimate().counts
            for y in every_report(capped.mechanism)
            if int(y[0]).bit_count() <= 2
        ]
    )
    for values in ((0,), (0, 1, 2), range(4)):
        found, totals = capped.influence(values), added[:, list(values)].sum(axis=1)
        assert np.isclose(float(found.most), totals.max())
        assert np.isclose(float(found.least), totals.min())


def test_reports_with_all_bits_are_refused(seed: int) -> None:
    """1 % of them: shares that add up to 6 without a cap; with one, to 1 within 9 deviations.

    Null: the sum of 100 estimated shares of 99,000 accepted reports has mean 1; level 1e-15.
    """
    made = OUE(0.5, 100)
    capped = CappedBits(made, 63)
    honest = made.privatize(np.arange(99_000) % 100, rng=seed)
    full: Any = np.full((1000, 2), (1 << 64) - 1, dtype=np.uint64)
    full[:, 1] = (1 << 36) - 1
    fakes = made.reports(full, simulated=True)
    assert made.aggregate([honest, fakes], simulated=True).estimate().shares.sum() > 5.5
    state = capped.aggregate([honest, fakes], simulated=True)
    assert state.n <= 99_000
    # The sum of the ones of a report lies in 0..63, so its variance is at most 63^2/4.
    spread = float(capped.oracle.p_star - capped.oracle.q_star)
    deviation = 63 / 2 / spread / state.n**0.5
    assert abs(state.estimate().shares.sum() - 1) < 9 * deviation
    with pytest.raises(ReportError, match="at most 63 ones"):
        capped.oracle.layout.check(full)


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="mechanism: must have one-hot bits"):
        CappedBits(GRR(1.0, 4), 2)  # type: ignore[arg-type]  # that is the point
    for most in (0, 5, True):
        with pytest.raises(ParameterError, match="most"):
            CappedBits(MADE["oue"], most)
    with pytest.raises(ParameterError, match="k"):
        CappedBits(OUE(1.0, 5000), 3)
    with pytest.raises(ReportError):
        CappedBits(MADE["oue"], 2).accepted(OUE(2.0, 4).privatize([1], rng=1))
