"""Hybrid projective geometry response: a block, and in it a point, likelier if it is the value's.

A value is one of h blocks with a point of the projective space over the field of q elements, q a
prime; so is a report (b, y). Q = q^t is the number of vectors, B = (Q - 1)/(q - 1) that of points.

    (b, y)                               how many                          P
    own block, y orthogonal   r = (Q/q - 1)/(q - 1)    e^eps / (r e^eps + h B - r)
    all others                        h B - r              1 / (r e^eps + h B - r)

With `both` points orthogonal to two, the count of x adds up, with p = 1/(r e^eps + h B - r) and
alpha = 1/(p (r - both)(e^eps - 1)), three numbers: alpha for a report in x's block and orthogonal
to x, beta = -alpha both/r for any one in x's block, gamma = -p (alpha r + beta B) for any one.

`hpgr` is the law of a report for three values: x, a neighbour in its block, a stranger in another.
Any two values look like two of these, and reports of one class have one chance; what a page derives
as an estimator from these classes is not used. That so many points are orthogonal to one or two is
`hyperplanes_balanced` in `proofs/lib/Hyperplanes.v`. `hpgr_count` is what the count of x sees. With
D = r (e^eps - 1) p, what a user adds to it has the variance

    stranger    p ((r^2 - both)/(r - both) - p)/D^2
    neighbour   that, and both/((r - both) D)
    x           that of a stranger, and (1 - 2 p)/D - 1

Rounded chances are those of another eps, for their sum is 1. For t = 2 this is k-ary response, and
for h = 1 it is `pgr`.

Vitaly Feldman, Jelani Nelson, Huy Nguyen, Kunal Talwar (2022), Private Frequency Estimation via
Projective Geometry.
"""

from ldp_verified.language import LDP, Eq, Holds, Matrix, Mechanism, Unbiased, exp, integer, real

eps = real("eps", above=0)
q = integer("q", at_least=2)
Q = integer("Q", at_least=q**3)
h = integer("h", at_least=2)
u = exp(eps)
B = (Q - 1) / (q - 1)
r = (Q / q - 1) / (q - 1)
both = (Q / q**2 - 1) / (q - 1)
p = 1 / (r * u + h * B - r)
alpha = 1 / (p * (r - both) * (u - 1))
beta = -alpha * both / r
gamma = -p * (alpha * r + beta * B)

CLASSES = {
    "both": (both, u, u, 1),
    "x only": (r - both, u, 1, 1),
    "neighbour only": (r - both, 1, u, 1),
    "stranger": (r, 1, 1, u),
    "none": (h * B - 3 * r + both, 1, 1, 1),
}
"""Points orthogonal to whom in their block: how many, and P/p given x, neighbour and stranger."""

hpgr = Mechanism(
    "hpgr",
    title="Hybrid projective geometry response",
    prefer=(
        "As `pgr`, where its prime would be large: many values at eps of 3 and more. A small prime "
        "and blocks cost the server less, for a variance that is somewhat larger on average, and "
        "much larger for a value whose block most users hold values of."
    ),
    sampler="protocols.hpgr",
    parameters=[eps, q, Q, h],
    table=Matrix(
        [[count * chances[i] * p for count, *chances in CLASSES.values()] for i in range(3)],
        inputs=["x", "neighbour", "stranger"],
        outputs=[*CLASSES],
    ),
    claims=[LDP(eps, tight=True, source="Feldman et al. 2022")],
)

LAWS = [
    [r * u * p, (B - r) * p, (h - 1) * B * p],
    [(both * (u - 1) + r) * p, ((r - both) * (u - 1) + B - r) * p, (h - 1) * B * p],
    [r * p, (B - r) * p, (r * (u - 1) + (h - 1) * B) * p],
]
ADDED = [alpha + beta + gamma, beta + gamma, gamma]
means = [sum(c * a for c, a in zip(law, ADDED, strict=True)) for law in LAWS]
squares = [sum(c * a**2 for c, a in zip(law, ADDED, strict=True)) for law in LAWS]
D = r * (u - 1) * p
stranger = p * ((r**2 - both) / (r - both) - p) / D**2

hpgr_count = Mechanism(
    "hpgr_count",
    title="Hybrid projective geometry response, one count",
    sampler="protocols.hpgr",
    parameters=[eps, q, Q, h],
    table=Matrix(
        LAWS,
        inputs=["x", "neighbour", "stranger"],
        outputs=["orthogonal", "in the block", "elsewhere"],
    ),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        *(Holds(Eq(mean, x)) for mean, x in zip(means, (1, 0, 0), strict=True)),
        Holds(Eq(squares[2], stranger)),
        Holds(Eq(squares[1], stranger + both / ((r - both) * D))),
        Holds(Eq(squares[0] - 1, stranger + (1 - 2 * p) / D - 1)),
    ],
)
