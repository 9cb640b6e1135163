"""Sources of simulated words that a programmer could have got wrong.

The first is what this package did once: the words of a seed were those that `default_rng(seed)`
gives to whoever draws the data. A test of seeds has to reject them all.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.kernels.keyed import KeyedWords

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RawWords:
    """The words of a numpy generator themselves.

    Args:
        generator: which one.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    @property
    def simulated(self) -> bool:
        """True."""
        return True

    def fill(self, out: NDArray[np.uint64]) -> None:
        """Overwrite `out` with the generator's next words."""
        out[...] = self.words(len(out))

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words, as a new array."""
        return np.asarray(self._generator.bit_generator.random_raw(count), dtype=np.uint64)


def raw(rng: Any) -> RawWords:
    """The source of a seed, or of a generator, without a hash."""
    return RawWords(np.random.default_rng(rng))


def raw_generator(rng: Any, purpose: str, *of: Any) -> np.random.Generator:
    """Stand in for `numpy_generator`: return the generator itself."""
    del purpose, of
    return np.random.default_rng(rng)


class WithoutDomain(KeyedWords):
    """Hashed, but the same for every mechanism and purpose."""

    def __init__(self, secret: bytes, label: bytes, *, simulated: bool = False) -> None:
        del label
        super().__init__(secret, b"", simulated=simulated)


class WithoutParameters(KeyedWords):
    """Hashed, but the same for all parameters of a mechanism."""

    def __init__(self, secret: bytes, label: bytes, *, simulated: bool = False) -> None:
        super().__init__(secret, label.partition(b", [")[0], simulated=simulated)


def secret_of_the_state(rng: Any, rule: str) -> bytes:
    """Stand in for `_secret`: read a generator's state without advancing it."""
    del rule
    state = rng.bit_generator.state if isinstance(rng, np.random.Generator) else rng
    return hashlib.sha256(repr(state).encode()).digest()


def secret_of_few_bits(rng: Any, rule: str) -> bytes:
    """Stand in for `_secret`: treat seeds that differ beyond 32 bits as one."""
    del rule
    seed = rng if not isinstance(rng, np.random.Generator) else rng.bit_generator.random_raw()
    return hashlib.sha256(b"%d" % (int(seed) % 2**32)).digest()
