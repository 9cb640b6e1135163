"""Clients and devices: values in, bytes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import LGRR, LOLOHA, ChangeTree, Rappor, SampleOne, VotedMean
from ldp_verified.run.mechanisms import GRR

REMEMBER: list[Any] = [
    LGRR(4.0, 1.0, 9),
    LOLOHA(4.0, 1.0, 90),
    Rappor(0.5, 0.25, 0.75, bits=8, hashes=1),
]


@pytest.mark.parametrize("made", REMEMBER)
def test_a_device_goes_on_where_it_was(made: Any) -> None:
    deployment = Deployment(made)
    value: Any = "a" if isinstance(made, Rappor) else 3
    device = deployment.device(new_user=True)
    numbers, saved = [], ""
    for _ in range(3):
        (report,) = deployment.from_bytes(device.report(value))
        numbers.append(report.number)
        saved = device.save()
        device = deployment.device(saved=saved)
    assert numbers == [1, 2, 3]
    with pytest.raises(ReplayError):
        deployment.device(saved=saved, seen=9)
    with pytest.raises(ReportError):
        deployment.device(saved=saved[:-1])
    with pytest.raises(ParameterError, match="new_user"):
        deployment.device(saved=saved, new_user=True)
    with pytest.raises(ParameterError, match="new_user"):
        deployment.device()
    with pytest.raises(ParameterError, match=r"Deployment\.device"):
        deployment.client()


def test_values_outside_the_domain_are_refused_before_anything_is_drawn() -> None:
    client = Deployment(GRR(1.0, 5)).client()
    for wrong in (5, -1, 1.5, "a", None):
        with pytest.raises(DomainError):
            client.report(wrong)
    with pytest.raises(DomainError):
        client.batch([0, 7])
    with pytest.raises(ReportError, match="batch_id"):
        client.batch([0], batch_id=b"short")
    with pytest.raises(ParameterError, match="has no memory"):
        client.deployment.device(new_user=True)


def test_one_user_of_several_attributes() -> None:
    deployment = Deployment(SampleOne(2.0, (3, 4)))
    collector = deployment.collector()
    collector.add(deployment.client().report([2, 3]))
    assert collector.state.users == 1


def test_labels() -> None:
    deployment = Deployment(GRR(20.0, 2, categories=("no", "yes")))
    collector = deployment.collector()
    for _ in range(9):
        collector.add(deployment.client().report("yes"))
    assert collector.state.counts.tolist() == [0, 9]


def test_a_device_that_reports_on_several_days(seed: int) -> None:
    """Its messages are sent day by day, and the device is kept in between."""
    deployment = Deployment(ChangeTree(1.0, 4, 1))
    collector, known = deployment.collector(simulated=True), 0
    for user in range(20):
        device = deployment.device(new_user=True, rng=seed + user)
        for day in range(4):
            messages = device.messages(device.client.report(int(day > 1)))
            known += sum(collector.add(message) for message in messages)
            device = deployment.device(saved=device.save(), seen=day + 1)
        with pytest.raises(ParameterError, match="must be called for 4 days"):
            device.client.report(0)
        with pytest.raises(ParameterError, match="call `messages`"):
            device.report(0)
    assert collector.n == collector.state.messages == known
    assert collector.state.n == 20
    again = type(collector).from_bytes(collector.to_bytes(), deployment)
    assert (again.n, again.state) == (collector.n, collector.state)
    assert len(list(again.estimate())) == 4
    with pytest.raises(ParameterError, match=r"Deployment\.device"):
        deployment.client()


def test_a_device_that_votes() -> None:
    made = VotedMean(1.0, epochs=2, days=1, updates=1, votes=1)
    deployment = Deployment(made)
    collector, device = deployment.collector(), deployment.device(new_user=True)
    (vote,) = device.messages(device.client.vote(1, None))
    (answer,) = device.messages(device.client.answer())
    assert collector.add(vote) == collector.add(answer) == 1
    assert collector.n == 2
    old = Deployment(ChangeTree(1.0, 4, 1)).device(new_user=True).client.report(1)
    with pytest.raises(ReportError):
        device.messages(old)
    for wrong in ([8], [-1], [[0]], [0.5]):
        with pytest.raises(ReportError):
            made.reports(np.array(wrong), simulated=False)
