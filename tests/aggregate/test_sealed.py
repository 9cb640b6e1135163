"""Small states as text: one spelling, and no damage unseen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.sealed import seal, unseal

STATE = {"secret": "ab+/", "reports": 3, "answered": ["00"], "x": 1.5}
TEXT = seal("client", STATE)


def test_a_state_comes_back() -> None:
    assert unseal("client", TEXT) == unseal("client", TEXT.encode()) == STATE
    assert json.loads(TEXT)["state"] == STATE


def test_every_bit_counts() -> None:
    whole = TEXT.encode()
    for place in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            with pytest.raises(ReportError):
                unseal("client", bytes(changed), unsealed=True)


@pytest.mark.parametrize(
    "wrong",
    [
        TEXT + "\n",
        " " + TEXT,
        TEXT[:-1],
        TEXT.replace(": ", ":"),
        TEXT.replace('"x": 1.5', '"x": 1.50'),
        TEXT.replace('"x": 1.5', '"x": 2, "x": 1.5'),
        TEXT.replace("reports", "\\u0072eports"),
        seal("registry", STATE),
        json.dumps(STATE),
        "[" * 100_000,
        '{"a":' * 100_000,
        b"\xff",
        TEXT.encode("utf-16"),
        None,
        7,
    ],
)
def test_other_texts_are_refused(wrong: Any) -> None:
    with pytest.raises(ReportError, match="no saved client"):
        unseal("client", wrong)


def test_a_text_without_a_seal_is_read_where_that_is_asked_for() -> None:
    assert unseal("client", json.dumps(STATE), unsealed=True) == STATE
    with pytest.raises(ReportError, match=r"version 0\.1\.0"):
        unseal("client", json.dumps(STATE))


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 1}', "NaN", "[-Infinity]", "1e999", "[" * 10**5, "1" * 5000, b"\xff", ""],
)
def test_json_of_two_readings_is_none(text: Any) -> None:
    with pytest.raises(NotJsonError):
        read_json(text)
