"""Noise by alias tables: every comparison, every limit, and its exact law."""

from __future__ import annotations

import math
from dataclasses import replace
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
from ldp_verified.run.kernels.alias import alias_fill, alias_table
from ldp_verified.run.kernels.alias_noise import (
    alias_noise,
    alias_staircase,
    sizes_of,
    staircase_noise_sampler,
)
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.staircase import staircase_fill
from tests.kernels.alias_reference import (
    Column,
    Law,
    geometric,
    masses_of,
    reference,
    staircase,
    table_of,
)
from tests.mechanisms.against_noise import small
from tests.registry import SAMPLER, covers

ONE = 1 << 63


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
    f"geometric {case}": (alias_noise(*case), geometric(*case[:5])) for case in NOISE
} | {
    f"staircase {case}": (alias_staircase(*case), staircase(*case[:4], case[5], case[4]))
    for case in STAIRS
}


def differing(
    sampler: Sampler, law: Law, words: list[int], values: list[int], drawn: tuple[list[int], int]
) -> bool:
    """Whether reports, or how many words they took, are not those of the reference."""
    at, columns = 0, table_of(sampler, len(law.masses))
    for x, found in zip(values, drawn[0], strict=True):
        tape = words[at : at + 1000]
        report, read = reference(tape, sampler.word_bits, x, law, columns)
        if report != found:
            return True
        at += read
    return at != drawn[1]


@pytest.mark.parametrize("name", SMALL)
def test_columns_have_the_masses_of_the_law(name: str) -> None:
    sampler, law = SMALL[name]
    found = masses_of(table_of(sampler, len(law.masses)), len(law.masses))
    assert found == [*law.masses, 1 - sum(law.masses)]


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
    ("place", "step"),
    [(7, 1), (7, -1), (8, 1), (8, -1), (9, -1), (9, 1), (10, -1), (11, 1), (16, 1)],
)
def test_a_constant_that_is_wrong_is_seen(place: int, step: int, rng: np.random.Generator) -> None:
    """The planted twins: noise one further, tails that end, none that counts, sides that mix."""
    seen = 0
    for sampler, law in SMALL.values():
        cuts = list(sampler.cuts)
        cuts[place] += step
        tape = rng.integers(0, 1 << sampler.word_bits, size=30_000).tolist()
        values, out = rng.integers(0, sampler.inputs, 300).tolist(), [0] * 300
        done, used = alias_fill(values, out, tape, cuts, ())
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
def test_columns_at_full_width_have_the_masses_of_the_law(build: Any) -> None:
    """Recovered from the constants, in fractions; hardly any word is of no noise."""
    made = build()
    sampler, law = made.sampler(), law_of(made)
    assert sampler.fill is alias_fill
    columns = table_of(sampler, len(law.masses))
    assert masses_of(columns, len(law.masses)) == [*law.masses, 1 - sum(law.masses)]
    assert 1 - sum(law.masses) < Fraction(1, 1 << 60)
    assert len(columns) < 2 * (len(law.masses) + 1)


@pytest.mark.parametrize("build", REAL)
def test_masses_of_columns_are_those_of_the_class(build: Any) -> None:
    """In proportion, exactly; a tail has what is left of its side."""
    made = build()
    law = law_of(made)
    outcomes = len(law.masses)
    *masses, _ = masses_of(table_of(made.sampler(), outcomes), outcomes)
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


def tied(sampler: Sampler, columns: list[Column], at: int) -> list[int]:
    """Words of a column that are the digits of its limit."""
    field_at, width = sampler.cuts[3], sampler.word_bits
    rest = columns[at].limit * (1 << (width - field_at))
    digits = [(math.floor(rest) << field_at) + at]
    while rest := rest - math.floor(rest):
        rest *= 1 << width
        digits.append(math.floor(rest))
    return digits


