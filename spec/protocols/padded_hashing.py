"""Padding and sampling over local hashing: counts of items that users have sets of.

    User     has a set x of the items 0, ..., k - 1 (the binary digits of a number).
             Cuts it: of more than l items l are kept, uniformly.
             Pads it: with the first of the l dummies k, ..., k + l - 1, all different, up to l.
             Samples one of the l uniformly, and tells nobody which one it was.
             Sends OLH on it, with k + l values and eps itself.
    Server   estimates how many sets hold an item by l times the estimated count of its reports.

The items of a set may all be hashed to one bucket, so that hiding which one was sampled gains
nothing. Estimates are unbiased if no set has more than l items; of a set of s > l items only the
share l/s is counted.

Tianhao Wang, Ninghui Li, Somesh Jha (2018), Locally Differentially Private Frequent Itemset Mining.
"""

from sympy import Eq, Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, size_of
from ldp_verified.language.protocol import Counted, Protocol, Round, Sends, draw, thing, x

(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
eps_, k_, g, M = olh.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

padded_hashing = Protocol(
    "padded_hashing",
    title="Padding and sampling over local hashing",
    source="Wang, Li, Jha 2018",
    parameters=[eps, k, l, buckets, functions],
    values=2**k,
    rounds=[
        Round(
            sends=[
                Sends(
                    olh,
                    of=padded_item(x, draw, k, l),
                    at={eps_: eps, k_: k + l, g: buckets, M: functions},
                    draws=choices(k, l),
                )
            ]
        )
    ],
    epsilon=eps,
    counted=Counted(
        things=k,
        of=thing,
        held=Eq(Mod(floor(x / 2**thing), 2), 1),
        places=l,
        within=size_of(x, k) <= l,
    ),
    counts="With c of n reports supporting the item: l (c - n/g)/(p* - 1/g), with p* of OLH.",
)
