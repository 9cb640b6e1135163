"""Decoders against the server's own counting, which shares no code with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.decode import HashDecoder, ValueDecoder, decoder

if TYPE_CHECKING:
    from ldp_verified.run.realize.randomizer import Randomizer

MECHANISMS = [
    Warner(gamma=0.2),
    BinaryRR(epsilon=1.0),
    GRR(epsilon=1.0, k=300),
    SUE(epsilon=1.0, k=70),
    OUE(epsilon=1.0, k=64),
    BLH(epsilon=1.0, k=33),
    OLH(epsilon=2.0, k=50, g=6),
    OLH(epsilon=7.0, k=400, g=300),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_supports_are_those_that_the_server_counts(mechanism: Randomizer, seed: int) -> None:
    values = np.arange(3000) % mechanism.k
    reports = mechanism.privatize(values, seed)
    read = decoder(expectation(mechanism))
    everything = tuple(range(mechanism.k))
    counted = read.support_counts(reports.data, everything)
    assert counted.tolist() == mechanism.aggregate(reports, simulated=True).counts.tolist()
    for v in (0, mechanism.k - 1):
        assert np.count_nonzero(read.supports(reports.data, v)) == counted[v]


def test_of_very_many_values_only_those_that_are_wanted_are_counted() -> None:
    """An array of all of them would not fit: 2^62 counts."""
    reports = np.array([3, 5, 3, 1 << 61], dtype=np.uint64)
    counts = ValueDecoder(1 << 62).support_counts(reports, (3, 4, 1 << 61))
    assert counts.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "mechanism",
    [
        GRR(epsilon=1.0, k=5),
        BinaryRR(epsilon=1.0),
        OUE(epsilon=1.0, k=6),
        BLH(epsilon=1.0, k=4),
        OLH(epsilon=2.0, k=8, g=3),
    ],
    ids=repr,
)
def test_every_report_is_listed_once_and_codes_say_where(mechanism: Randomizer) -> None:
    read = decoder(expectation(mechanism))
    listed = read.every_report(1000)
    assert listed is not None
    assert read.codes(listed).tolist() == list(range(len(listed)))
    checked = mechanism.reports(
        listed.astype(mechanism.layout.check(listed).dtype), simulated=False
    )
    assert len(checked) == len(listed)
    # Nothing is missing: the probabilities of all listed reports sum to 1.
    assert sum(mechanism.pmf(y, 1) for y in checked.data) == 1
    assert read.every_report(len(listed) - 1) is None


def test_hash_written_by_hand() -> None:
    """g = 6, base 2, three digits: 5 is 101, so h(5) = a_0 + a_2 mod 6."""
    read = HashDecoder(k=8, g=6, base=2, digits=3)
    reports = np.array([[5, 1, 4, 3], [1, 2, 0, 0]], dtype=np.uint8)
    assert read.bucket_of(reports, 5).tolist() == [3, 1]
    assert read.supports(reports, 5).tolist() == [True, False]
    assert read.supports(reports, 0).tolist() == [False, True]


def test_what_is_no_value_is_counted_apart() -> None:
    read = ValueDecoder(3)
    assert read.codes(np.array([0, 2, 9], dtype=np.uint8)).tolist() == [0, 2, 9]
