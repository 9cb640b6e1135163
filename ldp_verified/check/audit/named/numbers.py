"""`--as` for mechanisms of numbers: their table at the claim, and the event that tells most."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.check.audit.named.line_intervals import (
    Scale,
    best_intervals,
    of_density,
    of_noise,
)
from ldp_verified.check.audit.named.parameters import values_of
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.check.audit.events.events import PairEvent
    from ldp_verified.check.audit.targets.our_mechanisms import Own
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.language.noise import Noise


def of_numbers(
    spec: Mechanism,
    epsilon: float,
    inputs: int | Sequence[Any],
    given: dict[str, object],
    own: Own | None,
) -> tuple[str | None, float, float, PairEvent | None]:
    """A reading of items that are noisy bits, or an event of intervals; with P(plus) and P(minus).

    Args:
        spec: whose table is a `Density` or `Noise`.
        epsilon: the claim.
        inputs: numbers; how many are enough where the spec has values.
        given: parameters by name, and "bounds".
        own: this package's own object.

    Raises:
        ParameterError: parameters or inputs that do not fit.
    """
    from ldp_verified.language.density import Density
    from ldp_verified.language.noise import Noise
    from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

    form, size = spec.table, inputs if isinstance(inputs, int) else len(inputs)
    bounds = given.pop("bounds", None)
    values = values_of(spec, epsilon, size, given, own)
    if isinstance(form, Noise) and form.encoder is not None:
        return _noisy(form, values)
    assert isinstance(form, Density | Noise)
    if isinstance(inputs, int):
        raise ParameterError("inputs", "must be the numbers themselves", inputs)
    domain = form.value.domain
    start, end = (float(sympy.sympify(b).subs(values)) for b in (domain.lower, domain.upper))
    low, high = own.bounds if isinstance(own, NumericRandomizer) else (start, end)
    if bounds is not None:
        low, high = _bounds(bounds)
    law = of_noise(form, values) if isinstance(form, Noise) else of_density(form, values)
    event, plus, minus = best_intervals(law, inputs, Scale(start, end, low, high))
    return None, plus, minus, event


def _noisy(form: Noise, values: dict[Any, float]) -> tuple[str, float, float, None]:
    """Item v at least M, item w at most 0: P(z >= 0) P(z <= 0) for v, P(z >= M)^2 for w."""
    from ldp_verified.language.noise import Exponential, Lattice

    if isinstance(form.law, Exponential):
        most, zero, tail = 1.0, 0.5, 0.5 * exp(-1 / float(form.law.scale.subs(values)))
    else:
        assert isinstance(form.law, Lattice)
        decay, most = (float(v.subs(values)) for v in (form.law.decay, form.reach))
        zero, tail = 1 / (1 + decay), decay**most / (1 + decay)
    return f"noisy:{most:g}", zero**2, tail**2, None


def _bounds(given: object) -> tuple[float, float]:
    first, _, last = str(given).partition("..")
    try:
        low, high = float(first), float(last)
    except ValueError:
        low, high = 0.0, 0.0
    if not low < high:
        raise ParameterError("bounds", "must be LOW..HIGH, two numbers", given)
    return low, high
