"""Geometric noise on each axis of a plane, cut off at its edges: private by distance.

    y = min(max(x + z, 0), m) on each axis,  P(z) = (1 - alpha)/(1 + alpha) alpha^|z|

Here are 3 x 3 cells. The bound is alpha^-d for cells at the distance d in the L1 metric, whatever
the size of the plane: ln(1/alpha) per step. The Euclidean distance is at least d/sqrt(2), so it is
sqrt(2) ln(1/alpha) per unit of that. Between two corners of these cells d is 4.

Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing Privacy
Mechanisms; Miguel Andres, Nicolas Bordenabe, Konstantinos Chatzikokolakis, Catuscia Palamidessi
(2013), Geo-Indistinguishability: Differential Privacy for Location-Based Systems.
"""

from ldp_verified.language import LDP, Matrix, Mechanism, MetricLDP, alongside, log, real

alpha = real("alpha", above=0, below=1)
end, inner = 1 / (1 + alpha), (1 - alpha) / (1 + alpha)
axis = [
    [end, inner * alpha, alpha**2 * end],
    [alpha * end, inner, alpha * end],
    [alpha**2 * end, inner * alpha, end],
]
line = Matrix(axis, inputs=range(3), outputs=range(3))


def steps(x: tuple[int, int], other: tuple[int, int]) -> int:
    """The L1 distance."""
    return abs(x[0] - other[0]) + abs(x[1] - other[1])


plane_noise = Mechanism(
    "plane_noise",
    title="Geometric noise on the plane",
    parameters=[alpha],
    table=alongside(line, line),
    claims=[LDP(-4 * log(alpha), tight=True), MetricLDP(-log(alpha), steps)],
)
