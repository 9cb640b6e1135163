"""Votes on whether a mean has changed: it is asked for again only when it has.

    User     has d bits in each of T epochs, of which digit t of x (in base d + 1) are 1.
    In each epoch
    User     votes: randomized response at the price a on "my mean is farther than `margin` from
             the published one", and on "no" once v votes were yes, or where nothing is published.
    Server   asks everybody for the mean, or not; w times at most, and the user answers no more.
    User     answers with randomized response at the price b on one of the bits, chosen at random.
    Server   publishes i/R as the mean, or nothing (R + 1), whatever it was told.

Two values vote differently in at most min(2 v, T) epochs: whatever is published, each of them has v
yes votes at most. So eps is min(2 v, T) a + min(w, T) b, however many epochs there are.

Matthew Joseph, Aaron Roth, Jonathan Ullman, Bo Waggoner (2018), Local Differential Privacy for
Evolving Data (for bits, with one margin, and a budget of yes votes).
"""

from sympy import Abs, Eq, Min, Mod, Or, Piecewise, floor

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Protocol,
    Published,
    Round,
    Sends,
    draw,
    published,
    turn,
    x,
)

(grr,) = load("grr")
eps_, k_ = grr.parameters

a = real("a", above=0)
b = real("b", above=0)
margin = real("margin", above=0, below=1)
T = integer("T", at_least=1)
d = integer("d", at_least=1)
v = integer("v", at_least=1)
w = integer("w", at_least=1)
R = integer("R", at_least=1)

ones = Mod(floor(x / (d + 1) ** turn), d + 1)
silent = Or(Eq(turn, 0), published > R)
farther = Abs(ones / d - published / R) > margin

voted_mean = Protocol(
    "voted_mean",
    title="Mean asked for by vote",
    source="Joseph, Roth, Ullman, Waggoner 2018",
    parameters=[a, b, margin, T, d, v, w, R],
    values=(d + 1) ** T,
    rounds=[
        Round(
            sends=[
                Sends(
                    grr,
                    of=Piecewise((0, silent), (1, farther), (0, True)),
                    at={eps_: a, k_: 2},
                    rest=0,
                    leaves=v,
                ),
                Sends(
                    grr,
                    of=Piecewise((1, draw < ones), (0, True)),
                    at={eps_: b, k_: 2},
                    draws=d,
                    asked=w,
                ),
            ],
            publishes=Published("the mean", below=R + 2),
            times=T,
        )
    ],
    epsilon=Min(2 * v, T) * a + Min(w, T) * b,
    counts="In an epoch that is asked: with c of n answers 1, the mean is (c/n - q)/(p - q).",
)
