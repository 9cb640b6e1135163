"""Projective geometry response: report a point, likelier if it is orthogonal to the value's point.

    y             how many                 P(y | x)
    <x, y> = 0    r = (Q/q - 1)/(q - 1)    e^eps / (r e^eps + b - r)
    <x, y> != 0   b - r                        1 / (r e^eps + b - r)

Values and reports are points of the projective space over the field of q elements, q a prime;
Q = q^t is the number of its vectors and b = (Q - 1)/(q - 1) that of its points. The variance is
close to that of local hashing with q buckets, so q near e^eps + 1 is best.

Vitaly Feldman, Jelani Nelson, Huy Nguyen, Kunal Talwar (2022), Private Frequency Estimation via
Projective Geometry.
"""

from ldp_verified.language import (
    LDP,
    Design,
    Hyperplanes,
    Mechanism,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
q = integer("q", at_least=2)
Q = integer("Q", at_least=q**2)
u = exp(eps)
b = (Q - 1) / (q - 1)
r = (Q / q - 1) / (q - 1)
both = (Q / q**2 - 1) / (q - 1)
total = r * u + b - r
at_zero = q**2 * (both * (u - 1) + r) * (u - 1 + q) / (Q * (u - 1) ** 2)

pgr = Mechanism(
    "pgr",
    title="Projective geometry response",
    prefer=(
        "Many values, one short index per report and a fast server, at eps of 1 and more: "
        "nearly the variance of local hashing at its best."
    ),
    parameters=[eps, k, q, Q],
    table=Design(
        blocks=b,
        containing=r,
        together=both,
        inside=u / total,
        outside=1 / total,
        structure=Hyperplanes(values=k, prime=q, vectors=Q),
    ),
    claims=[
        LDP(eps, tight=True, source="Feldman et al. 2022"),
        Unbiased(),
        Variance(n * at_zero, at_f=0),
        Variance(n * at_zero + n * f * q**2 * (Q / q - r - both * (u - 1)) / (Q * (u - 1))),
    ],
)
