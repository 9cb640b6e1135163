"""Sampling succinct histogram: one item of a set, reported by one random bit.

    Public   a family of functions from the k items and l dummies to two signs.
    User     has a set x of the items 0, ..., k - 1 (the binary digits of a number).
             Cuts it: of more than l items l are kept, uniformly.
             Pads it: with the first of the l dummies k, ..., k + l - 1, all different, up to l.
             Samples one of the l uniformly, and tells nobody which one it was.
             Draws a function in public, and sends binary randomized response at eps on the sign of
             what was sampled: local hashing to two buckets.
    Server   estimates how many sets hold an item by l times the estimated count of its reports.

That sign is what counts values in the succinct histogram (`succinct_histogram.py`); the items are
known here, so that nothing has to be found by a code. All items of a set may have one sign, so that
hiding which one was sampled gains nothing. Estimates are unbiased if no set has more than l items.

After Zhan Qin, Yin Yang, Ting Yu, Issa Khalil, Xiaokui Xiao, Kui Ren (2016), Heavy Hitter
Estimation over Set-Valued Data with Local Differential Privacy, who extend to sets what Raef
Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms, propose.
"""

from sympy import Eq, Mod, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, padded_item, size_of
from ldp_verified.language.protocol import Counted, Protocol, Round, Sends, draw, thing, x

(blh,) = load("blh")
eps_, k_, M = blh.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
l = integer("l", at_least=1)  # noqa: E741  (the paper's letter)
functions = integer("functions", at_least=1)

sampling_succinct_histogram = Protocol(
    "sampling_succinct_histogram",
    title="Sampling succinct histogram",
    source="Qin, Yang, Yu, Khalil, Xiao, Ren 2016",
    parameters=[eps, k, l, functions],
    values=2**k,
    rounds=[
        Round(
            [
                Sends(
                    blh,
                    of=padded_item(x, draw, k, l),
                    at={eps_: eps, k_: k + l, M: functions},
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
    counts="With c of n reports supporting the item: l (2 c - n)(e^eps + 1)/(e^eps - 1).",
)
