"""RAPPOR's parameters, what they cost, and the integers that the code really compares with.

Ulfar Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR: Randomized Aggregatable
Privacy-Preserving Ordinal Response. The tables are `spec/rappor.py`'s; `noise` is the paper's f,
`low` its p and `high` its q.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.bloom import BloomFilter, check_strings
from ldp_verified.protocols.rappor_report import RapporReport
from ldp_verified.run.program.keyed_bits import keyed_bits
from ldp_verified.run.realize.parameters import check_epsilon, check_integer, check_share
from ldp_verified.run.realize.report_rows import checked_rows
from ldp_verified.run.realize.tables.balls import at_most, ball, decide, upper_float

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Program

WIDTH = 64

Probability = float | Fraction


def _permanent(noise: Fraction, hashes: int) -> arb:
    if noise == 1:
        return arb(0)
    lie = ball(noise / 2)
    return 2 * hashes * ((1 - lie) / lie).log()


def _several(noise: Fraction, low: Fraction, high: Fraction, hashes: int, times: int) -> arb:
    """h ln(up down): up the ratio of `times` ones, down that of as many zeros."""
    if noise == 1:
        return arb(0)
    lie, truth = noise / 2, 1 - noise / 2
    ones = ball(truth * high**times + lie * low**times)
    ones_otherwise = ball(lie * high**times + truth * low**times)
    off, on = 1 - high, 1 - low
    zeros = ball(truth * on**times + lie * off**times)
    zeros_otherwise = ball(lie * on**times + truth * off**times)
    return hashes * ((ones / ones_otherwise) * (zeros / zeros_otherwise)).log()


def permanent_epsilon(noise: Probability, hashes: int) -> float:
    """Epsilon of all reports ever: 2 h ln((1 - noise/2)/(noise/2)), rounded up.

    Args:
        noise: f, the share of permanent bits that are coins. hashes: h, the bits that a value sets.

    Returns:
        Epsilon in nats.

    Raises:
        ParameterError: noise not in (0, 1], or no h >= 1.
    """
    share = _noise(noise)
    hashes = check_integer("hashes", hashes, 1, 1 << 20)
    return decide(lambda: upper_float(_permanent(share, hashes)))


def report_epsilon(noise: Probability, low: Probability, high: Probability, hashes: int) -> float:
    """Epsilon of one report: h ln(q* (1 - p*)/(p* (1 - q*))), rounded up.

    Args:
        noise: f. low, high: P(reported bit is 1) for a permanent bit 0 and 1.
        hashes: h, the bits that a value sets.

    Returns:
        Epsilon in nats.

    Raises:
        ParameterError: noise not in (0, 1], not 0 <= low < high <= 1, or no h >= 1.
    """
    return reports_epsilon(noise, low, high, hashes, 1)


def reports_epsilon(
    noise: Probability, low: Probability, high: Probability, hashes: int, times: int
) -> float:
    """Epsilon of `times` reports on the same value, rounded up.

    They share one permanent response, so this is neither `times` that of one report nor ever more
    than `permanent_epsilon`. For each bit only the number of ones matters, and the ratio is largest
    where all are 1 or none is.

    Args:
        noise, low, high, hashes: as in `report_epsilon`. times: the number of reports.

    Returns:
        Epsilon in nats.

    Raises:
        ParameterError: as in `report_epsilon`, or no t >= 1.
    """
    share = _noise(noise)
    below, above = _levels(low, high)
    hashes = check_integer("hashes", hashes, 1, 1 << 20)
    times = check_integer("times", times, 1, 1 << 20)
    return decide(lambda: upper_float(_several(share, below, above, hashes, times)))


def solve_noise(epsilon: float, hashes: int) -> float:
    """The smallest double noise whose permanent response has at most this epsilon.

    Args:
        epsilon: above 0, of all reports ever. hashes: h, the bits that a value sets.

    Returns:
        Noise in (0, 1].

    Raises:
        ParameterError: epsilon not above 0, or no h >= 1.
    """
    target = Fraction(check_epsilon(epsilon))
    hashes = check_integer("hashes", hashes, 1, 1 << 20)
    # noise/2 = 1/(1 + e^(eps/2h)) gives it exactly, and more noise gives less.
    return decide(lambda: upper_float(2 / (1 + ball(target / (2 * hashes)).exp())))


def solve_high(epsilon: float, noise: Probability, hashes: int) -> float:
    """The largest double `high`, with low = 1 - high, whose single report has at most this epsilon.

    Args:
        epsilon: above 0, of one report. noise: f. hashes: h, the bits that a value sets.

    Returns:
        High in (1/2, 1].

    Raises:
        ParameterError: epsilon not above 0, noise not in (0, 1], no h >= 1, or no double above 1/2
            is small enough.
    """
    target, share = check_epsilon(epsilon), _noise(noise)
    hashes = check_integer("hashes", hashes, 1, 1 << 20)

    def enough(numerator: int) -> bool:
        high = Fraction(numerator, 1 << 53)
        return decide(lambda: at_most(_several(share, 1 - high, high, hashes, 1), target))

    least, most = 1 << 52, 1 << 53
    if enough(most):
        return 1.0
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if enough(middle) else (least, middle)
    if least == 1 << 52:
        raise ParameterError("epsilon", "is too small for probabilities of 53 bits", epsilon)
    return least / (1 << 53)


def _as_float(name: str, given: np.generic) -> float:
    found = float(given)
    if found != given:
        raise ParameterError(name, "must be a number that a float equals", given)
    return found


def _noise(noise: object) -> Fraction:
    share = check_share("noise", noise)
    if share == 0:
        rule = "must be > 0: without it the permanent response has no finite epsilon"
        raise ParameterError("noise", rule, noise)
    return share


def _levels(low: object, high: object) -> tuple[Fraction, Fraction]:
    below, above = check_share("low", low), check_share("high", high)
    if not below < above:
        raise ParameterError("low", f"must be below high = {above}", low)
    return below, above


@dataclass(frozen=True)
class Rappor:
    """A deployment of RAPPOR: what clients and the server have to agree on.

    Probabilities are rounded to integers over 2^64, `noise` and `low` up, `high` down: each makes
    reports say less, so the realized epsilons are at most those of the parameters as given.

    Attributes:
        noise: the permanent response lies about a bit with probability noise/2, in (0, 1].
        low, high: P(reported bit is 1) where the permanent bit is 0, and 1; 0 <= low < high <= 1.
            0 and 1 are the one-time variant, which reports the permanent response itself.
        bits, hashes, cohorts: of the Bloom filter.

    Raises:
        ParameterError: a number out of range.
    """

    noise: Probability
    low: Probability
    high: Probability
    bits: int
    hashes: int
    cohorts: int = 1
    encoder: BloomFilter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the numbers."""
        _noise(self.noise)
        _levels(self.low, self.high)
        encoder = BloomFilter(self.bits, self.hashes, self.cohorts)
        settled: dict[str, object] = {
            "bits": encoder.bits,
            "hashes": encoder.hashes,
            "cohorts": encoder.cohorts,
        }
        for name in ("noise", "low", "high"):
            given = getattr(self, name)
            settled[name] = _as_float(name, given) if isinstance(given, np.generic) else given
        for name, value in {**settled, "encoder": encoder}.items():
            object.__setattr__(self, name, value)
        if not self.realized[1] < self.realized[2]:
            raise ParameterError("low", "must differ from high by 2^-64 at least", self.low)

    @classmethod
    def for_epsilon(
        cls, permanent: float, report: float | None, *, bits: int, hashes: int, cohorts: int = 1
    ) -> Rappor:
        """The least noise with at most these epsilons, of all reports ever and of one.

        Args:
            permanent: of the permanent response. report: of one report, low = 1 - high; None for
                the one-time variant.
            bits: of the filter.
            hashes: of the filter.
            cohorts: of the filter.

        Raises:
            ParameterError: as in `solve_noise`, `solve_high` and the class.
        """
        noise = solve_noise(permanent, hashes)
        high = 1.0 if report is None else solve_high(report, noise, hashes)
        return cls(noise, 1 - high, high, bits, hashes, cohorts)

    @cached_property
    def thresholds(self) -> tuple[int, int, int]:
        """(lie, low, high) as integers out of 2^64."""
        lie = _up(Fraction(self.noise) / 2)
        return lie, _up(Fraction(self.low)), _down(Fraction(self.high))

    @property
    def named(self) -> tuple[str, tuple[int, ...]]:
        """The deployment's part of the domain of a seed (`run.kernels.seeds`)."""
        return "Rappor", (*self.thresholds, self.bits, self.hashes, self.cohorts)

    @property
    def realized(self) -> tuple[Fraction, Fraction, Fraction]:
        """noise, low and high of the running code, exactly."""
        lie, low, high = (Fraction(threshold, 1 << WIDTH) for threshold in self.thresholds)
        return 2 * lie, low, high

    @property
    def cells(self) -> tuple[Fraction, Fraction]:
        """q* and p* of the running code: P(reported bit is 1) for an encoded 1, and a 0."""
        noise, low, high = self.realized
        lie = noise / 2
        return (1 - lie) * high + lie * low, lie * high + (1 - lie) * low

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write the cohort's number and the reported bits."""
        return (self.cohorts - 1).bit_length() + self.bits

    @cached_property
    def epsilon_permanent(self) -> float:
        """Realized epsilon of all reports ever on one value, rounded up."""
        return permanent_epsilon(self.realized[0], self.hashes)

    @cached_property
    def epsilon_report(self) -> float:
        """Realized epsilon of one report, rounded up."""
        return report_epsilon(*self.realized, self.hashes)

    def epsilon_reports(self, times: int) -> float:
        """Realized epsilon of several reports on one value, rounded up.

        Args:
            times: number of reports on one value.
        """
        return reports_epsilon(*self.realized, self.hashes, times)

    def program(self, strings: Iterable[str]) -> Program:
        """Return the program of a client in another language, which knows strings by their places.

        It keeps its cohort and a key of 32 bytes. The permanent bits of all strings follow from the
        key, as they do in Python's client. The functions differ, so neither of the two can go on
        from the other's state.

        Args:
            strings: what a user can hold, each once; two or more.

        Raises:
            ParameterError: they are none, or fewer than two.
        """
        known = check_strings(strings)
        if len(known) < 2:
            raise ParameterError("strings", "must be two or more different strings", len(known))
        sets = [
            [sorted(self.encoder.positions(each, cohort)) for each in known]
            for cohort in range(self.cohorts)
        ]
        lie, low, high = self.thresholds
        return keyed_bits("rappor", sets, self.bits, ((1 << WIDTH) - lie, lie), (high, low))

    def reports_of(self, numbers: object, simulated: bool = False) -> list[RapporReport]:
        """The reports that programs gave as numbers, each as the first one of its user.

        Args:
            numbers: integers, a row for each report: the cohort where there are several, then the
                words of the filter. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        several, blocks = int(self.cohorts > 1), self.encoder.blocks
        rows = checked_rows(numbers, several + blocks, simulated)
        if several and len(rows) and int(rows[:, 0].max()) >= self.cohorts:
            raise ReportError("numbers", f"must begin with a cohort in 0..{self.cohorts - 1}")
        words, unused = rows[:, several:], 64 * blocks - self.bits
        if unused and (words[:, -1] >> np.uint64(64 - unused)).any():
            raise ReportError("numbers", f"must be zero beyond {self.bits} bits")
        return [
            RapporReport(self, int(row[0]) * several, own, simulated, 1)
            for row, own in zip(rows, words, strict=True)
        ]

    def reached_by(self, values: list[str]) -> bool:
        """Return whether these epsilons are reached in a known domain, in every cohort.

        They are where two of the values have disjoint encodings of h ones each; elsewhere they are
        upper bounds.
        """

        def reached(cohort: int) -> bool:
            sets = [self.encoder.positions(value, cohort) for value in values]
            full = [each for each in sets if len(each) == self.hashes]
            return any(not a & b for i, a in enumerate(full) for b in full[:i])

        return all(reached(cohort) for cohort in range(self.cohorts))


def _up(value: Fraction) -> int:
    return -(-(value.numerator << WIDTH) // value.denominator)


def _down(value: Fraction) -> int:
    return (value.numerator << WIDTH) // value.denominator
