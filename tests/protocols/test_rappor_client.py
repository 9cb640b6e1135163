"""The client: what it keeps, what it draws, what it refuses."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import Rappor, RapporClient
from ldp_verified.protocols.keepsake import MOST_HELD
from ldp_verified.run.aggregate.sealed import seal

DEPLOYMENT = Rappor(0.5, 0.25, 0.75, 100, 2, cohorts=8)


def test_the_permanent_response_is_the_same_forever() -> None:
    client = RapporClient(DEPLOYMENT, new_user=True)
    first = client.permanent("a").tolist()
    for _ in range(5):
        client.report("a")
    assert client.permanent("a").tolist() == first
    assert client.permanent("b").tolist() != first
    again = RapporClient.restore(client.save(), DEPLOYMENT)
    assert again.permanent("a").tolist() == first
    assert again.reports == 5
    assert again.cohort == client.cohort


def test_another_user_has_another_permanent_response() -> None:
    first, second = (RapporClient(DEPLOYMENT, new_user=True, cohort=3) for _ in range(2))
    assert first.permanent("a").tolist() != second.permanent("a").tolist()


def test_reports_differ_but_average_to_the_permanent_response(seed: int) -> None:
    """Null: P(1) is high or low by the permanent bit; 100 bits, 3,000 reports, 8 sd each."""
    client = RapporClient(DEPLOYMENT, new_user=True, rng=seed)
    times = 3000
    counts = np.zeros(128)
    for _ in range(times):
        report = client.report("a")
        bits = np.unpackbits(report.bits.view(np.uint8), bitorder="little")
        assert not bits[100:].any()
        counts += bits
    kept = np.unpackbits(client.permanent("a").view(np.uint8), bitorder="little")[:100]
    expected = np.where(kept == 1, 0.75, 0.25) * times
    assert np.all(np.abs(counts[:100] - expected) < 8 * (times * 3 / 16) ** 0.5)


def test_permanent_bits_lie_as_often_as_they_should(seed: int) -> None:
    """Null: a bit is flipped with probability 1/4; 2,000 users of 100 bits, 8 sd."""
    users, flipped = 2000, 0
    for user in range(users):
        client = RapporClient(DEPLOYMENT, new_user=True, cohort=0, rng=seed + user)
        truth = DEPLOYMENT.encoder.encode("a", 0)
        flipped += int(np.bitwise_count(client.permanent("a") ^ truth).sum())
    n = users * 100
    assert abs(flipped - n / 4) < 8 * (n * 3 / 16) ** 0.5


def test_the_one_time_variant_reports_the_permanent_response() -> None:
    client = RapporClient(Rappor(0.5, 0, 1, 64, 2), new_user=True)
    assert client.report("a").bits.tolist() == client.permanent("a").tolist()


def test_starting_without_a_state_has_to_be_said() -> None:
    with pytest.raises(ParameterError, match="new_user"):
        RapporClient(DEPLOYMENT, new_user=False)
    with pytest.raises(TypeError, match="new_user"):
        RapporClient(DEPLOYMENT)  # type: ignore[call-arg]  # leaving it out is the point


def test_simulations_are_marked() -> None:
    assert not RapporClient(DEPLOYMENT, new_user=True).report("a").simulated
    client = RapporClient(DEPLOYMENT, new_user=True, rng=1)
    assert client.report("a").simulated
    assert RapporClient.restore(client.save(), DEPLOYMENT).report("a").simulated


def test_foreign_or_broken_states_are_refused() -> None:
    client = RapporClient(DEPLOYMENT, new_user=True)
    other = Rappor(0.5, 0.25, 0.75, 100, 3, cohorts=8)
    with pytest.raises(ReportError, match="deployment"):
        RapporClient.restore(client.save(), other)
    state = json.loads(client.save())["state"]
    assert RapporClient.restore(seal("RAPPOR client", state), DEPLOYMENT).save() == client.save()
    for key, wrong in (("secret", "AAAA"), ("cohort", 8), ("reports", -1), ("reports", None)):
        with pytest.raises(ReportError):
            RapporClient.restore(seal("RAPPOR client", {**state, key: wrong}), DEPLOYMENT)
    for text in ("", "{}", "[]", "null", '"a"'):
        with pytest.raises(ReportError, match="no saved RAPPOR client"):
            RapporClient.restore(text, DEPLOYMENT)


def test_values_must_be_strings_and_are_not_shown() -> None:
    client = RapporClient(DEPLOYMENT, new_user=True)
    with pytest.raises(DomainError) as raised:
        client.report(12345)  # type: ignore[arg-type]  # a wrong type is the point
    assert "12345" not in str(raised.value)
    assert "reports" in repr(client)
    assert client.reports == 0


def test_secure_reports_have_the_probabilities_of_the_permanent_bits() -> None:
    """Null: P(1) is high or low by the permanent bit; 100 bits, 3,000 reports, 8 sd each."""
    client, times = RapporClient(DEPLOYMENT, new_user=True), 3000
    reports = np.array([client.report("a").bits for _ in range(times)])
    assert not client.report("a").simulated
    kept = client.permanent("a")
    ones, zeros = (int(np.bitwise_count(reports & each).sum()) for each in (kept, ~kept))
    held = int(np.bitwise_count(kept).sum())
    for found, bits, p in ((ones, held, 0.75), (zeros, 100 - held, 0.25)):
        assert abs(found - times * bits * p) < 8 * (times * bits * 3 / 16) ** 0.5


def test_more_responses_than_are_held_are_the_same_again() -> None:
    client = RapporClient(DEPLOYMENT, new_user=True)
    values = [str(value) for value in range(3 * MOST_HELD)]
    before = [client.permanent(value).tolist() for value in values]
    for value in values * 2:
        client.report(value)
    assert client.answers == len(values)
    again = pickle.loads(pickle.dumps(client))
    for one in (client, again):
        assert [one.permanent(value).tolist() for value in values] == before
        assert one.report("0").number == 6 * MOST_HELD + 1
