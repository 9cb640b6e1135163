"""Words that follow from a key: as HMAC-SHA-256 has them, or one by one."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Key, Recall, Variable
from ldp_verified.run.program.keyed import KEY_CELLS, ROUNDS, START, keyed_word
from ldp_verified.run.program.keyed_bits import keyed_bits

SETS = [[(0,), ()]]


def hmac_by_its_definition(secret: bytes, text: bytes) -> bytes:
    """RFC 2104, for keys that are shorter than a block of 64 bytes."""
    padded = [bytes(byte ^ pad for byte in secret.ljust(64, b"\0")) for pad in (0x36, 0x5C)]
    return hashlib.sha256(padded[1] + hashlib.sha256(padded[0] + text).digest()).digest()


def test_a_word_is_the_beginning_of_hmac() -> None:
    cells = [7, *range(100, 100 + KEY_CELLS)]
    secret = struct.pack("<8I", *cells[1:])
    for number in (0, 1, 255, 256, 2**32 - 1):
        right = hmac_by_its_definition(secret, struct.pack("<Q", number))[:8]
        assert keyed_word(Key(1, KEY_CELLS), cells, number) == int.from_bytes(right, "little")


def test_constants_of_sha_256() -> None:
    """The first and last of each list, as FIPS 180-4 prints them."""
    assert (START[0], START[7], len(START)) == (0x6A09E667, 0x5BE0CD19, 8)
    assert (ROUNDS[0], ROUNDS[63], len(ROUNDS)) == (0x428A2F98, 0xC67178F2, 64)


def test_a_listed_key_gives_its_own_words() -> None:
    assert [keyed_word(Key(2, 3, True), [9, 9, 4, 0, 6], n) for n in range(3)] == [4, 0, 6]


@pytest.mark.parametrize(
    "key", [None, Key(2, 8), Key(1, 9), Key(1, 7), Key(0, 8, True), Key(9, 8, True)]
)
def test_keys_that_do_not_fit_are_refused(key: Key | None) -> None:
    """Of 9 cells 8 are the key; as a list it would have a word for every number below 2^32."""
    right = keyed_bits("rappor", SETS, 2, (3, 1), (3, 1))
    assert right.key == Key(1, 8)
    with pytest.raises(ParameterError, match=r"key|kept_below"):
        check(replace(right, key=key))


def test_a_word_that_a_listed_key_does_not_have_is_refused() -> None:
    right = keyed_bits("rappor", SETS, 2, (3, 1), (3, 1), 2, 2)
    beyond = Recall(Variable("word", 4), Constant(4))
    with pytest.raises(ParameterError, match="index"):
        check(replace(right, body=(*right.body, beyond)))
