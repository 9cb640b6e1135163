"""What a collector counts, once, and what it refuses."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Collector, Deployment
from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.protocols import (
    ChangeTree,
    KeyValueResponse,
    PaddedResponse,
    RangeTree,
    Rappor,
    SampleOne,
    Split,
    VotedMean,
)
from ldp_verified.protocols.key_value_estimate import KeyValueEstimate
from ldp_verified.protocols.parity_estimate import ParityEstimate
from ldp_verified.protocols.range_estimate import RangeEstimate
from ldp_verified.run.aggregate import Estimate
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.mechanisms import GRR, Duchi
from tests.aggregate.test_saved import forged
from tests.deploy.deployed import DEPLOYMENTS, name_of, reports_of, value_of

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


def test_a_batch_is_no_single_report() -> None:
    client, collector = PLAIN.client(), PLAIN.collector()
    assert collector.add_report(client.report(2)) == 1
    assert collector.add_report(PLAIN.to_text(PLAIN.mechanism.privatize([1]))[0]) == 1
    with pytest.raises(ReportError, match="must be 13 bytes long"):
        collector.add_report(client.batch([1]))
    assert (collector.n, collector.batches) == (2, frozenset())


def test_estimates() -> None:
    collector = PLAIN.collector(simulated=True)
    collector.add(PLAIN.client().batch([1] * 1000, rng=1))
    assert collector.estimate().n == 1000
    split = Deployment(Split(2.0, (3, 4)))
    assert [each.n for each in split.collector().estimate()] == [0, 0]
    rappor = Deployment(Rappor(0.5, 0.25, 0.75, bits=8, hashes=1))
    with pytest.raises(ParameterError, match="values: must be the strings that users can hold"):
        rappor.collector().estimate()


def test_the_estimate_is_that_of_the_protocol_where_it_has_its_own() -> None:
    """Of values, items and keys, and not of the nodes, dummies and signs that reports support."""
    for made, kind, k in (
        (RangeTree(4.0, 5), RangeEstimate, 5),
        (PaddedResponse(1.0, 9, 3), Estimate, 9),
        (KeyValueResponse(1.0, 4, 2, (0.0, 5.0)), KeyValueEstimate, 4),
    ):
        deployment = Deployment(made)
        collector = deployment.collector(simulated=True)
        for seed in range(20):
            collector.add(deployment.to_batch(reports_of(made, seed)))
        found = collector.estimate()
        assert isinstance(found, kind)
        assert len(found.rows()) == k
    both = Deployment(SampleOne(2.0, (3, 4))).collector().estimate()
    assert [len(each.names) for each in both] == [3, 4]


def parts(found: Any) -> tuple[Any, ...]:
    """The estimates of all attributes, or the one there is."""
    if isinstance(found, ParityEstimate):
        return tuple(found.table(name) for name in found.labels)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_whatever_is_deployed_has_the_same_estimate_after_it_was_kept(
    deployment: Deployment, tmp_path: Path
) -> None:
    made, collector = deployment.mechanism, deployment.collector(simulated=True)
    for seed in range(20):
        collector.add(deployment.to_batch(reports_of(made, seed, first=100 * seed)))
    collector.save(tmp_path / "c")
    again = deployment.load_collector(tmp_path / "c")
    values = None
    if isinstance(collector.state, KeptReports) or isinstance(made, Rappor):
        values = [value_of(made)] if isinstance(collector.state, KeptReports) else ["a", "b", "c"]
    before, after = (parts(each.estimate(values)) for each in (collector, again))
    assert len(before) == len(after) >= 1
    for first, second in zip(before, after, strict=True):
        if not isinstance(made, ChangeTree | VotedMean):
            assert getattr(second, "found", second).n == collector.n
        assert repr(second.rows(0.9, simultaneous=True)) == repr(first.rows(0.9, simultaneous=True))
        assert repr(second.top(3)) == repr(first.top(3))
        assert second._repr_html_() == first._repr_html_()
        if getattr(first, "of_all_values", False) and len(first.names) > 1:
            assert second.consistent().counts.tolist() == first.consistent().counts.tolist()
            assert second.sum_of([first.names[0]]) == first.sum_of([first.names[0]])


def test_bad_flags_are_refused() -> None:
    with pytest.raises(ParameterError, match="simulated"):
        PLAIN.collector(simulated=1)  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_collectors_are_kept(deployment: Deployment, tmp_path: Path) -> None:
    collector = deployment.collector()
    reports = reports_of(deployment.mechanism)
    batch = deployment.to_batch(reports)
    collector.add(batch)
    collector.add(deployment.to_bytes(reports_of(deployment.mechanism, first=100))[0])
    collector.save(tmp_path / "c")
    again = deployment.load_collector(tmp_path / "c")
    assert again.to_bytes() == collector.to_bytes()
    assert (again.n, again.batches) == (collector.n, collector.batches)
    with pytest.raises(ReplayError, match="counted already"):
        again.add(batch)
    with pytest.raises(ReplayError, match="counted here"):
        again.merge(collector)
    fresh = deployment.collector()
    fresh.add(deployment.to_batch(reports_of(deployment.mechanism, first=200)))
    assert again.merge(fresh).n == collector.n + fresh.n
    other = Deployment(deployment.mechanism, round=1)
    with pytest.raises(ReportError, match="foreign"):
        other.load_collector(tmp_path / "c")
    with pytest.raises(ReportError, match="same deployment"):
        fresh.merge(other.collector())


def test_no_flip_of_a_collector_is_accepted() -> None:
    collector = PLAIN.collector()
    collector.add(PLAIN.client().batch([1, 2, 3]))
    data = collector.to_bytes()
    for place in range(8 * len(data)):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << (place % 8)
        with pytest.raises(ReportError):
            Collector.from_bytes(bytes(changed), PLAIN)
    for length in range(len(data)):
        with pytest.raises(ReportError):
            Collector.from_bytes(data[:length], PLAIN)


def test_collectors_that_make_no_sense_are_refused() -> None:
    collector = PLAIN.collector(simulated=True)
    collector.add(PLAIN.client().batch([1, 2, 3], rng=1))
    data = collector.to_bytes()
    state = collector.state.to_bytes()
    assert Collector.from_bytes(forged(data, {}), PLAIN).n == 3
    first, second = bytes(16), b"\1" + bytes(15)
    ids = {"lengths": [len(state), 32]}
    body = state + first + second
    assert len(Collector.from_bytes(forged(data, ids, body), PLAIN).batches) == 2
    for change, wrong in (
        ({"n": 4}, None),
        ({"n": "3"}, None),
        ({"simulated": False}, None),
        ({"simulated": 1}, None),
        ({"deployment": "00" * 32}, None),
        ({"lengths": []}, b""),
        ({"lengths": [16]}, first),
        ({"lengths": [len(state), 15]}, state + first[:15]),
        (ids, state + second + first),
        (ids, state + first + first),
        ({"lengths": [len(state), len(state), 0]}, state + state),
    ):
        with pytest.raises(ReportError):
            Collector.from_bytes(forged(data, change, wrong), PLAIN)


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_a_pickled_collector_is_read_again(deployment: Deployment) -> None:
    collector = deployment.collector()
    collector.add(deployment.to_batch(reports_of(deployment.mechanism)))
    before = collector.to_bytes()
    for again in (pickle.loads(pickle.dumps(collector)), copy.copy(collector)):
        assert again.to_bytes() == before
        assert again.deployment == deployment
        again.add(deployment.to_bytes(reports_of(deployment.mechanism, first=100))[0])
        assert collector.to_bytes() == before


def test_a_collector_is_not_merged_with_itself() -> None:
    collector = PLAIN.collector()
    collector.add(PLAIN.client().report(1))
    with pytest.raises(ReplayError):
        collector.merge(collector)


def test_rows_are_counted_all_or_none() -> None:
    client, collector = PLAIN.client(), PLAIN.collector()
    rows = PLAIN.to_rows(PLAIN.mechanism.privatize([1, 2, 3]))
    assert [row.tobytes() for row in rows] == PLAIN.to_bytes(PLAIN.of_rows(rows)[0])
    assert [collector.add_rows(rows), collector.add_rows(rows[:0])] == [3, 0]
    changed = rows.copy()
    changed[1, -1] ^= 1
    simulated = PLAIN.to_rows(PLAIN.mechanism.privatize([1], rng=1))
    foreign = Deployment(GRR(1.0, 5), round=1).to_rows(PLAIN.mechanism.privatize([1]))
    for bad, rule in (
        (changed, r"data\[1\]: is damaged"),
        (rows[:, :-1], "rows of 13 bytes"),
        (rows[0], "rows of 13 bytes"),
        (rows.astype(np.int64), "rows: must be an array of uint8.*, got dtype.'int64'"),
        *((none, "rows: must be an array of uint8") for none in ([rows[0]], [], "rows", None, 3)),
        (np.concatenate([rows, simulated]), "all be simulated or all be real"),
        (np.concatenate([rows, foreign]), "is foreign"),
        (simulated, "are simulated"),
    ):
        odd: Any = bad
        with pytest.raises(ReportError, match=rule):
            collector.add_rows(odd)
    assert collector.n == 3
    alone = PLAIN.collector()
    alone.add(client.report(1))
    assert alone.n == 1


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_rows_are_the_bytes_of_single_reports(deployment: Deployment) -> None:
    reports = reports_of(deployment.mechanism)
    rows = deployment.to_rows(reports)
    assert [row.tobytes() for row in rows] == deployment.to_bytes(reports)
    assert rows.shape[1] == deployment.report_bytes
    one, all_at_once = deployment.collector(), deployment.collector()
    for row in rows:
        one.add(row.tobytes())
    assert all_at_once.add_rows(rows) == len(rows)
    assert one.in_order().to_bytes() == all_at_once.in_order().to_bytes()


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_bytes_in_order_do_not_say_what_came_first(deployment: Deployment) -> None:
    rows = deployment.to_rows(reports_of(deployment.mechanism))
    forth, back = deployment.collector(), deployment.collector()
    forth.add_rows(rows)
    back.add_rows(rows[::-1])
    assert forth.in_order().to_bytes() == back.in_order().to_bytes()
    assert forth.in_order().n == forth.n == len(rows)


def test_a_mark_is_of_all_that_was_counted() -> None:
    collector = PLAIN.collector()
    collector.add(PLAIN.client().batch([1, 2, 3]))
    marked = collector.marked(bytes(16))
    assert (marked.batches, marked.marks) == (collector.batches, frozenset([bytes(16)]))
    assert (marked.n, len(collector.batches)) == (3, 1)
    with pytest.raises(ReplayError, match="mark"):
        marked.marked(bytes(16))
    for again in (marked, Collector.from_bytes(marked.to_bytes(), PLAIN)):
        with pytest.raises(ReplayError, match="counted here"):
            again.merge(PLAIN.collector().marked(bytes(16)))
    for bad in (bytes(15), "0" * 16):
        with pytest.raises(ParameterError, match="16 bytes"):
            collector.marked(bad)  # type: ignore[arg-type]  # what is tested


def test_no_client_can_send_the_mark_of_a_server() -> None:
    """A batch has the id that is a mark: neither stands in the way of the other, also when kept."""
    mark = bytes(range(16))
    batch = PLAIN.to_batch(PLAIN.mechanism.privatize([1, 2]), batch_id=mark)
    collector = PLAIN.collector()
    assert collector.add(batch) == 2
    assert collector.marks == frozenset()
    marked = collector.marked(mark)
    other = PLAIN.collector().marked(mark)
    assert other.add(batch) == 2
    for each in (marked, other, marked.in_order(), copy.copy(marked)):
        again = Collector.from_bytes(each.to_bytes(), PLAIN)
        assert (again.n, again.batches, again.marks) == (2, frozenset([mark]), frozenset([mark]))
        assert again.to_bytes() == each.to_bytes()
        with pytest.raises(ReplayError):
            again.add(batch)
        with pytest.raises(ReplayError):
            again.marked(mark)


def test_an_id_of_an_older_state_is_of_either_kind() -> None:
    """Its ids stood in one list, which did not say which of them are marks."""
    collector = PLAIN.collector()
    collector.add(PLAIN.to_batch(PLAIN.mechanism.privatize([1]), batch_id=b"b" * 16))
    state = collector.state.to_bytes()
    ids = {"lengths": [len(state), 32]}
    older = without_marks(forged(collector.to_bytes(), ids, state + b"b" * 16 + b"m" * 16))
    found = Collector.from_bytes(older, PLAIN)
    assert found.batches == found.marks == {b"b" * 16, b"m" * 16}
    with pytest.raises(ReplayError, match="mark"):
        found.marked(b"m" * 16)
    assert Collector.from_bytes(found.to_bytes(), PLAIN).marks == found.marks
    data = collector.marked(b"m" * 16).to_bytes()
    for number in (-1, 0, 3, 10**30, "1", True, None):
        wrong = forged(data, {"marks": number})
        if number == 0:
            assert len(Collector.from_bytes(wrong, PLAIN).batches) == 2
            continue
        with pytest.raises(ReportError, match="marks"):
            Collector.from_bytes(wrong, PLAIN)


def without_marks(data: bytes) -> bytes:
    """Return a state whose header says nothing of marks, as older versions wrote it."""
    (length,) = struct.unpack_from("<I", data, 10)
    header = json.loads(data[14 : 14 + length])
    del header["marks"]
    text = json.dumps(header).encode()
    whole = data[:10] + struct.pack("<I", len(text)) + text + data[14 + length : -32]
    return whole + hashlib.sha256(whole).digest()
