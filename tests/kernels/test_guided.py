"""Noise by guided tables of cuts: every comparison, every cut, and its exact law."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ldp_verified import Geometric, Staircase, TruncatedGeometric
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.guided import guided_fill
from ldp_verified.run.kernels.guided_noise import (
    guided_noise,
    guided_staircase,
    sizes_of,
    staircase_noise_sampler,
)
from ldp_verified.run.kernels.staircase import staircase_fill
from tests.mechanisms.against_noise import small
from tests.registry import SAMPLER, covers

ONE = 1 << 63


@dataclass(frozen=True)
class Law:
    """What a table stands for, in fractions, and not as the kernel has it.

    Attributes:
        cuts: ascending. start: what outcome 0 adds. middle: the first outcome above.
        stretch: of the tails. cells: between the ends. period: of staircase noise, or 0.
    """

    cuts: list[Fraction]
    start: int
    middle: int
    stretch: int
    cells: int
    period: int = 0


def geometric(m: int, reach: int, share: int, base: int, count: int) -> Law:
    """P(-n) = q (1 - a) a^n, P(1 + n) = q (1 - a) a^(n + 1)."""
    a = Fraction(share, 1 << base)
    q = Fraction(math.floor(Fraction(1 << base) / (1 + a)), 1 << base)
    cuts = [q * a**n for n in range(count, -1, -1)]
    cuts += [q + q * a * (1 - a**n) for n in range(1, count + 1)]
    cuts.append(q * (1 + a))
    return Law(cuts, reach - 1 - count, count + 1, count, m + 2 * reach - 1)


def staircase(m: int, w: int, periods: int, share: int, base: int, count: int) -> Law:
    """Cells of weight b^k, and b^(k + 1) from the w-th on."""
    b = Fraction(share, 1 << base)
    whole = 2 * (w + (m - w) * b)
    more = (math.floor(whole * (1 << base))).bit_length()
    q = Fraction(math.floor((1 << (base + more)) / (whole * (1 << base))), 1 << more)
    sums = [Fraction(0)]
    for z in range(count * m):
        sums.append(sums[-1] + q * (1 - b) * b ** (z // m + (z % m >= w)))
    half = q * whole / 2
    cuts = [half - sums[z] for z in range(count * m, -1, -1)]
    cuts += [half + each for each in sums[1:]]
    cuts.append(q * whole)
    start = periods * m - 1 - count * m
    return Law(cuts, start, count * m + 1, count * m, (2 * periods + 1) * m, m)


def reference(tape: list[int], width: int, x: int, law: Law) -> tuple[int, int]:
    """(report, words read), by comparing fractions."""
    words: Iterator[int] = iter(tape)
    read = 0
    side, size, found = 0, 0, -1
    while found < 0:
        value, unit = Fraction(next(words), 1 << width), Fraction(1, 1 << width)
        read += 1
        while any(value < cut < value + unit for cut in law.cuts):
            unit /= 1 << width
            value += next(words) * unit
            read += 1
        j = sum(cut <= value for cut in law.cuts)
        if j == len(law.cuts) or (side < 0 and j >= law.middle) or (side > 0 and j < law.middle):
            continue
        if j in (0, len(law.cuts) - 1):
            side = 1 if j else -1
            size += law.stretch
            continue
        found = j
    at = x + law.start + found + side * size
    if 0 <= at < law.cells:
        return at, read
    if not law.period:
        return law.cells + (at >= 0), read
    phase = (-1 - at if at < 0 else at - law.cells) % law.period
    fair = (1 << width) // law.period
    while (word := next(words)) >= fair * law.period:
        read += 1
    far = word // fair < phase
    return law.cells + ((0 if far else 1) if at < 0 else (3 if far else 2)), read + 1


# m, reach, share, base, count, width
NOISE = [
    (1, 0, 1, 1, 1, 3),
    (2, 1, 1, 1, 2, 4),
    (3, 2, 3, 2, 3, 5),
    (2, 9, 5, 3, 1, 6),
    (3, 30, 7, 3, 6, 9),
]
# m, w, periods, share, count, base, width
STAIRS = [
    (1, 1, 1, 1, 1, 1, 3),
    (3, 1, 1, 1, 1, 1, 4),
    (2, 1, 3, 3, 2, 2, 5),
    (3, 2, 4, 7, 3, 3, 9),
]
SMALL: dict[str, tuple[Sampler, Law]] = {
    f"geometric {case}": (guided_noise(*case), geometric(*case[:5])) for case in NOISE
} | {
    f"staircase {case}": (guided_staircase(*case), staircase(*case[:4], case[5], case[4]))
    for case in STAIRS
}


def differing(
    sampler: Sampler, law: Law, words: list[int], values: list[int], drawn: tuple[list[int], int]
) -> bool:
    """Whether reports, or how many words they took, are not those of the reference."""
    at = 0
    for x, found in zip(values, drawn[0], strict=True):
        report, read = reference(words[at : at + 1000], sampler.word_bits, x, law)
        if report != found:
            return True
        at += read
    return at != drawn[1]


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_every_comparison_is_that_of_fractions(
    name: str, machine_code: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With narrow words nearly all are undecided: 1,000 reports of each, word by word."""
    monkeypatch.setattr(draw, "machine_code", lambda: machine_code)
    (sampler, law), n = SMALL[name], 1000
    tape = rng.integers(0, 1 << sampler.word_bits, size=100 * n)
    values = rng.integers(0, sampler.inputs, n)
    out = np.zeros(n, dtype=np.int64)
    done, used = sampler._in_bulk(values, out, tape.astype(np.uint64))
    assert done == n
    assert not differing(sampler, law, tape.tolist(), values.tolist(), (out.tolist(), used))


