"""Numeric mechanisms conform; wrong twins are rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import Duchi, Hybrid, Piecewise, SquareWave
from ldp_verified.check.conformance.laws import mass_between
from ldp_verified.check.conformance.numeric import (
    NumericSubject,
    bernstein,
    critical,
    numeric_subject,
)
from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from ldp_verified.prove.enumeration.concrete_density import ConcreteDensity
from tests.mechanisms.against_density import small

if TYPE_CHECKING:
    from numpy.typing import NDArray

N = 200_000


@pytest.mark.parametrize(
    "mechanism",
    [
        Duchi(1.0, bounds=(0, 5)),
        Piecewise(2.0),
        Hybrid(0.4),
        Hybrid(3.0, bounds=(-10, 1)),
        SquareWave(1.0, bounds=(3, 4)),
        small(Piecewise(1.0), m=5, w=3, inside=5, total=8),
    ],
    ids=repr,
)
def test_the_running_code_conforms(mechanism: Any) -> None:
    report = conform(mechanism, n=4 * N)
    assert report.rejected == ()
    assert report.outcome is ConformanceOutcome.PASSED
    assert len(report.comparisons) == 16


def test_what_a_run_detects_is_for_the_level_of_each_moment() -> None:
    """Mean and mean square share the level of their comparison, as their p-values do."""
    subject = numeric_subject(Duchi(1.0))
    found = conform(subject, n=4000, level=1e-9, seed=1).comparisons[1]
    d = subject.decoding
    reach = max(abs(float(d.value(y))) for y in (0, d.outputs - 1)) + float(d.step)
    (mean, square), sizes = moments_of(subject), (2 * reach, reach**2)
    spreads = (square - mean**2, reach**2 * square)
    detected = [
        (critical(found.level / 4, s, r, 1000) + critical(found.miss, r**2 / 4, r, 1000)) / r
        for s, r in zip(spreads, sizes, strict=True)
    ]
    assert found.detectable == pytest.approx(max(detected), rel=1e-9)


def moments_of(subject: NumericSubject) -> tuple[float, float]:
    """Mean and mean square of a report of the lower bound."""
    laws = subject.laws(Fraction(0))
    mean = sum(float(w) * law.mean for w, law in laws)
    return mean, sum(float(w) * law.square for w, law in laws)


def drawn_by(other: Any, change: Callable[[NDArray[Any]], NDArray[Any]] = lambda d: d) -> Any:
    draw = numeric_subject(other).draw
    return lambda shares, rng: change(draw(shares, rng))


SMALL = small(Piecewise(1.0), m=5, w=3, inside=5, total=8)
PIECEWISE = numeric_subject(Piecewise(1.0))
WRONG: dict[str, NumericSubject] = {
    "the levels of 2 eps": replace(PIECEWISE, draw=drawn_by(Piecewise(2.0))),
    "one cell further on a grid of 5 steps": replace(
        numeric_subject(SMALL), draw=drawn_by(SMALL, lambda d: (d + 1) % 8)
    ),
    "inputs rounded down on a grid of 5 steps": replace(
        numeric_subject(SMALL),
        draw=lambda shares, rng: SMALL.sampler().draw(
            np.floor(shares * 5).astype(np.int64), SMALL_WORDS(rng)
        ),
    ),
    "reports read with another C": replace(
        PIECEWISE,
        decoding=replace(
            PIECEWISE.decoding,
            first=PIECEWISE.decoding.first * Fraction(11, 10),
            step=PIECEWISE.decoding.step * Fraction(11, 10),
        ),
    ),
    "Duchi's sign turned round": replace(
        numeric_subject(Duchi(1.0)), draw=drawn_by(Duchi(1.0), lambda d: 1 - d)
    ),
    "Duchi with the slope of 2 eps": replace(
        numeric_subject(Duchi(1.0)), draw=drawn_by(Duchi(2.0))
    ),
    "hybrid without its atoms": replace(
        numeric_subject(Hybrid(1.0)),
        draw=drawn_by(
            Hybrid(1.0), lambda d: np.where(d >= Hybrid(1.0).decoding.cells, np.uint32(0), d)
        ),
    ),
    "square wave clipped to the inputs": replace(
        numeric_subject(SquareWave(1.0)),
        draw=drawn_by(SquareWave(1.0), lambda d: np.maximum(d, d.max() // 4)),
    ),
}


def SMALL_WORDS(rng: np.random.Generator | None) -> Any:  # noqa: N802  read before it is made
    from ldp_verified.run.kernels.seeds import word_source

    return word_source(rng, "test")


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_twin_is_rejected(what: str) -> None:
    assert conform(WRONG[what], n=4 * N).outcome is ConformanceOutcome.REJECTED


def test_too_few_reports_are_inconclusive() -> None:
    assert conform(Piecewise(1.0), n=4000).outcome is ConformanceOutcome.INCONCLUSIVE


def test_a_mass_is_the_overlap_times_the_level() -> None:
    law = ConcreteDensity(Fraction(0), ((Fraction(0), Fraction(2), Fraction(1, 2)),), ())
    assert mass_between(law, Fraction(1), Fraction(5)) == Fraction(1, 2)
    assert mass_between(law, Fraction(3), Fraction(5)) == 0


def test_the_critical_deviation_has_the_level() -> None:
    for level in (1e-3, 1e-9):
        deviation = critical(level, 2.0, 5.0, 1000)
        assert bernstein(deviation, 2.0, 5.0, 1000) == pytest.approx(level)
    assert bernstein(0.0, 2.0, 5.0, 10) == 1.0


def test_the_bound_is_above_the_exact_tail() -> None:
    """Fair coins: the mean of 100 is at least 0.65 or at most 0.35 with probability 0.0035."""
    exact = 0.0035176417229701585
    assert bernstein(0.15, 0.25, 1.0, 100) >= exact
    assert bernstein(4 * sqrt(0.25 / 100), 0.25, 1.0, 100) < 0.01
