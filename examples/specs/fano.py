"""Report a line of the Fano plane: 7 values, 7 lines of 3 points, two points share one line.

    y                      how many    P(y | x)
    line through x                3    u / (3 u + 4)
    line not through x            4    1 / (3 u + 4)

A balanced design (b, r, lambda) = (7, 3, 1). "Better than" compares it with k-ary randomized
response on 7 values.
"""

from ldp_verified.language import (
    LDP,
    BetterThan,
    Blocks,
    Design,
    Mechanism,
    Unbiased,
    exp,
    load,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
lines = Blocks(7, [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}])
grr = load("grr")[0]

fano = Mechanism(
    "fano",
    title="A line of the Fano plane",
    parameters=[eps],
    table=Design(
        blocks=7,
        containing=3,
        together=1,
        inside=u / (3 * u + 4),
        outside=1 / (3 * u + 4),
        structure=lines,
    ),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        BetterThan(grr.instance("grr7", {grr.parameters[1]: 7}), u**2 + u < 8),
    ],
)
