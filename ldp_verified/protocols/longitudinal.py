"""Memoised frequency oracles: a permanent answer that is kept, and a new answer to it every time.

What client and server agree on: the tables of `spec/longitudinal.py`, solved for the epsilons that
are wanted and rounded to integers. The clients are `MemoClient`s. Others: `longitudinal_bits`,
`loloha`, `dbitflip`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.influenced import OfReports
from ldp_verified.protocols.second_step import (
    ONE,
    WIDTH,
    check_epsilons,
    epsilon_of,
    kept_variances,
    response_client,
    second_lie,
    twice,
)
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.kernels.randomness import SecureWords
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.memory import k_rr_twice
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.report_rows import reports_on
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.values import Categories, check_categories, digest_of, encode_one

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.layouts import SupportLayout
    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.values import Label


Choice = tuple[int, ...]
"""What a client draws once, publicly and without looking at any value; () where there is none."""


class Longitudinal(OfReports, ABC):
    """The parameters that clients and the server agree on.

    Attributes:
        epsilon_permanent: at most this is spent by all reports ever on one value.
        k: the number of values.
        categories: labels of the values, or None where values are 0..k-1.
        law_sha256: of the law of one report (of a bit, in `DBitFlip`), as its spec declares it.
    """

    epsilon_permanent: float
    k: int
    categories: Categories | None

    law_sha256: ClassVar[str]

    @property
    @abstractmethod
    def realized_permanent(self) -> float:
        """Realized epsilon of all reports ever on one value, rounded up."""

    @property
    @abstractmethod
    def realized_report(self) -> float:
        """Realized epsilon of one report, rounded up."""

    @property
    @abstractmethod
    def bits_per_report(self) -> int:
        """Bits needed to write one report, the public choice with it."""

    @property
    @abstractmethod
    def memories(self) -> int:
        """Return how many permanent answers one client can have at most."""

    @property
    @abstractmethod
    def oracle(self) -> Oracle:
        """Return the oracle that turns the server's counters into estimates."""

    @property
    @abstractmethod
    def shared_variances(self) -> tuple[Fraction, Fraction]:
        """Variances of what all reports of a user on one value share: of another value, of its own.

        They are of the mean of what a report adds to the estimated count of a value, given all that
        the client keeps: permanent answers and public choice.
        """

    @property
    @abstractmethod
    def thresholds(self) -> tuple[int, ...]:
        """The integers that words are compared with."""

    @abstractmethod
    def memory(self, value: int, choice: Choice) -> int:
        """The number of the permanent answer that stands for a value."""

    @abstractmethod
    def permanent(self, memory: int, choice: Choice, source: WordSource) -> NDArray[Any]:
        """A permanent answer, drawn."""

    @abstractmethod
    def instantaneous(
        self, answer: NDArray[Any], choice: Choice, source: WordSource
    ) -> NDArray[Any]:
        """One report from a permanent answer, shape (1, ...)."""

    def answering(self, choice: Choice) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """Return a function that draws a report from a permanent answer, from secure words.

        The law is that of `instantaneous`. Words, or what depends on no answer, are drawn ahead.

        Args:
            choice: the public choice of the client.

        Returns:
            From an answer to a new array, shape (1, ...).
        """
        source = SecureWords()
        return lambda answer: self.instantaneous(answer, choice, source)

    @abstractmethod
    def program(self) -> Program:
        """The program of a client in another language, which keeps permanent answers in cells."""

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports must share with the state; labels enter by digest."""
        items = {f.name: getattr(self, f.name) for f in fields(cast("Any", self)) if f.init}
        labels = items.pop("categories")
        if labels is not None:
            items["categories"] = digest_of(labels)
        parameters = tuple(sorted(items.items()))
        return Identity(type(self).__name__, parameters, self.law_sha256, self.thresholds)

    def _settle(self, **checked: object) -> None:
        """Keep arguments as they were checked, and the labels in the order of their indices."""
        if self.categories is not None:
            checked["categories"] = check_categories(self.categories, self.k)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def _given_labels(self) -> tuple[Label, ...] | None:
        """The labels if `categories` was given, in order; else None."""
        return self.categories if isinstance(self.categories, tuple) else None

    @cached_property
    def index(self) -> Mapping[Label, int] | None:
        """Return the index of each label; None where values are 0..k-1."""
        if self.categories is None:
            return None
        return {label: v for v, label in enumerate(cast("tuple[Label, ...]", self.categories))}

    def value(self, value: object) -> int:
        """The index of one value, an integer 0..k-1, or a label where there are labels.

        Raises:
            DomainError: it is none. The message says its type, never the value.
        """
        return encode_one(value, self.k, self.index)

    @staticmethod
    def choice_in(report: list[int]) -> Choice:
        """The public choice of the client that sent a report; () where there is none."""
        del report
        return ()

    def draw_choice(self, source: WordSource) -> Choice:
        """The public choice of a new client."""
        del source
        return ()

    def check_choice(self, choice: object) -> Choice:
        """Return a client's choice if `draw_choice` can make it; else raise a `ParameterError`."""
        if not isinstance(choice, tuple) or choice:
            raise ParameterError("choice", "must be (): there is nothing to choose", choice)
        return ()

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each report. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        return reports_on(numbers, (self.oracle.layout, self.identity), simulated)

    def empty(self, simulated: bool = False) -> State:
        """The server's state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        return State(self.oracle, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of this protocol that `State.save` wrote: see `Saved.load`."""
        return State.load(path, self.oracle, implausible=implausible)

    @property
    def epsilon_ever(self) -> float:
        """Realized epsilon of all permanent answers that a client can have, together, rounded up.

        It bounds what is learnt of the values if it is known when they changed.
        """
        return float(np.nextafter(self.memories * self.realized_permanent, np.inf))


