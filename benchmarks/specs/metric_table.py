"""The exponential mechanism on six points of a line, with a bound for each unit of distance."""

from ldp_verified.language import Matrix, Mechanism, MetricLDP, exp, real

POINTS = range(6)

eps = real("eps", above=0)
u = exp(eps)

six_points = Mechanism(
    "six_points",
    parameters=[eps],
    table=Matrix(
        [[u ** -abs(x - y) / sum(u ** -abs(x - z) for z in POINTS) for y in POINTS] for x in POINTS]
    ),
    claims=[MetricLDP(2 * eps, lambda x, x2: abs(x - x2))],
)
