"""Values of 128 bits: short strings, each with an encoding of its own, and integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, type_name
from ldp_verified.run.realize.values import MOST_LABELS, as_list, is_integer_array, wrong_type
from ldp_verified.scalars import size_of, utf8_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 15
"""Bytes of a string, at most: the last byte holds how many there are."""

_NOTHING = np.empty((0, 2), dtype=np.uint64)


def listed(argument: str, values: object) -> list[Any]:
    """Return values as a list: those of a list, tuple, range, array, or column of Arrow or pandas.

    Raises:
        DomainError: something else, masked, of several axes, with a null, or a range of more than
            2^24 numbers.
    """
    if isinstance(values, range) and size_of(values) > MOST_LABELS:
        raise DomainError(argument, f"must be at most {MOST_LABELS} values")
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        from ldp_verified.run.realize import columns

        return columns.labels_of(values)
    if isinstance(values, np.ndarray | np.generic) and (
        values.ndim != 1 or values.dtype.kind not in "iuU"
    ):
        rule = "must be several strings or integers, along one axis"
        raise DomainError(argument, rule, type_name(np.asarray(values)))
    return as_list(values, argument, DomainError)


def encode_texts(argument: str, values: object) -> NDArray[np.uint64]:
    """Strings as 128-bit numbers: up to 15 bytes of UTF-8, zeros, and the number of bytes.

    Different strings have different encodings, also where they hold NUL.

    Args:
        argument: what messages call the values. values: several `str`; see `listed`.

    Returns:
        uint64 (n, 2), the upper half first.

    Raises:
        DomainError: something else, or one is too long or no text; it is not shown.
    """
    items = listed(argument, values)
    if wrong_type(items, (str,)) is not None:
        raise DomainError(argument, "must be strings")
    blocks = []
    for value in items:
        raw = utf8_of(value)
        if raw is None:
            raise DomainError(argument, "must be text that UTF-8 can hold")
        if len(raw) > LONGEST:
            raise DomainError(argument, f"must have at most {LONGEST} bytes in UTF-8")
        blocks.append(raw.ljust(LONGEST, b"\0") + bytes([len(raw)]))
    if not blocks:
        return _NOTHING
    return np.frombuffer(b"".join(blocks), dtype=">u8").reshape(-1, 2).astype(np.uint64)


def decode_text(value: NDArray[np.uint64]) -> str | None:
    """The string of an encoding, uint64 (2,); None where no string has it."""
    raw = value.astype(">u8").tobytes()
    length = raw[LONGEST]
    if length > LONGEST or any(raw[length:LONGEST]):
        return None
    try:
        return raw[:length].decode()
    except UnicodeDecodeError:
        return None


def encode_integers(argument: str, values: object, bits: int) -> NDArray[np.uint64]:
    """Integers in 0..2^bits - 1 as the first `bits` of 128 bits.

    Args:
        argument: what messages call the values. values: several integers; see `listed`.
        bits: of a value, 2..128.

    Returns:
        uint64 (n, 2), the upper half first.

    Raises:
        DomainError: something else than integers, or one out of range; it is not shown.
    """
    if is_integer_array(values):
        return _from_array(argument, values, bits)
    items = listed(argument, values)
    if wrong_type(items, (int, np.integer)) is not None:
        raise DomainError(argument, "must be integers")
    found = []
    for value in items:
        number = int(value)
        if not 0 <= number < 1 << bits:
            raise DomainError(argument, f"must be integers in 0..2^{bits} - 1")
        moved = number << (128 - bits)
        found.append((moved >> 64, moved & (1 << 64) - 1))
    return np.array(found, dtype=np.uint64).reshape(-1, 2)


def _from_array(argument: str, values: NDArray[np.integer], bits: int) -> NDArray[np.uint64]:
    if len(values) and (int(values.min()) < 0 or int(values.max()) >= 1 << bits):
        raise DomainError(argument, f"must be integers in 0..2^{bits} - 1")
    whole = values.astype(np.uint64)
    found = np.zeros((len(whole), 2), dtype=np.uint64)
    if bits <= 64:
        found[:, 0] = whole << np.uint64(64 - bits)
    elif bits == 128:
        found[:, 1] = whole
    else:
        found[:, 0] = whole >> np.uint64(bits - 64)
        found[:, 1] = whole << np.uint64(128 - bits)
    return found


def decode_integer(value: NDArray[np.uint64], bits: int) -> int:
    """The integer of an encoding, uint64 (2,)."""
    return (int(value[0]) << 64 | int(value[1])) >> (128 - bits)
