"""A public matrix of signs: user i randomizes the sign Z[x, i] of column i of Z.

    y = Z[x, i]     e^eps / (e^eps + 1)
    y = -Z[x, i]        1 / (e^eps + 1)

`sign_column` is one fixed column, here of three values with signs +, + and -: two values have equal
rows or opposite ones, whatever the column, so the report is eps-LDP for any Z, even one that an
adversary made. But values of equal sign cannot be told apart: nothing is said of estimates.

`sign_matrix` has uniform columns, which are part of the report: all 8 of them for three values.
Then estimates are unbiased. The one-bit Hadamard response (`hrr`) has the same pair table with
fewer columns.

Raef Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms.
"""

from itertools import product

from ldp_verified.language import (
    LDP,
    Blocks,
    Design,
    Matrix,
    Mechanism,
    Unbiased,
    Variance,
    exp,
    f,
    n,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
keep = u / (u + 1)
flip = 1 / (u + 1)

sign_column = Mechanism(
    "sign_column",
    title="A fixed column of signs",
    parameters=[eps],
    table=Matrix(
        [[flip, keep], [flip, keep], [keep, flip]], inputs=["a", "b", "c"], outputs=[-1, 1]
    ),
    claims=[LDP(eps, tight=True)],
)

columns = [
    {x for x in range(3) if column[x] == sign}
    for column in product((-1, 1), repeat=3)
    for sign in (-1, 1)
]

sign_matrix = Mechanism(
    "sign_matrix",
    title="A uniform column of signs",
    parameters=[eps],
    table=Design(
        blocks=16,
        containing=8,
        together=4,
        inside=keep / 8,
        outside=flip / 8,
        structure=Blocks(3, columns),
    ),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        Variance(n * ((u + 1) ** 2 / (u - 1) ** 2 - f)),
    ],
)
