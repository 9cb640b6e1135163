"""Every system of the page of a million users runs, with a few users."""

from __future__ import annotations

import pytest

from benchmarks import scale


@pytest.mark.parametrize("name", [name for name in scale.SYSTEMS if not name.startswith("Sphere")])
def test_a_system_runs_and_is_measured(name: str) -> None:
    found = scale.one(name, 5000)
    assert found["seconds"] > 0
    assert found["mib"] > 10


def test_vectors_are_drawn_in_batches() -> None:
    assert scale.one("SphereVector, d = 10", 10_000)["mib"] > 10


def test_the_page_says_what_is_within_the_bounds() -> None:
    found = {"a": {"seconds": 30.0, "mib": 900.0}, "b": {"seconds": 31.0, "mib": 900.0}}
    found["c"] = {"seconds": 1.0, "mib": 1025.0}
    text = scale.page(found, 10)
    assert text.count("| yes |") == 1
    assert text.count("| no |") == 2
