"""The influence of one report on an estimate, exact over all reports that can be sent.

An estimated count is a sum over reports of what each adds: (1 - q*)/(p* - q*) where it supports
the value and -q*/(p* - q*) where not, or an entry of a left inverse. These weights are those that
unbiasedness is proved for. A client that lies sends the report whose weight is largest. So one
report moves the estimate by at most an extreme of its weights, and a share of fakes moves an
estimated share by that share of an extreme. Cheu, Smith, Ullman (2021), "Manipulation Attacks in
Local Differential Privacy", and Cao, Jia, Gong (2021), "Data Poisoning Attacks to Local
Differential Privacy Protocols", are about what follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.labels import is_label
from ldp_verified.run.aggregate.layouts import (
    BitLayout,
    BlockLayout,
    HashLayout,
    OutputLayout,
)
from ldp_verified.run.aggregate.linear import LinearOracle
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.sketch_oracles import BitSketchLayout, SignSketchLayout
from ldp_verified.run.aggregate.structured import (
    CappedBitLayout,
    CohortLayout,
    ColumnLayout,
    PointLayout,
    SignLayout,
    SubsetLayout,
)
from ldp_verified.scalars import is_integer, is_iterable

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.moments import Decoding
    from ldp_verified.run.aggregate.oracle import Oracle

MOST_CELLS = 1 << 28
"""Pairs of an output and a value that are looked at, at most."""


@dataclass(frozen=True)
class Influence:
    """The extremes of what one report adds to an estimated total; both are attained.

    A total is a count of users, or the sum of their numbers. A share or a mean is the total over
    the number of reports.

    Attributes:
        least: the smallest number that a report adds.
        most: the largest one.
    """

    least: Fraction
    most: Fraction

    @property
    def swing(self) -> Fraction:
        """The most that one report in the place of another changes the estimated total."""
        return self.most - self.least

    def total(self, fakes: int) -> tuple[Fraction, Fraction]:
        """The ends of what so many reports add to the estimated total; both are attained.

        Args:
            fakes: number of forged reports, at least 0.

        Raises:
            ParameterError: `fakes` is not an integer >= 0.
        """
        if not is_integer(fakes) or fakes < 0:
            raise ParameterError("fakes", "must be an integer >= 0", fakes)
        return int(fakes) * self.least, int(fakes) * self.most

    def share(
        self, fakes: float | Fraction, held: float | Fraction = 0
    ) -> tuple[Fraction, Fraction]:
        """The ends of the expected share, or mean, where a share of all reports is fake.

        Args:
            fakes: the share of reports that are fake, in [0, 1].
            held: the share, or mean, among honest users; the expectation is over their reports.

        Returns:
            (1 - fakes) held + fakes times `least`, and times `most`.

        Raises:
            ParameterError: `fakes` is not in [0, 1], or `held` is no finite number.
        """
        false, true = _finite("fakes", fakes), _finite("held", held)
        if not 0 <= false <= 1:
            raise ParameterError("fakes", "must be in [0, 1]", fakes)
        honest = (1 - false) * true
        return honest + false * self.least, honest + false * self.most


def _finite(name: str, value: float | Fraction) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(name, "must be a finite number", value) from None


def influence_on_counts(oracle: Oracle, places: tuple[int, ...] | None = None) -> Influence:
    """The extremes of what one report adds to the estimated number of users with certain values.

    Args:
        oracle: a `FrequencyOracle` or a `LinearOracle`.
        places: which values, each once, by number; their counts are added up. None for one value,
            the one of largest extremes where values differ.

    Raises:
        ParameterError: there is no unbiased estimator, a place is none or stands twice, the oracle
            is another one, or there are too many outputs and values to look at.
    """
    if places is not None:
        known = set(range(oracle.k))
        if not places or len(set(places)) != len(places) or not set(places) <= known:
            raise ParameterError("places", f"must be some of 0..{oracle.k - 1}, each once", places)
    if isinstance(oracle, LinearOracle):
        return _of_inverse(oracle, places)
    if not isinstance(oracle, FrequencyOracle):
        raise ParameterError("oracle", "must have p* and q*, or a left inverse", type(oracle))
    spread = oracle.p_star - oracle.q_star
    size = 1 if places is None else len(places)
    fewest, most = supported(oracle.layout, (0,) if places is None else places)
    base = size * oracle.q_star
    return Influence((fewest - base) / spread, (most - base) / spread)


def influence_on_sum(
    decoding: Decoding, low: Fraction, start: Fraction, scale: Fraction
) -> Influence:
    """The extremes of what one report adds to the estimated sum of the users' numbers.

    Args:
        decoding: what reports stand for. low, start: an end of the bounds, and the input of the
            mechanism that it stands for. scale: the users' units in one of the mechanism's.
    """
    ends = [decoding.value(y) for y in {0, decoding.cells - 1} if 0 <= y < decoding.cells]
    means = [(value - decoding.offset) / decoding.slope for value in (*ends, *decoding.atoms)]
    added = [low + (mean - start) * scale for mean in means]
    return Influence(min(added), max(added))


def _of_inverse(oracle: LinearOracle, places: tuple[int, ...] | None) -> Influence:
    inverse = oracle.inverse
    if isinstance(inverse, str):
        raise ParameterError("estimator", f"does not exist: {inverse}")
    if places is None:
        weights = [weight for row in inverse.numerators for weight in row]
    else:
        rows = [inverse.numerators[v] for v in places]
        weights = [sum(column) for column in zip(*rows, strict=True)]
    return Influence(
        Fraction(min(weights), inverse.denominator), Fraction(max(weights), inverse.denominator)
    )


@singledispatch
def supported(layout: object, places: tuple[int, ...]) -> tuple[int, int]:
    """The fewest and the most of some values that one valid report supports.

    Args:
        layout: of the reports. places: the values, each once.

    Raises:
        ParameterError: no rule for such reports, or too many of them to look at.
    """
    del places
    raise ParameterError("layout", "must be of reports that support values", type(layout))


@supported.register(BitLayout)
@supported.register(BitSketchLayout)
@supported.register(SignSketchLayout)
@supported.register(HashLayout)
@supported.register(CohortLayout)
@supported.register(SignLayout)
def _all_or_none(layout: object, places: tuple[int, ...]) -> tuple[int, int]:
    """Bits may all be 1; the function with coefficients 0 sends every value to one bucket.

    Column 0 of a Hadamard matrix has one sign, and so has row 0.
    """
    del layout
    return 0, len(places)


@supported.register
def _of_subsets(layout: SubsetLayout, places: tuple[int, ...]) -> tuple[int, int]:
    others = layout.k - len(places)
    return max(0, layout.omega - others), min(layout.omega, len(places))


@supported.register
def _of_capped_bits(layout: CappedBitLayout, places: tuple[int, ...]) -> tuple[int, int]:
    return 0, min(layout.most, len(places))


@supported.register
def _of_outputs(layout: OutputLayout, places: tuple[int, ...]) -> tuple[int, int]:
    return int(len(places) == layout.outputs), 1


@supported.register
def _of_blocks(layout: BlockLayout, places: tuple[int, ...]) -> tuple[int, int]:
    wanted = frozenset(places)
    sizes = [len(wanted.intersection(block)) for block in layout.blocks]
    return min(sizes), max(sizes)


@supported.register(ColumnLayout)
@supported.register(PointLayout)
def _of_each_output(layout: ColumnLayout | PointLayout, places: tuple[int, ...]) -> tuple[int, int]:
    """Every output is looked at: points of a space, or columns of a Hadamard matrix."""
    if len(places) == 1:
        return 0, 1
    if layout.counters * len(places) > MOST_CELLS:
        rule = f"must be at most {MOST_CELLS // layout.counters} of these values"
        raise ParameterError("places", rule, len(places))
    chosen = np.zeros(layout.k, dtype=np.int64)
    chosen[list(places)] = 1
    sizes = layout.held(chosen)
    return int(np.min(sizes)), int(np.max(sizes))


def labels_to_places(labels: Iterable[object], known: Iterable[object]) -> tuple[int, ...]:
    """The numbers of some labels.

    Raises:
        ParameterError: there is no such label, one stands twice, or none at all.
    """
    index = {label: place for place, label in enumerate(known)}
    if not is_iterable(labels):
        raise ParameterError("values", "must be labels", type(labels))
    listed = [labels] if isinstance(labels, str) else [*islice(labels, len(index) + 1)]
    unknown = [each for each in listed if not (is_label(each) and each in index)]
    if unknown:
        raise ParameterError("values", "must be among the labels", unknown[0])
    if not listed:
        raise ParameterError("values", "must be one or more", 0)
    check_each_once(listed)
    return tuple(index[label] for label in listed)
