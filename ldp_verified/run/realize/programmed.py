"""Randomizers whose single reports a small program describes, and the client that it is run by."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer
from ldp_verified.run.realize.report_rows import reports_on
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.values import encode_one
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.program.form import PrivateValue, Program
    from ldp_verified.run.realize.tables.realization import Realization


def program_of(made: object) -> Program:
    """The program of one report of what a protocol is made of.

    Args:
        made: a mechanism.

    Raises:
        ParameterError: it has none.
    """
    if not isinstance(made, Programmed):
        raise ParameterError("make", "must make mechanisms that have a program", type(made))
    return made.program()


def spelled(name: str) -> str:
    """The name of a class as programs have it: "padded_response" of "PaddedResponse".

    Args:
        name: of the class.
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def position_of(number: float, bounds: tuple[float, float]) -> int:
    """What share of an interval lies below a number, in units of 2^-52.

    Args:
        number: within the bounds. bounds: of the interval.
    """
    low, high = bounds
    return min(max(round((number - low) / (high - low) * UNIT), 0), UNIT)


def told_positions(bounds: tuple[float, float]) -> str:
    """What a program reads for numbers within bounds, in words: for the head of a client.

    Args:
        bounds: of each number.
    """
    low, high = bounds
    formula = f"(x - ({low})) / ({high} - ({low})) * 2^52"
    return f"of x in {low}..{high} the integer next to {formula}, which is 0..2^52"


class Programmed(ABC):
    """A mechanism that has a program for one report."""

    @abstractmethod
    def program(self) -> Program:
        """The program that draws one report, with this object's thresholds."""

    @abstractmethod
    def _index_of(self, value: object) -> PrivateValue:
        """Return what the program reads for a value, or raise an error that does not say it."""

    def client(self) -> ProgramClient:
        """An object whose `report(value)` draws one report quickly, from secure words.

        It gives the plain numbers of a report, without the identity that `Reports` carries; the
        collector's `reports(array, simulated=False)` wraps an array of them.
        """
        return ProgramClient(self.program(), self._index_of, plain=self._is_index())

    def _is_index(self) -> bool:
        """Return True if the program reads an int in its range as it is."""
        return False


class ProgrammedRandomizer(Randomizer, Programmed):
    """A randomizer of values 0..k-1 with a program for one report."""

    @abstractmethod
    def program(self, realization: Realization | None = None) -> Program:
        """The program that draws one report, with this object's thresholds.

        Args:
            realization: one of `realizations(width)`; None for the one in use.
        """

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each report. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        return reports_on(numbers, (self.layout, self.identity), simulated)

    def _is_index(self) -> bool:
        return self._given_labels is None

    def _index_of(self, value: object) -> int:
        """The index 0..k-1 of one private value, or a `DomainError` that does not say it."""
        return encode_one(value, self.k, self._index)


class ProgrammedTable(RoundedTable, ProgrammedRandomizer):
    """A table of two cells with a program for one report."""


class ReadsPosition(Programmed):
    """A number within bounds, with a program for one report.

    The program reads a position: what share of the interval lies below the number, in units of
    2^-52.
    """

    bounds: tuple[float, float]

    @property
    @abstractmethod
    def unbounded_noise(self) -> bool:
        """True if the program draws noise of unbounded range: see `analysis.words_told`."""

    def _index_of(self, value: Any) -> int:
        """The position 0..2^52 of one number, or a `DomainError` that does not say it."""
        low, high = self.bounds
        if not is_number(value) or not low <= value <= high:
            raise DomainError("value", f"must be a number in {low}..{high}")
        return position_of(float(value), self.bounds)


class ProgrammedNumber(NumericRandomizer, ReadsPosition):
    """A number within bounds, with a density and a program for one report."""
