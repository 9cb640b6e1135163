"""The sequence fragment puzzle: pieces of a string that a hash of the whole string marks.

    Public   a function h from the values to T marks. A value is a string of `spots` fragments,
             of which each is one of A.
    Server   draws a group for each user, in public: one of the places of a fragment, uniformly.
    User     sends two reports, each OLH at eps/2: of the fragment of x at this place with the mark
             h(x), and of x.
    Server   for each place finds the pairs of a fragment and a mark that many hold; fragments with
             one mark, one for each place, make up the candidates, of which those remain whose own
             mark is that. Counts come from the second reports alone.

The function h is any here, also a bad one: it is a number, of which the values are digits.

After the Differential Privacy Team at Apple (2017), Learning with Privacy at Scale. There the
oracle is a count-mean sketch; here it is local hashing, and a hash function is drawn by each user.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Round,
    Sends,
    group,
    public_function,
    x,
)

(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
eps_, k, g, M = olh.parameters

eps = real("eps", above=0)
X = integer("X", at_least=2)
A = integer("A", at_least=2)
spots = integer("spots", at_least=1)
T = integer("T", at_least=2)
h = integer("h", at_least=0)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

fragment = sympy.Mod(sympy.floor(x / A ** (spots - 1 - group)), A)
marked = fragment * T + public_function(h, x, T)
oracle = {eps_: eps / 2, g: buckets, M: functions}

sequence_fragments = Protocol(
    "sequence_fragments",
    title="Sequence fragment puzzle",
    source="Differential Privacy Team 2017",
    parameters=[eps, X, A, spots, T, h, buckets, functions],
    values=X,
    groups=Groups(spots),
    rounds=[
        Round(
            sends=[
                Sends(olh, of=marked, at={**oracle, k: A * T}),
                Sends(olh, of=x, at={**oracle, k: X}),
            ]
        )
    ],
    epsilon=eps,
    counted=Counted(send=1),
    counts="Of the n second reports c support the value: (c - n q*)/(p* - q*) with p*, q* of OLH.",
)
