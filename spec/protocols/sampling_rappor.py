"""Sampling RAPPOR: one item of a set, reported by as many bits as there are items and dummies.

    User     has a set x of the items 0, ..., k - 1 (the binary digits of a number).
             Cuts it: of more than l items l are kept, uniformly.
             Pads it: with the first of the l dummies k, ..., k + l - 1, all different, up to l.
             Samples one of the l uniformly, and tells nobody which one it was.
             Sends RAPPOR with no memory and no Bloom filter on it: k + l bits, of which only that
             of what was sampled is 1, each by binary randomized response at eps/2, which is
             symmetric unary encoding.
    Server   estimates how many sets hold an item by l times the estimated count of its reports.

All bits of a set's items may be sent as 1, so that hiding which one was sampled gains nothing.
Estimates are unbiased if no set has more than l items.

After Zhan Qin, Yin Yang, Ting Yu, Issa Khalil, Xiaokui Xiao, Kui Ren (2016), Heavy Hitter
Estimation over Set-Valued Data with Local Differential Privacy, who extend to sets what Ulfar
Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR: Randomized Aggregatable
Privacy-Preserving Ordinal Response, propose.
"""

from sympy import Eq, Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, size_of
from ldp_verified.language.protocol import Counted, Protocol, Round, Sends, draw, thing, x

(sue,) = load("sue")
eps_, k_ = sue.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)

sampling_rappor = Protocol(
    "sampling_rappor",
    title="Sampling RAPPOR",
    source="Qin, Yang, Yu, Khalil, Xiao, Ren 2016",
    parameters=[eps, k, l],
    values=2**k,
    rounds=[
        Round(
            [
                Sends(
                    sue,
                    of=padded_item(x, draw, k, l),
                    at={eps_: eps, k_: k + l},
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
    counts=(
        "With c of n reports supporting the item: l (c - n q*)/(p* - q*) with p*, q* of symmetric "
        "unary encoding."
    ),
)
