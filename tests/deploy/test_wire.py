"""Flips, cuts and made-up bytes: none is accepted, and nothing but our own errors comes out."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment, Succession
from ldp_verified.deploy.wire import CRC_BYTES, MAGIC, crc24
from ldp_verified.errors import ReportError
from ldp_verified.protocols import LGRR, DBitFlip, SampleOne
from ldp_verified.run.mechanisms import GRR, OUE, SubsetSelection
from tests.deploy.deployed import DEPLOYMENTS, name_of, reports_of

FLIPS = 60
"""Bits flipped of each form of each deployment, at places that the operating system draws."""


def accepted(deployment: Deployment, data: bytes | str) -> bool:
    try:
        deployment.from_bytes(data)
    except ReportError:
        return False
    return True


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_no_flip_and_no_cut_is_accepted(deployment: Deployment, seed: int) -> None:
    rng = np.random.default_rng(seed)
    reports = reports_of(deployment.mechanism)
    report, batch = deployment.to_bytes(reports)[0], deployment.to_batch(reports)
    text = deployment.to_text(reports)[0]
    for data in (report, batch, text.encode()):
        places = (
            rng.integers(0, 8 * len(data), FLIPS) if data is not report else range(8 * len(data))
        )
        for place in places:
            changed = bytearray(data)
            changed[place // 8] ^= 1 << (place % 8)
            made: Any = bytes(changed)
            if data[:1] == b"{":
                made = made.decode("latin-1")
            assert not accepted(deployment, made), place
        for length in {0, 1, len(data) - 1, *rng.integers(0, len(data), 9).tolist()}:
            assert not accepted(deployment, data[:length])
            assert not accepted(deployment, data[:length].decode("latin-1"))
        assert not accepted(deployment, data + b"\0")


def signed(body: bytes) -> bytes:
    """A report with a checksum that fits."""
    found = int(crc24(np.frombuffer(body, np.uint8)[np.newaxis])[0])
    return body + found.to_bytes(CRC_BYTES, "big")


def forged(deployment: Deployment, payload: bytes, version: int = 1) -> bytes:
    return signed(bytes([version]) + deployment.digest[:8] + payload)


def test_a_forgery_without_fault_is_read() -> None:
    deployment = Deployment(GRR(1.0, 50))
    assert deployment.from_bytes(forged(deployment, b"\x31")).data.tolist() == [49]


NUMBER = (1).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("made", "payload", "message"),
    [
        (GRR(1.0, 50), b"\x32", "below 50"),
        (GRR(1.0, 50), b"\x71", "beyond bit 5"),
        (OUE(1.0, 3), b"\x08", "beyond bit 2"),
        (SubsetSelection(1.0, 20), b"\0\0\0", "sets of"),
        (DBitFlip(2.0, 30, 10, 3), NUMBER + b"\0\0", "rising order"),
        (DBitFlip(2.0, 30, 10, 3), NUMBER + b"\xff\x7f", "below 20"),
        (LGRR(4.0, 1.0, 9), b"\0\0\0\0\x01", "number of at least 1"),
        (LGRR(4.0, 1.0, 9), NUMBER + b"\x09", "below 9"),
        (SampleOne(2.0, (3, 70, 5)), b"\x03\0", "below 3"),
        (SampleOne(2.0, (3, 70, 5)), b"\x10\0", "beyond the bits"),
        (SampleOne(2.0, (3, 70, 5)), b"\x0c\0", "below 3"),
    ],
)
def test_payloads_out_of_range_are_refused(made: Any, payload: bytes, message: str) -> None:
    deployment = Deployment(made)
    payload = payload[: deployment.payload_bytes].ljust(deployment.payload_bytes, b"\0")
    with pytest.raises(ReportError, match=message):
        deployment.from_bytes(forged(deployment, payload))


@pytest.mark.parametrize("version", [0, 2, 127, 128, 130, 255])
def test_other_versions_are_refused_by_name(version: int) -> None:
    deployment = Deployment(GRR(1.0, 50))
    with pytest.raises(ReportError, match="format version 1"):
        deployment.from_bytes(forged(deployment, b"\x01", version))


def batch_of(deployment: Deployment, n: int, payload: bytes, version: int = 1) -> bytes:
    """A batch with a checksum that fits."""
    head = struct.pack("<8sB32s16sQ", MAGIC, version, deployment.digest, bytes(16), n)
    return head + payload + hashlib.sha256(head + payload).digest()


def test_batches_that_are_no_batches() -> None:
    deployment = Deployment(GRR(1.0, 50))
    assert len(deployment.from_bytes(batch_of(deployment, 2, b"\1\2"))) == 2
    assert len(deployment.from_bytes(batch_of(deployment, 0, b""))) == 0
    for n, payload, version, message in (
        (1, b"\1\2", 1, "must hold n = 1"),
        (3, b"\1\2", 1, "must hold n = 3"),
        (2**64 - 1, b"", 1, "must hold n"),
        (2, b"\1\2", 2, "format version"),
        (2, b"\1\x32", 1, "below 50"),
        (2, b"\1\x40", 1, "beyond bit 5"),
    ):
        with pytest.raises(ReportError, match=message):
            deployment.from_bytes(batch_of(deployment, n, payload, version))


def test_texts_in_another_spelling_are_refused() -> None:
    deployment = Deployment(GRR(1.0, 50))
    text = deployment.to_text(deployment.mechanism.privatize(3))[0]
    record = json.loads(text)
    assert accepted(deployment, text)
    for wrong in (
        json.dumps(record, sort_keys=True),
        json.dumps(record, separators=(",", ":")),
        json.dumps(record | {"version": 1.0}),
        json.dumps(record | {"version": "1"}),
        json.dumps(record | {"version": 400}),
        json.dumps(record | {"version": -1}),
        json.dumps(record | {"simulated": 0}),
        json.dumps(record | {"payload": record["payload"] + " "}),
        json.dumps(record | {"payload": record["payload"].upper() + "A"}),
        json.dumps(record | {"payload": None}),
        json.dumps(record | {"deployment": "00" * 8}),
        json.dumps(record | {"crc24": record["crc24"][:4]}),
        json.dumps(record | {"more": 1}),
        text.replace("{", '{"version": 1, '),
        *("", "{}", "[]", "null", "[" * 100_000),
    ):
        assert not accepted(deployment, wrong), wrong[:80]


@pytest.mark.parametrize("wrong", [None, 7, [b"a"], np.zeros(13, np.uint8), 1.5])
def test_only_bytes_and_texts_are_read(wrong: Any) -> None:
    with pytest.raises(ReportError, match="data: must be bytes"):
        Deployment(GRR(1.0, 50)).from_bytes(wrong)


def test_the_formats_are_fixed_for_good() -> None:
    """Bytes of the first release: every later one has to read and write them."""
    deployment = Deployment(GRR(1.0, 50), program=1, accepts=(1,))
    reports = deployment.mechanism.reports(np.array([49, 0]), simulated=False)
    tag = deployment.digest[:8]
    assert tag.hex() == "76a557f970d2ad1e"
    assert deployment.to_bytes(reports)[0] == signed(b"\x01" + tag + b"\x31")
    batch = deployment.to_batch(reports, bytes(range(16)))
    assert batch[:-32] == (
        b"LDPBATCH\x01" + deployment.digest + bytes(range(16)) + b"\2\0\0\0\0\0\0\0" + b"\x31\0"
    )
    assert crc24(np.frombuffer(b"123456789", np.uint8)[np.newaxis]).tolist() == [0x21CF02]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=name_of)
def test_bytes_of_each_type_are_read(deployment: Deployment, kind: Any) -> None:
    """Reports and batches, by collectors and successions; a view of every second byte, too."""
    reports = reports_of(deployment.mechanism)
    batch = deployment.to_batch(reports)
    simulated = deployment.read(batch)[1].simulated
    for data in (batch, deployment.to_bytes(reports)[0]):
        n = len(deployment.read(data)[1].payload)
        collector = deployment.collector(simulated=simulated)
        assert collector.add(kind(data)) == n
        whole = Succession(deployment.collector(simulated=simulated), [])
        assert whole.add(kind(data)) == n
        if kind is memoryview:
            spread = bytearray(2 * len(data))
            spread[::2] = data
            assert deployment.collector(simulated=simulated).add(kind(spread)[::2]) == n
        with pytest.raises(ReportError, match="is damaged"):
            collector.add(kind(data[:-1] + bytes([data[-1] ^ 1])))
