"""One attribute among fakes, not said which: RS+FD with k-ary randomized response.

The tables are those of `spec/attributes.py`, for any number of attributes of any sizes.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ldp_verified.protocols.attributes import Attributes
from ldp_verified.protocols.longitudinal import frequency_oracle
from ldp_verified.protocols.report_rows import reports_on_each
from ldp_verified.protocols.second_step import epsilon_of
from ldp_verified.protocols.tuple_state import TupleState, empty_states
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.fakes import one_among_fakes
from ldp_verified.run.program.groups import InnerProgram, digits_of
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.values import digest_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Scalar
    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.aggregate.oracle import FrequencyOracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.mechanisms import OUE, SUE
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTuples


class AmongFakes(Attributes):
    """A report on every attribute, of which one is true and the others are fakes (RS+FD)."""

    @property
    @abstractmethod
    def parts(self) -> tuple[GRR | OUE | SUE, ...]:
        """The mechanism of each attribute, at all of epsilon."""

    def reports(self, data: object, *, simulated: bool) -> tuple[Reports, ...]:
        """Reports from the numbers that clients of `program` give.

        Args:
            data: integers of shape (n, numbers of a report). simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        made = [(oracle.layout, oracle.identity) for oracle in self.oracles]
        return reports_on_each(data, made, simulated)

    @abstractmethod
    def _drawn(
        self, attribute: int, values: NDArray[np.int64], own: NDArray[np.bool_], source: WordSource
    ) -> NDArray[Any]:
        """Reports on one attribute: of the values where `own`, fakes elsewhere."""

    @abstractmethod
    def _fakes(self, attribute: int) -> tuple[SupportLayout, Fraction]:
        """How reports on an attribute lie, and P(a fake supports v), for any v."""

    def privatize(self, values: UserTuples, rng: Rng = None) -> tuple[Reports, ...]:
        """Draw a report of every user on each attribute, most of them fake; `rng` simulates."""
        tuples, source = self._tuples(values), self._source(rng)
        chosen = uniform_numbers(len(tuples), len(self.ks), source)
        return tuple(
            Reports(
                self._drawn(j, tuples[:, j], chosen == j, source),
                oracle.identity,
                bool(source.simulated),
            )
            for j, oracle in enumerate(self.oracles)
        )

    @cached_property
    def oracles(self) -> tuple[FrequencyOracle, ...]:
        """Support counts with the p* and q* of each attribute's reports."""
        return tuple(map(self._oracle, range(len(self.ks))))

    def oracle_of(self, attribute: int) -> FrequencyOracle:
        """The oracle of the reports on an attribute, fakes among them."""
        return self.oracles[attribute]

    def _oracle(self, attribute: int) -> FrequencyOracle:
        part, d = self.parts[attribute], len(self.ks)
        items: dict[str, Scalar] = {"attribute": attribute, "epsilon": self.epsilon}
        items |= {"sizes": str(self.ks)} | self._further()
        size = self.sizes[attribute]
        labels = size if isinstance(size, tuple) else None
        if labels is not None:
            items["categories"] = digest_of(labels)
        identity = Identity(
            type(self).__name__, tuple(sorted(items.items())), part.law_sha256, part.thresholds
        )
        layout, supports = self._fakes(attribute)
        fake = supports * Fraction(d - 1, d)
        return frequency_oracle(identity, layout, part.p / d + fake, part.q / d + fake, labels)

    def empty(self, simulated: bool = False) -> TupleState:
        """The state that has seen nothing: `state[j]` is that of attribute j."""
        return empty_states(self, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> TupleState:
        """A state of this scheme that `TupleState.save` wrote: see `Saved.load`."""
        return TupleState.load(path, self, implausible=implausible)


@dataclass(frozen=True)
class SampleAmongFakes(AmongFakes):
    """One attribute by k-ary response at all of epsilon, uniform values for the others (RS+FD).

    Which one is not said. Against any two tuples that hides nothing: epsilon is that of the
    k-ary response, and `SampleOne` estimates better at the same price.

    Attributes:
        epsilon: of the whole tuple, at most.
        sizes: the number of values of each attribute; or its labels, a tuple of texts or integers.
    """

    @cached_property
    def parts(self) -> tuple[GRR, ...]:
        """The k-ary response of each attribute."""
        return tuple(GRR(self.epsilon, k) for k in self.ks)

    @cached_property
    def realized_epsilon(self) -> float:
        """Return the epsilon of any two tuples, ln(sum of k p / sum of k q), rounded up."""
        return epsilon_of(self._sum("p") / self._sum("q"))

    @cached_property
    def realized_in_one(self) -> float:
        """Return the realized epsilon of two tuples that differ in one attribute, rounded up.

        It is not a guarantee for whoever wants the whole tuple protected.
        """
        lies = self._sum("q")
        ratios = [1 + part.k * (part.p - part.q) / lies for part in self.parts]
        return epsilon_of(max(ratios))

    def program(self, of: Callable[[GRR], Program] = program_of) -> Program:
        """The program of a client in another language: a number for each attribute.

        Args:
            of: the program of an attribute's response; by default the one with its thresholds.
        """
        digits = zip(self.parts, digits_of(self.ks), strict=True)
        parts = [InnerProgram(of(part), digit, place=j) for j, (part, digit) in enumerate(digits)]
        return one_among_fakes("sample_among_fakes", prod(self.ks), parts)

    def _sum(self, cell: str) -> Fraction:
        return sum(
            (part.k * cast("Fraction", getattr(part, cell)) for part in self.parts), Fraction(0)
        )

    def _drawn(
        self, attribute: int, values: NDArray[np.int64], own: NDArray[np.bool_], source: WordSource
    ) -> NDArray[Any]:
        part = self.parts[attribute]
        drawn = part.sampler().draw(values, source)
        fakes = uniform_numbers(len(values), part.k, source).astype(drawn.dtype)
        return np.where(own, drawn, fakes)

    def _fakes(self, attribute: int) -> tuple[SupportLayout, Fraction]:
        k = self.ks[attribute]
        return OutputLayout(k, k), Fraction(1, k)
