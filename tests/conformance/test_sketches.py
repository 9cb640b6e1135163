"""Decoders of sketches against the server's layouts, and planted-wrong code rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified import CMS, HCMS
from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.decode import decoder
from ldp_verified.check.conformance.run import conform
from ldp_verified.check.conformance.subjects import Subject
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.realize import RoundedTable

MECHANISMS = [CMS(1.0, 4, 2), CMS(1.0, 20, 67), CMS(1.0, 5, 3), HCMS(1.0, 4, 2), HCMS(1.0, 6, 8)]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_both_sides_read_reports_alike(mechanism: RoundedTable, rng: np.random.Generator) -> None:
    reports = mechanism.privatize(rng.integers(0, mechanism.k, size=500), rng)
    read = decoder(expectation(mechanism))
    everything = tuple(range(mechanism.k))
    counted = read.support_counts(reports.data, everything)
    assert counted.tolist() == mechanism.layout.support_counts(reports.data).tolist()
    assert read.valid(reports.data).all()
    known = read.every_report(512)
    if known is not None:
        assert (known[read.codes(reports.data)] == reports.data).all()


def test_what_is_no_report_is_seen() -> None:
    read = decoder(expectation(CMS(1.0, 4, 2)))
    wrong = np.array([[0, 3], [4, 0], [3, 4], [3, 0]], dtype=np.uint64)
    assert read.valid(wrong).tolist() == [True, False, False, True]


def test_drawn_rows_have_no_table_of_their_own() -> None:
    with pytest.raises(ParameterError, match="rows"):
        expectation(CMS(1.0, 4, 4, 8))


def other_epsilon(claimed: CMS | HCMS) -> Callable[..., np.ndarray]:
    running = type(claimed)(claimed.epsilon * 1.25, claimed.k, claimed.buckets)
    return lambda values, rng: running.privatize(values, rng).data


def one_row_for_all(claimed: CMS | HCMS) -> Callable[..., np.ndarray]:
    """The row that is named is not the one that was used."""

    def draw(values: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        data = claimed.privatize(values, rng).data.copy()
        if isinstance(claimed, CMS):
            data[:, 0] = (data[:, 0] + 1) % claimed.height
            return data
        return (data + np.asarray(2 * claimed.buckets, data.dtype)) % claimed.layout.counters

    return draw


@pytest.mark.parametrize("claimed", [CMS(1.0, 4, 2), HCMS(1.0, 4, 2)], ids=repr)
@pytest.mark.parametrize("planted", [other_epsilon, one_row_for_all])
def test_planted_clients_are_rejected(
    claimed: CMS | HCMS, planted: Callable[[CMS | HCMS], Callable[..., np.ndarray]]
) -> None:
    report = conform(Subject("planted", planted(claimed), expectation(claimed)), n=200_000)
    assert any(each.p_value < each.level for each in report.comparisons)
