"""One attribute by unary encoding among fake bits, not said which: RS+FD with UE-z and UE-r.

The tables are those of `spec/attribute_bits.py`, for any number of attributes of any sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.attribute_fakes import AmongFakes
from ldp_verified.protocols.second_step import WIDTH, epsilon_of
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.mechanisms import OUE, SUE
from ldp_verified.run.program.fakes import bits_among_fakes
from ldp_verified.run.program.groups import InnerProgram, digits_of
from ldp_verified.run.program.schemes import one_hot as one_hot_program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program

FAKES = ("zeros", "values")

BitsProgram = Callable[[OUE | SUE, bool], "Program"]
"""(the encoding of an attribute, whether a value is held) -> the program of its bits."""


def bits_program(part: OUE | SUE, held: bool) -> Program:
    """The program of an encoding with its thresholds.

    Args:
        part: the encoding. held: whether a value is; else all bits are drawn as zeros.
    """
    one, zero = part.thresholds
    return one_hot_program(part.name, part.k, one if held else zero, zero)


@dataclass(frozen=True)
class SampleAmongFakeBits(AmongFakes):
    """One attribute by unary encoding at all of epsilon, fake bits for the others (RS+FD).

    Which one is not said. Against any two tuples that hides nothing: epsilon is that of the unary
    encoding, and `SampleOne` estimates better at the same price.

    Attributes:
        epsilon: of the whole tuple, at most.
        sizes: the number of values of each attribute.
        make: `OUE` or `SUE`.
        fakes: "zeros", a vector of zeros randomized (UE-z); or "values", that of a uniform value
            randomized (UE-r).

    Raises:
        ParameterError: a number out of range, or another encoding or kind of fakes.
    """

    make: type[OUE | SUE] = OUE
    fakes: str = "zeros"

    def __post_init__(self) -> None:
        """Check the arguments."""
        super().__post_init__()
        if self.make is not OUE and self.make is not SUE:
            raise ParameterError("make", "must be OUE or SUE", self.make)
        if not isinstance(self.fakes, str) or self.fakes not in FAKES:
            raise ParameterError("fakes", f"must be one of {', '.join(FAKES)}", self.fakes)
        self.parts  # noqa: B018  (sizes that cannot be encoded are refused here)

    @cached_property
    def parts(self) -> tuple[OUE | SUE, ...]:
        """The unary encoding of each attribute. All have the same two thresholds."""
        return tuple(self.make(self.epsilon, k) for k in self.ks)

    @property
    def realized_epsilon(self) -> float:
        """Return the realized epsilon of any two tuples, rounded up: that of the unary encoding."""
        return self.parts[0].realized_epsilon

    @cached_property
    def realized_in_one(self) -> float:
        """Return the realized epsilon of two tuples that differ in one attribute, rounded up.

        It is not a guarantee for whoever wants the whole tuple protected.
        """
        ratios = [self._in_one(j) for j in range(len(self.ks))]
        return epsilon_of(max(ratios))

    def _in_one(self, attribute: int) -> Fraction:
        """The largest ratio where this attribute differs.

        L(1) and L(0) are P(bit|1)/P(bit|0) for a bit that is 1, and 0. A report with m ones among k
        bits is a fake with m L(1) + (k - m) L(0) over k, or 1 where fakes come from zeros. The
        ratio is largest if the other attributes hide as little as they can: the bit of the value 0,
        all others 1; and if the bit of x alone is 1 in this one.
        """
        one, zero = self.parts[0].p, self.parts[0].q
        yes, no = one / zero, (1 - one) / (1 - zero)

        def weight(k: int, ones: int) -> Fraction:
            return Fraction(1) if self.fakes == "zeros" else (ones * yes + (k - ones) * no) / k

        others = sum(
            (no / weight(k, k - 1) for j, k in enumerate(self.ks) if j != attribute), Fraction(0)
        )
        here = weight(self.ks[attribute], 1)
        return (yes / here + others) / (no / here + others)

    def program(self, of: BitsProgram = bits_program) -> Program:
        """The program of a client in another language: the bits of each attribute.

        Args:
            of: the program of an encoding, and of bits that are all drawn as those of values that
                are not held; by default those with its thresholds.
        """
        parts = [
            InnerProgram(of(part, True), digit)
            for part, digit in zip(self.parts, digits_of(self.ks), strict=True)
        ]
        zeros = [of(part, False) for part in self.parts] if self.fakes == "zeros" else None
        return bits_among_fakes("sample_among_fake_bits", prod(self.ks), parts, zeros)

    def _drawn(
        self, attribute: int, values: NDArray[np.int64], own: NDArray[np.bool_], source: WordSource
    ) -> NDArray[np.uint64]:
        part = self.parts[attribute]
        one, zero = part.thresholds
        encoded = one_hot(values, part.k)
        if self.fakes == "zeros":
            encoded[~own] = 0
        else:
            drawn = uniform_numbers(len(values), part.k, source)
            encoded[~own] = one_hot(drawn[~own], part.k)
        return randomize_bits(encoded, part.k, one, zero, source, WIDTH)

    def _fakes(self, attribute: int) -> tuple[SupportLayout, Fraction]:
        part = self.parts[attribute]
        mean = (part.p + (part.k - 1) * part.q) / part.k
        return BitLayout(part.k), part.q if self.fakes == "zeros" else mean

    def _further(self) -> dict[str, Scalar]:
        return {"make": self.parts[0].name, "fakes": self.fakes}


def one_hot(values: NDArray[np.int64], k: int) -> NDArray[np.uint64]:
    """Packed one-hot bits of integers in 0..k-1, shape (n, ceil(k/64))."""
    packed = np.zeros((len(values), -(-k // 64)), dtype=np.uint64)
    places = np.arange(len(values)), values // 64
    packed[places] = np.uint64(1) << (values % 64).astype(np.uint64)
    return packed
