"""SHE draws the joint law of its spec: exhaustively, in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest
from flint import arb

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.language import Noise, load
from ldp_verified.protocols import SHE
from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise
from ldp_verified.prove.enumeration.encoded_noise import changes, joint
from ldp_verified.run.kernels.alias_noise import alias_noise
from ldp_verified.run.kernels.noise import geometric_fill, geometric_sampler
from ldp_verified.run.kernels.noisy_one_hot import noisy_one_hot_sampler
from ldp_verified.run.kernels.prefix_noise import prefix_noise_sampler
from tests.broken.histograms import WRONG
from tests.mechanisms.against_noise import check_sampler, small, spread
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Fill

(SPEC,) = load("she_grid")
LENGTH = 7
NARROW = [(1, 0, 1), (1, 1, 1), (2, 1, 1), (2, 2, 1)]
"""(m, L, alpha in halves): at a width of 2 bits every sequence of words can be looked at."""


def at(m: int, reach: int, alpha: Fraction, k: int) -> ConcreteNoise:
    """The spec at numbers."""
    form = SPEC.algebraic_table
    assert isinstance(form, Noise)
    values = {"alpha": alpha, "m": Fraction(m), "L": Fraction(reach), "k": Fraction(k)}
    return ConcreteNoise(form, {v: values[v.name] for v in SPEC.variables if v.name in values})


@covers(SAMPLER, "SHE")
@pytest.mark.parametrize(("m", "reach", "share"), NARROW)
def test_every_number_is_drawn_as_declared(m: int, reach: int, share: int) -> None:
    """Every sequence of words of 2 bits, for both inputs: exactly the spec's table."""
    place = at(m, reach, Fraction(share, 2), 2)
    cells = m + 2 * reach - 1
    sampler = geometric_sampler(m, reach, share, width=2, levels=0)
    for x in (0, m):
        found = exact_distribution(sampler, x, 12)
        low, *inner, high = (p for _, p in place.table(Fraction(x)))
        wanted = [*inner, low, high]
        assert len(wanted) == cells + 2
        assert found.unresolved == 0
        assert dict(found.probabilities) == {(y,): p for y, p in enumerate(wanted) if p}


def test_the_class_draws_by_this_sampler() -> None:
    made = SHE(1.0, 3, grid=2)
    number = small(made.number, m=2, share=1 << 62, reach=1)
    check_sampler(number, geometric_sampler(2, 1, 1, width=2, levels=0), 12)
    # On a grid whose steps are finer than the tables of the usual sampler reach.
    fine = SHE(1.0, 3, grid=1 << 12)
    assert fine._rows is None
    assert fine.sampler() == geometric_sampler(*fine.number.thresholds)
    assert made.sampler() == alias_noise(*made.number.thresholds)
    usual = SHE(1.0, 3)
    assert usual.sampler() == prefix_noise_sampler(*usual.number.thresholds)
    assert usual._rows == noisy_one_hot_sampler(3, *usual.number.thresholds)


def differs(fill: Fill, m: int, reach: int, own: int) -> str:
    """Return the error of a kernel in a report of two numbers; empty if it draws them as declared.

    All 4^7 sequences of 7 words of 2 bits. A report that they do not finish counts as left over,
    so every probability is bracketed; it must hold the product of both numbers' probabilities.
    """
    sampler = geometric_sampler(m, reach, 1, width=2, levels=0)
    bits = [m * int(v == own) for v in range(2)]
    seen: dict[tuple[int, ...], int] = {}
    for words in product(range(4), repeat=LENGTH):
        out = [0, 0]
        done, _ = fill(bits, out, words, sampler.cuts, sampler.sizes)
        if done == 2:
            seen[tuple(out)] = seen.get(tuple(out), 0) + 1
    left = 4**LENGTH - sum(seen.values())
    if left > 4**LENGTH / 2:
        return "most sequences are left over"
    first, second = (exact_distribution(sampler, x, 12).probabilities for x in bits)
    for (a,), p in first.items():
        for (b,), q in second.items():
            count = seen.pop((a, b), 0)
            if not count <= p * q * 4**LENGTH <= count + left:
                return f"{(a, b)} has {count} of {4**LENGTH}, and {left} are left over"
    return f"it draws {min(seen)}" if seen else ""


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize(("m", "reach"), [(1, 0), (1, 1), (2, 1)])
def test_the_numbers_of_a_report_are_independent(m: int, reach: int, own: int) -> None:
    assert differs(geometric_fill, m, reach, own) == ""


@pytest.mark.parametrize("what", WRONG)
def test_kernels_of_wrong_histograms_are_noticed(what: str) -> None:
    assert any(differs(WRONG[what], m, 1, own) for m in (1, 2) for own in (0, 1))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("m", "reach"), [(1, 0), (1, 2), (2, 1)])
def test_the_whole_table_is_private_and_tight(m: int, reach: int, k: int) -> None:
    """Every report of every value: the largest ratio is alpha^(-2 m), not that of one number."""
    alpha = Fraction(2, 5)
    place = at(m, reach, alpha, k)
    rows = {x: [p for _, p in place.table(Fraction(x))] for x in (0, m)}
    worst = Fraction(0)
    for own, other in permutations(range(k), 2):
        bits = [m * int(v == own) for v in range(k)]
        bits2 = [m * int(v == other) for v in range(k)]
        for ys in product(range(len(rows[0])), repeat=k):
            up = down = Fraction(1)
            for x, x2, y in zip(bits, bits2, ys, strict=True):
                up, down = up * rows[x][y], down * rows[x2][y]
            worst = max(worst, up / down)
    assert worst == alpha ** (-2 * m) == joint(place)[0]
    assert len(changes(place)) == 2


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_the_variance_of_a_number_is_that_of_its_law(epsilon: float) -> None:
    """On a grid of 3 steps with near ends, where all reports can be written out."""
    number = small(SHE(epsilon, 2, grid=3).number, m=3, share=1 << 62, reach=2)
    for i in (0, 3):
        row = [number.pmf(y, i) for y in range(number.outputs)]
        found = number._variance_at(Fraction(i, 3))
        assert abs(spread(number, row) - found) <= found / 10**25


@pytest.mark.parametrize("epsilon", ["1e-6", "0.1", "1", "5", "50", "700"])
def test_symmetric_unary_encoding_has_less_than_half_of_its_variance(epsilon: str) -> None:
    """4/eps^2 > 1/(4 sinh^2(eps/4)), as the spec says; here by balls at some eps."""
    eps = arb(epsilon)
    assert 4 / eps**2 > 1 / (4 * (eps / 4).sinh() ** 2)
