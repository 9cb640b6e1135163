"""Notes on randomized response: a coin that tells the truth a little more often than not.

    D1    estimator, variance and eps of the coin; D1b on what p is
    D2    differential privacy of databases
    D3    replacing a row against adding or removing one

The bias g of the notes is gamma in formulas, and 0 < gamma < 1/2.
"""

from sympy import Le, Rational, log

from ldp_verified.check.claims import (
    BOUNDED,
    BOUNDED_TWICE,
    UNBOUNDED,
    AllOf,
    Document,
    Entry,
    Implies,
    Law,
    NotSo,
    OpenReading,
    Relation,
    Table,
    Theorem,
    equal,
    part,
)
from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, Variance, load, n, real

half = Rational(1, 2)
(warner,) = load("warner")
(gamma,) = warner.parameters
spread = 1 / (16 * gamma**2)
share = real("x", at_least=0, at_most=1)
true, false = warner.table.cells().values()
level = real("level", above=1)
ratio = real("ratio", above=0, at_most=level)
people = real("people", at_least=1)
unused = real("unused", above=0, below=1)
no_information = Mechanism(
    "no_information",
    title="g = 0: a fair coin whatever the truth",
    parameters=[unused],
    table=Matrix([[half, half], [half, half]]),
)
no_privacy = Mechanism(
    "no_privacy",
    title="g = 1/2: the truth",
    parameters=[unused],
    table=Matrix([[1, 0], [0, 1]]),
)

document = Document(
    "Randomized response and differential privacy, notes",
    [
        Entry(
            "D1",
            """Truth with probability 1/2 + g, lie with 1/2 - g: E[Y] = 2 g X + 1/2 - g; the
            estimator
            is unbiased; Var <= 1/(16 g^2 n) (the last step is credited to Chebyshev). g = 0 gives
            no
            information, g = 1/2 no privacy. Its eps as a function of g?""",
            part(
                "E[Y] = 2 g X + 1/2 - g for a share X of ones",
                Relation(
                    equal(
                        (1 - share) * false + share * true,
                        2 * gamma * share + half - gamma,
                    ),
                    (gamma, share),
                ),
            ),
            part(
                "(Y - 1/2 + g)/(2 g) is unbiased",
                Table(warner, Unbiased((half + gamma) / (2 * gamma), (gamma - half) / (2 * gamma))),
                adds="0 < g < 1/2",
            ),
            part(
                "the variance of the estimated share is 1/(16 g^2 n) - 1/(4 n), below 1/(16 g^2 n)",
                AllOf(
                    Table(warner, Variance(n * (spread - half**2))),
                    Relation(Le(spread - half**2, spread, evaluate=False), (gamma,)),
                ),
                adds="for fixed answers of the n people; p (1 - p) <= 1/4 does it, not Chebyshev",
            ),
            part("g = 0: 0-LDP", Table(no_information, LDP(0))),
            part("g = 1/2: no finite eps", NotSo(Law(no_privacy, "equal_support"))),
            part(
                "the tight eps is ln((1 + 2 g)/(1 - 2 g))",
                Table(warner, LDP(log((1 + 2 * gamma) / (1 - 2 * gamma)), tight=True)),
                adds="the notes leave it as a question",
            ),
        ),
        Entry(
            "D1b",
            "p = E(X) is the sample's share of ones.",
            part(
                "the share of ones among n independent draws has variance 0, so it is p",
                Relation(equal(share * (1 - share) / people, 0), (share, people)),
                adds="n people drawn independently, each a one with probability p = x; the "
                "variance of their share is p (1 - p)/n",
            ),
        ),
        Entry(
            "D2",
            "eps-DP for databases; eps between 0.1 and 5 is reasonable.",
            part(
                "within e^eps for every output of neighbouring databases is so for every set",
                Theorem("LDP.Approximate.ldp_sets"),
                adds="finitely many outputs",
            ),
            part(
                "who thinks two neighbouring databases equally likely, sees one output and guesses "
                "is right with probability at most e^eps/(e^eps + 1)",
                Relation(Le(ratio / (ratio + 1), level / (level + 1)), (level, ratio)),
                adds="what eps means: the ratio of the two probabilities is at most e^eps",
            ),
            part(
                "eps between 0.1 and 5 is reasonable",
                OpenReading("the text names no quantity that would make an eps reasonable"),
            ),
        ),
        Entry(
            "D3",
            """Bounded DP (replace one row) against unbounded (add or remove one row): one
            replacement
            is two changes.""",
            part(
                "unbounded eps-DP implies bounded 2 eps-DP",
                Implies(UNBOUNDED, BOUNDED_TWICE, "LDP.Approximate.group_delta", delta=False),
                adds="the theorem for a chain of two neighbours, at delta = 0",
            ),
            part(
                "unbounded eps-DP implies bounded eps-DP",
                Implies(UNBOUNDED, BOUNDED, delta=False),
                adds="a reading in which two changes cost no more than one",
                correction=(
                    "it implies bounded 2 eps-DP",
                    Implies(UNBOUNDED, BOUNDED_TWICE, "LDP.Approximate.group_delta", delta=False),
                ),
            ),
            part(
                "bounded eps-DP implies unbounded eps-DP",
                Implies(BOUNDED, UNBOUNDED, delta=False),
                adds="a reading in which the two are the same; a mechanism may publish the size",
            ),
        ),
    ],
)
