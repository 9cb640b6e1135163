"""Words that depend on a secret and a label: the same each time, and unpredictable without it."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.randomness import AesCtrStream

if TYPE_CHECKING:
    from numpy.typing import NDArray

SECRET_BYTES: Final = 32


class KeyedWords:
    """The AES-256-CTR keystream under the key HMAC-SHA-256(secret, label).

    The same words each time, and unpredictable without the secret. A copy and a pickle go on where
    the original was.

    Args:
        secret: 32 bytes. label: what the words belong to.
        simulated: whether the secret is one that others could know.

    Raises:
        ParameterError: another number of bytes.
    """

    def __init__(self, secret: bytes, label: bytes, *, simulated: bool = False) -> None:
        if len(secret) != SECRET_BYTES:
            raise ParameterError("secret", f"must be {SECRET_BYTES} bytes", len(secret))
        self._arguments = (secret, label)
        self._simulated = simulated
        self._given = 0
        self._stream = AesCtrStream(hmac.digest(secret, label, "sha256"))

    @property
    def simulated(self) -> bool:
        """Return whether the secret is one that others could know."""
        return self._simulated

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite the contiguous 1-D array `out` with the next words of the keystream."""
        self._stream.fill(out)
        self._given += len(out)

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""
        out = np.empty(count, dtype=np.uint64)
        self.fill(out)
        return out

    def __reduce__(self) -> tuple[object, ...]:
        return _going_on, (*self._arguments, self._simulated, self._given)


def keyed_blocks(key: bytes, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """AES-256 of each number as a block of 128 bits: blocks of any numbers, in any order.

    Args:
        key: 32 bytes. numbers: uint64 (n,).

    Returns:
        uint64 (n, 2).

    Raises:
        ParameterError: the key has another length.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if len(key) != SECRET_BYTES:
        raise ParameterError("key", f"must be {SECRET_BYTES} bytes", len(key))
    blocks = np.zeros((len(numbers), 2), dtype="<u8")
    blocks[:, 0] = numbers
    # A block stands alone on purpose: equal numbers have equal columns.
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    found = np.frombuffer(cipher.update(blocks.tobytes()), dtype="<u8")
    return found.astype(np.uint64).reshape(-1, 2)


def _going_on(secret: bytes, label: bytes, simulated: bool, given: int) -> KeyedWords:
    """The stream of `KeyedWords(secret, label)` after that many words."""
    found = KeyedWords(secret, label, simulated=simulated)
    block, rest = divmod(given, 2)
    key = hmac.digest(secret, label, "sha256")
    found._stream = AesCtrStream(key, block.to_bytes(16, "big"))
    found._given = given - rest
    found.words(rest)
    return found
