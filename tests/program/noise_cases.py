"""Cases at small widths of noise on points as they are, and of a sign about a region's places."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.run.kernels.noise import geometric_sampler, power_digits
from ldp_verified.run.program.form import Private
from ldp_verified.run.program.groups import InnerProgram, all_of
from ldp_verified.run.program.noisy_points import noisy_bits, noisy_cell
from tests.program.cases import geometric_pmf
from tests.program.further_cases import sign_case
from tests.program.group_cases import Tape, case_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.program.cases import Case, Law


def moved(tape: Tape, place: int, m: int, share: int, width: int) -> int:
    """A cell of a row of m + 1: a word for the side, then m of which each may go a step further."""
    half = 1 << (width - 1)
    side = tape.word()
    while share <= side < half:
        side = tape.word()
    steps = [tape.word() % half < share for _ in range(m)]
    size = next((i for i, further in enumerate(steps) if not further), m)
    return min(place + 1 + size, m) if side < half else max(place - size, 0)


def _row(m: int, share: int, width: int, place: int) -> dict[int, Fraction]:
    """The law of a cell of a row: two-sided geometric noise, put on the edge beyond it."""
    a, law = Fraction(share, 1 << (width - 1)), dict[int, Fraction]()
    for cell in range(m + 1):
        steps = abs(cell - place)
        edge = cell in (0, m)
        law[cell] = a**steps / (1 + a) if edge else (1 - a) / (1 + a) * a**steps
    return law


def plane_case(axes: Sequence[tuple[int, int]], width: int, words: int) -> Case:
    """Both axes, the first one's words first."""
    (m, share), (other, further) = axes

    def draw(tape: Tape, value: int) -> list[int]:
        column, row = divmod(value, other + 1)
        return [moved(tape, column, m, share, width), moved(tape, row, other, further, width)]

    def table(value: int) -> Law:
        column, row = divmod(value, other + 1)
        one, two = _row(m, share, width, column), _row(other, further, width, row)
        return {(x, y): one[x] * two[y] for x, y in itertools.product(one, two)}

    return case_of(noisy_cell("plane_noise", axes, width), words, m + other + 2, draw, table)


def sums_case(k: int, m: int, reach: int, share: int, width: int, words: int) -> Case:
    """One number after another, by the kernel of one."""
    digits, counts = power_digits(share, 0, width - 1)
    pmf, sampler = (
        geometric_pmf(m, reach, share, width),
        geometric_sampler(m, reach, share, width, 0),
    )

    def draw(tape: Tape, value: int) -> list[int]:
        return [tape.filled(sampler, m * (v == value))[0] for v in range(k)]

    def table(value: int) -> Law:
        law: Law = {}
        for report in itertools.product(range(m + 2 * reach + 1), repeat=k):
            mass = Fraction(1)
            for v, number in enumerate(report):
                mass *= pmf(number, m * (v == value))
            law[report] = mass
        return law

    program = noisy_bits("she", k, m, reach, digits, counts, width)
    return case_of(program, words, 2 * k, draw, table)


def region_case(first: int, places: int) -> Case:
    """The sign of a matrix, about some of its values that stand side by side."""
    whole = sign_case(3, 1, 3)
    program = all_of("safe_regions", places, [InnerProgram(whole.program, Private() + first)])

    def draw(tape: Tape, value: int) -> list[int]:
        return tape.filled(whole.sampler, value + first)

    return case_of(program, 3, 2, draw, lambda value: whole.table(value + first))


NOISE_CASES: dict[str, Case] = {
    "plane_noise": plane_case([(1, 1), (1, 1)], 2, 5),
    "safe_regions": region_case(3, 3),
    "she": sums_case(2, 1, 0, 1, 2, 6),
}
NOISE_SIZES: dict[str, Case] = {
    "plane_noise_six": plane_case([(1, 1), (2, 1)], 2, 6),
    "safe_regions_two": region_case(6, 2),
    "safe_regions_five": region_case(1, 5),
    "she_far": sums_case(2, 1, 1, 1, 2, 7),
    "she_three": sums_case(3, 1, 0, 1, 2, 7),
}
"""The same at other numbers of values; `make test-clients` runs them."""
