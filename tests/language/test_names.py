"""A name is read alike by everybody who reads it, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    Domain,
    Eq,
    Holds,
    Matrix,
    Mechanism,
    Optimal,
    Parameter,
    Rational,
    Unbiased,
    exp,
    integer,
    load_file,
    real,
)
from tests.broken.names import NOT_WORDS, TAKEN, TWIN


def binary(cell: Any, *parameters: Parameter, **others: Any) -> Mechanism:
    return Mechanism(
        others.pop("name", "m"),
        parameters=parameters,
        table=Matrix([[1 - cell, cell], [cell, 1 - cell]]),
        **others,
    )


@pytest.mark.parametrize("name", [*NOT_WORDS, *TAKEN])
def test_a_parameter_cannot_have_such_a_name(name: str) -> None:
    for make in (real, integer, lambda n: Parameter(n, Domain())):
        with pytest.raises(SpecError, match=r"^name: "):
            make(name)


@pytest.mark.parametrize("name", NOT_WORDS)
def test_nor_can_a_mechanism(name: str) -> None:
    a = real("a", above=0, below=1)
    with pytest.raises(SpecError, match=r"^name: "):
        binary(a, a, name=name)


def test_a_parameter_cannot_be_renamed_behind_its_back() -> None:
    with pytest.raises(SpecError, match="identifier of ASCII"):
        Parameter("\uff41", Domain(), real=True)


@pytest.mark.parametrize("name", ["g", "k", "p_star", "epsilon", "omega"])
def test_two_names_cannot_become_one_in_a_generated_class(name: str) -> None:
    """`verify` refuses what `generate` would have no fields for."""
    one, other = (real(each, above=0, below=Rational(1, 2)) for each in (name, f"{name}_"))
    with pytest.raises(SpecError, match="names that stay different"):
        binary(one, one, other)


def test_the_twin_is_refused_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "twin.py"
    path.write_text(TWIN)
    with pytest.raises(SpecError, match=r"twin\.py:7: .*identifier of ASCII"):
        load_file(path)


def test_two_of_one_name_are_refused() -> None:
    one, other = real("a", above=0, below=1), real("a", above=0, below=Rational(1, 2))
    with pytest.raises(SpecError, match="different names"):
        binary(one * other, one, other)


@pytest.mark.parametrize("alien", [sympy.Symbol("a"), sympy.Dummy("a"), sympy.Symbol("b")])
def test_a_symbol_that_is_no_parameter_is_found_wherever_it_stands(alien: Any) -> None:
    a = real("a", above=0, below=Rational(1, 2))
    with pytest.raises(SpecError, match=r"another symbol|not declared"):
        binary(a * alien, a)
    for claim in (
        Holds(Eq(alien * a, a, evaluate=False)),
        Unbiased(alien, 1),
        Optimal({alien: 1}),
        Optimal({a: 1}, at_f=alien),
    ):
        with pytest.raises(SpecError, match=r"another symbol|not declared"):
            binary(a, a, claims=[claim])


def test_the_exponentials_own_name_is_nobody_elses() -> None:
    eps, u = real("eps", above=0), real("u", above=0, below=Rational(1, 2))
    mechanism = binary(u / (1 + exp(eps)), eps, u)
    assert [symbol.name for symbol in mechanism.variables] == ["u_", "u"]
