"""A numeric class at small sizes against the spec's law of noise, all in fractions."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.language import Mechanism, Noise
from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler


def small(mechanism: Any, **attributes: int) -> Any:
    """The object with other attributes in place of its own; what was cached is forgotten."""
    made = copy.copy(mechanism)
    kept = {"epsilon", "bounds", "grid"} | {f"_{name}" for name in attributes}
    for name in set(vars(made)) - kept:
        del made.__dict__[name]
    made.__dict__.update({f"_{name}": value for name, value in attributes.items()})
    return made


def at(mechanism: Any, spec: Mechanism) -> ConcreteNoise:
    """The spec's noise at the numbers of which the realization says that it is an instance."""
    form = spec.algebraic_table
    assert isinstance(form, Noise)
    tails = () if form.ends is None else (form.ends.low_tail, form.ends.high_tail)
    names = [v for v in spec.variables if v not in tails]
    return ConcreteNoise(form, dict(zip(names, mechanism.variables, strict=True)))


def check_moments(mechanism: Any) -> list[list[Fraction]]:
    """Every row is a distribution, unbiased, and the worst ratio is what is said; the rows."""
    d, m = mechanism.decoding, mechanism.steps
    start, end = mechanism.inputs
    rows = [[mechanism.pmf(y, i) for y in range(d.outputs)] for i in range(m + 1)]
    for i, row in enumerate(rows):
        assert sum(row) == 1
        mean = sum(p * d.value(y) for y, p in enumerate(row))
        assert mean == start + Fraction((end - start) * i, m)
    worst = max(p / q for one, two in permutations(rows, 2) for p, q in zip(one, two, strict=True))
    assert worst == mechanism.worst_ratio
    return rows


def spread(mechanism: Any, row: list[Fraction]) -> Fraction:
    """The variance of what a report stands for."""
    d = mechanism.decoding
    mean = sum((p * d.value(y) for y, p in enumerate(row)), Fraction(0))
    return sum((p * (d.value(y) - mean) ** 2 for y, p in enumerate(row)), Fraction(0))


def check_sampler(mechanism: Any, sampler: Sampler, horizon: int) -> None:
    """Every sequence of narrow words: the sampler has exactly the realized distribution."""
    for i in range(mechanism.steps + 1):
        found = exact_distribution(sampler, i, horizon)
        assert found.unresolved == 0
        wanted = {(y,): mechanism.pmf(y, i) for y in range(mechanism.outputs)}
        assert dict(found.probabilities) == {y: p for y, p in wanted.items() if p}


def check_bounded(mechanism: Any, sampler: Sampler, horizon: int, most: float) -> None:
    """The same where nested rejections are not recognised: up to the mass that is left over."""
    for i in range(mechanism.steps + 1):
        found = exact_distribution(sampler, i, horizon)
        assert found.unfinished <= most
        for y in range(mechanism.outputs):
            seen = found.probabilities.get((y,), Fraction(0))
            assert abs(mechanism.pmf(y, i) - seen) <= found.unfinished
