"""A numeric class at small sizes against the spec's density, all in fractions."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.check.conformance.laws import mass_between
from ldp_verified.language import Density, Mechanism
from ldp_verified.prove.enumeration.concrete_density import concrete

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer


def small(mechanism: Any, **attributes: Any) -> Any:
    """The object with other attributes in place of its own; what was cached is forgotten."""
    made = copy.copy(mechanism)
    kept = {"epsilon", "bounds", *(f"_{name}" for name in ("m", "w", "inside", "total", "sign"))}
    for name in set(vars(made)) - kept:
        del made.__dict__[name]
    made.__dict__.update({f"_{name}": value for name, value in attributes.items()})
    return made


def check_law(mechanism: NumericRandomizer, spec: Mechanism) -> None:
    """The realized distribution is the density, integrated over cells; so are its moments."""
    form = spec.algebraic_table
    assert isinstance(form, Density)
    point = dict(zip(spec.variables, mechanism.variables, strict=True))
    low, high = form.value.domain.lower, form.value.domain.upper
    d, m = mechanism.decoding, mechanism.steps
    laws = []
    for i in range(m + 1):
        at = low + (high - low) * sympy.Rational(i, m)
        x = Fraction(int(at.p), int(at.q))
        law = concrete(form, point, x)
        masses = [mechanism.pmf(y, i) for y in range(d.outputs)]
        assert sum(masses) == 1
        for y in range(d.cells):
            edge = d.first + (y - Fraction(1, 2)) * d.step
            assert masses[y] == mass_between(law, edge, edge + d.step)
        for place, atom in enumerate(d.atoms):
            assert masses[d.cells + place] == law.mass_at(atom)
        mean = sum(p * d.value(y) for y, p in enumerate(masses))
        assert mean == mechanism.report_mean(x, *mechanism.variables) == d.slope * x + d.offset
        spread = sum(p * (d.value(y) - mean) ** 2 for y, p in enumerate(masses))
        assert spread == mechanism._variance_at(x)
        laws.append(masses)
    worst = max(
        p / q for first, second in permutations(laws, 2) for p, q in zip(first, second, strict=True)
    )
    assert worst == mechanism.worst_ratio
    bound = mechanism._bound_of_variance
    assert all(
        mechanism.variance(value) <= float(bound) * 1.000001 * _units(mechanism)
        for value in mechanism.bounds
    )


def _units(mechanism: NumericRandomizer) -> float:
    return float((mechanism._scale / mechanism.decoding.slope) ** 2)


def check_sampler(mechanism: NumericRandomizer, sampler: Sampler, horizon: int) -> None:
    """Every sequence of narrow words: the sampler has exactly the realized distribution."""
    for i in range(mechanism.steps + 1):
        found = exact_distribution(sampler, i, horizon)
        assert found.unresolved == 0
        outputs = range(mechanism.outputs)
        wanted = {(y,): mechanism.pmf(y, i) for y in outputs if mechanism.pmf(y, i)}
        assert dict(found.probabilities) == wanted
