"""How far an estimate is from the truth: tail bounds, and the users that a wanted error needs."""

from ldp_verified.analysis.utility.contributions import (
    Bounded,
    Contribution,
    contribution,
    number_contribution,
)
from ldp_verified.analysis.utility.noise import (
    gaussian_tail,
    geometric_mass,
    laplace_moment,
    laplace_tail,
)
from ldp_verified.analysis.utility.queries import QueryPlan, query_plan
from ldp_verified.analysis.utility.sample_size import (
    bernstein_error,
    hoeffding_error,
    smallest_users,
    union_users,
)
from ldp_verified.analysis.utility.tails import bernstein_tail, exact_tail, hoeffding_tail

__all__ = [
    "Bounded",
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
    "number_contribution",
    "query_plan",
    "smallest_users",
    "union_users",
]
