"""The generated functions are the spec's moments."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified import mechanisms
from ldp_verified.generate.density import BASES
from ldp_verified.generate.module import class_name, has_class
from ldp_verified.language import Density, Noise, load
from ldp_verified.prove.density_enumeration import concrete
from ldp_verified.prove.noise_enumeration import Concrete as NoiseAt
from ldp_verified.prove.points import points

NOISES = ("geometric", "laplace", "staircase", "truncated_geometric")


@pytest.mark.parametrize("name", [name for name in BASES if name not in NOISES])
@pytest.mark.parametrize("at", [Fraction(3, 2), Fraction(7), Fraction(1001, 1000)])
def test_mean_and_square_are_those_of_the_pieces(name: str, at: Fraction) -> None:
    spec = load(name)[0]
    made: Any = getattr(mechanisms, class_name(name))
    form = spec.algebraic_table
    assert isinstance(form, Density)
    values = [at, Fraction(1, 3)][: len(spec.variables)]
    for x in (Fraction(0), Fraction(1, 3), Fraction(1)):
        law = concrete(form, dict(zip(spec.variables, values, strict=True)), x)
        assert made.report_mean(x, *values) == law.mean
        assert made.report_square(x, *values) == law.variance + law.mean**2


@pytest.mark.parametrize("name", NOISES)
def test_mean_and_square_of_noise_are_those_of_the_written_out_law(name: str) -> None:
    (spec,) = load(name)
    made: Any = getattr(mechanisms, class_name(name))
    form = spec.algebraic_table
    assert isinstance(form, Noise)
    for chosen in points(spec, 3)[:6]:
        place = NoiseAt(form, {v: chosen[v] for v in spec.variables})
        decay = place.given.get("decay")
        for x in place.inputs:
            at = dict(chosen)
            if form.ends is not None:
                assert decay is not None
                at[form.ends.low_tail] = Fraction(decay ** int(x - place.given["end_low"]))
                at[form.ends.high_tail] = Fraction(decay ** int(place.given["end_high"] - x))
            taken = list(inspect.signature(made.report_square).parameters)[1:]
            values = [at[v] for v in spec.variables if v.name in taken]
            assert made.report_mean(x, *values) == x
            square = made.report_square(x, *values)
            if form.ends is not None:
                assert square == sum(p * y**2 for y, p in place.table(x))
            else:
                low, high = place.moments[1]
                assert low <= square - x**2 <= high


def test_comparisons_have_no_class() -> None:
    assert [has_class(m) for m in load("hybrid")] == [True, False, False]
