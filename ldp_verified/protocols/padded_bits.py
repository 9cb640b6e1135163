"""Padding and sampling over bits: sampling succinct histogram, and sampling RAPPOR.

Declared in `spec/protocols/sampling_succinct_histogram.py` and `sampling_rappor.py`. What is
sampled is what `padding` says; it is reported by one random bit, or by one bit for each item.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ldp_verified.protocols.padding import PaddedSampling
from ldp_verified.run.mechanisms import BLH, SUE


class _AtEpsilonItself(PaddedSampling):
    """The base of both protocols, which have the epsilon of the report on the sampled item.

    All items of a set may look alike, so that sampling one of them gains nothing.
    """

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._settle()
        self.inner  # noqa: B018  (what cannot be realized is refused here)

    @property
    def realized_epsilon(self) -> float:
        """Return the epsilon of the report on the sampled item, rounded up."""
        return self.inner.realized_epsilon


@dataclass(frozen=True)
class SamplingSuccinctHistogram(_AtEpsilonItself):
    """Padding and sampling over one random bit: local hashing to two buckets.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        k: how many items there are, at least 2.
        length: the number of places that a set is padded or cut to, at least 1.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int

    law_sha256: ClassVar[str] = "de1cd4419876c0029137443f9dfb6053e75033015e4e8721b0f7f3456a55da81"

    @cached_property
    def inner(self) -> BLH:
        """The bit of the sampled item, of k + length values."""
        return BLH(self.epsilon, self.k + self.length)


@dataclass(frozen=True)
class SamplingRappor(_AtEpsilonItself):
    """Padding and sampling over RAPPOR's bits, without memory: symmetric unary encoding.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        k: how many items there are, at least 2.
        length: the number of places that a set is padded or cut to, at least 1.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int

    law_sha256: ClassVar[str] = "97d56e5c3403fa6ef915850b57be996ad5cba471a17dce0924aa7ce4b32f6744"

    @cached_property
    def inner(self) -> SUE:
        """The bits of the sampled item, of k + length values."""
        return SUE(self.epsilon, self.k + self.length)
