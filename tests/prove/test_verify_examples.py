"""The example specs: what verify says of each, and that what is not private gets no sampler."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.generate.numeric import numeric_side
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, load, real
from ldp_verified.prove import verify
from ldp_verified.spec_files import catalogue

PROVED = "proved by one group"
"""Coq is not asked here."""

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "specs"


def statuses(name: str) -> dict[tuple[str, str], str]:
    """(mechanism, obligation) -> status."""
    return {
        (mechanism.name, verdict.obligation): verdict.status.value
        for mechanism in load(str(EXAMPLES / f"{name}.py"))
        for verdict in verify(mechanism, 4, coq=False).verdicts
    }


def test_forced_yes_is_refuted_and_has_no_sampler() -> None:
    found = statuses("forced_yes")
    assert found["forced_yes", "equal_support"] == "refuted"
    assert found["forced_yes", "ratio"] == "refuted"
    assert found["forced_yes", "unbiased"] == PROVED
    (mechanism,) = load(str(EXAMPLES / "forced_yes.py"))
    with pytest.raises(SpecError, match="epsilon is infinite"):
        numeric_side(mechanism)


@pytest.mark.parametrize("name", ["plane_noise", "sign_matrix", "unary_encodings"])
def test_these_are_proved(name: str) -> None:
    found = statuses(name)
    assert set(found.values()) == {PROVED}


def test_three_signs_of_duchis_mechanism_are_proved() -> None:
    """The catalogue has two; with an odd number no corner agrees in half of the signs."""
    corners = runpy.run_path(str(catalogue()["duchi_vector"]))["corners"]
    eps = real("eps", above=0)
    claims = [LDP(eps, tight=True)]
    cube = Mechanism("duchi_cube", parameters=[eps], table=corners(3), claims=claims)
    found = {each.obligation: each.status.value for each in verify(cube, 4, coq=False).verdicts}
    assert set(found.values()) == {PROVED}


def test_the_published_epsilon_of_fake_bits_is_refuted() -> None:
    found = statuses("fake_bits")
    for obligation in ("ratio", "tight", "holds"):
        assert found["random_values", obligation] == PROVED
    assert found["published_bits", "ratio"] == "refuted"


def test_the_published_epsilon_of_fake_data_is_refuted() -> None:
    found = statuses("fake_data")
    for name in ("equal", "unequal"):
        for obligation in ("ratio", "tight"):
            assert found[name, obligation] == PROVED
    assert found["unequal", "holds"] == PROVED
    for name in ("published", "published_in_one"):
        assert found[name, "ratio"] == "refuted"


@pytest.mark.parametrize("output", [0, 1, 2])
def test_an_output_that_never_occurs_has_no_infinite_ratio(output: int) -> None:
    rows = [[Rational(3, 4), Rational(1, 4)], [Rational(1, 4), Rational(3, 4)]]
    for row in rows:
        row.insert(output, Rational(0))
    mechanism = Mechanism("m", parameters=[], table=Matrix(rows))
    with pytest.raises(SpecError, match=f"its output {output} never occurs") as refused:
        numeric_side(mechanism)
    assert "infinite" not in str(refused.value)
