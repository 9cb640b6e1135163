"""A generated class checks what its spec assumes of its parameters, or there is no class."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate.module import module_text
from ldp_verified.language import load_file

CONE = """
from ldp_verified.language import Matrix, Mechanism, Rational, real

a, b = (real(name, above=0, below=Rational(1, 2)) for name in ("a", "b"))
round = a**2 + b**2 < Rational(1, 4)
cone = Mechanism("cone", parameters=[a, b], assuming=[b <= 3*a, a <= 3*b, round],
    table=Matrix([[1 - a, a], [b, 1 - b]]))
"""
OF_EPSILON = """
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, exp, log, real

eps, t = real("eps", above=0{more}), real("t", above=0, below=Rational(1, 2))
u = exp(eps)
tied = Mechanism("tied", parameters=[eps, t], assuming=[{assumed}],
    table=Matrix([[1 - {flip}, {flip}], [{flip}, 1 - {flip}]]))
"""


def text_of(folder: Path, spec: str) -> str:
    path = folder / "made.py"
    path.write_text(spec)
    return module_text(load_file(path))


@pytest.fixture(scope="module")
def cone(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("cone")
    path = folder / "generated_cone.py"
    path.write_text(text_of(folder, CONE))
    description = importlib.util.spec_from_file_location(path.stem, path)
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    sys.modules[path.stem] = module  # dataclasses look it up
    description.loader.exec_module(module)
    return module.Cone


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.25), (0.25, 0.1), (0.125, 0.375)])
def test_what_satisfies_the_assumptions_is_accepted(cone: Any, first: float, second: float) -> None:
    assert cone(first, second).realized_epsilon <= cone(first, second).epsilon


@pytest.mark.parametrize(
    ("first", "second"), [(0.1, 0.4), (0.4, 0.1), (0.4, 0.375), (0.125, 0.3750000000000001)]
)
def test_what_breaks_an_assumption_is_named(cone: Any, first: float, second: float) -> None:
    with pytest.raises(ParameterError, match=r"b: .*b <= 3\*a, a <= 3\*b, a\*\*2 \+ b\*\*2 < 1/4"):
        cone(first, second)


@pytest.mark.parametrize(
    ("more", "assumed", "flip"),
    [
        ("", "t*(u + 1) >= 1", "t"),
        ("", "t*u <= 1", "1/(u + 1)"),
        (", at_most=log(3)", "", "1/(u + 1)"),
    ],
)
def test_what_a_class_cannot_check_is_refused(
    more: str, assumed: str, flip: str, tmp_path: Path
) -> None:
    spec = OF_EPSILON.format(more=more, assumed=assumed, flip=flip)
    with pytest.raises(SpecError, match=r"cannot check an assumption|bounds must be rational"):
        text_of(tmp_path, spec)
