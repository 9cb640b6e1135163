"""The generated functions are the spec's moments."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.generate.density import SAMPLERS, base_of
from ldp_verified.generate.module import class_name, has_class
from ldp_verified.language import Density, Mechanism, Noise, load, load_catalogue
from ldp_verified.prove.enumeration.concrete_density import concrete
from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise as NoiseAt
from ldp_verified.prove.enumeration.points import points
from ldp_verified.run import mechanisms

NOISES = ("geometric", "laplace", "staircase", "truncated_geometric")


DENSITIES = [m.name for m in load_catalogue() if m.sampler in SAMPLERS and m.name not in NOISES]


@pytest.mark.parametrize("name", DENSITIES)
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


def copied(of: str, **changes: Any) -> Mechanism:
    """A mechanism of one's own with the parameters and table of the catalogue's."""
    known = load(of)[0]
    given = {"parameters": known.parameters, "table": known.table, **changes}
    return Mechanism("mine", **given)


def test_every_sampler_draws_for_some_spec() -> None:
    named = {m.sampler for m in load_catalogue() if m.sampler and "." not in m.sampler}
    assert named == set(SAMPLERS)


def test_a_spec_of_ones_own_may_name_the_sampler_of_its_law() -> None:
    assert base_of(copied("duchi", sampler="sign")) == SAMPLERS["sign"]
    assert base_of(copied("laplace", sampler="laplace")) == SAMPLERS["laplace"]


@pytest.mark.parametrize(
    ("of", "sampler", "said"),
    [
        ("piecewise", "sign", "draws from the law of duchi only"),
        ("geometric", "laplace", "draws from the law of laplace only"),
        ("square_wave", "staircase", "draws from the law of staircase only"),
        ("duchi", "signs", "must be one of sign, window"),
    ],
)
def test_a_sampler_of_another_law_is_refused(of: str, sampler: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        base_of(copied(of, sampler=sampler))


def test_the_sampler_is_no_part_of_the_law() -> None:
    known = load("duchi")[0]
    assert copied("duchi").law_hash == copied("duchi", sampler="sign").law_hash == known.law_hash
    with pytest.raises(SpecError, match="must be a text"):
        copied("duchi", sampler=1)
