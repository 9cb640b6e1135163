"""Noise of Google's C++ library, as PyDP brings it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism

if TYPE_CHECKING:
    from collections.abc import Callable


def _laplace(kind: type) -> Callable[[float, int], Any]:
    def make(eps: float, k: int) -> Any:
        made = LaplaceMechanism(epsilon=eps, sensitivity=float(k - 1))
        return lambda value: made.add_noise(kind(value))

    return make


def _gaussian(eps: float, k: int) -> Any:
    made = GaussianMechanism(epsilon=eps, delta=1e-3, sensitivity=float(k - 1))
    return lambda value: made.add_noise(float(value))


CLIENTS: dict[str, Callable[[float, int], Any]] = {
    "Laplace float": _laplace(float),
    "Laplace int": _laplace(int),
    "Gaussian": _gaussian,
}
