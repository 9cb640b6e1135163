"""Derive the moments of a distribution on the line as rational functions of the input."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.derive.noise import noise_moment
from ldp_verified.derive.rational import simple
from ldp_verified.language import Line, Noise


def moment(form: Line, power: int) -> Any:
    """E[y^power | x]; for noise, of power 2 at most."""
    if isinstance(form, Noise):
        return simple(noise_moment(form, power))
    pieces = (
        p.level * (p.high ** (power + 1) - p.low ** (power + 1)) / (power + 1) for p in form.pieces
    )
    atoms = (a.mass * a.location**power for a in form.atoms)
    return simple(sympy.Add(*pieces, *atoms))


def mean_and_variance(form: Line) -> tuple[Any, Any]:
    """E[y | x] and Var[y | x]."""
    mean = moment(form, 1)
    return mean, simple(moment(form, 2) - mean**2)
