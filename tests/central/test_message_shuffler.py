"""A shuffler of bytes: a uniform order, one batch for each public group, no sender in any field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified import GRR, OLH, Duchi
from ldp_verified.analysis.central import MessageShuffler, ShuffledMessages
from ldp_verified.deploy import Deployment, wire
from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.protocols import (
    LGRR,
    BitReduction,
    Gaussian,
    PaddedResponse,
    PlaneNoise,
    PrefixExtending,
    Rappor,
    SampleOne,
    SignMatrix,
    VotedMean,
)
from tests.broken.central import AllTogether, InOrder

MADE = GRR(2.0, 4)
PLAIN = Deployment(MADE)
HASHED = Deployment(OLH(2.0, 1000))
GROUPED = Deployment(PrefixExtending(4.0, bits=16))


def messages(deployment: Deployment, n: int, seed: int) -> wire.Octets:
    """Messages of n users with the values 0, 1, 2, 3, 0, ..."""
    reports = deployment.mechanism.privatize((np.arange(n) % 4).tolist(), seed)
    return deployment.to_rows(reports)


def order_survives(shuffler: MessageShuffler, seed: int, n: int = 5000) -> bool:
    """Whether places of messages before and after agree: beyond 8 standard errors.

    Null: a uniform order, under which sqrt(n) times the correlation is about normal; false alarms
    have probability 1e-15. Reports of local hashing are all different, so each is found again.
    """
    rows = messages(HASHED, n, seed)
    shuffler.add_rows(rows)
    (batch,) = shuffler.release()
    width = HASHED.payload_bytes
    payloads = rows[:, 1 + wire.TAG_BYTES : 1 + wire.TAG_BYTES + width]
    start = {payload.tobytes(): place for place, payload in enumerate(payloads)}
    passed = wire.read_batch(batch.data, HASHED.digest, width).payload
    places = np.array([start[row.tobytes()] for row in passed])
    return bool(abs(np.corrcoef(places, np.arange(n))[0, 1]) * n**0.5 > 8)


def least_crowd(deployment: Deployment, batch: ShuffledMessages) -> int:
    """The smallest number of reports of a batch that no public field tells apart."""
    reports = deployment.from_bytes(batch.data)
    return int(np.unique(getattr(reports, "groups", [0] * len(batch)), return_counts=True)[1].min())


def test_no_order_survives_and_one_that_does_is_noticed(seed: int) -> None:
    assert not order_survives(MessageShuffler(HASHED, 10, rng=seed), seed)
    assert order_survives(InOrder(HASHED, 10, rng=seed), seed)


def test_all_of_a_batch_are_of_one_group_and_a_mixed_batch_is_noticed(seed: int) -> None:
    rows = messages(GROUPED, 3000, seed)
    shuffler = MessageShuffler(GROUPED, 50, rng=seed)
    shuffler.add_rows(rows)
    batches = shuffler.release()
    assert len(batches) == GROUPED.mechanism.groups
    assert [each.group for each in batches] == list(range(len(batches)))
    assert all(least_crowd(GROUPED, each) == len(each) == each.n for each in batches)
    mixed = AllTogether(GROUPED, 50, rng=seed)
    mixed.add_rows(rows)
    (batch,) = mixed.release()
    assert least_crowd(GROUPED, batch) < len(batch) == 3000


def test_the_collector_counts_what_was_shuffled_as_it_counts_what_was_not(seed: int) -> None:
    for deployment in (PLAIN, HASHED):
        rows = messages(deployment, 400, seed)
        shuffler = MessageShuffler(deployment, 10, rng=seed)
        assert shuffler.add(rows[0].tobytes()) == 1
        assert shuffler.add(wire.to_text(rows[1].tobytes())) == 1
        assert shuffler.add_rows(rows[2:]) == 398
        (batch,) = shuffler.release()
        straight = deployment.collector(simulated=True)
        straight.add_rows(rows)
        after = deployment.collector(simulated=True)
        assert after.add(batch.data) == len(batch) == 400
        assert np.array_equal(after.state.counts, straight.state.counts)
        with pytest.raises(ReplayError):
            after.add(batch.data)
        assert shuffler.held == 0


def test_groups_with_too_few_reports_wait(seed: int) -> None:
    """The first group has 10 of 20 members at least, as the second has 5 of 60."""
    made = GROUPED.mechanism
    few = [GROUPED.to_bytes(made.client(1, rng=seed + i).report(3))[0] for i in range(5)]
    many = [GROUPED.to_bytes(made.client(0, rng=seed + i).report(3))[0] for i in range(20)]
    shuffler = MessageShuffler(GROUPED, 10, rng=seed)
    for each in few[:2] + many + few[2:]:
        shuffler.add(each)
    (batch,) = shuffler.release()
    assert (batch.group, batch.n, shuffler.held) == (0, 20, 5)
    with pytest.raises(ReportError, match="at least 10 reports, got 5"):
        shuffler.release()
    for i in range(5):
        shuffler.add(GROUPED.to_bytes(made.client(1, rng=seed + 10 + i).report(3))[0])
    (batch,) = shuffler.release()
    assert (batch.group, batch.n, shuffler.held) == (1, 10, 0)
    found = {
        row.tobytes()
        for row in wire.read_batch(batch.data, GROUPED.digest, GROUPED.payload_bytes).payload
    }
    assert {each[1 + wire.TAG_BYTES : -wire.CRC_BYTES] for each in few} < found


def test_users_who_report_in_all_groups_are_one_crowd(seed: int) -> None:
    whole = Deployment(BitReduction(4.0, bits=8))
    shuffler = MessageShuffler(whole, 10, rng=seed)
    shuffler.add_rows(messages(whole, 30, seed))
    (batch,) = shuffler.release()
    assert (batch.group, batch.n) == (None, 30)
    assert len(whole.from_bytes(batch.data).groups) == 30 * whole.mechanism.reports_per_user


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (Duchi(2.0), np.zeros(40)),
        (PaddedResponse(2.0, 10, 3), [[1, 2]] * 40),
        (SampleOne(2.0, (4, 5)), np.zeros((40, 2), dtype=int)),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_drawn_anew_is_shuffled(made: Any, values: Any, seed: int) -> None:
    deployment = Deployment(made)
    shuffler = MessageShuffler(deployment, 10, rng=seed)
    shuffler.add(deployment.to_batch(made.privatize(values, seed)))
    (batch,) = shuffler.release()
    assert deployment.collector(simulated=True).add(batch.data) == 40
    assert batch.epsilon(1e-6) <= batch.local_epsilon == made.realized_epsilon


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (SignMatrix(4.0, bits=8), "public number"),
        (LGRR(2.0, 1.0, 4), "remember"),
        (Rappor(0.5, 0.25, 0.75, bits=16, hashes=2), "remember"),
        (VotedMean(1.0, 4), "remember"),
        (Gaussian(1.0, 1e-6), "no delta"),
        (PlaneNoise(1.0, 4, 3), "not of one for each step"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_names_its_sender_is_refused(made: Any, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        MessageShuffler(Deployment(made), 10)


@pytest.mark.parametrize("given", [MADE, None, PLAIN.text, PLAIN.collector()])
def test_what_is_no_deployment_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="deployment"):
        MessageShuffler(given, 10)


@pytest.mark.parametrize(("least", "most"), [(1, 10), (0, 10), (11, 10), (2, 1 << 40), (True, 10)])
def test_sizes_that_are_none_are_refused(least: Any, most: Any) -> None:
    with pytest.raises(ParameterError):
        MessageShuffler(PLAIN, least, most)


def test_nothing_wrong_is_taken_and_memory_is_bounded(seed: int) -> None:
    shuffler = MessageShuffler(PLAIN, 2, 10, rng=seed)
    with pytest.raises(ReportError, match="at least 2 reports, got 0"):
        shuffler.release()
    rows = messages(PLAIN, 12, seed)
    shuffler.add_rows(rows[:8])
    batch = PLAIN.to_batch(MADE.privatize([1], seed))
    flipped = bytearray(rows[9].tobytes())
    flipped[9] ^= 1
    wrong: list[Any] = [
        bytes(flipped),
        rows[9].tobytes()[:-1],
        HASHED.to_bytes(HASHED.mechanism.privatize([1], seed))[0],
        PLAIN.to_bytes(MADE.privatize([1]))[0],
        b"",
        "no JSON",
    ]
    for each in wrong:
        with pytest.raises(ReportError):
            shuffler.add(each)
    for each in (rows[9:12], rows[:0], rows[9:10, :-1], rows[9]):
        with pytest.raises(ReportError):
            shuffler.add_rows(each)
    assert shuffler.held == 8
    shuffler.add(batch)
    with pytest.raises(ReplayError, match="taken already"):
        shuffler.add(batch)
    assert shuffler.held == 9
    shuffler.release()
    with pytest.raises(ReplayError, match="taken already"):
        shuffler.add(batch)


def test_real_messages_stay_real_and_seeds_are_seen() -> None:
    for rng, how in ((None, False), (1, True)):
        shuffler = MessageShuffler(PLAIN, 2, rng=rng)
        shuffler.add_rows(PLAIN.to_rows(MADE.privatize([0, 1, 2])))
        (batch,) = shuffler.release()
        assert PLAIN.read(batch.data)[1].simulated is how
        assert PLAIN.collector(simulated=how).add(batch.data) == 3
