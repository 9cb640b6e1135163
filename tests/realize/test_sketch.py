"""Sketches with drawn rows: variance over the draw, exactly, and what a state of them is."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from ldp_verified import CMS, HCMS
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.kernels.sketch_reports import coefficients, row_buckets
from ldp_verified.run.realize.designs.sketch import SketchRandomizer

COUNTS = (3, 2, 2, 1)


def law_of_supports(mechanism: SketchRandomizer, row: list[int], x: int, v: int) -> Fraction:
    """P(a report of x with this row supports v)."""
    hit = row[x] == row[v]
    if isinstance(mechanism, CMS):
        return mechanism.p if hit else mechanism.q
    return mechanism.p if hit else (mechanism.p + mechanism.q) / 2


@pytest.mark.parametrize("made", [CMS(1.0, 4, 2, 2), HCMS(1.0, 4, 2, 2), CMS(2.0, 4, 2, 1)])
def test_mean_and_variance_over_all_draws_of_the_rows(made: CMS | HCMS) -> None:
    """Every choice of rows from the whole family, with replacement: sums, no samples."""
    k, rows = made.k, made.rows
    assert rows is not None
    family = [
        row_buckets(k, made.buckets, each).tolist()
        for each in coefficients(k, made.buckets, None, 0)
    ]
    spread = made.p_star - made.q_star
    n = sum(COUNTS)
    for v in (0, 3):
        mean = square = Fraction(0)
        draws = list(itertools.product(family, repeat=rows))
        for chosen in draws:
            expected, variance = Fraction(0), Fraction(0)
            for x, count in enumerate(COUNTS):
                laws = (law_of_supports(made, row, x, v) for row in chosen)
                p = sum(laws, Fraction(0)) / rows
                expected += count * (p - made.q_star) / spread
                variance += count * p * (1 - p) / spread**2
            mean += expected
            square += expected**2 + variance
        mean, square = mean / len(draws), square / len(draws)
        assert mean == COUNTS[v]
        others = Fraction(sum(c**2 for x, c in enumerate(COUNTS) if x != v), n**2)
        assert float(square - mean**2) == made.variance(n, Fraction(COUNTS[v], n), others)


def test_the_worst_population_is_one_other_value() -> None:
    made = CMS(1.0, 8, 4, 16)
    assert made.variance(1000, 0.25) == made.variance(1000, 0.25, 0.5625)
    assert made.variance(1000, 0.25) > made.variance(1000, 0.25, 0.1)
    whole = CMS(1.0, 8, 2)
    assert whole.variance(1000, 0.25) == whole.variance(1000, 0.25, 0.1)
    with pytest.raises(ParameterError, match="squares"):
        made.variance(1000, 0.5, 0.3)


@pytest.mark.parametrize("made", [CMS(2.0, 40, 8, 32, 5), HCMS(2.0, 40, 8, 32, 5)])
def test_states_merge_and_are_kept(made: CMS | HCMS, rng: np.random.Generator) -> None:
    values = rng.integers(0, 40, size=3000)
    first, second = made.privatize(values[:1000], rng), made.privatize(values[1000:], rng)
    together = made.aggregate([first, second], simulated=True)
    halves = [made.aggregate(part, simulated=True) for part in (first, second)]
    assert halves[0].merge(halves[1]) == together
    assert type(together).from_bytes(together.to_bytes(), made.oracle) == together
    assert len(together.counts) == (32 * 9 if isinstance(made, CMS) else 2 * 32 * 8)
    # Supports, one report at a time.
    seen = together.estimate().support_counts
    for v in (0, 17, 39):
        found = sum(made.layout.holds(batch.data, v).sum() for batch in (first, second))
        assert found == seen[v]


def test_reports_of_other_rows_are_foreign() -> None:
    reports = CMS(1.0, 8, 4, 16, 1).privatize([0, 1], 1)
    for other in (CMS(1.0, 8, 4, 16, 2), CMS(1.0, 8, 4, 17, 1), CMS(1.0, 8, 4)):
        with pytest.raises(ReportError, match="foreign"):
            other.aggregate(reports, simulated=True)


@pytest.mark.parametrize("buckets", [4, 64, 128])
def test_malformed_reports_are_refused(buckets: int) -> None:
    made = CMS(1.0, 8, buckets, 16, 1)
    data = made.privatize([0, 1], 1).data.copy()
    wrong = [data.astype(np.int64), data[:, :1], data[0], list(data)]
    row = data.copy()
    row[0, 0] = 16
    wrong.append(row)
    if buckets % 64:
        padded = data.copy()
        padded[0, -1] |= np.uint64(1 << buckets)
        wrong.append(padded)
    for each in wrong:
        with pytest.raises(ReportError):
            made.reports(each, simulated=False)
    assert len(made.reports(data, simulated=False)) == 2


@pytest.mark.parametrize("made", [CMS(1.0, 4, 2, 3), HCMS(1.0, 4, 4, 3), HCMS(700.0, 4, 2)])
def test_pmf_sums_to_one_with_the_rows_as_they_are(made: CMS | HCMS) -> None:
    rows = made.height
    for x in range(made.k):
        if isinstance(made, CMS):
            reports = [np.array(y, np.uint64) for y in itertools.product(range(rows), range(4))]
        else:
            reports = [np.array(y) for y in range(2 * rows * made.buckets)]
        assert sum(made.pmf(y, x) for y in reports) == 1


def test_the_plug_in_error_knows_collisions(rng: np.random.Generator) -> None:
    """Half of the users hold one value and rows are few: collisions are most of the error."""
    made = CMS(8.0, 16, 4, 8, 3)
    users = np.repeat([0, *range(1, 16)], [15000, *[1000] * 15])
    estimate = made.aggregate(made.privatize(users, rng), simulated=True).estimate()
    plain = made.oracle.variance_absent
    assert (estimate.std_error[1:] > 5 * float(plain * len(users)) ** 0.5).all()
    a, b = made.oracle.variance_line(len(users))
    exact = [made.variance(len(users), f) / len(users) for f in (0.0, 0.5)]
    assert float(a) == pytest.approx(exact[0], rel=1e-12)
    assert float(a + b / 2) >= exact[1]
