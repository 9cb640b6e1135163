"""States as bytes: nothing lost, nothing foreign taken, no damage unseen."""

from __future__ import annotations

import hashlib
import json
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import State
from ldp_verified.run.aggregate.serial import unpack
from tests.aggregate.oracles import oracle

ORACLE = oracle()
LARGEST = 2**63 - 1


@st.composite
def states(draw: st.DrawFn) -> State:
    n = draw(st.one_of(st.integers(0, 1000), st.integers(0, LARGEST)))
    ends = sorted(draw(st.lists(st.integers(0, n), min_size=2, max_size=2)))
    counts = [ends[0], ends[1] - ends[0], n - ends[1]]
    return State(ORACLE, n, np.array(counts, dtype=np.int64), draw(st.booleans()))


@given(states())
def test_bytes_give_the_state_back(state: State) -> None:
    data = state.to_bytes()
    again = State.from_bytes(data, ORACLE)
    assert again == state
    assert again.to_bytes() == data
    assert State.from_bytes(memoryview(bytearray(data)), ORACLE) == state  # type: ignore[arg-type]  # any buffer serves


@given(states(), states())
def test_states_that_differ_have_other_bytes(a: State, b: State) -> None:
    assert (a.to_bytes() == b.to_bytes()) == (a == b)


@given(states(), states())
def test_states_merge_after_a_journey_as_before(a: State, b: State) -> None:
    if a.n + b.n <= LARGEST and a.simulated == b.simulated:
        journey = [State.from_bytes(each.to_bytes(), ORACLE) for each in (a, b)]
        assert journey[0].merge(journey[1]) == a.merge(b)


@given(states(), st.data())
def test_every_change_of_one_byte_is_seen(state: State, data: st.DataObject) -> None:
    whole = bytearray(state.to_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ReportError, match="data: is"):
        State.from_bytes(bytes(whole), ORACLE)


def test_every_place_and_bit_matters() -> None:
    whole = State(ORACLE, 6, np.array([1, 0, 5])).to_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            with pytest.raises(ReportError):
                State.from_bytes(bytes(changed), ORACLE)


@given(states(), st.data())
def test_pieces_and_additions_are_refused(state: State, data: st.DataObject) -> None:
    whole = state.to_bytes()
    end = data.draw(st.integers(0, len(whole) - 1))
    start = data.draw(st.integers(1, len(whole)))
    for wrong in (whole[:end], whole[start:], whole + b"\0", whole + whole, whole[:end] + whole):
        if wrong != whole:
            with pytest.raises(ReportError):
                State.from_bytes(wrong, ORACLE)


@given(st.binary(max_size=200), st.booleans())
def test_other_bytes_are_refused(noise: bytes, magic: bool) -> None:
    with pytest.raises(ReportError):
        State.from_bytes(b"LDPSTATE" * magic + noise, ORACLE)


@pytest.mark.parametrize("other", [oracle(p_star=Fraction(1, 2)), oracle(k=4)])
def test_states_of_others_are_refused(other: Any) -> None:
    with pytest.raises(ReportError, match="data: is foreign"):
        State.from_bytes(State(other).to_bytes(), ORACLE)


THREE = np.array([1, 0, 2]).tobytes()


def forged(
    change: dict[str, Any], counters: bytes = THREE, version: int = 2, header: bytes = b""
) -> bytes:
    """Bytes with a valid checksum that no state gave."""
    whole = State(ORACLE, 3, np.array([1, 0, 2])).to_bytes()
    _, _, length = struct.unpack_from("<8sHI", whole)
    record = json.loads(whole[14 : 14 + length]) | change
    text = header or json.dumps(record).encode()
    body = struct.pack("<8sHI", b"LDPSTATE", version, len(text)) + text + counters
    return body + hashlib.sha256(body).digest()


def test_a_forgery_without_changes_is_a_state() -> None:
    assert State.from_bytes(forged({}), ORACLE) == State(ORACLE, 3, np.array([1, 0, 2]))


def test_a_state_of_version_0_1_0_is_refused_by_name() -> None:
    header = (
        b'{"counters": 3, "mechanism": "Drawn", "n": 3, "parameters": {"k": 3}, "simulated": false,'
        b' "spec_hash": "", "thresholds": [750, 125]}'
    )
    with pytest.raises(ReportError, match=r"format version 1, which software version 0\.1\.0"):
        State.from_bytes(forged({}, version=1, header=header), ORACLE)


HEADER = (
    b'{"counters": 3, "kind": "counts", "mechanism": "Drawn", "n": 3, "parameters": {"k": 3},'
    b' "simulated": false, "law_hash": "", "thresholds": [750, 125]}'
)
TWICE = HEADER.replace(b'"n": 3', b'"n": 4, "n": 3')


def test_the_header_without_its_second_n_is_one() -> None:
    assert State.from_bytes(forged({}, header=HEADER), ORACLE).n == 3


@pytest.mark.parametrize(
    "wrong",
    [
        forged({}, version=3),
        forged({}, version=0),
        forged({}, header=b"{"),
        forged({}, header=b"[]"),
        forged({}, header=b"\xff"),
        forged({"kind": "means"}),
        forged({"kind": None}),
        forged({"mechanism": 3}),
        forged({"parameters": []}),
        forged({"parameters": {"k": True}}),
        forged({"parameters": {"k": None}}),
        forged({"law_hash": None}),
        forged({"thresholds": ["750", 125]}),
        forged({"thresholds": 5}),
        forged({"n": "3"}),
        forged({"n": True}),
        forged({"n": -1}),
        forged({"n": 2**63}),
        forged({"simulated": 0}),
        forged({"counters": 4}),
        forged({"counters": 2}, bytes(16)),
        forged({"counters": 2}),
        forged({}, bytes(23)),
        forged({}, np.array([0, -1, 0]).tobytes()),
        forged({}, np.array([0, 4, 0]).tobytes()),
        forged({}, np.array([0, 3, -1]).tobytes()),
        forged({}, bytes(24)),
        forged({}, np.array([3, 3, 3]).tobytes()),
        forged({"n": 2**62}),
        forged({"n": 10**400}),
        forged({"parameters": {"k": float("inf")}}),
        forged({}, header=TWICE),
        forged({}, header=b"[" * 200_000),
        forged({}, header=b'{"n":' * 200_000),
    ],
)
def test_contents_that_are_no_state_are_refused(wrong: bytes) -> None:
    with pytest.raises(ReportError):
        State.from_bytes(wrong, ORACLE)


@pytest.mark.parametrize("wrong", ["text", None, 7, [76]])
def test_only_bytes_are_taken(wrong: Any) -> None:
    with pytest.raises(ReportError, match="data: must be bytes"):
        unpack(wrong)


def test_the_format_is_fixed_for_good() -> None:
    data = State(ORACLE, 6, np.array([1, 0, 5]), simulated=True).to_bytes()
    header = (
        b'{"counters": 3, "kind": "counts", "law_hash": "", "mechanism": "Drawn", "n": 6,'
        b' "parameters": {"k": 3}, "simulated": true, "thresholds": [750, 125]}'
    )
    expected = b"LDPSTATE" + b"\x02\x00" + len(header).to_bytes(4, "little") + header
    expected += b"".join(count.to_bytes(8, "little") for count in (1, 0, 5))
    assert data == expected + hashlib.sha256(expected).digest()
