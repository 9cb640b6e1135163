"""What proofs/lib/ProgramGeometric.v and ProgramNoise.v prove, over every sequence, of ours.

The theorems speak of a machine that is written down in Coq. Here it is written down once more, and
the interpreter runs `geometric_noise` over all sequences of few words: reports have the machine's
counts, and these are around the law that is proved.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.kernels.noise import power_digits
from ldp_verified.run.program.noise import geometric_noise, truncated_noise
from tests.broken.programs import wrong_programs
from tests.program.counts import Counts, counted, counts_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.run.program import Program

    Digits = tuple[int, ...]
    Noise = tuple[tuple[bool, ...], int]
    State = tuple[str, tuple[bool, ...], int, Digits | None]

# m, reach, share, levels, width
CASES = {
    "no_level": (1, 0, 1, 0, 2),
    "a_level": (1, 1, 1, 1, 2),
    "digits": (1, 2, 3, 1, 3),
    "two_levels": (2, 3, 1, 2, 2),
}


class Machine:
    """`noise_step`, with the powers that the package takes."""

    def __init__(self, m: int, reach: int, share: int, levels: int, width: int) -> None:
        digits, counts = power_digits(share, levels, width - 1)
        powers = []
        for count in counts:
            powers.append(tuple(digits[:count]))
            digits = digits[count:]
        self.half, self.words, self.most = 1 << (width - 1), 1 << width, m + 2 * reach
        self.turns, self.last = (powers[0], *powers[:-1]), powers[-1]
        self.levels, self.reach = levels, reach
        self.a = Fraction(share, self.half)

    def more(self, bits: tuple[bool, ...]) -> int:
        """`limit`: how often it is counted before the size is beyond both ends."""
        size, further = self.size(bits, 0), 0
        while size + (further + 1 << self.levels) <= self.most:
            further += 1
        return further

    def size(self, bits: tuple[bool, ...], n: int) -> int:
        """`bits_number` of all but the side, and the count."""
        return sum(bit << i for i, bit in enumerate(bits[1:])) + (n << self.levels)

    def step(self, state: State, word: int) -> State | Noise:
        """`noise_step`: a state, or a report."""
        kind, bits, n, open_ = state
        if kind == "turn":
            power = self.turns[len(bits)]
            if open_ is None and word >= self.half:
                return self.next_turn((*bits, False))
            found = compared(word % self.half, power if open_ is None else open_)
            if isinstance(found, tuple):
                return (kind, bits, 0, found)
            return self.next_turn((*bits, True)) if found else (kind, bits, 0, None)
        assert open_ is not None
        found = compared(word % self.half, open_)
        if isinstance(found, tuple):
            return (kind, bits, n, found)
        if not found:
            return (bits, n)
        return (bits, n + 1) if n == self.more(bits) else (kind, bits, n + 1, self.last)

    def next_turn(self, bits: tuple[bool, ...]) -> State:
        """`next_turn`."""
        if len(bits) < len(self.turns):
            return ("turn", bits, 0, None)
        return ("counting", bits, 0, self.last)

    def reported(self, noise: Noise, point: int) -> int:
        """The report of a grid point and what was drawn."""
        bits, n = noise
        position, size = point + self.reach, self.size(bits, n)
        place = position + 1 + size if bits[0] else position - size
        if place >= self.most:
            return self.most
        return place - 1 if place > 0 else self.most - 1

    def counts(self, point: int, length: int) -> Counts:
        """How many sequences lead to each report: `ended` and `waiting`."""
        states: Counter[State] = Counter({self.next_turn(()): 1})
        found: Counts = Counter()
        for left in reversed(range(length)):
            following: Counter[State] = Counter()
            for state, many in states.items():
                for word in range(self.words):
                    went = self.step(state, word)
                    if len(went) == 2:
                        found[(self.reported(went, point),)] += many * self.words**left
                    else:
                        following[went] += many
            states = following
        found[None] = states.total()
        return +found

    def law(self, point: int) -> dict[int, Fraction]:
        """`geometric_noise_law` for each report; the ends have what is left."""
        law = dict.fromkeys(range(self.most + 1), Fraction(0))
        a = self.a
        for z in range(1 - point - self.reach, self.most - point - self.reach):
            size = z - 1 if z > 0 else -z
            side = a / (1 + a) if z > 0 else 1 / (1 + a)
            law[point + self.reach + z - 1] = side * (1 - a) * a**size
        law[self.most - 1] = a ** (point + self.reach) / (1 + a)
        law[self.most] = a * a ** (self.most - 1 - point - self.reach) / (1 + a)
        assert sum(law.values()) == 1
        return law


def compared(digit: int, digits: Digits) -> Digits | bool:
    """`compare_digit`: the digits that are left, or whether it is below."""
    if digit == digits[0] and len(digits) > 1:
        return digits[1:]
    return digit < digits[0]


def points(m: int) -> Iterator[tuple[int, int]]:
    """(value, grid point) where nothing is rounded: positions are quarters of the grid."""
    return ((v, m * v // 4) for v in range(5) if m * v % 4 == 0)


@pytest.mark.parametrize("case", CASES)
def test_counts_are_those_of_the_machine_and_around_its_law(case: str) -> None:
    m, reach, share, levels, width = CASES[case]
    machine = Machine(m, reach, share, levels, width)
    digits, counts = power_digits(share, levels, width - 1)
    program = geometric_noise("geometric", m, reach, digits, counts, width, 2)
    for value, point in points(m):
        law = machine.law(point)
        for length in range(1, 10 // width + 1):
            said = machine.counts(point, length)
            # The first word rounds, and there is nothing to round.
            before = Counter({report: many << width for report, many in said.items()})
            assert counted(program, value, 1 + length) == before
            for report, probability in law.items():
                ended = said[(report,)]
                assert ended <= probability * machine.words**length <= ended + said[None]


def planted() -> Iterator[Program]:
    """Wrong programs of two digits: other digits, fewer of them, a retry that is left out."""
    digits, counts = power_digits(3, 1, 2)
    assert counts == [1, 2]
    made = [([2, *digits[1:]], counts), ([3, 3, 1], counts), ([3, 2, 2], counts)]
    for wrong, lengths in (*made, ([3, 2], [1, 1]), ([3, 2, 1], [2, 1])):
        yield geometric_noise("geometric", 1, 2, wrong, lengths, 3, 2)
    right = geometric_noise("geometric", 1, 2, digits, counts, 3, 2)
    yield from (wrong for slip, wrong in wrong_programs(right) if "rejected" in slip)


def test_a_wrong_program_has_other_counts() -> None:
    machine = Machine(1, 2, 3, 1, 3)
    (value, point), *_ = points(1)
    wrongs = list(planted())
    assert len(wrongs) > 6
    for wrong in wrongs:
        assert any(
            counts_or_none(wrong, value, 1 + length)
            != {report: many << 3 for report, many in machine.counts(point, length).items()}
            for length in (2, 3, 4)
        )


def truncated_counts(m: int, share: int, half: int, point: int, length: int) -> Counts:
    """`truncated_noise_counts` and `walk_cell`, for each report, after m + `length` words."""

    def cell(size: int) -> int:
        if size == m:
            return int((2 * share) ** m)
        rest = (2 * half) ** (m - 1 - size)
        return int((2 * share) ** size * (2 * half - 2 * share) * rest)

    retried = 0
    for n in range(length):
        retried = (2 * half) ** n + (half - share) * retried
    found: Counts = Counter()
    for above, size in itertools.product((False, True), range(m + 1)):
        place = point + 1 + size if above else point - size
        report = m if place >= m else m - 1 if place <= 0 else place - 1
        found[(report,)] += (share if above else half) * cell(size) * retried
    return +found


def follows_theorem(program: Program, m: int, share: int, width: int) -> bool:
    """Return whether counts of a program are the theorem's, of all lengths that are tried."""
    for value, point in points(m):
        for length in range(10 // width):
            right = truncated_counts(m, share, 1 << (width - 1), point, length - m)
            found = counts_or_none(program, value, 1 + length)
            if found is None:
                return False
            # The first word rounds, and there is nothing to round.
            ended = {report: many for report, many in found.items() if report is not None}
            if ended != {report: many << width for report, many in right.items()}:
                return False
    return True


@pytest.mark.parametrize(("m", "share", "width"), [(1, 1, 2), (2, 1, 2), (3, 1, 2), (2, 3, 3)])
def test_counts_of_truncated_noise_are_the_theorems(m: int, share: int, width: int) -> None:
    """And those of the law, where nothing is rejected but the side."""
    assert follows_theorem(truncated_noise("truncated", m, share, width, 2), m, share, width)


def test_wrong_truncated_noise_has_other_counts() -> None:
    right = truncated_noise("truncated", 2, 1, 2, 2)
    seen = [not follows_theorem(wrong, 2, 1, 2) for _, wrong in wrong_programs(right)]
    # Some comparisons are at a limit at which both blocks store the same.
    assert 2 * sum(seen) > len(seen) > 3
    # As it was: the walk ends where a step is not taken, which the number of words shows.
    digits, counts = power_digits(1, 0, 1)
    assert not follows_theorem(geometric_noise("geometric", 2, 0, digits, counts, 2, 2), 2, 1, 2)
