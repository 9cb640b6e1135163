"""Protocols whose users report once: their reports and states, and one user's side of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.report_rows import reports_on
from ldp_verified.run.realize.value_types import Held

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Oracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng


class OneReport(ABC):
    """Protocols whose reports a state counts by an oracle."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""

    @property
    @abstractmethod
    def oracle(self) -> Oracle:
        """The oracle of a state's own estimates, which counts what reports support."""

    def reports(self, data: object, *, simulated: bool) -> Reports:
        """Reports of this protocol that somebody else has, such as a server, as an array.

        Args:
            data: in the layout of the protocol. simulated: whether they were drawn from a seed.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        check_kind("simulated", simulated, bool)
        return Reports(self.oracle.layout.check(data), self.identity, simulated)

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The reports that programs gave as numbers.

        Args:
            numbers: integers, a row for each report. simulated: whether a seed drew them.

        Raises:
            ReportError: they are no such reports. ParameterError: `simulated` is no bool.
        """
        return reports_on(numbers, (self.oracle.layout, self.identity), simulated)

    def empty(self, simulated: bool = False) -> State:
        """A state that has seen no report: it can be updated, merged and saved.

        Its own `estimate` is that of `oracle`.

        Args:
            simulated: whether the reports to come are; others are refused.
        """
        return State(self.oracle, simulated=simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of this protocol that `State.save` wrote: see `Saved.load`."""
        return State.load(path, self.oracle, implausible=implausible)


class OfNumbers(OneReport, Generic[Held]):
    """Protocols of one report on values that are, or become, numbers. `Held` is what users hold."""

    @abstractmethod
    def encode(self, values: Held) -> NDArray[Any]:
        """The values as int64, surely in range.

        Raises:
            DomainError: they are none.
        """

    @abstractmethod
    def drawn(self, values: NDArray[Any], source: WordSource) -> Reports:
        """The reports of values that were checked."""

    def privatize(self, values: Held, rng: Rng = None) -> Reports:
        """One report for each of several users.

        Args:
            values: as for `encode`.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: other values; nothing is drawn then. ParameterError: a bad `rng`.
        """
        encoded = self.encode(values)
        return self.drawn(encoded, word_source(rng, "privatize", *self.identity.named))


class _Told(Protocol):
    """A protocol as its client sees it."""

    @property
    def identity(self) -> Identity: ...

    @property
    def epsilon(self) -> Any: ...


Agreed = TypeVar("Agreed")
Of = TypeVar("Of", bound=_Told)
Made = TypeVar("Made", covariant=True)


class PaidClient(Generic[Agreed]):
    """One user's side of a protocol: a report is paid for, then drawn, and sent once.

    Threads may share a client: one of them reports, the others are refused.

    Args:
        protocol: the parameters.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: a bad argument.
    """

    of: ClassVar[type]
    """The class of the protocol."""

    of_name: ClassVar[str] = ""
    """Its name, where `of` is a base that it alone has, for a module that it imports."""

    def __init__(self, protocol: Agreed, rng: Rng = None, book: SpendingBook | None = None) -> None:
        if not isinstance(protocol, self.of):
            rule = f"must be of the class {self.of_name or self.of.__name__}"
            raise ParameterError("protocol", rule, type(protocol))
        if book is not None:
            check_kind("book", book, SpendingBook)
        self.protocol, self._book = protocol, book
        self._source = word_source(rng, "device", *self._names)
        self._turns = Turns()
        self._left: list[int] = [0]
        """The rounds in which there is no report yet; of one round, its number is 0."""

    @property
    def _names(self) -> tuple[Any, ...]:
        """The words of simulated clients depend on these, beside the seed."""
        made: Any = self.protocol
        found: tuple[Any, ...] = made.identity.named
        return found

    @property
    def _price(self) -> tuple[Any, str]:
        """The epsilon of the next report and what it is for, as the book has them: both public."""
        made: Any = self.protocol
        return made.epsilon, type(made).__name__

    @property
    def _again(self) -> tuple[str, str]:
        """The name and the rule in the error of one report too many."""
        return "report", "must be called once: a second one costs epsilon again"

    @contextmanager
    def _one_report(self, number: int | None = None) -> Iterator[int]:
        """The turn of one report: the block checks what the user holds, and draws nothing.

        Other threads wait until it is over. Where the block ends without an error the price is
        entered, unless it is 0, and the round is over: what is drawn after the block is paid for.

        Args:
            number: of the round that asks, where clients choose; None for the next one.

        Yields:
            The number of the round.

        Raises:
            ParameterError: there was a report in it already; or the book refuses.
            OSError: the book cannot be written.
        """
        with self._turns.taken():
            if number is None and not self._left:
                raise ParameterError(*self._again)
            if number is not None and number not in self._left:
                raise ParameterError(*self._again, number)
            asked = self._left[0] if number is None else number
            yield asked
            epsilon, purpose = self._price
            if self._book is not None and epsilon:
                where = "" if number is None else f", round {number}"
                self._book.spend(epsilon, purpose + where)
            self._left.remove(asked)


class OnceClient(PaidClient[Of], ABC, Generic[Of, Made]):
    """One user's side of a protocol: it reports once. See `PaidClient`."""

    @abstractmethod
    def _checked(self, value: Any) -> Any:
        """Return the user's value, surely in the domain; or raise an error without it."""

    @abstractmethod
    def _drawn(self, checked: Any) -> Made:
        """The report of what was checked."""

    def report(self, value: Any) -> Made:
        """The one report of this user.

        Args:
            value: the user's own, as the protocol's `privatize` takes it for one user.

        Raises:
            DomainError: something else; it is not shown, and nothing is drawn then.
            ParameterError: there was a report already: a second one would cost epsilon again; or
                the book refuses, whatever the value is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        with self._one_report():
            checked = self._checked(value)
        return self._drawn(checked)
