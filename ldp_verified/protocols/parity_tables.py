"""Tables of yes/no attributes from parities: one bit of each user about a few of them together.

Declared in `spec/protocols/parity_tables.py`. A user draws in public a set of at most `order`
attributes, and reports by randomized response whether it has an odd number of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.attribute_labels import encoded_columns
from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.one_report import OfNumbers
from ldp_verified.protocols.parity_estimate import ParityEstimate
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.parities import ParityLayout, users
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.signs import set_parity
from ldp_verified.run.realize.parameters import LARGEST_N, check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.value_types import UserIntegers, UserRecords
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program

MOST_ATTRIBUTES, MOST_ORDER, MOST_SETS = 62, 8, 1 << 16


@dataclass(frozen=True)
class ParityTables(OfNumbers[UserRecords | UserIntegers]):
    """Tables of up to `order` of several yes/no attributes, from one bit of each user.

    Attributes:
        epsilon: of one user's whole record; a number > 0.
        attributes: their names, 2 to 62.
        order: of how many attributes a table can be, 1 to 8 and at most as many as there are; there
            are at most 65,536 sets of so many attributes or fewer.

    Raises:
        ParameterError: an argument is out of range.
    """

    epsilon: float
    attributes: tuple[str, ...]
    order: int = 2

    law_sha256: ClassVar[str] = "d38a34661938bf379d004edf8c0191860436bec008de40a87f5d0b0731169752"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "attributes", _checked(self.attributes))
        d = len(self.attributes)
        order = check_integer("order", self.order, 1, min(d, MOST_ORDER))
        object.__setattr__(self, "order", order)
        count = sum(comb(d, size) for size in range(1, order + 1))
        check_integer("number of sets", count, 1, MOST_SETS)
        self.response  # noqa: B018  (what cannot be realized is refused here)

    @property
    def k(self) -> int:
        """The number of records: bit i of a record is attribute i."""
        return 1 << len(self.attributes)

    @cached_property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of attributes, by size."""
        sizes = range(1, self.order + 1)
        every = (combinations(self.attributes, size) for size in sizes)
        return tuple(chain.from_iterable(every))

    @cached_property
    def masks(self) -> NDArray[np.int64]:
        """The bits of the records that each set looks at, int64 (sets,)."""
        bits = {name: 1 << place for place, name in enumerate(self.attributes)}
        return np.array([sum(bits[name] for name in own) for own in self.sets], dtype=np.int64)

    @cached_property
    def response(self) -> GRR:
        """The response on the parity."""
        return GRR(self.epsilon, 2)

    @property
    def gain(self) -> Fraction:
        """P(the parity is sent as it is) less P(it is not), realized."""
        return 2 * self.response.p_star - 1

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of whole records, rounded up."""
        return self.response.realized_epsilon

    @cached_property
    def layout(self) -> ParityLayout:
        """The layout of the reports."""
        return ParityLayout(len(self.sets))

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return (self.layout.counters - 1).bit_length()

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items = (
            ("attributes", "\n".join(self.attributes)),
            ("epsilon", self.epsilon),
            ("order", self.order),
        )
        return Identity("ParityTables", items, self.law_sha256, self.response.thresholds)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """The oracle of the number of users who have an even number of each set's attributes."""
        share, right = Fraction(1, len(self.sets)), self.response.p_star
        held, absent = share * right, share * (1 - right)
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, self.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def variance(self, n: int, size: int) -> float:
        """A bound for the variance of the estimated count of a cell, of a table of so many names.

        With n users, spread evenly over the sets. It is exact but for the squares of coefficients.

        Raises:
            ParameterError: n is not an integer >= 0, or `size` not in 1..order.
        """
        number = check_integer("n", n, 0, LARGEST_N)
        cells = 1 << check_integer("size", size, 1, self.order)
        return float(number * len(self.sets) * Fraction(cells - 1, cells**2) / self.gain**2)

    def influence(self, size: int | None = None) -> Influence:
        """The most that one report can add to the estimated count of a cell of a table: attained.

        Where each set has as many reports. A client that lies chooses the set and the sign.

        Args:
            size: of how many attributes the table is; None for the one of most influence.

        Raises:
            ParameterError: `size` is not in 1..order.
        """
        cells = 2 if size is None else 1 << check_integer("size", size, 1, self.order)
        reach = len(self.sets) / self.gain / cells
        return Influence(Fraction(1, cells) - reach, Fraction(1, cells) + reach)

    def encode(self, values: UserRecords | UserIntegers) -> NDArray[np.int64]:
        """Records as numbers below k, int64 (n,).

        Args:
            values: name -> 0 or 1, or whether, of all users: a mapping, or a data frame. Or the
                numbers themselves, bit i of which is attribute i.

        Raises:
            DomainError: a column is missing, of another length, or has other values, which are not
                shown.
        """
        if not (isinstance(values, Mapping) or hasattr(values, "columns")):
            return encode(values, self.k, None).astype(np.int64)
        columns = encoded_columns(values, dict.fromkeys(self.attributes, _bits))
        numbers: NDArray[np.int64] = np.zeros(len(columns[0]), dtype=np.int64)
        for place, column in enumerate(columns):
            numbers += column << place
        return numbers

    @property
    def program_value(self) -> str:
        """Return what the program reads for a record, in words."""
        return "A value is a record as one integer: bit i is 1 where it has attribute i, from 0."

    def program(self, of: Callable[[GRR], Program] = program_of) -> Program:
        """The program of a client in another language: a report is that of `reports`.

        Args:
            of: the program of the response; by default the one with its thresholds.
        """
        return set_parity(
            "parity_tables", len(self.attributes), self.masks.tolist(), of(self.response)
        )

    def drawn(self, values: NDArray[np.int64], source: WordSource) -> Reports:
        """The reports of records that were checked: a set for each user, then the response."""
        chosen = uniform_numbers(len(values), len(self.sets), source)
        parities = np.bitwise_count(values & self.masks[chosen]).astype(np.int64) & 1
        sent = self.response.sampler().draw(parities, source).astype(np.int64)
        return Reports(self.layout.check(2 * chosen + sent), self.identity, bool(source.simulated))

    def estimate(self, state: State) -> ParityEstimate:
        """Estimate tables of up to `order` attributes.

        Raises:
            ParameterError: the state is of another protocol, or a set has no reports.
        """
        check_state(self.identity, state)
        counters = state.counts
        asked = users(self.layout, counters)
        check_every_part(asked.tolist(), "set", self.sets)
        gain = float(self.gain)
        means = (counters[0::2] - counters[1::2]) / (gain * asked)
        labels = dict.fromkeys(self.attributes, (0, 1))
        return ParityEstimate(state.n, labels, self.sets, asked, means, gain, state.honesty())


def _bits(column: Any) -> NDArray[Any]:
    try:
        held = np.asarray(column)
        return encode(held.astype(np.int64) if held.dtype == bool else held, 2, None)
    except (DomainError, ValueError):
        rule = "must be 0 or 1, or whether; JointTables takes categories"
        raise DomainError("values", rule) from None


def _checked(attributes: object) -> tuple[str, ...]:
    if not isinstance(attributes, list | tuple):
        rule = "must be a tuple of names of yes/no attributes; JointTables takes categories"
        raise ParameterError("attributes", rule, type(attributes))
    wrong = [name for name in attributes if not isinstance(name, str) or not name.isprintable()]
    if wrong:
        raise ParameterError("attributes", "must be printable texts", wrong[0])
    check_integer("len(attributes)", len(attributes), 2, MOST_ATTRIBUTES)
    if len(set(attributes)) < len(attributes):
        raise ParameterError("attributes", "must be different", len(set(attributes)))
    return tuple(attributes)
