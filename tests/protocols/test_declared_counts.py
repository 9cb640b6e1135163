"""The oracle of what a declared protocol has counted."""

from __future__ import annotations

from ldp_verified.protocols.declared_counts import CountedSupports


def test_supports_have_the_variance_of_a_coin() -> None:
    found = CountedSupports(None, 0.75, 0.5)  # type: ignore[arg-type]  # not looked at
    assert (found.chance, found.chance_held, found.gain) == (0.5, 0.75, 0.25)
    assert found.variance_absent == 0.25 / 0.0625
    assert found.variance_held == 0.1875 / 0.0625
