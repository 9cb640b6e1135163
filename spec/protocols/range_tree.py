"""Hierarchical histogram for range queries: each user reports one bit about one level of a tree.

    Public   values are 0, ..., 2^B - 1. A tree has h levels. A node of level g is a prefix of
             t + s g bits; so B = t + s (h - 1), and a node has 2^s children.
    User     is in a group, uniform among the h levels, which is said. Takes the prefix of the value
             that the level has, and sends one-bit Hadamard randomized response on it, at eps.
    Server   estimates the counts of all nodes. Where a parent differs from the sum of its children,
             weighted least squares gives the values of least variance that agree.

A range is the sum of a few nodes of each level, so that its variance grows with the logarithm of
its length, and not with the length. With one level it is the flat oracle.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
Differential Privacy. The weights follow Michael Hay, Vibhor Rastogi, Gerome Miklau, Dan Suciu
(2010), Boosting the Accuracy of Differentially Private Histograms Through Consistency.
"""

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import Groups, Protocol, Round, Sends, group, prefix, x

(hrr,) = load("hrr")
eps_, k, M = hrr.parameters

eps = real("eps", above=0)
t = integer("t", at_least=1)
s = integer("s", at_least=1)
h = integer("h", at_least=1)

bits = t + s * group
whole = t + s * (h - 1)

range_tree = Protocol(
    "range_tree",
    title="Hierarchical histogram",
    source="Cormode, Kulkarni, Srivastava 2019",
    parameters=[eps, t, s, h],
    values=2**whole,
    groups=Groups(h),
    rounds=[
        Round(
            sends=[
                Sends(hrr, of=prefix(x, bits, whole), at={eps_: eps, k: 2**bits, M: 2**bits}),
            ]
        )
    ],
    epsilon=eps,
    counts="Of a node: h times the estimate of its level; then least squares over the tree.",
)
