"""Distributions on the line to words: shares up to 3 words, exact sums, exactly affine means."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from ldp_verified.run.realize.real_numbers.mean_keeping import (
    Measure,
    NoDistributionError,
    measured,
)

STEPS, CELLS = 7, 12


def wave(x: Fraction, b: Fraction = Fraction(1, 7)) -> Measure:
    """A step of width 2 b around x in [0, 1], three times as high as the rest of [-b, 1 + b]."""
    low = 1 / (6 * b + 1)
    return Measure((-b, x - b, x + b, 1 + b), (low, 3 * low, low))


def with_atoms(x: Fraction) -> Measure:
    """The wave with weight 2/3, and atoms at 0, at 2/5 and at the right end."""
    made = wave(x)
    return Measure(
        made.ends,
        tuple(level * Fraction(2, 3) for level in made.levels),
        (Fraction(0), Fraction(2, 5), made.ends[-1]),
        ((2 - x) / 9, Fraction(1, 18), (1 + x) / 9 - Fraction(1, 18)),
    )


def laws(make: object = wave, steps: int = STEPS) -> list[Measure]:
    assert callable(make)
    return [make(Fraction(i, steps)) for i in range(steps + 1)]


def share(law: Measure, node: Fraction, step: Fraction) -> Fraction:
    """The mass of a node, by integrating a hat over every piece: no H."""
    total = Fraction(0)
    for (low, high), level in zip(pairwise(law.ends), law.levels, strict=True):
        for left, right in ((node - step, node), (node, node + step)):
            a, b = max(low, left), min(high, right)
            if a < b:
                total += level * (b - a) * (1 - abs((a + b) / 2 - node) / step)
    for place, mass in zip(law.places, law.masses, strict=True):
        total += mass * max(Fraction(0), 1 - abs(place - node) / step)
    return total


@pytest.mark.parametrize("make", [wave, with_atoms])
@pytest.mark.parametrize("width", [10, 64])
def test_words_are_the_shares_of_hats(make: object, width: int) -> None:
    given = laws(make)
    table = measured(given, CELLS, width)
    for i, (law, row) in enumerate(zip(given, table.rows, strict=True)):
        assert sum(row) == 1 << width
        assert len(row) == CELLS + 1
        for y, words in enumerate(row):
            exact = share(law, table.first + y * table.step, table.step) * (1 << width)
            assert abs(words - exact) <= 3
        mean, square = table.moments(i)
        decoded = [table.first + y * table.step for y in range(CELLS + 1)]
        weights = [Fraction(words, 1 << width) for words in row]
        assert mean == sum(w * at for w, at in zip(weights, decoded, strict=True))
        assert square == sum(w * at**2 for w, at in zip(weights, decoded, strict=True))


@pytest.mark.parametrize("make", [wave, with_atoms])
def test_means_are_affine_exactly(make: object) -> None:
    given = laws(make)
    table = measured(given, CELLS, 64)
    assert table.affine
    means = [table.moments(i)[0] for i in range(STEPS + 1)]
    assert len({high - low for low, high in pairwise(means)}) == 1
    for law, mean in zip(given, means, strict=True):
        middle = [
            level * (high - low) * (low + high) / 2
            for (low, high), level in zip(pairwise(law.ends), law.levels, strict=True)
        ]
        atoms = [m * a for m, a in zip(law.masses, law.places, strict=True)]
        assert abs(mean - sum(middle) - sum(atoms)) < Fraction(1, 1 << 60)


def test_a_mean_that_is_not_affine_is_seen() -> None:
    bent = [wave(x**2) for x in (Fraction(0), Fraction(1, 2), Fraction(1))]
    assert not measured(bent, CELLS, 64).affine


def test_the_worst_ratio_is_over_all_pairs_and_outputs() -> None:
    table = measured(laws(), CELLS, 12)
    by_hand = max(
        Fraction(p, q)
        for one in table.rows
        for other in table.rows
        for p, q in zip(one, other, strict=True)
    )
    assert table.worst_ratio == by_hand
    assert by_hand < Fraction(31, 10)
    starved = measured(laws(), CELLS, 3)
    assert starved.worst_ratio is None


def test_atoms_alone_are_their_own_nodes() -> None:
    def three(x: Fraction) -> Measure:
        places = (Fraction(-2), Fraction(1, 3), Fraction(5))
        return Measure((), (), places, ((2 - x) / 4, Fraction(1, 4), (1 + x) / 4))

    table = measured(laws(three), CELLS, 64)
    assert table.affine
    assert table.atoms == three(Fraction(0)).places
    for i, row in enumerate(table.rows):
        masses = three(Fraction(i, STEPS)).masses
        assert sum(row) == 1 << 64
        assert all(abs(w - m * (1 << 64)) <= STEPS for w, m in zip(row, masses, strict=True))
    bent = [
        replace(three(x), masses=((2 - x**2) / 4, Fraction(1, 4), (1 + x**2) / 4))
        for x in (Fraction(0), Fraction(1, 2), Fraction(1))
    ]
    assert not measured(bent, CELLS, 64).affine


F = Fraction
BROKEN = {
    "an end of a piece lies beyond": Measure((F(0), F(2), F(1)), (F(1), F(1))),
    "a level is not positive": Measure((F(0), F(1), F(2)), (F(0), F(1))),
    "mass of an atom is not positive": Measure((F(0), F(1)), (F(1),), (F(0),), (F(0),)),
    "not stand from left": Measure((), (), (F(1), F(0)), (F(1, 2), F(1, 2))),
    "outside the interval": Measure((F(0), F(1)), (F(1, 2),), (F(2),), (F(1, 2),)),
    "has mass 0.75, not 1": Measure((F(0), F(1)), (F(3, 4),)),
    "one output only": Measure((), (), (F(0),), (F(1),)),
}


@pytest.mark.parametrize("why", BROKEN)
def test_what_is_no_distribution_is_refused(why: str) -> None:
    with pytest.raises(NoDistributionError, match=why):
        measured([BROKEN[why]] * 2, CELLS, 64)


def test_outputs_must_not_depend_on_the_input() -> None:
    one, other = Measure((F(0), F(1)), (F(1),)), Measure((F(0), F(2)), (F(1, 2),))
    with pytest.raises(NoDistributionError, match="outer ends of the pieces depend"):
        measured([one, other], CELLS, 64)
    half = (F(1, 2), F(1, 2))
    atoms = [Measure((), (), (F(0), end), half) for end in (F(1), F(2))]
    with pytest.raises(NoDistributionError, match="places of the atoms depend"):
        measured(atoms, CELLS, 64)
