"""What the number of words tells beside noise of unbounded range, against enumerated joint laws."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from ldp_verified import Duchi, Geometric, Laplace, Staircase, TruncatedGeometric
from ldp_verified.analysis.words_told import (
    NoiseWords,
    compared,
    delta_at_distance,
    delta_of_both,
    has_unbounded_noise,
    noise_words,
    rejected_cells,
    rejections,
    shown_told,
    told_losses,
    words_told,
)
from ldp_verified.protocols import SHE
from ldp_verified.run.realize.programmed import ProgrammedNumber
from tests.program.cases import Case, noise_case, staircase_case
from tests.program.joint import joint_law, worst_delta
from tests.program.noise_cases import sums_case

PAGE = Path(__file__).parents[2] / "docs" / "devices.md"
FAR = 8
Z = np.arange(-FAR, FAR + 1)


def geometric_words() -> NoiseWords:
    """Of a = 1/2 in words of two bits, without levels."""
    size = np.where(Z > 0, Z - 1, -Z)
    return NoiseWords(np.abs(Z), size, rejections([0.5]), 1 / 3, log(2))


def staircase_words(case: Case) -> NoiseWords:
    """Of two cells in a period, one of each step, and the decay 1/2, without levels."""
    size = np.where(Z >= 0, Z, -1 - Z)
    inner, _, kept = case.sampler.cuts[5:8]
    rejected = rejected_cells(inner, inner + 1, kept, 2)
    return NoiseWords(size // 2 + size % 2, size // 2 + size % 2, rejected, 1 / 6, log(2))


GEOMETRIC, STAIRCASE = noise_case(1, 2, 1, 2, 7), staircase_case(2, 1, 1, 2, 7)


@pytest.mark.parametrize(
    ("case", "noise", "least", "points"),
    [
        # Rounding, side, count; reports count from 1 - reach.
        (GEOMETRIC, geometric_words(), 3, [(0, 0, 1, 3), (4, 1, 1, 3)]),
        # Rounding, side, count, cell; cell 0 is one period below.
        (STAIRCASE, staircase_words(STAIRCASE), 4, [(0, 0, 2, 6), (2, 1, 2, 6), (4, 2, 2, 6)]),
    ],
    ids=["geometric", "staircase"],
)
def test_report_and_words_have_the_enumerated_law(
    case: Case, noise: NoiseWords, least: int, points: list[tuple[int, int, int, int]]
) -> None:
    """Every report between the ends, with every number of words that was tried."""
    tried = 0
    for value, point, start, reports in points:
        law, _ = joint_law(case.program, value, 7)
        for report in range(reports):
            at = FAR + report - start - point
            mass = noise.first * exp(-noise.rate * int(noise.exponents[at]))
            for words in range(1, 8):
                rest = words - least - int(noise.read[at])
                said = mass * noise.rejected[rest] if rest >= 0 else 0.0
                assert float(law.get(((report,), words), 0)) == pytest.approx(said, abs=1e-12)
                tried += said > 0
    assert tried > 10


def by_hand(noise: NoiseWords, distance: int, epsilon: float) -> float:
    """The sum of what delta counts, one (noise, words) after another."""
    reach, found = len(Z), 0.0
    for at in range(reach):
        for words in range(40):
            one = two = 0.0
            other = at - distance
            mine = noise.first * exp(-noise.rate * int(noise.exponents[at]))
            rest = words - int(noise.read[at])
            if rest >= 0:
                one = mine * noise.rejected[rest]
            if not 0 <= other < reach:
                continue
            rest = words - int(noise.read[other])
            if rest >= 0:
                two = noise.first * exp(-noise.rate * int(noise.exponents[other]))
                two *= noise.rejected[rest]
            found += max(0.0, one - exp(epsilon) * two)
    return found


@pytest.mark.parametrize("distance", [1, -1, 3, -3])
def test_delta_is_the_sum_and_all_that_is_left_out(distance: int) -> None:
    for noise in (geometric_words(), staircase_words(STAIRCASE)):
        for epsilon in (0.1, abs(distance) * log(2)):
            sum_ = by_hand(noise, distance, epsilon)
            own = noise.exponents[max(0, distance) : len(Z) + min(0, distance)]
            left = 1 - float((noise.first * np.exp(-noise.rate * own)).sum())
            found = delta_at_distance(noise, distance, epsilon)
            assert found == pytest.approx(sum_ + left, abs=1e-9)


def test_words_that_say_nothing_add_no_delta() -> None:
    """With as many words for every noise, delta is 0 at the report's epsilon, and not below it."""
    made = Geometric(1.0, grid=3)
    noise = noise_words(made, 120)
    same = noise._replace(read=np.zeros_like(noise.read))
    for distance in (1, 3, -3):
        assert delta_at_distance(same, distance, made.epsilon) < 1e-9
        assert delta_at_distance(noise, distance, made.epsilon) > 1e-3
    assert delta_at_distance(same, 3, 0.5) == pytest.approx(made.delta_at(0.5), abs=1e-9)


def seen_words(noise: NoiseWords, distance: int) -> tuple[list[float], list[float]]:
    """Masses of (noise, words), at the input 0 and at the other one, of noise that both can have.

    Words are up to 24 more than the fewest, so masses are not all.
    """
    one, other = [], []
    for at in range(max(0, distance), len(Z) + min(0, distance)):
        for words in range(24):
            pair = []
            for place in (at, at - distance):
                rest = words - int(noise.read[place])
                mass = noise.first * exp(-noise.rate * int(noise.exponents[place]))
                pair.append(mass * float(noise.rejected[rest]) if rest >= 0 else 0.0)
            one.append(pair[0])
            other.append(pair[1])
    return one, other


