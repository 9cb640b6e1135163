"""Cases at small widths that no mechanism has as it stands: subsets in lanes, numbers on a grid."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldp_verified.run.kernels import cohorts
from ldp_verified.run.kernels import hyperplanes as planes
from ldp_verified.run.kernels import sketch_reports as sketch
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.grr import grr_sampler
from ldp_verified.run.kernels.noise import geometric_sampler, power_digits
from ldp_verified.run.kernels.staircase import staircase_sampler
from ldp_verified.run.kernels.subsets import plan_of, subset_sampler
from ldp_verified.run.kernels.window import hybrid_sampler, window_sampler
from ldp_verified.run.program import sketches
from ldp_verified.run.program.designs import table_of_cuts
from ldp_verified.run.program.grid import rounded_hybrid, rounded_sign, rounded_window
from ldp_verified.run.program.hyperplanes import hyperplane
from ldp_verified.run.program.noise import geometric_noise, truncated_noise
from ldp_verified.run.program.staircase import staircase_noise
from ldp_verified.run.program.subsets import subset
from tests.program.planes import sketch_planes_sampler

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Fill, Slots
    from ldp_verified.run.program import Program

    Law = dict[tuple[int, ...], Fraction]


class Case(NamedTuple):
    """A program, the kernel beside it, words of a tape, and the table, found without both."""

    program: Program
    sampler: Sampler
    words: int
    table: Callable[[int], Law]


def subset_case(k: int, omega: int, deny: int, width: int, words: int, **more: Any) -> Case:
    """A subset of omega values; `more` as for `subset_sampler`."""
    lanes = more.get("lanes", 64)
    size, word_bits, (c, planes, _), (bits, slices, _) = plan_of(k, omega, width, **more)
    made = subset(
        *("subset", k, size, size < omega, deny, (c, planes), (bits, slices)),
        *((width, word_bits), lanes),
    )
    denied = Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        sets = [number for number in range(1 << k) if number.bit_count() == omega]
        shares = (denied / comb(k - 1, omega), (1 - denied) / comb(k - 1, omega - 1))
        mask = (1 << lanes) - 1
        blocks = range(made.numbers)
        return {
            tuple(number >> (lanes * i) & mask for i in blocks): shares[number >> value & 1]
            for number in sets
        }

    return Case(made, subset_sampler(k, omega, deny, width, **more), words, table)


def with_rounding(inner: Sampler, m: int, bits: int, width: int = 64) -> Sampler:
    """A kernel that reads a word to round a position 0..2^bits to m steps, then runs another."""

    def fill(
        values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
    ) -> tuple[int, int]:
        if not len(words):
            return 0, 0
        whole, rest = divmod(int(values[0]) * m, 1 << bits)
        point = whole + ((int(words[0]) >> (width - bits)) < rest)
        done, used = inner.fill(
            [point], out, [int(words[i]) for i in range(1, len(words))], cuts, sizes
        )
        return done, used + 1 if done else 0

    return Sampler(
        *(fill, (1 << bits) + 1, inner.cuts, inner.sizes, (1,), np.dtype(np.uint64)),
        *(width, inner.words_per_value + 1, inner.least_words + 1),
    )


Drawn = tuple[Sequence[int], int] | None
"""A report, and how many words it takes; None where they are too few."""


def one_report(draw: Callable[[int, list[int]], Drawn]) -> Fill:
    """A kernel that draws one report from a value and words."""

    def fill(
        values: DrawnColumn,
        out: Slots,
        words: DrawnColumn,
        cuts: DrawnColumn,  # noqa: ARG001  the samplers' signature
        sizes: DrawnColumn,  # noqa: ARG001  the samplers' signature
    ) -> tuple[int, int]:
        drawn = draw(int(values[0]), [int(words[i]) for i in range(len(words))])
        if drawn is None:
            return 0, 0
        report, read = drawn
        for i, number in enumerate(report):
            out[i] = number
        return 1, read

    return fill


def number_case(
    program: Program, inner: Sampler, m: int, bits: int, words: int, pmf: Callable[..., Fraction]
) -> Case:
    """A number at 2^bits + 1 positions; pmf(y, point) is of the grid input."""

    def table(position: int) -> Law:
        whole, rest = divmod(position * m, 1 << bits)
        up = Fraction(rest, 1 << bits)
        return {
            (y,): (1 - up) * pmf(y, whole) + (up * pmf(y, whole + 1) if up else 0)
            for y in range(program.below)
        }

    return Case(program, with_rounding(inner, m, bits, program.width), words, table)


def _sign(width: int, lie: int, bits: int) -> Case:
    share = Fraction(lie, 1 << width)
    return number_case(
        rounded_sign("duchi", lie, width, bits),
        *(grr_sampler(2, lie, width), 1, bits, 3),
        lambda y, point: 1 - share if y == point else share,
    )


def _window(m: int, w: int, inside: int, total: int, width: int, bits: int, words: int = 5) -> Case:
    near = Fraction(inside, total * w)
    far = Fraction(total - inside, total * m)
    return number_case(
        rounded_window("piecewise", m, w, inside, total, width, bits),
        *(window_sampler(m, w, inside, total, width), m, bits, words),
        lambda y, point: near if point <= y < point + w else far,
    )


def _cuts() -> Case:
    """Three outputs, and rows that are no permutations of each other."""
    rows = [[3, 11], [1, 14], [9, 10], [5, 6]]
    table = [[3, 8, 5], [1, 13, 2], [9, 1, 6], [5, 1, 10]]
    return Case(
        table_of_cuts("cuts", rows, 4),
        *(categorical_sampler(rows, 4), 2),
        lambda value: {(y,): Fraction(mass, 16) for y, mass in enumerate(table[value])},
    )


def _cohorts(k: int, g: int, lie: int, width: int) -> Case:
    m = cohorts.coordinates(k, g)
    share = Fraction(lie, 1 << width)

    def table(value: int) -> Law:
        digits = [[number // g**i % g for i in range(m)] for number in range(g**m)]
        law: Law = {}
        for function, y in itertools.product(range(g**m), range(g)):
            pairs = zip(digits[function], digits[value], strict=True)
            own = sum(a * b for a, b in pairs) % g == y
            law[(function * g + y,)] = (1 - (g - 1) * share if own else share) / g**m
        return law

    made = sketches.hash_cohorts("cohorts", k, g, m, lie, width)
    return Case(made, cohorts.cohort_hash_sampler(k, g, lie, width), 3, table)


def _points(k: int, q: int, deny: int, width: int) -> Case:
    t = planes.dimension(k, q)
    vectors = [v for v in itertools.product(range(q), repeat=t) if is_point(v)]
    # The index of a point: fewer digits after the 1 first, then by what they write.
    vectors.sort()
    denied = Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        own = vectors[value]
        on = {v: sum(a * b for a, b in zip(v, own, strict=True)) % q == 0 for v in vectors}
        held = sum(on.values())
        shares = {True: (1 - denied) / held, False: denied / (len(vectors) - held)}
        law: Law = {(i,): shares[on[v]] for i, v in enumerate(vectors)}
        return law

    made = hyperplane("pgr", k, q, t, deny, width)
    return Case(made, planes.hyperplane_sampler(k, q, deny, width), 4, table)


def is_point(vector: tuple[int, ...]) -> bool:
    """The first digit that is not 0 is 1."""
    return next((digit for digit in vector if digit), 0) == 1


def _signs(k: int, g: int, deny: int, width: int) -> Case:
    rows = sketch.coefficients(k, g, None, 0)
    denied = Fraction(deny, 1 << width)

    def table(value: int) -> Law:
        buckets = [int(sketch.row_buckets(k, g, row)[value]) for row in rows]
        law: Law = {}
        for row, column, sign in itertools.product(range(len(rows)), range(g), range(2)):
            right = (column & buckets[row]).bit_count() % 2 == sign
            mass = (1 - denied if right else denied) / (len(rows) * g)
            law[(2 * (row * g + column) + sign,)] = mass
        return law

    made = sketches.sketch_sign("hcms", k, g, rows.tolist(), deny, width)
    return Case(made, sketch.sketch_sign_sampler(k, g, rows, deny, width), 3, table)


def _bits(k: int, g: int, cells: tuple[int, int], width: int) -> Case:
    rows = sketch.coefficients(k, g, None, 0)
    one, zero = (Fraction(cell, 1 << width) for cell in cells)

    def table(value: int) -> Law:
        buckets = [int(sketch.row_buckets(k, g, row)[value]) for row in rows]
        law: Law = {}
        for row, bits in itertools.product(range(len(rows)), range(1 << g)):
            mass = Fraction(1, len(rows))
            for bucket in range(g):
                share = one if bucket == buckets[row] else zero
                mass *= share if bits >> bucket & 1 else 1 - share
            law[(row, bits)] = mass
        return law

    made = sketches.sketch_bits("cms", k, g, 2, rows.tolist(), *cells, width, width)
    sampler = sketch_planes_sampler(k, g, rows, *cells, width, width)
    return Case(made, sampler, 5, table)


def truncated_case(m: int, share: int, width: int, words: int) -> Case:
    """A word for each step of the grid, whatever the noise is."""

    def draw(value: int, read: list[int]) -> Drawn:
        half = 1 << (width - 1)
        side = next((i for i, word in enumerate(read) if word >= half or word < share), len(read))
        steps = [word % half < share for word in read[side + 1 : side + 1 + m]]
        if len(steps) < m:
            return None
        size = next((i for i, further in enumerate(steps) if not further), m)
        place = value + (1 + size if read[side] < half else -size)
        return (m if place >= m else m - 1 if place <= 0 else place - 1,), side + 1 + m

    inner = Sampler(one_report(draw), m + 1, (), (), (1,), np.dtype(np.uint64), width, m + 3, m + 1)
    made = truncated_noise("truncated_geometric", m, share, width, 2)
    return number_case(made, inner, m, 2, words, geometric_pmf(m, 0, share, width))


def noise_case(m: int, reach: int, share: int, width: int, words: int) -> Case:
    """Counting has no end within a few words: some mass is left where the ends are far."""
    sampler = geometric_sampler(m, reach, share, width, 0)
    digits, counts = power_digits(share, 0, width - 1)
    made = geometric_noise("geometric", m, reach, digits, counts, width, 2)
    return number_case(made, sampler, m, 2, words, geometric_pmf(m, reach, share, width))


def geometric_pmf(m: int, reach: int, share: int, width: int) -> Callable[[int, int], Fraction]:
    """P(y | grid input) of noise that is cut off at -reach and m + reach."""
    a = Fraction(share, 1 << (width - 1))

    def pmf(y: int, point: int) -> Fraction:
        most = m + 2 * reach
        if y >= most - 1:
            steps = point + reach if y == most - 1 else m + reach - point
            return a**steps / (1 + a)
        return (1 - a) / (1 + a) * a ** abs(y + 1 - reach - point)

    return pmf


def _hybrid(m: int, w: int, width: int, bits: int) -> Case:
    """The window of the piecewise mechanism with probability 1 - w/m, else a sign that may lie."""

    def pmf(y: int, point: int) -> Fraction:
        if y < m + w:
            near = Fraction(m, (m + w) * w) if point <= y < point + w else Fraction(w, (m + w) * m)
            return (1 - Fraction(w, m)) * near
        lie, plus = Fraction(w * w, m * m + w * w), Fraction(point, m)
        right = plus if y == m + w + 1 else 1 - plus
        return Fraction(w, m) * (right * (1 - lie) + (1 - right) * lie)

    made = rounded_hybrid("hybrid", m, w, width, bits)
    return number_case(made, hybrid_sampler(m, w, width), m, bits, 5, pmf)


def staircase_case(m: int, w: int, decay: int, width: int, words: int) -> Case:
    """Noise of whole periods and a cell, folded one period beyond both ends."""
    b = Fraction(decay, 1 << (width - 1))
    sampler = staircase_sampler(m, w, 1, decay, width, 0)
    cells, first = 3 * m, (1 - b) / (2 * (w + (m - w) * b))

    def of_period(place: int) -> Fraction:
        """The mass of a cell of noise, `place` cells away from 0 on its side."""
        return first * b ** (place // m) * (b if place % m >= w else 1)

    def pmf(y: int, point: int) -> Fraction:
        at = point + m
        if y < cells:
            return of_period(y - at if y >= at else at - 1 - y)
        # The first cell that is folded, on the side of the noise; then one in each period.
        start = cells - at if y >= cells + 2 else at
        found = Fraction(0)
        for j in range(m):
            beyond = of_period(start + j) / (1 - b)
            found += beyond * Fraction(j if y in (cells, cells + 3) else m - j, m)
        return found

    inner, weight, kept = sampler.cuts[5:8]
    digits, counts = power_digits(decay, 0, width - 1)
    made = staircase_noise("staircase", (m, w, 1), (inner, weight, kept), digits, counts, width, 2)
    return number_case(made, sampler, m, 2, words, pmf)


MORE: dict[str, Case] = {
    "cuts": _cuts(),
    "subset_blocks": subset_case(3, 1, 3, 3, 3, lanes=2),
    "subset_turned": subset_case(4, 3, 5, 4, 3),
    "subset_planes": subset_case(2, 1, 1, 2, 5, share=(1, 1)),
    "hash_cohorts": _cohorts(3, 2, 3, 3),
    "pgr": _points(3, 2, 3, 3),
    "pgr_ternary": _points(4, 3, 3, 3),
    "hcms": _signs(3, 2, 5, 4),
    "cms": _bits(2, 2, (3, 1), 2),
    "truncated_geometric": truncated_case(2, 1, 2, 6),
    "geometric": noise_case(1, 1, 1, 2, 6),
    "duchi": _sign(4, 3, 2),
    "piecewise": _window(3, 2, 3, 5, 3, 2),
    "hybrid": _hybrid(2, 1, 3, 2),
}
MORE_SIZES: dict[str, Case] = {
    "subset_two": subset_case(2, 1, 3, 4, 3),
    "subset_three": subset_case(3, 2, 3, 3, 3),
    "subset_five": subset_case(5, 2, 5, 4, 4, lanes=2),
    "hash_cohorts_two": _cohorts(2, 2, 3, 3),
    "hash_cohorts_five": _cohorts(5, 2, 3, 3),
    "pgr_two": _points(2, 2, 3, 3),
    "pgr_five": _points(5, 2, 3, 4),
    "hcms_two": _signs(2, 2, 5, 4),
    "hcms_five": _signs(5, 2, 5, 4),
    "cms_three": _bits(3, 2, (3, 1), 2),
    "cms_five": _bits(5, 2, (6, 2), 3),
    "piecewise_two": _window(2, 1, 3, 5, 3, 2),
    "piecewise_five": _window(5, 2, 3, 5, 4, 2, 4),
    "staircase": staircase_case(2, 1, 1, 2, 7),
    "geometric_three": noise_case(2, 1, 1, 2, 6),
    "geometric_five": noise_case(4, 1, 1, 2, 6),
}
"""The same at other numbers of values; `make test-clients` runs them."""
