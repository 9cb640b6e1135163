"""LOLOHA: a public hash function for each user, then k-ary response twice over its g buckets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.longitudinal import Choice, Longitudinal, frequency_oracle
from ldp_verified.protocols.second_step import (
    WIDTH,
    check_epsilons,
    epsilon_of,
    kept_variances,
    response_client,
    second_lie,
    twice,
)
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.layouts import HashLayout
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.family import (
    MOST_BUCKETS,
    MOST_VALUES,
    bucket_of,
    digit_base,
    digit_count,
)
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.mechanisms import GRR, OLH
from ldp_verified.run.program.memory import hashed_twice
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.values import Categories

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import FrequencyOracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program


@dataclass(frozen=True)
class LOLOHA(Longitudinal):
    """Permanent answers belong to buckets, of which a client has g, whatever the number of values.

    So all that it ever reports costs g epsilon_permanent at most (if it is known when its value
    went to another bucket), where L-GRR's can cost k times that. The one-report table is that of
    OLH with the same g, at epsilon_report.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values.
        g: the number of buckets, 2..65536; 0, the default, for the best for one report at f = 0,
            which is OLH's for epsilon_report. 2 is BiLOLOHA, of the least cost over changing
            values.
        categories: labels of the values, or None.

    Raises:
        ParameterError: a number out of range, or epsilon_report not below epsilon_permanent.
    """

    epsilon_permanent: float
    epsilon_report: float
    k: int
    g: int = 0
    categories: Categories | None = None

    law_sha256: ClassVar[str] = "08308092babdc7de7f7e7d8d9befff8e6a2e3f6609abf5d3b4229f55de0d66b3"

    def __post_init__(self) -> None:
        """Check the numbers and solve for the second step."""
        ever, once = check_epsilons(self.epsilon_permanent, self.epsilon_report)
        k = check_integer("k", self.k, 2, MOST_VALUES)
        unsaid = type(self.g) is int and self.g == 0
        g = OLH(once, k).buckets if unsaid else check_integer("g", self.g, 2, MOST_BUCKETS)
        self._settle(epsilon_permanent=ever, epsilon_report=once, k=k, g=g)
        self.thresholds  # noqa: B018  (what cannot be solved is refused here)

    @cached_property
    def first(self) -> GRR:
        """The permanent step, over the buckets."""
        return GRR(self.epsilon_permanent, self.g)

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """The lies of both steps, out of 2^64."""
        return *self.first.thresholds, second_lie(self.first, self.g, self.epsilon_report)

    @cached_property
    def _base(self) -> int:
        return digit_base(self.g)

    @property
    def cells(self) -> tuple[Fraction, Fraction]:
        """(P(the value's bucket), P(each other one)) of one report, the function given."""
        lie = Fraction(self.thresholds[-1], 1 << WIDTH)
        return twice((self.first.p, self.first.q), lie, self.g)

    @property
    def shared_variances(self) -> tuple[Fraction, Fraction]:
        """The shared variances of `Longitudinal`, also over the draw of the function."""
        apart = self.first.p - Fraction(1, self.g)
        return kept_variances(Fraction(1, self.g), self.first.p, apart)

    def program(self) -> Program:
        """Words for the function, once; then as `LGRR` over the buckets."""
        digits, base = digit_count(self.k, self.g), digit_base(self.g)
        lies = self.thresholds[0], self.thresholds[-1]
        return hashed_twice("loloha", self.k, self.g, base, digits, lies)

    @property
    def realized_permanent(self) -> float:
        """Realized epsilon of all reports ever on one value, rounded up."""
        return self.first.realized_epsilon

    @cached_property
    def realized_report(self) -> float:
        """Realized epsilon of one report, rounded up."""
        own, other = self.cells
        return epsilon_of(own / other)

    @property
    def bits_per_report(self) -> int:
        """Bits of the function's coefficients and a bucket."""
        return (digit_count(self.k, self.g) + 1) * (self.g - 1).bit_length()

    @property
    def memories(self) -> int:
        """The number of permanent answers of a client: one for each bucket."""
        return self.g

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts with p* and q* = 1/g: over the draw of the functions."""
        layout = HashLayout(self.k, self.g)
        cells = (self.cells[0], Fraction(1, self.g))
        return frequency_oracle(self.identity, layout, *cells, self._given_labels)

    def draw_choice(self, source: WordSource) -> Choice:
        """The coefficients of a uniform function of the balanced digit family.

        Args:
            source: of random words.
        """
        return tuple(uniform_numbers(digit_count(self.k, self.g), self.g, source).tolist())

    def check_choice(self, choice: object) -> Choice:
        """A tuple of as many coefficients in 0..g-1.

        Args:
            choice: what a client says that it drew.

        Raises:
            ParameterError: it is none.
        """
        digits = digit_count(self.k, self.g)
        if not isinstance(choice, tuple) or len(choice) != digits:
            raise ParameterError("choice", f"must be a tuple of {digits} coefficients", choice)
        return tuple(check_integer("choice", a, 0, self.g - 1) for a in choice)

    @staticmethod
    def choice_in(report: list[int]) -> Choice:
        """The coefficients before the bucket.

        Args:
            report: of this protocol.
        """
        return tuple(report[:-1])

    def memory(self, value: int, choice: Choice) -> int:
        """The value's bucket, whose permanent answer stands for the value."""
        return bucket_of(choice, value, self.g, self._base)

    def permanent(self, memory: int, choice: Choice, source: WordSource) -> NDArray[Any]:
        """The first k-ary response over the buckets, shape (1,)."""
        del choice
        answer: NDArray[Any] = self.first.sampler().draw(np.array([memory]), source)
        return answer

    def instantaneous(
        self, answer: NDArray[Any], choice: Choice, source: WordSource
    ) -> NDArray[Any]:
        """The coefficients and the second response, shape (1, m + 1)."""
        buckets = grr(answer, self.g, self.thresholds[-1], source, WIDTH)
        chosen = np.broadcast_to(np.array(choice), (len(buckets), len(choice)))
        return np.column_stack([chosen, buckets]).astype(smallest_dtype(self.g))

    def answering(self, choice: Choice) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """The second response, by its program, after the coefficients."""
        report = response_client(self.g, self.thresholds[-1])
        row = np.array([[*choice, 0]], smallest_dtype(self.g))

        def drawn(answer: NDArray[Any]) -> NDArray[Any]:
            found = row.copy()
            found[0, -1] = report(answer.item())
            return found

        return drawn
