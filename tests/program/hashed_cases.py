"""Cases at small widths of programs whose groups hash parts of a value, and their laws."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.program.hashed_groups import HashedGroups, ListedFunctions, hashed_groups
from tests.program.cases import Case, one_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.program.cases import Drawn

    Law = dict[tuple[int, ...], Fraction]


class Asking:
    """What the groups of a protocol do, in Python integers: a seed and what is hashed are one each.

    Args:
        bits, g, lie, asked, width: as for `hashed_groups`.
    """

    def __init__(self, bits: int, g: int, lie: int, asked: HashedGroups, width: int) -> None:
        self.bits, self.g, self.lie, self.asked, self.width = bits, g, lie, asked, width
        self.r, self.size = g.bit_length() - 1, 1 << width

    def about(self, value: int, group: int) -> int:
        """What a group hashes: 2 width bits."""
        asked, width = self.asked, self.width
        whole = value << (2 * width - self.bits)
        if asked.lengths:
            gap = 2 * width - asked.lengths[group]
            return whole >> gap << gap
        if group == asked.levels:
            return whole
        masks = zip(asked.upper[group], asked.lower[group], strict=True)
        size = len(asked.upper[group])
        entry = sum(
            (((upper << width | lower) & whole).bit_count() & 1) << bit
            for bit, (upper, lower) in enumerate(masks)
        )
        return entry << (2 * width - size)

    def bucket(self, seed: int, about: int) -> int:
        """A row of the function's matrix is so many bits of the seed, from j on."""
        return sum((((seed >> j) & about).bit_count() & 1) << j for j in range(self.r))

    def parts(self, seed: int) -> tuple[int, int, int]:
        """The three words of a seed."""
        return seed % self.size, seed // self.size % self.size, seed // self.size**2

    def listed(self, group: int) -> list[int] | None:
        """The seeds of a group's public functions; None where a function is any."""
        own = self.asked.listed
        if own is None or own.counts != (group == self.asked.levels):
            return None
        bits = own.columns.bit_length() - 1
        first = 0 if own.counts else group * own.rows
        found = []
        for row, column in itertools.product(range(own.rows), range(own.columns)):
            start = (first + row) * (1 + bits)
            taken = [start, *(start + 1 + bit for bit in range(bits) if column >> bit & 1)]
            words = [0, 0, 0]
            for part, at in itertools.product(range(3), taken):
                words[part] ^= own.parts[part][at] if own.parts[part] else 0
            found.append(words[0] + self.size * words[1] + self.size**2 * words[2])
        return found

    def functions(self, group: int) -> list[int]:
        """The seeds that a report of a group draws evenly from; some may be there twice."""
        listed = self.listed(group)
        if listed is not None:
            return listed
        fixed = self.asked.fixed * self.size if group < self.asked.levels else 0
        return [seed | fixed for seed in range(self.size**2 << (self.r - 1))]

    def groups(self) -> list[tuple[tuple[int, ...], Fraction]]:
        """The groups of a user's reports, and their chance."""
        asked, levels = self.asked, self.asked.levels
        if asked.coins is None:
            return [((*range(asked.reports),), Fraction(1))]
        share = Fraction(*asked.coins)
        found: list[tuple[tuple[int, ...], Fraction]] = [
            ((i,), share / levels) for i in range(levels)
        ]
        if asked.reports == 2:
            return [((group, levels), chance) for (group,), chance in found]
        return [*found, ((levels,), 1 - share)]

    def table(self, value: int) -> Law:
        """The law of a user's reports, as the box of the protocol says it."""
        lie = Fraction(self.lie, self.size)
        law: Law = {}
        for groups, chance in self.groups():
            one = []
            for group in groups:
                functions, about = self.functions(group), self.about(value, group)
                shares: Law = {}
                for seed, y in itertools.product(functions, range(self.g)):
                    own = 1 - (self.g - 1) * lie if y == self.bucket(seed, about) else lie
                    key = (*self.parts(seed), y)
                    shares[key] = shares.get(key, Fraction(0)) + own / len(functions)
                one.append(shares)
            head = () if self.asked.coins is None and self.asked.reports > 1 else groups[:1]
            for rows in itertools.product(*(shares.items() for shares in one)):
                mass = chance
                for _, share in rows:
                    mass *= share
                report = (*head, *(number for row, _ in rows for number in row))
                law[report] = law.get(report, Fraction(0)) + mass
        return law

    def draw(self, value: int, words: list[int]) -> Drawn:
        """One report of a user of one group from words, and how many of them it takes."""
        tape, read = iter(words), itertools.count()
        try:
            group = self._group(tape, read)
            listed = self.listed(group)
            if listed is not None:
                seed = listed[self._even(len(listed), tape, read)]
            else:
                low, high, more = (self._next(tape, read) for _ in range(3))
                more %= 1 << (self.r - 1)
                seed = low + self.size * high + self.size**2 * more
            word = self._next(tape, read)
        except StopIteration:
            return None
        truth = self.bucket(seed, self.about(value, group))
        answer = word // self.lie if word < self.g * self.lie else truth
        return (group, *self.parts(seed), answer), next(read)

    def _group(self, tape: Iterator[int], read: Iterator[int]) -> int:
        if self.asked.coins is None:
            return 0
        some, all_ = self.asked.coins
        coin = self._even(all_ * self.asked.levels, tape, read)
        return min(coin // some, self.asked.levels)

    @staticmethod
    def _next(tape: Iterator[int], read: Iterator[int]) -> int:
        word = next(tape)
        next(read)
        return word

    def _even(self, below: int, tape: Iterator[int], read: Iterator[int]) -> int:
        while (word := self._next(tape, read)) >= self.size - self.size % below:
            pass
        return word % below


def hashed_case(bits: int, g: int, lie: int, asked: HashedGroups, width: int, words: int) -> Case:
    """A case with the law and the kernel of `Asking`."""
    own = Asking(bits, g, lie, asked, width)
    made = hashed_groups("hashed", bits, g, lie, asked, width)
    # Nothing is rejected at these sizes: no tape has to be longer.
    shape = (1 << bits, (), (), (5,), np.dtype(np.uint64), width, words - 1, words)
    return Case(made, Sampler(one_report(own.draw), *shape), words, own.table)


def _prefixes(bits: int, lengths: tuple[int, int]) -> Case:
    """Of four users three find and one confirms."""
    return hashed_case(bits, 2, 1, HashedGroups(1, (3, 4), lengths=lengths), 2, 5)


def _entries(bits: int, listed: ListedFunctions | None = None) -> Case:
    """Groups that find report on two parities of the value, and one counts."""
    upper, lower = ((2, 3), (1, 2)), ((2, 0), (0, 2))
    asked = HashedGroups(2, (1, 2), upper=upper, lower=lower, listed=listed)
    return hashed_case(bits, 2, 1, asked, 2, 5)


ROWS = ((2, 1, 3, 0, 1, 3, 2, 2), (3, 2, 0, 1, 1, 2, 0, 3))
"""The lower and the upper halves of vectors."""


def _rows(counts: bool, rows: int, vectors: int) -> ListedFunctions:
    """Rows of two columns each."""
    return ListedFunctions(counts, rows, 2, (ROWS[0][:vectors], ROWS[1][:vectors], ()))


HASHED: dict[str, Case] = {
    "prefixes": _prefixes(3, (1, 3)),
    "entries": _entries(3),
    "public_rows": hashed_case(3, 2, 1, HashedGroups(0, listed=_rows(True, 2, 4)), 2, 2),
    "counting_rows": _entries(2, _rows(True, 1, 2)),
    "finding_rows": hashed_case(
        *(3, 2, 1, HashedGroups(2, (1, 2), lengths=(1, 2, 3), listed=_rows(False, 2, 8))),
        *(2, 5),
    ),
}
HASHED_SIZES: dict[str, Case] = {
    "prefixes_two": _prefixes(2, (1, 2)),
    "prefixes_four": _prefixes(4, (2, 4)),
    "entries_two": _entries(2),
    "entries_four": _entries(4),
}
"""The same at other numbers of values; `make test-clients` runs them."""
