"""SVIM, set-value item mining: the most frequent of many items that users have sets of.

    Server   draws a group for each user, in public: 40 % find, 10 % tell sizes, 50 % count.
    User     who finds: padding and sampling over all k items, with one place.
    Server   publishes a list of candidates: the items with the largest estimates.
    User     who tells a size: reports how many of the candidates they hold.
    Server   publishes the list, and a number l of places that most users keep within.
    User     who counts: padding and sampling over the candidates that they hold, with l places.
    Server   scales the counts of the candidates to all users, and by what cutting left out.

Each report is k-ary randomized response or local hashing, whichever varies less; the server says
which. A user sends one report, so what is published costs nothing more, whatever it is: any list of
sets of items (`held_among`), and any l.

Tianhao Wang, Ninghui Li, Somesh Jha (2018), Locally Differentially Private Frequent Itemset Mining.
Four steps are described there, the last one the server's own; the groups of 40, 10 and 50 % are
those of the authors' program.
"""

import sympy
from sympy import Expr, exp, log

from ldp_verified.language import integer, load, real
from ldp_verified.language.itemsets import choices, held_among, padded_item, size_of
from ldp_verified.language.protocol import (
    Groups,
    Protocol,
    Published,
    Round,
    Sends,
    coin,
    draw,
    published,
    x,
)

(grr,) = load("grr")
(olh,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
response_eps, response_k = grr.parameters
hash_eps, hash_k, hash_g, hash_m = olh.parameters

eps = real("eps", above=0)
k = integer("k", at_least=2)
kept = integer("kept", at_least=1)
longest = integer("longest", at_least=1)
buckets = integer("buckets", at_least=2)
functions = integer("functions", at_least=1)

lists = 2 ** (k * kept)
l = 1 + sympy.floor(published / lists)  # noqa: E741  (the paper's letter)
own = held_among(x, published, k, kept)


def either(of: Expr, size: Expr, draws: Expr = 1, alone: Expr = eps, most: Expr = 1) -> list[Sends]:
    """The two reports on an input of so many values; the response at `alone`."""
    hashed = {hash_eps: eps, hash_k: size, hash_g: buckets, hash_m: functions}
    return [
        Sends(grr, of, {response_eps: alone, response_k: size}, draws, most),
        Sends(olh, of, hashed, draws),
    ]


svim = Protocol(
    "svim",
    title="Set-value item mining (SVIM)",
    source="Wang, Li, Jha 2018",
    parameters=[eps, k, kept, longest, buckets, functions],
    values=2**k,
    groups=Groups(3, of=sympy.Piecewise((0, coin < 4), (1, coin < 5), (2, True)), coins=10),
    rounds=[
        Round(
            either(padded_item(x, draw, k, 1), k + 1, choices(k, 1)),
            publishes=Published("the list of candidates", below=lists),
            speaks=0,
            either=True,
        ),
        Round(
            either(size_of(own, kept), kept + 1),
            publishes=Published("the list of candidates and a length", below=lists * longest),
            speaks=1,
            either=True,
        ),
        Round(
            either(
                padded_item(own, draw, kept, l),
                kept + l,
                choices(kept, l),
                alone=log(l * (exp(eps) - 1) + 1),
                most=1 / l,
            ),
            speaks=2,
            either=True,
        ),
    ],
    epsilon=eps,
    counts=(
        "Of the m reports of those who count among n: (n/m) times the count of padding and "
        "sampling, times all candidates that users hold over those that l places leave."
    ),
)
