"""Mechanisms of diffprivlib, as local randomizers of numbers from 0 to k - 1 or of labels.

Sensitivities are those of the whole domain. `Bingham` takes matrices of two rows. `Vector`, which
disturbs a function, and the base classes are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from diffprivlib import mechanisms

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[float, int], Any]

DELTA = 1e-3


def _numbers(name: str, **given: Any) -> Maker:
    def make(eps: float, k: int) -> Any:
        own = {x: k - 1 if y == "top" else y for x, y in given.items()}
        made = getattr(mechanisms, name)(epsilon=eps, sensitivity=k - 1, **own)
        return made.randomise

    return make


def _floats(name: str, **given: Any) -> Maker:
    def make(eps: float, k: int) -> Any:
        own = {x: float(k - 1) if y == "top" else y for x, y in given.items()}
        made = getattr(mechanisms, name)(epsilon=eps, sensitivity=float(k - 1), **own)
        return lambda value: made.randomise(float(value))

    return make


def _labels(k: int) -> list[str]:
    return [f"v{i}" for i in range(k)]


def _binary(eps: float, k: int) -> Any:
    del k
    made = mechanisms.Binary(epsilon=eps, value0="no", value1="yes")
    return lambda value: made.randomise("yes" if value % 2 else "no")


def _categorical(eps: float, k: int) -> Any:
    names = _labels(k)
    near = [[a, b, float(a != b)] for a in names for b in names if a <= b]
    made = mechanisms.ExponentialCategorical(epsilon=eps, utility_list=near)
    return lambda value: made.randomise(names[value])


def _hierarchical(eps: float, k: int) -> Any:
    names = _labels(k)
    tree = [names[: k // 2], names[k // 2 :]]
    made = mechanisms.ExponentialHierarchical(epsilon=eps, hierarchy=tree)
    return lambda value: made.randomise(names[value])


def _chosen(name: str) -> Maker:
    """The utility of a candidate is 1 for the own value: sensitivity 1."""

    def make(eps: float, k: int) -> Any:
        def report(value: int) -> Any:
            utility = [float(i == value) for i in range(k)]
            made = getattr(mechanisms, name)(epsilon=eps, sensitivity=1.0, utility=utility)
            return made.randomise()

        return report

    return make


def _uniform(eps: float, k: int) -> Any:
    del eps
    made = mechanisms.Uniform(delta=0.5, sensitivity=float(k - 1))
    return lambda value: made.randomise(float(value))


def _matrix(name: str) -> Maker:
    """The covariance of a unit vector whose direction is the value."""

    def make(eps: float, k: int) -> Any:
        def report(value: int) -> Any:
            angle = np.pi * value / k
            own = np.array([np.cos(angle), np.sin(angle)])
            made = getattr(mechanisms, name)(epsilon=eps, sensitivity=1.0)
            return made.randomise(np.outer(own, own))

        return report

    return make


CLIENTS: dict[str, Maker] = {
    "Laplace": _floats("Laplace"),
    "LaplaceTruncated": _floats("LaplaceTruncated", lower=0.0, upper="top"),
    "LaplaceFolded": _floats("LaplaceFolded", lower=0.0, upper="top"),
    "LaplaceBoundedDomain": _floats("LaplaceBoundedDomain", lower=0.0, upper="top"),
    "LaplaceBoundedNoise": _floats("LaplaceBoundedNoise", delta=DELTA),
    "Gaussian": _floats("Gaussian", delta=DELTA),
    "GaussianAnalytic": _floats("GaussianAnalytic", delta=DELTA),
    "GaussianDiscrete": _numbers("GaussianDiscrete", delta=DELTA),
    "Geometric": _numbers("Geometric"),
    "GeometricTruncated": _numbers("GeometricTruncated", lower=0, upper="top"),
    "GeometricFolded": _numbers("GeometricFolded", lower=0, upper="top"),
    "Snapping": _floats("Snapping", lower=0.0, upper="top"),
    "Staircase": _floats("Staircase"),
    "Binary": _binary,
    "ExponentialCategorical": _categorical,
    "ExponentialHierarchical": _hierarchical,
    "Exponential": _chosen("Exponential"),
    "PermuteAndFlip": _chosen("PermuteAndFlip"),
    "Uniform": _uniform,
    "Bingham": _matrix("Bingham"),
}