@pytest.mark.parametrize(
    ("place", "step"), [(13, 1), (13, -1), (16, -1), (17, 1), (18, 1), (19, -1), (19, 1), (20, 1)]
)
def test_a_constant_that_is_wrong_is_seen(place: int, step: int, rng: np.random.Generator) -> None:
    """The planted twins: noise one further, tails that end, none that counts, sides that mix."""
    seen = 0
    for sampler, law in SMALL.values():
        cuts = list(sampler.cuts)
        cuts[place] += step
        tape = rng.integers(0, 1 << sampler.word_bits, size=30_000).tolist()
        values, out = rng.integers(0, sampler.inputs, 300).tolist(), [0] * 300
        done, used = guided_fill(values, out, tape, cuts, ())
        seen += done < 300 or differing(sampler, law, tape, values, (out, used))
    assert seen


def pmf_of(name: str) -> Any:
    """P(y | x) of the class at these numbers."""
    if name.startswith("geometric"):
        m, reach, share, base = NOISE[[*SMALL].index(name)][:4]
        made: Any = small(Geometric(1.0), m=m, reach=reach, share=share << (63 - base))
    else:
        m, w, periods, share, _, base, _ = STAIRS[[*SMALL].index(name) - len(NOISE)]
        made = small(Staircase(1.0), m=m, w=w, periods=periods, share=share << (63 - base))
    return made


def off(sampler: Sampler, made: Any, horizon: int) -> bool:
    """Whether every sequence of words shows a probability that is not the class's."""
    for x in range(sampler.inputs):
        law = exact_distribution(sampler, x, horizon)
        assert law.unfinished < Fraction(9, 10)
        for y in range(made.outputs):
            found = law.probabilities.get((y,), Fraction(0))
            if abs(found - made.pmf(y, x)) > law.unfinished:
                return True
        if {y for (y,), p in law.probabilities.items() if p} - set(range(made.outputs)):
            return True
    return False


HORIZONS = {
    name: 7 - sampler.word_bits for name, (sampler, _) in SMALL.items() if sampler.word_bits < 5
}


