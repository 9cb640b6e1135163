"""How far an estimate is from the truth: tail bounds, and the users that a wanted error needs."""

from ldp_verified.utility.contributions import Contribution, contribution
from ldp_verified.utility.noise import (
    gaussian_tail,
    geometric_mass,
    laplace_moment,
    laplace_tail,
)
from ldp_verified.utility.queries import QueryPlan, query_plan
from ldp_verified.utility.sample_size import (
    bernstein_error,
    hoeffding_error,
    smallest_users,
    union_users,
)
from ldp_verified.utility.tails import bernstein_tail, exact_tail, hoeffding_tail

__all__ = [
    "Contribution",
    "QueryPlan",
    "bernstein_error",
    "bernstein_tail",
    "contribution",
    "exact_tail",
    "gaussian_tail",
    "geometric_mass",
    "hoeffding_error",
    "hoeffding_tail",
    "laplace_moment",
    "laplace_tail",
    "query_plan",
    "smallest_users",
    "union_users",
]
