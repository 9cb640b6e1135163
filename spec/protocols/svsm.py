"""SVSM, set-value itemset mining: the most frequent sets of items within the sets of users.

    Server   draws a group for each user, in public: 40 % for SVIM, in its three groups of 40, 10
             and 50 %; of the others 20 % tell sizes and 80 % count.
    User     in the groups of SVIM: as there (`svim.py`).
    Server   guesses how frequent each set of two or more top items is, as the product of their
             shares, and publishes a list of candidates: the sets with the largest guesses.
    User     who tells a size: reports how many of the candidates lie within their set.
    Server   publishes the list, and a number l of places that most users keep within.
    User     who counts: padding and sampling over the candidates within their set, with l places.
    Server   scales these counts as SVIM does, and names the most frequent of items and candidates.

A user sends one report, so what is published costs nothing more, whatever it is.

Tianhao Wang, Ninghui Li, Somesh Jha (2018), Locally Differentially Private Frequent Itemset Mining.
The shares of the groups are those of the authors' program.
"""

import sympy

from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Groups, Protocol, Published, Round, coin

find, size, count = load_protocol("svim").rounds
eps, k, kept, longest, buckets, functions = load_protocol("svim").parameters
candidates = Published("the list of candidate sets", below=2 ** (k * kept))

svsm = Protocol(
    "svsm",
    title="Set-value itemset mining (SVSM)",
    source="Wang, Li, Jha 2018",
    parameters=[eps, k, kept, longest, buckets, functions],
    values=2**k,
    groups=Groups(
        5,
        of=sympy.Piecewise((0, coin < 4), (1, coin < 5), (2, coin < 10), (3, coin < 13), (4, True)),
        coins=25,
    ),
    rounds=[
        find,
        size,
        Round(count.sends, publishes=candidates, speaks=2, either=True),
        Round(size.sends, publishes=size.publishes, speaks=3, either=True),
        Round(count.sends, speaks=4, either=True),
    ],
    epsilon=eps,
    counts=(
        "Of the m reports of those who count sets among n: (n/m) times the count of padding and "
        "sampling, times all candidates that lie within sets over those that l places leave."
    ),
)
