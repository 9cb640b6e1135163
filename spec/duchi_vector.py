"""Duchi, Jordan and Wainwright's mechanism for vectors in [-1, 1]^d: one of 2^d outputs {-B, B}^d.

Each coordinate x_j becomes a sign v_j, +1 with probability 1/2 + x_j/2. Then, t being a corner,

    P(t | v) = e^eps / ((e^eps - 1) C + 2^d)   where t agrees with v in more than half of the signs
    P(t | v) =     1 / ((e^eps - 1) C + 2^d)   elsewhere
    B = ((e^eps - 1) C + 2^d) / ((e^eps - 1) S)
    C = number of t of the first kind, S = binomial(d - 1, floor(d/2))

With an even d the authors draw corners that agree in exactly half of the signs on either side, so
that these have probability 1/|T| whatever v is, and the true epsilon is ln(e^eps + 1). Wang et al.
give the form above. `duchi_plane` is d = 2 over sign vectors, and `corners(d)` any d;
`duchi_coordinate` is one coordinate of any d, with N = 2^d, C and S free: alone it costs less than
eps, ln((B + 1)/(B - 1)).

John C. Duchi, Michael I. Jordan, Martin J. Wainwright (2018), Minimax Optimal Procedures for
Locally Private Estimation. Ning Wang, Xiaokui Xiao, Yin Yang, Jun Zhao, Siu Cheung Hui, Hyejin
Shin, Junbum Shin, Ge Yu (2019), Collecting and Analyzing Multidimensional Data with Local
Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Atom,
    Density,
    Matrix,
    Mean,
    Mechanism,
    Rational,
    ReportVariance,
    WorstVariance,
    exp,
    log,
    real,
)

eps = real("eps", above=0)
N = real("N", above=0)
C = real("C", above=0, below=N)
S = real("S", above=0, at_most=C)
x = real("x", at_least=-1, at_most=1)
u = exp(eps)
half = Rational(1, 2)
B = ((u - 1) * C + N) / ((u - 1) * S)


def corners(d: int) -> Matrix:
    """P(t | v) over the corners of a cube."""
    signs = [[2 * (v >> d - 1 - j & 1) - 1 for j in range(d)] for v in range(2**d)]
    dots = [[sum(a * b for a, b in zip(t, v, strict=True)) for t in signs] for v in signs]
    agree = sum(dot > 0 for dot in dots[0])
    total = (u - 1) * agree + 2**d
    names = ["".join("+" if s > 0 else "-" for s in v) for v in signs]
    rows = [[(u if dot > 0 else 1) / total for dot in row] for row in dots]
    return Matrix(rows, inputs=names, outputs=names)


duchi_plane = Mechanism(
    "duchi_plane",
    title="Duchi's mechanism for two signs",
    sampler="protocols.duchi_vector",
    parameters=[eps],
    table=corners(2),
    claims=[LDP(eps, tight=True, source="Wang et al. 2019")],
)
duchi_coordinate = Mechanism(
    "duchi_coordinate",
    title="One coordinate of Duchi's mechanism for vectors",
    prefer=(
        "The means of several numbers from one report of d bits; the worst variance of a mean "
        "grows like d/eps^2 at small eps, as with one number sampled for each user."
    ),
    sampler="protocols.duchi_vector",
    parameters=[eps, N, C, S],
    table=Density(
        value=x,
        atoms=[Atom(-B, half - x / (2 * B)), Atom(B, half + x / (2 * B))],
    ),
    claims=[
        LDP(log((B + 1) / (B - 1)), tight=True),
        Mean(x, source="Wang et al. 2019"),
        ReportVariance(B**2 - x**2),
        WorstVariance(B**2, at=0),
    ],
)
