"""dBitFlip: d of b buckets, chosen once and publicly, each with a bit that is kept forever.

    P(bit j = 1) = e^(eps/2) / (e^(eps/2) + 1)  if the value is in bucket j
    P(bit j = 1) = 1 / (e^(eps/2) + 1)          otherwise

The buckets are chosen without looking at the value, so the tables are given the choice (theorem
`mixture_ldp`). Two values in different chosen buckets differ in two bits: eps, for every b and
d >= 2 (bits not chosen are left out of SUE's report, theorem `post_ldp`). With d = 1 at most one
bit differs, and eps is half of what is stated (`dbitflip_one`). This is the cost of reports on one
value: nothing is randomized afresh, so a value that changes to another chosen bucket, or into one,
is reported by other bits and seen to change.

A bit is there for a share d/b of the users. What they add, (bit - zero)/(one - zero) b/d, has mean
1 for a holder and 0 for others, with the variances below (`sampled_bit`, also of an attribute that
one user in d reports on).

Bolin Ding, Janardhan Kulkarni, Sergey Yekhanin (2017), Collecting Telemetry Data Privately.
"""

from sympy import Expr

from ldp_verified.language import LDP, Eq, Holds, Matrix, Mechanism, exp, log, real

eps = real("eps", above=0)
r = exp(eps / 2)


def chosen(b: int, d: int) -> Matrix:
    """The bits of d chosen buckets, the first ones, for values in each of b buckets."""
    outputs: list[tuple[int, ...]] = [()]
    for _ in range(d):
        outputs = [(*bits, bit) for bits in outputs for bit in (0, 1)]

    def cell(x: int, bits: tuple[int, ...]) -> Expr:
        chance = 1 / (r + 1) ** d
        for bucket, bit in enumerate(bits):
            chance *= r if (x == bucket) == (bit == 1) else 1
        return chance

    rows = [[cell(x, bits) for bits in outputs] for x in range(b)]
    return Matrix(rows, outputs=outputs)


dbitflip = Mechanism(
    "dbitflip",
    title="dBitFlip, the bits of two of three buckets",
    prefer=(
        "A number in buckets, reported again and again by a device that keeps d bits: nothing is "
        "drawn afresh, so a value that stays costs eps however often it is reported. Changes can "
        "be seen."
    ),
    sampler="protocols.dbitflip",
    parameters=[eps],
    table=chosen(3, 2),
    claims=[LDP(eps, tight=True, source="Ding, Kulkarni, Yekhanin 2017")],
)

dbitflip_one = Mechanism(
    "dbitflip_one",
    title="dBitFlip, the bit of one of two buckets",
    sampler="protocols.dbitflip",
    parameters=[eps],
    table=chosen(2, 1),
    claims=[LDP(eps / 2, tight=True)],
)

share = real("share", above=0, below=1)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
yes, no = (1 - zero) / (one - zero) / share, -zero / (one - zero) / share
own = [1 - share, share * (1 - one), share * one]
other = [1 - share, share * (1 - zero), share * zero]


def moment(row: list[Expr], power: int) -> Expr:
    """E[w^power] of what a user adds: nothing, `no` or `yes`."""
    return row[1] * no**power + row[2] * yes**power


sampled_bit = Mechanism(
    "sampled_bit",
    title="A bit that a share of the users report",
    sampler="protocols.dbitflip",
    parameters=[share, zero, one],
    table=Matrix([own, other], inputs=["in", "out"], outputs=["not asked", 0, 1]),
    claims=[
        LDP(log(one * (1 - zero) / (zero * (1 - one)))),
        Holds(Eq(moment(own, 1), 1, evaluate=False)),
        Holds(Eq(moment(other, 1), 0, evaluate=False)),
        Holds(
            Eq(
                moment(own, 2) - moment(own, 1) ** 2,
                (one * (1 - zero) ** 2 + (1 - one) * zero**2) / (one - zero) ** 2 / share - 1,
            )
        ),
        Holds(Eq(moment(other, 2), zero * (1 - zero) / (one - zero) ** 2 / share)),
    ],
)
