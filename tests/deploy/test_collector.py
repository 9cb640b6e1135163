"""What a collector counts, once, and what it refuses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.mechanisms import GRR, Duchi
from ldp_verified.protocols import Rappor, Split

PLAIN = Deployment(GRR(1.0, 5))


def test_a_batch_is_counted_once() -> None:
    client, collector = PLAIN.client(), PLAIN.collector()
    batch, other = client.batch([1, 2, 3]), client.batch([1, 2, 3])
    assert collector.add(batch) == 3
    with pytest.raises(ReplayError, match="counted already"):
        collector.add(batch)
    assert collector.add(batch, repeated="ignore") == 0
    assert collector.add(other) == 3
    assert (collector.n, collector.state.n, len(collector.batches)) == (6, 6, 2)
    with pytest.raises(ParameterError, match="repeated"):
        collector.add(other, repeated="both")


def test_a_refused_batch_may_come_again_when_it_is_whole() -> None:
    client, collector = PLAIN.client(), PLAIN.collector()
    batch = client.batch([1, 2, 3])
    with pytest.raises(ReportError):
        collector.add(batch[:-1] + bytes([batch[-1] ^ 1]))
    assert collector.add(batch) == 3


def test_single_reports_have_no_id() -> None:
    client, collector = PLAIN.client(), PLAIN.collector()
    report = client.report(2)
    assert [collector.add(report), collector.add(report)] == [1, 1]


@pytest.mark.parametrize("made", [GRR(1.0, 5), Duchi(1.0), Split(2.0, (3, 4))])
def test_threads_lose_nothing(made: Any) -> None:
    deployment = Deployment(made)
    client, collector = deployment.client(), deployment.collector()
    values = [[1, 2]] * 5 if isinstance(made, Split) else [1, 0] * 5
    batches = [client.batch(values) for _ in range(40)]
    with ThreadPoolExecutor(8) as pool:
        counted = sum(pool.map(lambda b: collector.add(b, repeated="ignore"), batches * 2))
    assert counted == collector.n == 40 * len(values)
    states = collector.state if isinstance(made, Split) else [collector.state]
    assert {state.n for state in states} == {collector.n}


def test_estimates() -> None:
    collector = PLAIN.collector(simulated=True)
    collector.add(PLAIN.client().batch([1] * 1000, rng=1))
    assert collector.estimate().n == 1000
    split = Deployment(Split(2.0, (3, 4)))
    assert [each.n for each in split.collector().estimate()] == [0, 0]
    rappor = Deployment(Rappor(0.5, 0.25, 0.75, bits=8, hashes=1))
    with pytest.raises(ParameterError, match="no estimate"):
        rappor.collector().estimate()


def test_bad_flags_are_refused() -> None:
    with pytest.raises(ParameterError, match="simulated"):
        PLAIN.collector(simulated=1)  # type: ignore[arg-type]  # what is tested
