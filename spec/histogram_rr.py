"""Histogram by randomized response: every bit of a one-hot vector is flipped as often as any other.

    P(1 | bit = 1) = e^eps / (e^eps + 1)
    P(1 | bit = 0) =     1 / (e^eps + 1)

eps is that of one bit. Two values differ in two bits, so the report is 2 eps-LDP, and no better:
it is symmetric unary encoding at 2 eps.

Ulfar Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR:
Randomized Aggregatable Privacy-Preserving Ordinal Response.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Mechanism,
    OneHot,
    SameTable,
    Unbiased,
    Variance,
    exp,
    integer,
    load,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)

(sue,) = load("sue")
sue_at_2_eps = sue.table.map(lambda cell: cell.subs(sue.parameters[0], 2 * eps))

histogram_rr = Mechanism(
    "histogram_rr",
    title="Histogram by randomized response",
    prefer=(
        "Where eps is stated for one bit, as in the notes that define it. At the same total "
        "eps it is `sue`; `oue` has a smaller variance at f = 0."
    ),
    parameters=[eps, k],
    table=Bits(one=u / (u + 1), zero=1 / (u + 1), encoder=OneHot(k)),
    claims=[
        LDP(2 * eps, tight=True),
        Unbiased(supported=u / (u - 1), otherwise=-1 / (u - 1)),
        Variance(n * u / (u - 1) ** 2),
        SameTable(Mechanism("sue_at_2_eps", parameters=[eps, k], table=sue_at_2_eps)),
    ],
)
