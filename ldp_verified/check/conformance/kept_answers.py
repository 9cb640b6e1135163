"""Tables of reports made in two steps, of which the first is kept: from the steps of the spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.analysis.expectation import Expectation
from ldp_verified.errors import ParameterError
from ldp_verified.language.loader import load
from ldp_verified.prove.enumeration.expand import complete

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ldp_verified.check.conformance.decode import Codes

ONE = 1 << 64
"""Words are below this; thresholds are integers out of it."""

Row = tuple[Fraction, ...]

Point = Mapping[str, Fraction | int]
"""Values of a spec's symbols, by their names."""


@dataclass(frozen=True, eq=False)
class TwoSteps:
    """The tables of a memoised report of which a client's public choice is a part.

    Attributes:
        choices: how many there are, all as likely.
        memory: (choice, value) -> what the permanent answer belongs to.
        permanent: (choice, value) -> P(permanent answer), one entry for each.
        second: for each permanent answer P(symbol), one entry for each symbol.
    """

    choices: int
    memory: Callable[[int, int], Hashable]
    permanent: Callable[[int, int], Row]
    second: Sequence[Row]

    @property
    def symbols(self) -> int:
        """Return the number of symbols that can be reported, not counting the choice."""
        return len(self.second[0])

    def one(self, x: int) -> dict[str, Fraction]:
        """Return the law of one report: choice and symbol."""
        return {
            f"choice {c}, {y}": sum(
                (a * row[y] for a, row in zip(self.permanent(c, x), self.second, strict=True)),
                Fraction(0),
            )
            / self.choices
            for c in range(self.choices)
            for y in range(self.symbols)
        }

    def two(self, x: int, x2: int) -> dict[str, Fraction]:
        """Return the law of two reports of one client, on x and then x2."""
        found = {}
        for c in range(self.choices):
            first, other = self.permanent(c, x), self.permanent(c, x2)
            same = self.memory(c, x) == self.memory(c, x2)
            for y, y2 in product(range(self.symbols), repeat=2):
                if same:
                    rows = zip(first, self.second, strict=True)
                    mass = sum((a * row[y] * row[y2] for a, row in rows), Fraction(0))
                else:
                    mass = self._mass(first, y) * self._mass(other, y2)
                found[f"choice {c}, {y} then {y2}"] = mass / self.choices
        return found

    def users(self, x: int) -> dict[str, Fraction]:
        """Return the law of two independent users' reports on x, one each."""
        one = self.one(x)
        return {f"{y} and {y2}": p * p2 for (y, p), (y2, p2) in product(one.items(), repeat=2)}

    def _mass(self, permanent: Row, y: int) -> Fraction:
        pairs = zip(permanent, self.second, strict=True)
        return sum((a * row[y] for a, row in pairs), Fraction(0))


def joined_codes(codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
    """Several numbers as one; -1 where one is out of its range."""
    total = np.zeros(len(codes[0]), dtype=np.int64)
    valid = np.ones(len(codes[0]), dtype=bool)
    for each, size in zip(codes, sizes, strict=True):
        valid &= (each >= 0) & (each < size)
        total = total * size + each
    return np.where(valid, total, -1)


def spec_at(module: str, name: str, point: Point, k: int) -> Expectation:
    """The table of a spec at exact values of its symbols, by their names."""
    spec = next(m for m in load(module) if m.name == name)
    given = {s: Fraction(point[s.name]) for s in spec.variables if s.name in point}
    form = spec.algebraic_table
    return Expectation(form, complete(form, given), k)


def agree(what: str, *pairs: tuple[Fraction, Fraction]) -> None:
    """Refuse a table that is not the spec's.

    Raises:
        ParameterError: two fractions differ.
    """
    for own, spec in pairs:
        if own != spec:
            raise ParameterError(what, f"must follow its spec, which says {float(spec)}", own)


def response(lie: Fraction, size: int) -> list[Row]:
    """k-ary response: this chance for each other answer."""
    truth = 1 - (size - 1) * lie
    return [tuple(truth if y == x else lie for y in range(size)) for x in range(size)]


def bit_rows(one: Sequence[Fraction], zero: Sequence[Fraction], size: int) -> list[Row]:
    """The law of the reported vector for each vector of `size` bits, bit j in bit j of its number.

    P(1) of bit j is one[j] where it is 1, zero[j] where it is 0.
    """
    numbers = range(1 << size)

    def chance(given: int, y: int) -> Fraction:
        mass = Fraction(1)
        for j in range(size):
            high = one[j] if given >> j & 1 else zero[j]
            mass *= high if y >> j & 1 else 1 - high
        return mass

    return [tuple(chance(given, y) for y in numbers) for given in numbers]