@pytest.mark.parametrize("build", REAL)
def test_limits_at_full_width_are_compared_to_their_last_digit(
    build: Any, rng: np.random.Generator
) -> None:
    """A word that ties with a limit, its digits, and the last digit one less."""
    made = build()
    sampler, law = made.sampler(), law_of(made)
    columns = table_of(sampler, len(law.masses))
    parted = [at for at, column in enumerate(columns) if column.owner != column.alias]
    for at in rng.choice(parted, 6).tolist():
        digits = tied(sampler, columns, at)
        assert len(digits) > 1
        for tail in (digits, [*digits[:-1], digits[-1] - 1]):
            tape = [*tail, *rng.integers(0, 1 << sampler.word_bits, 300).tolist()]
            expected = reference(tape, sampler.word_bits, 0, law, columns)
            out = [0]
            done, used = sampler.fill([0], out, tape[: expected[1]], sampler.cuts, ())
            assert (done, out[0], used) == (1, *expected)
            for have in range(expected[1]):
                assert sampler.fill([0], [0], tape[:have], sampler.cuts, ()) == (0, 0)


def test_limits_that_are_cut_short_are_seen() -> None:
    """The planted twin: limits are rounded down to the first bits of a word."""
    made = Geometric(1.0)
    sampler, law = made.sampler(), law_of(made)
    cuts, spans = list(sampler.cuts), sampler.cuts[1]
    columns = table_of(sampler, len(law.masses))
    for each in range(spans, spans + len(columns) + 1):
        cuts[each] = cuts[spans]
    floored = replace(sampler, cuts=tuple(cuts))
    found = masses_of(table_of(floored, len(law.masses)), len(law.masses))
    assert found[:-1] != law.masses
    inner = range(1, len(law.masses) - 1)
    at = next(
        each
        for each, column in enumerate(columns)
        if column.owner != column.alias and column.owner in inner and column.alias in inner
    )
    tape = [tied(sampler, columns, at)[0], 0, *[1 << 30] * 9]  # below, by its second digit
    right, wrong = [0], [0]
    sampler.fill([0], right, tape, sampler.cuts, ())
    sampler.fill([0], wrong, tape, floored.cuts, ())
    assert right == [reference(tape, sampler.word_bits, 0, law, columns)[0]]
    assert wrong != right


def test_columns_are_shared_exactly(rng: np.random.Generator) -> None:
    """Of any masses, zeros too; and each outcome that has any mass is met."""
    for _ in range(50):
        bits, count = int(rng.integers(1, 90)), int(rng.integers(1, 40))
        places = max(1, (count - 1).bit_length())
        cuts = sorted(int(rng.integers(0, 1 << min(bits, 62))) for _ in range(count - 1))
        masses = [high - low for low, high in pairwise([0, *cuts, 1 << bits])]
        found = alias_table(masses, bits, places)
        given = [0] * count
        for owner, alias, limit in zip(*found, strict=True):
            assert 0 <= limit < 1 << bits
            given[owner] += limit
            given[alias] += (1 << bits) - limit
        assert given == [mass << places for mass in masses]


def test_tables_that_are_too_large_are_not_made() -> None:
    assert Staircase(0.01).sampler().fill is staircase_fill
    assert Staircase(30.0).sampler().fill is staircase_fill
    assert staircase_noise_sampler(*Staircase(1.0).thresholds) == Staircase(1.0).sampler()


@pytest.mark.parametrize(
    ("m", "reach", "share"), [(0, 0, 1), (1, -1, 1), (1, 0, 0), (1, 0, ONE), (1, 1 << 31, 1)]
)
def test_other_noise_is_refused(m: int, reach: int, share: int) -> None:
    with pytest.raises(ParameterError):
        alias_noise(m, reach, share)


@pytest.mark.parametrize(
    ("m", "w", "periods", "share", "count"),
    [(0, 1, 1, 1, 1), (3, 0, 1, 1, 1), (3, 4, 1, 1, 1), (3, 1, 1, 1, 2), (3, 1, 1, ONE, 1)],
)
def test_other_staircases_are_refused(m: int, w: int, periods: int, share: int, count: int) -> None:
    with pytest.raises(ParameterError):
        alias_staircase(m, w, periods, share, count)