@covers(SAMPLER, "Geometric", "TruncatedGeometric", "Staircase")
@pytest.mark.parametrize("name", HORIZONS)
def test_the_law_is_exact(name: str) -> None:
    """Every sequence of words: what is off is bounded by what goes on beyond them."""
    assert not off(SMALL[name][0], pmf_of(name), HORIZONS[name])


def cuts_of(sampler: Sampler) -> list[Fraction]:
    """The cuts that a sampler's constants hold, to their last digit."""
    tops, spans = sampler.cuts[1:3]
    found = []
    for k in range(spans - tops):
        digits = sampler.cuts[sampler.cuts[spans + k] : sampler.cuts[spans + k + 1]]
        whole = sampler.cuts[tops + k]
        for digit in digits:
            whole = whole << sampler.word_bits | digit
        found.append(Fraction(whole, 1 << (sampler.word_bits * (1 + len(digits)))))
    return found


REAL = [
    *(partial(Geometric, epsilon) for epsilon in (0.05, 1.0, 30.0)),
    *(partial(TruncatedGeometric, epsilon) for epsilon in (0.05, 1.0, 30.0)),
    *(partial(Staircase, epsilon) for epsilon in (0.5, 1.0, 8.0)),
]


def law_of(made: Any) -> Law:
    """The law of the table that a class draws from."""
    if isinstance(made, Staircase):
        m, w, periods, share = made.thresholds
        return staircase(m, w, periods, share, 63, min(periods, sizes_of(share, 63)))
    m, reach, share = made.thresholds
    return geometric(m, reach, share, 63, sizes_of(share, 63))


@pytest.mark.parametrize("build", REAL)
def test_cuts_at_full_width_are_those_of_the_law(build: Any) -> None:
    """Recovered from the constants, in fractions; and what the guide says of each cell is so."""
    made = build()
    sampler, law = made.sampler(), law_of(made)
    assert sampler.fill is guided_fill
    cuts = cuts_of(sampler)
    assert cuts == law.cuts
    assert 1 - cuts[-1] < Fraction(1, 1 << 60)
    guide, tops = sampler.cuts[:2]
    field_at, guide_at = sampler.cuts[3:5]
    cells = tops - guide - 1
    assert cells << (field_at + guide_at) == 1 << 64
    for cell in range(0, cells, 97):
        entry = sampler.cuts[guide + cell]
        below = sum(cut < Fraction(cell, cells) for cut in cuts)
        within = [cut for cut in cuts if math.floor(cut * cells) == cell]
        assert (entry >> 32) % (1 << 31) == below
        if len(within) == 1:
            assert entry % (1 << 32) == math.floor(within[0] * (1 << 31))
        special = below == 0 or below + len(within) >= len(cuts) - 1
        assert entry >> 63 == (len(within) > 1 or special)


@pytest.mark.parametrize("build", REAL)
def test_the_masses_between_cuts_are_those_of_the_class(build: Any) -> None:
    """In proportion, exactly; a tail has what is left of its side."""
    made = build()
    cuts = [Fraction(0), *cuts_of(made.sampler())]
    masses = [high - low for low, high in pairwise(cuts)]
    law = law_of(made)
    if isinstance(made, Staircase):
        wanted = [made._cell(j - law.middle) for j in range(1, len(masses) - 1)]
    else:
        a = made.alpha
        place = (j - law.middle + 1 for j in range(1, len(masses) - 1))
        wanted = [(1 - a) / (1 + a) * a ** abs(z) for z in place]
    pairs = zip(wanted, masses[1:-1], strict=True)
    assert all(p * masses[1] == wanted[0] * mass for p, mass in pairs)
    # Both sides in the proportion of the law: a to 1, or the same; so the tails are what is left.
    one = Fraction(1) if isinstance(made, Staircase) else made.alpha
    assert sum(masses[law.middle :]) == one * sum(masses[: law.middle])
    held = sum(wanted) / sum(masses[1:-1])
    assert held * sum(masses) == 1


