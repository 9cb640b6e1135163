"""A wave with two steps: density high near x, lower further away, lowest elsewhere.

    density of y                        where
    e^eps / (2 b (e^eps + e^(eps/2)) + 1)        |y - x| <= b
    e^(eps/2) / (2 b (e^eps + e^(eps/2)) + 1)    b < |y - x| <= 2 b
    1 / (2 b (e^eps + e^(eps/2)) + 1)            elsewhere in [-2 b, 1 + 2 b]

From b = 1 on, the highest level of one input and the lowest of another never meet at one output, so
that eps would not be tight.
"""

from ldp_verified.language import LDP, Density, Mechanism, Piece, exp, real

eps = real("eps", above=0)
b = real("b", above=0, below=1)
x = real("x", at_least=0, at_most=1)
s = exp(eps / 2)
low = 1 / (2 * b * (s**2 + s) + 1)

two_steps = Mechanism(
    "two_steps",
    title="Wave with two steps",
    parameters=[eps, b],
    table=Density(
        value=x,
        pieces=[
            Piece(-2 * b, x - 2 * b, low),
            Piece(x - 2 * b, x - b, low * s),
            Piece(x - b, x + b, low * s**2),
            Piece(x + b, x + 2 * b, low * s),
            Piece(x + 2 * b, 1 + 2 * b, low),
        ],
    ),
    claims=[LDP(eps, tight=True)],
)
