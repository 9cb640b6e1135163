"""Cases at small widths of protocols whose users draw a group, a set or a column first.

Laws are made of the realized cells of what reports; kernels draw in the order of `protocols`.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified import GRR, HRR
from ldp_verified.protocols import BoxWavelet, ParityTables, RangeTree, RangeWavelet
from ldp_verified.run.kernels.draw import Sampler
from tests.program.cases import Case, one_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ldp_verified.run.program import Program
    from tests.program.cases import Drawn, Law


class Narrow(NamedTuple):
    """A mechanism's way to draw from narrow words."""

    width: int

    def realization(self, made: Any) -> Any:
        """The first of its realizations."""
        return next(iter(made.realizations(self.width)))

    def program(self, made: Any) -> Program:
        """The program of it."""
        found: Program = made.program(self.realization(made))
        return found


class Tape:
    """Words that a kernel reads one after the other; an IndexError where they are too few."""

    def __init__(self, words: list[int], width: int) -> None:
        self._words, self._width, self.read = words, width, 0

    def word(self) -> int:
        """The next word."""
        self.read += 1
        return self._words[self.read - 1]

    def uniform(self, below: int) -> int:
        """A number of equal shares, by rejection."""
        word = self.word()
        while word >= (1 << self._width) // below * below:
            word = self.word()
        return word % below

    def drawn(self, made: Any, value: int) -> list[int]:
        """The report of a mechanism on a value, by its kernel."""
        sampler = made.sampler(Narrow(self._width).realization(made))
        out = [0] * sampler.columns
        done, used = sampler.fill(
            [value], out, self._words[self.read :], sampler.cuts, sampler.sizes
        )
        if not done:
            raise IndexError(used)
        self.read += used
        return out


def case_of(
    program: Program,
    words: int,
    least: int,
    draw: Callable[[Tape, int], Iterable[int]],
    table: Callable[[int], Law],
) -> Case:
    """A case whose kernel is written in words that are read from a tape.

    Args:
        program: what is tried. words: of the longest tapes. least: that a report takes at least.
        draw: the report of a value. table: its law.
    """

    def drawn(value: int, given: list[int]) -> Drawn:
        tape = Tape(given, program.width)
        try:
            report = [*draw(tape, value)]
        except IndexError:
            return None
        return report, tape.read

    shape = (program.inputs, (), (), (program.numbers,), np.dtype(np.uint64))
    sampler = Sampler(one_report(drawn), *shape, program.width, least, least)
    return Case(program, sampler, words, table)


def odd(number: int) -> int:
    """1 if it has an odd number of ones."""
    return number.bit_count() % 2


def _tree() -> Case:
    made, narrow = RangeTree(1.2, 4, 1), Narrow(2)
    nodes = [1, 3]

    def draw(tape: Tape, value: int) -> list[int]:
        level = tape.uniform(2)
        (code,) = tape.drawn(HRR(1.2, 2 << level), value >> (1 - level))
        return [2 * (0, 2)[level] + code]

    def table(value: int) -> Law:
        law: Law = {}
        for level in range(2):
            node, columns = value >> (1 - level), nodes[level] + 1
            deny = Fraction(narrow.realization(HRR(1.2, columns)).thresholds[0], 4)
            for column, sign in itertools.product(range(columns), range(2)):
                share = 1 - deny if odd(column & node) == sign else deny
                law[(2 * ((0, 2)[level] + column) + sign,)] = share / columns / 2
        return law

    return case_of(made.program(narrow.program), 3, 3, draw, table)


def _lie(width: int) -> Fraction:
    """The chance that the response of these cases lies."""
    return Fraction(Narrow(width).realization(GRR(1.2, 2)).thresholds[0], 1 << width)


def _answers(place: int, bit: int, mass: Fraction, width: int) -> Law:
    """The codes 2 place and 2 place + 1 of a response on a bit."""
    lie = _lie(width)
    return {(2 * place + y,): mass * (1 - lie if y == bit else lie) for y in range(2)}


def _wavelet() -> Case:
    made, narrow = RangeWavelet(1.2, 5), Narrow(2)

    def bit(value: int, level: int, column: int) -> int:
        node = value >> (3 - level)
        return odd(node & column) ^ (value >> (2 - level) & 1)

    def draw(tape: Tape, value: int) -> list[int]:
        level, column = tape.uniform(3), tape.uniform(4)
        column %= 1 << level
        (answer,) = tape.drawn(GRR(1.2, 2), bit(value, level, column))
        return [2 * ((1 << level) - 1 + column) + answer]

    def table(value: int) -> Law:
        law: Law = {}
        for level in range(3):
            for column in range(1 << level):
                place, mass = (1 << level) - 1 + column, Fraction(1, 3 << level)
                law |= _answers(place, bit(value, level, column), mass, 2)
        return law

    return case_of(made.program(narrow.program), 4, 3, draw, table)


def _parities() -> Case:
    made, narrow = ParityTables(1.2, ("a", "b"), 2), Narrow(2)
    masks = [1, 2, 3]

    def draw(tape: Tape, value: int) -> list[int]:
        chosen = tape.uniform(3)
        (answer,) = tape.drawn(GRR(1.2, 2), odd(value & masks[chosen]))
        return [2 * chosen + answer]

    def table(value: int) -> Law:
        law: Law = {}
        for place, mask in enumerate(masks):
            law |= _answers(place, odd(value & mask), Fraction(1, 3), 2)
        return law

    return case_of(made.program(narrow.program), 3, 2, draw, table)


def _boxes() -> Case:
    made, narrow = BoxWavelet(1.2, (2, 3)), Narrow(3)
    pairs = [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

    def bit(value: int, pair: int, column: int) -> int:
        (one, other), (i, j) = divmod(value, 3), pairs[pair]
        one, other = one >> (1 - i), other >> (2 - j)
        return odd((one >> 1 << 1 | other >> 1) & column) ^ (one & 1) ^ (other & 1)

    def draw(tape: Tape, value: int) -> list[int]:
        pair, column = tape.uniform(5), tape.uniform(2)
        (answer,) = tape.drawn(GRR(1.2, 2), bit(value, pair, column))
        return [2 * (2 * pair + column) + answer]

    def table(value: int) -> Law:
        law: Law = {}
        for pair, column in itertools.product(range(5), range(2)):
            law |= _answers(2 * pair + column, bit(value, pair, column), Fraction(1, 10), 3)
        return law

    return case_of(made.program(narrow.program), 4, 3, draw, table)


GROUP_CASES: dict[str, Case] = {
    "range_tree": _tree(),
    "range_wavelet": _wavelet(),
    "parity_tables": _parities(),
    "box_wavelet": _boxes(),
}
