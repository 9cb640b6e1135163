"""What all seeded runs share: which values are held, and errors in standard errors."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bits = NDArray[np.int64]
    Run = Callable[[Bits, Any], Floats]
    """(who holds which, rng) -> errors of the estimates over their standard errors."""


def errors(found: Any, truth: Any, std_error: Any) -> Floats:
    """In standard errors, flat."""
    return np.ravel((np.asarray(found) - truth) / std_error)


def held(bits: Bits, k: int) -> Bits:
    """The first and the last of k values."""
    return bits * (k - 1)


def of_counts(estimate: Any, bits: Bits) -> Floats:
    """Return the errors of an estimate of all counts; the first and the last value are held."""
    k = len(estimate.counts)
    truth = np.bincount(held(bits, k), minlength=k)
    return errors(estimate.counts, truth, estimate.std_error)


def seeds_of_devices(rng: Any) -> Iterator[Any]:
    """A seed counts up; a generator is shared by all."""
    return itertools.count(rng) if isinstance(rng, int) else itertools.repeat(rng)
