"""AES-256 as statements is the cipher: of numbers under any key, and known values of its parts."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.keyed import keyed_blocks
from ldp_verified.run.program.aes import S_BOX, encrypted, round_keys
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import Constant, Private, Program, Store
from ldp_verified.run.program.interpret import interpret


def program_of(key: bytes) -> Program:
    """The value is the number, and the report both halves of the block."""
    steps, (first, second) = encrypted(key, Private())
    stores = (Store(Constant(0), first), Store(Constant(1), second))
    return check(Program("aes", 1 << 64, 64, 2, 1 << 64, (*steps, *stores)))


def test_it_is_the_cipher(rng: np.random.Generator) -> None:
    """The library's own, of random numbers and of those at the ends."""
    for _ in range(3):
        key = rng.bytes(32)
        drawn = rng.integers(0, 1 << 64, 20, dtype=np.uint64).tolist()
        numbers = [0, 1, (1 << 63) - 2, (1 << 64) - 1, *drawn]
        right = keyed_blocks(key, np.array(numbers, dtype=np.uint64)).tolist()
        made = program_of(key)
        for number, block in zip(numbers, right, strict=True):
            assert interpret(made, number, ()).report == (*block,)


def test_parts_are_those_of_the_standard() -> None:
    """Entries of figure 7, and the first and last words of the expanded key of appendix A.3."""
    assert [S_BOX[each] for each in (0x00, 0x53, 0xFF)] == [0x63, 0xED, 0x16]
    assert sorted(S_BOX) == [*range(256)]
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    words = [word.to_bytes(4, "little").hex() for word in round_keys(key)]
    assert (words[0], words[8], words[-1], len(words)) == ("603deb10", "9ba35411", "706c631e", 60)


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError):
        round_keys(b"short")
