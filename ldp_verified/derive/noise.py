"""Moments of additive noise: closed sums of geometric series, and integrals in closed form."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.language import Exponential, Lattice, Noise, Normal, Steps


def noise_moment(form: Noise, power: int) -> Any:
    """E[y^power | x] for power 0, 1, 2.

    The law is symmetric, so odd moments of the noise are 0.
    """
    x = form.value
    mass, spread = _even_moments(form)
    whole = {0: mass, 1: x * mass, 2: x**2 * mass + spread}[power]
    return whole if form.ends is None else whole + _cut(form, power)


def _sums(d: Any) -> tuple[Any, Any, Any]:
    """sum d^j, sum j d^j, sum j^2 d^j over j = 0, 1, ..."""
    return 1 / (1 - d), d / (1 - d) ** 2, d * (1 + d) / (1 - d) ** 3


def _even_moments(form: Noise) -> tuple[Any, Any]:
    """The mass and the mean square of the noise."""
    match form.law:
        case Lattice(mass=mass, decay=decay):
            once, _, twice = _sums(decay)
            return mass * (2 * once - 1), 2 * mass * twice
        case Steps() as law:
            ones, linear, squares = _sums(law.decay)
            mass = spread = sympy.S.Zero
            for p in law.pieces:
                width = p.high - p.low
                mass += 2 * p.level * width * ones
                spread += 2 * p.level * (p.high**3 - p.low**3) / 3 * ones
                spread += 2 * p.level * (p.high**2 - p.low**2) * law.period * linear
                spread += 2 * p.level * width * law.period**2 * squares
            return mass, spread
        case Exponential(level=level, scale=scale):
            return 2 * level * scale, 4 * level * scale**3
        case Normal(level=level, scale=scale):
            # The integral of e^(-w^2/2) is sqrt(2 pi); w^2 e^(-w^2/2) has the same one, by parts.
            return level * scale, level * scale**3


def _cut(form: Noise, power: int) -> Any:
    """Return the change of E[y^power | x] if noise beyond the ends is reported as the ends."""
    ends, law = form.ends, form.law
    assert ends is not None
    assert isinstance(law, Lattice)
    sums = _sums(law.decay)
    total = sympy.S.Zero
    for tail, end, report, sign in (
        (ends.low_tail, ends.low, ends.low_report, -1),
        (ends.high_tail, ends.high, ends.high_report, 1),
    ):
        # report^power - (end + sign j)^power, over j = 0, 1, ... beyond the end
        powers = {0: (0, 0, 0), 1: (report - end, -sign, 0)}
        terms = powers.get(power, (report**2 - end**2, -2 * sign * end, -1))
        parts = (c * s for c, s in zip(terms, sums, strict=True))
        total += tail * law.mass * sympy.Add(*parts)
    return total
