"""Unary encoding at the probabilities of `sue` and of `oue`: the same tables.

one = e^(eps/2) / (e^(eps/2) + 1), zero = 1 - one      symmetric
one = 1/2, zero = 1 / (e^eps + 1)                      optimized
"""

from ldp_verified.language import LDP, Mechanism, Rational, SameTable, exp, integer, load, real

(ue,) = load("ue")
_, zero, one = ue.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
s = exp(eps / 2)


def at(name: str, kept: object, raised: object, other: str) -> Mechanism:
    """`ue` with these two probabilities, said to be another mechanism and eps-LDP."""
    return Mechanism(
        name,
        parameters=[eps, k],
        table=ue.table.map(lambda cell: cell.subs({one: kept, zero: raised})),
        claims=[LDP(eps, tight=True), SameTable(other)],
    )


ue_symmetric = at("ue_symmetric", s / (s + 1), 1 / (s + 1), "sue")
ue_optimized = at("ue_optimized", Rational(1, 2), 1 / (exp(eps) + 1), "oue")
