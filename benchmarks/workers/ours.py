"""This package: `privatize` for all users with the secure source, then `aggregate(...).estimate()`.

`single` is `privatize` of one value, the path of a client that holds only its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import ldp_verified
from benchmarks.workload import DOMAIN, EPSILON, Case, main
from ldp_verified.collect.choose import makers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.aggregate.reports import Reports
    from ldp_verified.realize.randomizer import Randomizer

USERS = 1_000_000


def mechanisms() -> dict[str, Randomizer]:
    """The mechanisms at eps = 1 and, where they have one, a domain of 1,024 values."""
    gamma = math.tanh(EPSILON / 2) / 2  # Warner's parameter at this eps
    return {
        "Warner": ldp_verified.Warner(gamma),
        "BinaryRR": ldp_verified.BinaryRR(EPSILON),
        **{made.__name__: made(EPSILON, DOMAIN) for made in makers().values()},
    }


def case(name: str, mechanism: Randomizer, users: int) -> Case:
    """A case from one of our mechanisms."""

    def estimate(reports: Reports) -> NDArray[np.float64]:
        return mechanism.aggregate(reports).estimate().counts

    made = mechanism.privatize
    return Case(name, users, mechanism.k, made, estimate, single=made, warm_up=users)


if __name__ == "__main__":
    main("ldp-verified", [case(name, made, USERS) for name, made in mechanisms().items()])
