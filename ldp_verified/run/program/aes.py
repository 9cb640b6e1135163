"""AES-256 of one public number as statements of a program, under a public key.

A block is four words of 32 bits, the first byte lowest. The number is public, so that look-ups by
its bytes tell nothing. Source: NIST (2001), FIPS 197, Advanced Encryption Standard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Expression,
    Loop,
    ProgramEntry,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_BYTES: Final = 32
ROUNDS: Final = 14
_WORDS: Final = 4
_ONES: Final = (1 << 32) - 1


def _doubled(byte: int) -> int:
    """X times an element of GF(2^8), modulo X^8 + X^4 + X^3 + X + 1."""
    return (byte << 1) ^ (0x11B if byte >> 7 else 0)


def _s_box() -> tuple[int, ...]:
    """The inverse of each element, then an affine map of its bits."""
    powers = [1]  # of X + 1, whose powers are all elements but 0
    for _ in range(254):
        powers.append(powers[-1] ^ _doubled(powers[-1]))
    places = {power: place for place, power in enumerate(powers)}
    found = []
    for byte in range(256):
        inverse = powers[-places[byte] % 255] if byte else 0
        turned = inverse
        for _ in range(4):
            inverse = (inverse << 1 | inverse >> 7) & 0xFF
            turned ^= inverse
        found.append(turned ^ 0x63)
    return tuple(found)


S_BOX: Final = _s_box()


def _column(byte: int, row: int) -> int:
    """What a byte of row `row` adds to a column: the S-box, then MixColumns."""
    s = S_BOX[byte]
    factors = [_doubled(s), s, s, _doubled(s) ^ s]
    return sum(factors[(j - row) % _WORDS] << (8 * j) for j in range(_WORDS))


_TABLES: Final = tuple(tuple(_column(byte, row) for byte in range(256)) for row in range(_WORDS))


def round_keys(key: bytes) -> tuple[int, ...]:
    """The words of all round keys, the first byte of each lowest.

    Args:
        key: 32 bytes.

    Raises:
        ParameterError: it has another length.
    """
    if len(key) != KEY_BYTES:
        raise ParameterError("key", f"must be {KEY_BYTES} bytes", len(key))
    words = [[*key[i : i + 4]] for i in range(0, KEY_BYTES, 4)]
    constant = 1
    while len(words) < _WORDS * (ROUNDS + 1):
        last = words[-1]
        if len(words) % 8 == 0:
            last = [S_BOX[byte] for byte in (*last[1:], last[0])]
            last[0] ^= constant
            constant = _doubled(constant)
        elif len(words) % 8 == 4:
            last = [S_BOX[byte] for byte in last]
        words.append([a ^ b for a, b in zip(words[-8], last, strict=True)])
    return tuple(int.from_bytes(bytes(word), "little") for word in words)


def encrypted(key: bytes, number: Expression) -> tuple[Block, tuple[Expression, Expression]]:
    """AES-256 of a number as a block: its 8 bytes, the lowest first, then 8 zeros.

    Args:
        key: 32 bytes, public.
        number: below 2^64, public.

    Returns:
        Statements, and the first and the second 8 bytes after them, the first byte lowest.

    Raises:
        ParameterError: the key has another length.
    """
    keys = round_keys(key)
    state = [Variable(f"state_{name}", 1 << 32) for name in "abcd"]
    mixed = [Variable(f"mixed_{name}", 1 << 32) for name in "abcd"]
    turn = Variable("turn", ROUNDS - 1)
    start = (number & _ONES, number >> 32, Constant(0), Constant(0))
    body: Block = tuple(
        Assign(word, value ^ keys[j])
        for j, (word, value) in enumerate(zip(state, start, strict=True))
    )
    one = (
        *(
            Assign(
                mixed[j],
                _looked_up(_TABLES, state, j) ^ ProgramEntry(keys, turn * _WORDS + _WORDS + j),
            )
            for j in range(_WORDS)
        ),
        *(Assign(word, new) for word, new in zip(state, mixed, strict=True)),
    )
    shifted = tuple(tuple(byte << (8 * row) for byte in S_BOX) for row in range(_WORDS))
    last = keys[_WORDS * ROUNDS :]
    body += (
        Loop(turn, ROUNDS - 1, one),
        *(Assign(mixed[j], _looked_up(shifted, state, j) ^ last[j]) for j in range(_WORDS)),
    )
    return body, (mixed[0] | (mixed[1] << 32), mixed[2] | (mixed[3] << 32))


def _looked_up(tables: Sequence[tuple[int, ...]], state: Sequence[Variable], j: int) -> Expression:
    """ShiftRows: byte `row` of column j comes from column j + row."""
    found: Expression = Constant(0)
    for row, table in enumerate(tables):
        byte = (state[(j + row) % _WORDS] >> (8 * row)) & 0xFF
        entry = ProgramEntry(table, byte)
        found = entry if row == 0 else found ^ entry
    return found