@pytest.mark.parametrize("epsilon", [0.1, 2 * log(2), 3.0])
@pytest.mark.parametrize("steps", [1, 2])
def test_delta_of_two_numbers_is_the_sum_over_all_pairs(steps: int, epsilon: float) -> None:
    """One goes up and one goes down: each pair of (noise, words) with each other one, by hand."""
    noise = geometric_words()
    up, up_other = (np.array(each) for each in seen_words(noise, steps))
    down, down_other = (np.array(each) for each in seen_words(noise, -steps))
    told = np.outer(up, down) - exp(epsilon) * np.outer(up_other, down_other)
    losses = told_losses(noise, steps), told_losses(noise, -steps)
    left = sum(each.left for each in losses)
    assert 0 < left < 0.05
    found = delta_of_both(*losses, epsilon) - left
    assert found == pytest.approx(float(np.maximum(0.0, told).sum()), abs=1e-6)


def test_delta_of_two_numbers_lies_between_that_of_one_and_the_sum_of_both() -> None:
    made = SHE(1.0, 3, 8)
    number = made.number
    noise = noise_words(number, 400)
    losses = told_losses(noise, 8), told_losses(noise, -8)
    both = delta_of_both(*losses, made.epsilon)
    each = [delta_at_distance(noise, sign * 8, number.epsilon) for sign in (1, -1)]
    assert max(delta_at_distance(noise, sign * 8, made.epsilon) for sign in (1, -1)) < both
    assert both < 1 - (1 - each[0]) * (1 - each[1])
    # Where words say nothing, reports alone have no delta at their epsilon.
    same = noise._replace(read=np.zeros_like(noise.read))
    silent = told_losses(same, 8), told_losses(same, -8)
    assert delta_of_both(*silent, made.epsilon) < 1e-9
    assert delta_of_both(*silent, made.epsilon / 2) > 1e-3


def test_what_is_enumerated_of_sums_is_not_above_the_bound() -> None:
    """All sequences of 7 words of 2 bits: the program's reports and words, of two numbers.

    No number goes beyond both ends in so few words, where counting stops.
    """
    case = sums_case(2, 1, 2, 1, 2, 7)
    laws = [joint_law(case.program, value, 7)[0] for value in range(2)]
    told = told_losses(geometric_words(), 1), told_losses(geometric_words(), -1)
    for ratio in (2, 4, 9):
        least = float(worst_delta(laws, Fraction(ratio)))
        assert 0.05 < least < delta_of_both(*told, log(ratio))


def test_masses_and_losses_are_those_of_both_inputs() -> None:
    """At the other input there is the mass of what both can make, in as many words."""
    noise = geometric_words()
    for distance in (1, -2):
        found = told_losses(noise, distance)
        assert float(found.masses.sum()) + found.left == pytest.approx(1)
        elsewhere = float((found.masses * np.exp(-found.losses)).sum())
        one, other = (np.array(each) for each in seen_words(noise, distance))
        assert elsewhere == pytest.approx(float(other[one > 0].sum()), abs=1e-6)
        assert 0.1 < elsewhere < 0.9
        weights = sum(weight for *_, weight in compared(noise, distance))
        assert weights == pytest.approx(float(found.masses.sum()))
    assert told_losses(noise, len(Z)).left == 1.0


@pytest.mark.parametrize("made", [Geometric(1.0), Laplace(0.5), Staircase(1.0), SHE(1.0, 9)])
def test_it_is_told_of_noise_of_unbounded_range(made: Geometric | Staircase | SHE) -> None:
    assert has_unbounded_noise(made)
    told = words_told(made)
    assert told is not None
    assert 0.01 < told.delta < 1
    assert ("between the two ends" in shown_told(made)) == (not told.every_pair)
    assert f"{told.delta:.1f}"[:3] in shown_told(made) or told.delta > 0.9


def test_the_page_has_their_deltas() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for made in (Geometric(1.0), Laplace(1.0), Staircase(1.0), SHE(1.0, 2)):
        told = words_told(made)
        assert told is not None
        ends = "" if told.every_pair else " (between its two ends)"
        assert f"`{type(made).__name__}`" in text
        shown = shown_told(made).split("delta ")[1].split()[0]
        assert f"`{type(made).__name__}` {shown}{ends}" in text.replace("` has ", "` ")


def test_grids_too_fine_are_said_to_be() -> None:
    made = Geometric(1.0, grid=1 << 20)
    assert words_told(made) is None
    assert "no finite epsilon" in shown_told(made)
    assert words_told(SHE(1.0, 2, 1 << 20)) is None


def test_other_mechanisms_tell_nothing() -> None:
    assert not has_unbounded_noise(TruncatedGeometric(1.0))
    assert not has_unbounded_noise(Duchi(1.0))


def test_a_new_noise_says_itself_that_its_range_is_unbounded() -> None:
    """Planted: a class that this module does not know, and one that says nothing of its noise."""

    class Stranger(Duchi):
        unbounded_noise = True

    assert has_unbounded_noise(Stranger(1.0))
    assert shown_told(Stranger(1.0)).endswith("delta was not computed")

    class Silent(ProgrammedNumber):
        pass

    assert "unbounded_noise" in Silent.__abstractmethods__
