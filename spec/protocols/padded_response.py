"""Padding and sampling over k-ary randomized response: counts of items that users have sets of.

    User     has a set x of the items 0, ..., k - 1 (the binary digits of a number).
             Cuts it: of more than l items l are kept, uniformly.
             Pads it: with the first of the l dummies k, ..., k + l - 1, all different, up to l.
             Samples one of the l uniformly, and tells nobody which one it was.
             Sends k-ary randomized response on it, with k + l values and
             eps' = ln(l (e^eps - 1) + 1).
    Server   estimates how many sets hold an item by l times the estimated count of its reports.

No item is sampled with a chance above 1/l, so it hides among the others and eps' is above eps: for
any two sets, of whatever sizes, the report costs eps. With one dummy for all places it does not:
the empty set would sample that dummy for sure, and the report would cost eps'. Estimates are
unbiased if no set has more than l items; of a set of s > l items only the share l/s is counted.

Tianhao Wang, Ninghui Li, Somesh Jha (2018), Locally Differentially Private Frequent Itemset Mining.
"""

from sympy import Eq, Mod, exp, floor, log

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, size_of
from ldp_verified.language.protocol import Counted, Protocol, Round, Sends, draw, thing, x

(grr,) = load("grr")
eps_, k_ = grr.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)

padded_response = Protocol(
    "padded_response",
    title="Padding and sampling over k-ary response",
    source="Wang, Li, Jha 2018",
    parameters=[eps, k, l],
    values=2**k,
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=padded_item(x, draw, k, l),
                    at={eps_: log(l * (exp(eps) - 1) + 1), k_: k + l},
                    draws=choices(k, l),
                    most=1 / l,
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
    counts="With c of n reports on the item: (c - n q)/(p - q), q = 1/(l e^eps + k), p = e^eps q.",
)
