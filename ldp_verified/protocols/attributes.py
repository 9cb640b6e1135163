"""Tuples of several attributes: every one at a share of epsilon, one of them, or one among fakes.

The tables are those of `spec/attributes.py`, for any number of attributes of any sizes.
Epsilon is always that of whole tuples: any two of them, however many attributes they differ in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ldp_verified.protocols.about import check_about
from ldp_verified.protocols.attribute_fakes import AmongFakes
from ldp_verified.protocols.attribute_labels import check_made, labelled
from ldp_verified.protocols.attribute_scheme import Attributes, Make, OnEach
from ldp_verified.protocols.sampled import SampledReports, SampledState, Scheme
from ldp_verified.protocols.second_step import epsilon_of
from ldp_verified.protocols.shown import IF_GIVEN, shown_by_names
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.fakes import one_among_fakes
from ldp_verified.run.program.groups import InnerProgram, all_of, digits_of, one_of
from ldp_verified.run.realize.parameters import check_integer, check_share
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.report_rows import reports_on_one
from ldp_verified.run.realize.tables.balls import round_up
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Expression, Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTuples


@dataclass(frozen=True)
class Split(OnEach):
    """Every attribute by a mechanism of its own at epsilon/d (SPL); epsilons add up.

    Attributes:
        epsilon: of the whole tuple, at most.
        sizes: the number of values of each attribute; or its labels, a tuple of texts or integers.
        make: the mechanism of one attribute.
    """

    make: Make = GRR

    __repr__ = shown_by_names

    def __post_init__(self) -> None:
        """Check the arguments, and that each attribute has a mechanism."""
        super().__post_init__()
        check_made(self.make, lambda: self.parts)

    @cached_property
    def parts(self) -> tuple[RoundedTable, ...]:
        """The mechanism of each attribute."""
        d = len(self.ks)
        share = self.epsilon / d
        while d * Fraction(share) > Fraction(self.epsilon):
            share = math.nextafter(share, 0)
        made = zip(self.ks, self.sizes, strict=True)
        return tuple(labelled(self.make(share, k), size) for k, size in made)

    @cached_property
    def realized_epsilon(self) -> float:
        """The sum of the parts', rounded up."""
        return round_up(sum((Fraction(p.realized_epsilon) for p in self.parts), Fraction(0)))

    def privatize(self, values: UserTuples, rng: Rng = None) -> tuple[Reports, ...]:
        """Draw reports of every user (a row of `values`) on each attribute; `rng` simulates."""
        tuples, source = self._tuples(values), self._source(rng)
        return tuple(
            Reports(
                part.sampler().draw(tuples[:, j], source), part.identity, bool(source.simulated)
            )
            for j, part in enumerate(self.parts)
        )

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: the numbers of each attribute's report.

        Args:
            of: the program of an attribute's mechanism; by default the one with its thresholds.
        """
        digits = zip(self.parts, digits_of(self.ks), strict=True)
        return all_of(
            "split", math.prod(self.ks), [InnerProgram(of(part), own) for part, own in digits]
        )


@dataclass(frozen=True)
class SampleOne(Attributes, Scheme):
    """One attribute, chosen uniformly and said, at all of epsilon (SMP).

    Attributes:
        epsilon: of the whole tuple, at most.
        sizes: the number of values of each attribute; or its labels, a tuple of texts or integers.
        make: the mechanism of one attribute.
        about: what the attributes and their numbers stand for, in public words or as a hash;
            reports and states that are about something else are refused.
    """

    make: Make = GRR
    about: str = field(default="", metadata=IF_GIVEN)

    __repr__ = shown_by_names

    def __post_init__(self) -> None:
        """Check the arguments, and that each attribute has a mechanism."""
        super().__post_init__()
        check_about(self.about)
        check_made(self.make, lambda: self.parts)

    @cached_property
    def parts(self) -> tuple[RoundedTable, ...]:
        """The mechanism of each attribute."""
        made = zip(self.ks, self.sizes, strict=True)
        return tuple(labelled(self.make(self.epsilon, k), size) for k, size in made)

    @cached_property
    def realized_epsilon(self) -> float:
        """The largest of the parts'."""
        return max(part.realized_epsilon for part in self.parts)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write the attribute's number and a report on it, the longest."""
        longest = max(part.bits_per_report for part in self.parts)
        return (len(self.ks) - 1).bit_length() + longest

    def privatize(self, values: UserTuples, rng: Rng = None) -> SampledReports:
        """Draw a report of every user: a row of `values` each; `rng` is for simulation."""
        tuples, source = self._tuples(values), self._source(rng)
        chosen = uniform_numbers(len(tuples), len(self.ks), source)
        found = [
            Reports(
                part.sampler().draw(tuples[chosen == j, j], source),
                part.identity,
                bool(source.simulated),
            )
            for j, part in enumerate(self.parts)
        ]
        return SampledReports(len(tuples), tuple(found), self.about)

    @property
    def asked(self) -> Fraction:
        """The chance that an honest user reports on an attribute."""
        return Fraction(1, len(self.ks))

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language: an attribute, then the report on it.

        Args:
            of: the program of an attribute's mechanism; by default the one with its thresholds.
        """
        return self.program_on("sample_one", math.prod(self.ks), digits_of(self.ks), of)

    def program_on(
        self,
        name: str,
        inputs: int,
        held: Sequence[Expression],
        of: Callable[[RoundedTable], Program] = program_of,
    ) -> Program:
        """The program of users whose tuples are functions of one value.

        Args:
            name: of it. inputs: values are 0..inputs-1. held: the functions. of: as for `program`.
        """
        parts = zip(self.parts, held, strict=True)
        return one_of(name, inputs, [InnerProgram(of(part), own) for part, own in parts], told=True)

    def reports_of(self, numbers: object, simulated: bool = False) -> SampledReports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each user: the attribute, the numbers of the report on it,
                zeros up to the longest. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        kinds = [(part.layout, part.identity) for part in self.parts]
        found = reports_on_one(numbers, kinds, simulated)
        return SampledReports(sum(map(len, found)), found, self.about)

    def empty(self, simulated: bool = False) -> SampledState:
        """The state that has seen nothing."""
        return SampledState(self, 0, tuple(part.empty(simulated) for part in self.parts))

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> SampledState:
        """A state of this scheme that `SampledState.save` wrote: see `Saved.load`."""
        return SampledState.load(path, self, implausible=implausible)

    def variance(self, attribute: int, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of an estimated count, for n users of whom a share f holds the value.

        A user adds d (1[supports] - q*)/(p* - q*) with probability 1/d, else nothing.

        Raises:
            ParameterError: no such attribute, n is not an integer >= 0, or f not in [0, 1].
        """
        part = self.parts[check_integer("attribute", attribute, 0, len(self.ks) - 1)]
        users, share = check_integer("n", n, 0, (1 << 63) - 1), check_share("f", f)
        held, absent = sampled_variances(part.p_star, part.q_star, self.asked)
        return float(users * (absent + share * (held - absent)))


def sampled_variances(
    p_star: Fraction, q_star: Fraction, chance: Fraction
) -> tuple[Fraction, Fraction]:
    """Variance of what a holder, and another, adds if only a share of them is asked.

    Who is asked, with this chance, adds (1[supports] - q*)/(p* - q*)/chance, who is not, nothing:
    the mean is 1 and 0 (`sampled_bit` in `spec/dbitflip.py`).
    """
    spread = (p_star - q_star) ** 2 * chance
    own = p_star * (1 - q_star) ** 2 + (1 - p_star) * q_star**2
    return own / spread - 1, q_star * (1 - q_star) / spread


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
        return one_among_fakes("sample_among_fakes", math.prod(self.ks), parts)

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
