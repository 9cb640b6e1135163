"""Clients and devices: values in, bytes out."""

from __future__ import annotations

from typing import Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.mechanisms import GRR
from ldp_verified.protocols import LGRR, LOLOHA, Rappor, SampleOne

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
