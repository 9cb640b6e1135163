"""This package: `privatize` for all users with the secure source, then `aggregate(...).estimate()`.

`single` is `privatize` of one value, the path of a client that holds only its own. A batch has as
many users as 16 MiB of reports hold, and at most 2^20: that memory is used over and over, as it is
where chunks are counted as they come. RAPPOR is `RapporPopulation.first_reports`; of LGRR, LSUE and
LOSUE it is the first day of a `MemoPopulation`, which draws the answers that are kept. The noise of
SHE is exact, on a grid: about one word for each value and user. The peers take a double of noise
from a formula, which is faster, and which does not keep its epsilon to the last bit (Mironov, 2012,
"On significance of the least significant bits for differential privacy").
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import ldp_verified
from benchmarks.workload import (
    BLOOM_BITS,
    BUCKETS,
    COHORTS,
    DOMAIN,
    EPSILON,
    HASHES,
    NOISE,
    PERMANENT,
    ROWS,
    Case,
    main,
)
from ldp_verified.deploy.collect.choose import makers
from ldp_verified.protocols import (
    LGRR,
    LOSUE,
    LSUE,
    SHE,
    MemoPopulation,
    Rappor,
    RapporPopulation,
    threshold_encoding,
)
from ldp_verified.run.kernels.transform import walsh_hadamard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.protocols.longitudinal import Longitudinal
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Randomizer

USERS = 1 << 20
RAPPOR_USERS = 1 << 18
MEMO_USERS = 1 << 15
SHE_USERS = 2_000
REPORT_BYTES = 1 << 24
REPEATS = 5


def mechanisms(epsilon: float = EPSILON) -> dict[str, Randomizer]:
    """The mechanisms at an eps and, where they have one, a domain of 1,024 values."""
    gamma = math.tanh(epsilon / 2) / 2  # Warner's parameter at this eps
    return {
        "Warner": ldp_verified.Warner(gamma),
        "BinaryRR": ldp_verified.BinaryRR(epsilon),
        **{made.__name__: made(epsilon, DOMAIN) for made in makers().values()},
        "THE": threshold_encoding(epsilon, DOMAIN),
        "CMS": ldp_verified.CMS(epsilon, DOMAIN, BUCKETS, ROWS),
        "HCMS": ldp_verified.HCMS(epsilon, DOMAIN, BUCKETS, ROWS),
    }


def users_of(mechanism: Randomizer) -> int:
    """How many users are timed at once."""
    each = int(mechanism.privatize(0).data.nbytes)
    return min(USERS, REPORT_BYTES // each)


def case(name: str, mechanism: Randomizer) -> Case:
    """A case from one of our mechanisms."""

    def estimate(reports: Reports) -> NDArray[np.float64]:
        return mechanism.aggregate(reports).estimate().counts

    made, users = mechanism.privatize, users_of(mechanism)
    return Case(name, users, mechanism.k, made, estimate, made, users, REPEATS)


def summation() -> Case:
    """Noisy sums: a number for each value and user, so few users are enough."""
    made = SHE(EPSILON, DOMAIN)

    def estimate(reports: Reports) -> NDArray[np.float64]:
        return made.aggregate(reports).estimate().counts

    client = made.privatize
    return Case("SHE", SHE_USERS, DOMAIN, client, estimate, client, SHE_USERS, singles=100)


def population(noise: float = NOISE) -> RapporPopulation:
    """Users of RAPPOR who report once."""
    deployment = Rappor(noise, 0, 1, BLOOM_BITS, HASHES, COHORTS)
    return RapporPopulation(deployment, tuple(str(value) for value in range(DOMAIN)))


def rappor() -> Case:
    """The client of RAPPOR for users who report once."""
    client = population().first_reports
    return Case("RAPPOR", RAPPOR_USERS, DOMAIN, client, None, None, RAPPOR_USERS, REPEATS)


def over_days(made: Longitudinal, users: int) -> Case:
    """The first report of each of new users, who keep an answer for later days."""

    def client(held: NDArray[np.int64]) -> Reports:
        return MemoPopulation(made, len(held)).report(held)

    def estimate(reports: Reports) -> NDArray[np.float64]:
        return made.empty(simulated=True).update(reports).estimate().counts

    return Case(type(made).__name__, users, DOMAIN, client, estimate, repeats=REPEATS)


if __name__ == "__main__":
    shares = (PERMANENT, EPSILON, DOMAIN)
    main(
        "ldp-verified",
        [
            *(case(name, made) for name, made in mechanisms().items()),
            summation(),
            rappor(),
            over_days(LGRR(*shares), RAPPOR_USERS),
            over_days(LSUE(*shares), MEMO_USERS),
            over_days(LOSUE(*shares), MEMO_USERS),
        ],
        walsh_hadamard,
    )
