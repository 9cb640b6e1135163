"""Formulas of authors at their settings are ours, and what is measured at a small size."""

from __future__ import annotations

import pytest

from benchmarks import published_settings as settings
from ldp_verified.protocols import SphereVector


@pytest.mark.parametrize("name", settings.MAKERS)
def test_shares_of_keys_have_the_errors_of_the_authors(name: str) -> None:
    """Our laws are theirs up to how places are padded: stated errors agree within 2 %."""
    for epsilon in settings.EPSILONS:
        theirs = settings.theirs(name, epsilon, settings.N)[0]
        made = settings.MAKERS[name](epsilon, settings.KEYS, 1)
        stated = made.variance(settings.N, 1 / settings.KEYS) / settings.N**2
        assert theirs == pytest.approx(stated, rel=0.02)
        wrong = settings.theirs(name, epsilon * 0.9, settings.N)[0]
        assert wrong != pytest.approx(stated, rel=0.02)


def test_the_bound_of_unit_vectors_is_that_of_the_authors() -> None:
    for epsilon in settings.VECTOR_EPSILONS:
        theirs = settings.unit_gaussian(epsilon, settings.VECTOR_D)
        assert theirs == pytest.approx(
            SphereVector(epsilon, settings.VECTOR_D).least_variance, rel=0.005
        )


def test_reports_of_the_square_wave_have_the_moments_of_the_paper() -> None:
    """Of 100,000 reports with the seed 1, always the same ones; within 2 %."""
    for epsilon in settings.WAVE_EPSILONS:
        formula = settings.wave(epsilon, settings.WAVE_X)
        assert settings.wave_reports(epsilon, settings.WAVE_X, 100_000) == pytest.approx(
            formula, rel=0.02
        )


def test_all_of_it_is_measured_and_written() -> None:
    text = settings.section(20_000, 1)
    assert text.count("| PCKV-GRR | 6 |") == 1
    assert text.count("| 16 |") == 1