def choice_said(reports: Reports) -> Choice | None:
    """The client's public choice as its one report says it; None of what no class here makes.

    Raises:
        ReportError: it is not one report.
    """
    kinds = Longitudinal.__subclasses__()
    for kind in kinds:
        kinds += kind.__subclasses__()
    made = [kind for kind in kinds if kind.__name__ == reports.mechanism]
    if not made:
        return None
    if len(reports) != 1:
        raise ReportError("reports", "must be one report", len(reports))
    return made[0].choice_in(np.atleast_1d(reports.data[0]).tolist())


@dataclass(frozen=True)
class LGRR(Longitudinal):
    """k-ary response twice.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values, 2..2^20.
        categories: labels of the values, or None.

    Raises:
        ParameterError: a number out of range, or epsilon_report not below epsilon_permanent.
    """

    epsilon_permanent: float
    epsilon_report: float
    k: int
    categories: Categories | None = None

    law_sha256: ClassVar[str] = "fb546b2e403cf64305906beb0f5371da7899a7ab6159d7aa2b0ad4cf7de3f372"

    def __post_init__(self) -> None:
        """Check the numbers and solve for the second step."""
        ever, once = check_epsilons(self.epsilon_permanent, self.epsilon_report)
        k = check_integer("k", self.k, 2, 1 << 20)
        self._settle(epsilon_permanent=ever, epsilon_report=once, k=k)
        self.thresholds  # noqa: B018  (what cannot be solved is refused here)

    @cached_property
    def first(self) -> GRR:
        """The k-ary response that draws permanent answers."""
        return GRR(self.epsilon_permanent, self.k)

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """The lies of both steps, out of 2^64."""
        return *self.first.thresholds, second_lie(self.first, self.k, self.epsilon_report)

    @property
    def cells(self) -> tuple[Fraction, Fraction]:
        """(P(the value), P(each other one)) of one report."""
        lie = Fraction(self.thresholds[-1], ONE)
        return twice((self.first.p, self.first.q), lie, self.k)

    @property
    def shared_variances(self) -> tuple[Fraction, Fraction]:
        """The shared variances of `Longitudinal`: the permanent answer is the value, or not."""
        return kept_variances(self.first.q, self.first.p)

    def program(self) -> Program:
        """A word for a permanent answer, a word for each report."""
        return k_rr_twice("lgrr", self.k, (self.thresholds[0], self.thresholds[-1]))

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
        """Bits of a value."""
        return (self.k - 1).bit_length()

    @property
    def memories(self) -> int:
        """The number of permanent answers of a client: one for each value."""
        return self.k

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts with the p* and q* of one report."""
        layout = OutputLayout(self.k, self.k)
        return frequency_oracle(self.identity, layout, *self.cells, self._given_labels)

    def memory(self, value: int, choice: Choice) -> int:
        """The value itself: each has a permanent answer of its own."""
        del choice
        return value

    def permanent(self, memory: int, choice: Choice, source: WordSource) -> NDArray[Any]:
        """The first k-ary response, shape (1,)."""
        del choice
        answer: NDArray[Any] = self.first.sampler().draw(np.array([memory]), source)
        return answer

    def instantaneous(
        self, answer: NDArray[Any], choice: Choice, source: WordSource
    ) -> NDArray[Any]:
        """The second response, shape (1,)."""
        del choice
        return grr(answer, self.k, self.thresholds[-1], source, WIDTH)

    def answering(self, choice: Choice) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """The second k-ary response, by its program."""
        del choice
        report, dtype = response_client(self.k, self.thresholds[-1]), smallest_dtype(self.k)
        return lambda answer: np.array([report(answer.item())], dtype)


def frequency_oracle(
    identity: Identity,
    layout: SupportLayout,
    p_star: Fraction,
    q_star: Fraction,
    labels: tuple[Label, ...] | None = None,
) -> FrequencyOracle:
    """The unbiased estimator from support counts of one report of each user, with its variance."""
    absent, held = (RoundedTable.variance_per_user(p_star, q_star, Fraction(f)) for f in (0, 1))
    cells = p_star, q_star, absent, held
    return FrequencyOracle(identity, layout, *cells, labels=labels, in_period=True)