@pytest.mark.parametrize("build", REAL)
def test_ends_at_full_width_are_compared_to_their_last_digit(
    build: Any, rng: np.random.Generator
) -> None:
    """A word that ties with a cut, its digits, and the last digit one less."""
    made = build()
    sampler, law = made.sampler(), law_of(made)
    for k in rng.integers(1, len(law.cuts) - 2, 6).tolist():
        rest, digits = law.cuts[k], []
        while rest:
            rest *= 1 << 64
            digits.append(math.floor(rest))
            rest -= digits[-1]
        for tail in (digits, [*digits[:-1], digits[-1] - 1]):
            tape = [*tail, *rng.integers(1 << 60, 1 << 62, 60).tolist()]
            expected = reference(tape, 64, 0, law)
            out = [0]
            done, used = sampler.fill([0], out, tape[: expected[1]], sampler.cuts, ())
            assert (done, out[0], used) == (1, *expected)
            for have in range(expected[1]):
                assert sampler.fill([0], [0], tape[:have], sampler.cuts, ()) == (0, 0)


def test_cuts_that_are_cut_short_are_seen() -> None:
    """The planted twin: cuts are rounded down to 64 bits."""
    made = Geometric(1.0)
    sampler, law = made.sampler(), law_of(made)
    cuts, (tops, spans) = list(sampler.cuts), sampler.cuts[1:3]
    for each in range(spans, spans + (spans - tops) + 1):
        cuts[each] = cuts[spans]
    floored = replace(sampler, cuts=tuple(cuts))
    assert cuts_of(floored) != law.cuts
    tape = [math.floor(law.cuts[40] * (1 << 64)), 0, *[1 << 62] * 9]  # below, by its second digit
    right, wrong = [0], [0]
    sampler.fill([0], right, tape, sampler.cuts, ())
    sampler.fill([0], wrong, tape, floored.cuts, ())
    assert right == [reference(tape, 64, 0, law)[0]]
    assert wrong != right


def test_a_guide_that_forgets_a_cut_is_seen() -> None:
    """The planted twin: cells with several cuts are read as if they had the first one alone."""
    made = Geometric(1.0)
    sampler, law = made.sampler(), law_of(made)
    guide, tops = sampler.cuts[:2]
    shift = sampler.cuts[3] + sampler.cuts[4]
    cuts = list(sampler.cuts)
    marked = [cell for cell in range(tops - guide - 1) if cuts[guide + cell] >> 63]
    for cell in marked:
        cuts[guide + cell] -= 1 << 63
    differ = 0
    for cell in marked:
        tape = [((cell + 1) << shift) - 1, *[1 << 62, 3 << 62] * 9]
        right, wrong = [0], [0]
        sampler.fill([0], right, tape, sampler.cuts, ())
        sampler.fill([0], wrong, tape, cuts, ())
        assert right == [reference(tape, 64, 0, law)[0]]
        differ += right != wrong
    assert differ > len(marked) // 2


def test_tables_that_are_too_large_are_not_made() -> None:
    assert Staircase(0.01).sampler().fill is staircase_fill
    assert Staircase(30.0).sampler().fill is staircase_fill
    assert staircase_noise_sampler(*Staircase(1.0).thresholds) == Staircase(1.0).sampler()


@pytest.mark.parametrize(
    ("m", "reach", "share"), [(0, 0, 1), (1, -1, 1), (1, 0, 0), (1, 0, ONE), (1, 1 << 31, 1)]
)
def test_other_noise_is_refused(m: int, reach: int, share: int) -> None:
    with pytest.raises(ParameterError):
        guided_noise(m, reach, share)


@pytest.mark.parametrize(
    ("m", "w", "periods", "share", "count"),
    [(0, 1, 1, 1, 1), (3, 0, 1, 1, 1), (3, 4, 1, 1, 1), (3, 1, 1, 1, 2), (3, 1, 1, ONE, 1)],
)
def test_other_staircases_are_refused(m: int, w: int, periods: int, share: int, count: int) -> None:
    with pytest.raises(ParameterError):
        guided_staircase(m, w, periods, share, count)
