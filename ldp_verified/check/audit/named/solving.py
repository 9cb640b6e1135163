"""The one parameter of a spec that nobody gave, from the claim: at which value is eps the claim?

A spec whose tight eps is a formula in its parameters (2/b of Laplace noise, ln((1 + 2 gamma)/(1 - 2
gamma)) of Warner's coin) fixes one of them by the claim. Found in floating point by bisection: it
chooses an event, and no bound rests on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.language.mechanism import Mechanism

SHARES = np.concatenate([np.logspace(-9, -1, 60), np.linspace(0.11, 0.89, 60)])


def solved(spec: Mechanism, symbol: Any, known: Mapping[Any, Any], epsilon: float) -> float | None:
    """The value of `symbol` at which the spec's tight eps is the claim; None where there is none.

    Args:
        spec: the declaration.
        symbol: one of its variables.
        known: values of all the others that its eps needs.
        epsilon: the claim.
    """
    import sympy

    from ldp_verified.language.privacy import LDP

    domain = spec.variables[symbol]
    claims = [c.epsilon for c in spec.claims if isinstance(c, LDP) and c.tight and not c.delta]
    if domain.integer or not claims:
        return None
    numbers = {s: sympy.Float(float(v)) for s, v in known.items()}
    formula = sympy.sympify(claims[0]).subs(numbers)
    if formula.free_symbols != {symbol}:
        return None
    low, high = (
        None if bound is None else float(sympy.sympify(bound).subs(numbers))
        for bound in (domain.lower, domain.upper)
    )
    value = sympy.lambdify(symbol, formula, "math")
    places = _places(low, high)
    found = [_off(value, place, epsilon) for place in places]
    for i in range(len(places) - 1):
        if np.isfinite(found[i]) and np.isfinite(found[i + 1]) and found[i] * found[i + 1] <= 0:
            return float(brentq(lambda p: _off(value, p, epsilon), places[i], places[i + 1]))
    return None


def needed(spec: Mechanism, missing: list[str]) -> ParameterError:
    """Return the error for a configuration with several missing values."""
    options = " ".join(f"--set {name}=..." for name in missing)
    return ParameterError("--set", f"must give {', '.join(missing)} of {spec.name}: {options}")


def _off(value: Any, place: float, epsilon: float) -> float:
    try:
        return float(value(place)) - epsilon
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return float("nan")


def _places(low: float | None, high: float | None) -> list[float]:
    """Numbers in a domain, in order."""
    if low is not None and high is not None:
        both = np.concatenate([SHARES, 1 - SHARES])
        return [low + (high - low) * share for share in np.unique(both).tolist()]
    far = np.logspace(-9, 9, 200)
    if low is not None:
        return [*(low + far).tolist()]
    return [*(-far[::-1] + (high or 0.0)).tolist()]
