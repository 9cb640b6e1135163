"""A tilted report in [-1, 1] for one number in [-1, 1], with an atom at either end.

    y = +1    with probability (1 + c x)/4
    y = -1    with probability (1 - c x)/4
    density of y
    (1 - c x)/4    where -1 <= y <= 0
    (1 + c x)/4    where  0 <= y <= 1
    c = (e^eps - 1) / (e^eps + 1)

Only which half a report lies in tells anything about x: the density within a half, and the atom
at its end, are there to show levels and masses that depend on the input. The mean is 3 c x/4.
"""

from ldp_verified.language import (
    LDP,
    Atom,
    Density,
    Mean,
    Mechanism,
    Piece,
    Rational,
    ReportVariance,
    WorstVariance,
    exp,
    real,
)

eps = real("eps", above=0)
x = real("x", at_least=-1, at_most=1)
u = exp(eps)
c = (u - 1) / (u + 1)
minus = (1 - c * x) / 4
plus = (1 + c * x) / 4

tilted = Mechanism(
    "tilted",
    title="Tilted report",
    parameters=[eps],
    table=Density(
        value=x,
        pieces=[Piece(-1, 0, minus), Piece(0, 1, plus)],
        atoms=[Atom(-1, minus), Atom(1, plus)],
    ),
    claims=[
        LDP(eps, tight=True),
        Mean(3 * c * x / 4),
        ReportVariance(Rational(2, 3) - (3 * c * x / 4) ** 2),
        WorstVariance(Rational(2, 3), at=0),
    ],
)
