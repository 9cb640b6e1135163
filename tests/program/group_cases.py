"""Cases at small widths of protocols whose users draw a group, a set or a column first.

Laws are made of the realized cells of what reports; kernels draw in the order of `protocols`.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified import GRR, HRR, OUE, SUE
from ldp_verified.protocols import (
    BoxWavelet,
    JointTables,
    ParityTables,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.program.schemes import one_hot
from tests.program.cases import Case, one_report
from tests.program.cells import law_of_cells
from tests.program.planes import planes_sampler

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
        """The program of it; of unary encodings, with as many lanes as a word has bits."""
        realization = self.realization(made)
        if isinstance(made, OUE | SUE):
            sizes = (made.k, *realization.thresholds, self.width, self.width)
            return one_hot(made.name, *sizes)
        found: Program = made.program(realization)
        return found

    def sampler(self, made: Any) -> Sampler:
        """The kernel of it."""
        realization = self.realization(made)
        if isinstance(made, OUE | SUE):
            one, zero = realization.thresholds
            return planes_sampler(made.k, one, zero, self.width, self.width)
        found: Sampler = made.sampler(realization)
        return found

    def law(self, made: Any, value: int) -> Law:
        """The law of its reports on a value."""
        return law_of_cells(made, self.realization(made), value)


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
        return self.filled(Narrow(self._width).sampler(made), value)

    def filled(self, sampler: Sampler, value: int) -> list[int]:
        """The report of a kernel on a value."""
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

    shape = (program.values, (), (), (program.numbers,), np.dtype(np.uint64))
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


def _sampled(
    program: Program, parts: Any, held: Callable[[int], list[int]], words: int, least: int
) -> Case:
    """One of several mechanisms, said; `held` is what a value is to each."""
    narrow = Narrow(program.width)
    more = [program.numbers - 1 - narrow.program(part).numbers for part in parts]

    def draw(tape: Tape, value: int) -> list[int]:
        chosen = tape.uniform(len(parts))
        report = tape.drawn(parts[chosen], held(value)[chosen])
        return [chosen, *report, *[0] * more[chosen]]

    def table(value: int) -> Law:
        return {
            (j, *report, *[0] * more[j]): mass / len(parts)
            for j, (part, own) in enumerate(zip(parts, held(value), strict=True))
            for report, mass in narrow.law(part, own).items()
        }

    return case_of(program, words, least, draw, table)


def _one_of_two() -> Case:
    made = SampleOne(1.5, (2, 2), OUE)
    program = made.program(Narrow(2).program)
    return _sampled(program, made.parts, lambda value: [value // 2, value % 2], 4, 4)


def _levels() -> Case:
    made = RangeHierarchy(1.2, 3, (2, 2))
    program = made.program(Narrow(3).program)
    return _sampled(program, made.scheme.parts, lambda value: [value // 2, value], 2, 2)


def _cells() -> Case:
    made = RangeGrid(1.7, {"a": 2, "b": 3}, 2, GRR)

    def held(value: int) -> list[int]:
        both = divmod(value, 3)
        found = []
        for group in made.groups:
            cell = 0
            for own, level, tree in zip(both, group, made.trees, strict=True):
                cell = cell * tree.nodes(level) + own // tree.widths[level]
            found.append(cell)
        return found

    return _sampled(made.program(Narrow(4).program), made.scheme.parts, held, 3, 2)


def _views() -> Case:
    made = JointTables(1.7, {"a": 2, "b": ("no", "yes"), "c": 2}, make=GRR)

    def held(value: int) -> list[int]:
        a, b, c = value >> 2, value >> 1 & 1, value & 1
        return [2 * a + b, 2 * a + c, 2 * b + c]

    return _sampled(made.program(Narrow(3).program), made.scheme.parts, held, 3, 2)


def _split() -> Case:
    made, narrow = Split(3.0, (2, 3)), Narrow(3)

    def draw(tape: Tape, value: int) -> list[int]:
        one, other = (
            tape.drawn(part, x) for part, x in zip(made.parts, divmod(value, 3), strict=True)
        )
        return [*one, *other]

    def table(value: int) -> Law:
        pairs = zip(made.parts, divmod(value, 3), strict=True)
        one, other = (narrow.law(part, x) for part, x in pairs)
        return {(*y, *z): mass * further for y, mass in one.items() for z, further in other.items()}

    return case_of(made.program(narrow.program), 2, 2, draw, table)


def _mixed(laws: Callable[[int, int], list[Law]], count: int, value: int) -> Law:
    """The law where one of `count` attributes is true: laws(value, chosen) are independent."""
    mixed: Law = {}
    for chosen in range(count):
        for each in itertools.product(*(law.items() for law in laws(value, chosen))):
            report = tuple(itertools.chain.from_iterable(part for part, _ in each))
            mass = math.prod((share for _, share in each), start=Fraction(1, count))
            mixed[report] = mixed.get(report, Fraction(0)) + mass
    return mixed


def _fakes() -> Case:
    made, narrow = SampleAmongFakes(1.2, (2, 2)), Narrow(2)

    def draw(tape: Tape, value: int) -> list[int]:
        chosen, report = tape.uniform(2), list[int]()
        for j, (part, x) in enumerate(zip(made.parts, divmod(value, 2), strict=True)):
            (own,) = tape.drawn(part, x)
            fake = tape.uniform(2)
            report.append(own if j == chosen else fake)
        return report

    def laws(value: int, chosen: int) -> list[Law]:
        fair: Law = {(y,): Fraction(1, 2) for y in range(2)}
        both = enumerate(zip(made.parts, divmod(value, 2), strict=True))
        return [narrow.law(part, x) if j == chosen else fair for j, (part, x) in both]

    program = made.program(narrow.program)
    return case_of(program, 5, 5, draw, lambda value: _mixed(laws, 2, value))


ONE, ZERO = 3, 2
"""Thresholds of bits in units of 1/4: one plane of bits says whether another bit is 1."""


def narrow_bits(part: OUE | SUE, held: bool) -> Program:
    """Bits of two lanes, from words of two bits."""
    return one_hot(part.name, part.k, ONE if held else ZERO, ZERO, 2, 2)


def bits_law(own: int, one: int) -> Law:
    """The law of two bits, the own one of which is 1 with chance one / 4."""
    law: Law = {}
    for report in range(4):
        mass = Fraction(1)
        for bit in range(2):
            share = Fraction(one if bit == own else ZERO, 4)
            mass *= share if report >> bit & 1 else 1 - share
        law[(report,)] = mass
    return law


def _fake_bits() -> Case:
    made = SampleAmongFakeBits(1.5, (2, 2))

    def draw(tape: Tape, value: int) -> list[int]:
        chosen, report = tape.uniform(2), list[int]()
        for j, x in enumerate(divmod(value, 2)):
            cells = (ONE if j == chosen else ZERO, ZERO)
            held = x if j == chosen else 0  # nothing is held in a fake
            report += tape.filled(planes_sampler(2, *cells, 2, 2), held)
        return report

    def laws(value: int, chosen: int) -> list[Law]:
        both = enumerate(divmod(value, 2))
        return [bits_law(x, ONE if j == chosen else ZERO) for j, x in both]

    program = made.program(narrow_bits)
    return case_of(program, 5, 5, draw, lambda value: _mixed(laws, 2, value))


GROUP_CASES: dict[str, Case] = {
    "range_tree": _tree(),
    "range_wavelet": _wavelet(),
    "parity_tables": _parities(),
    "box_wavelet": _boxes(),
    "sample_one": _one_of_two(),
    "range_hierarchy": _levels(),
    "range_grid": _cells(),
    "joint_tables": _views(),
    "split": _split(),
    "sample_among_fakes": _fakes(),
    "sample_among_fake_bits": _fake_bits(),
}
