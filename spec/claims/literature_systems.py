"""Published formulas about deployed and longitudinal systems: sketches, kept bits, kept answers.

    apple2017                        count mean sketches
    ding2017                         one bit for a mean, kept bits for a histogram
    acharya2019                      Hadamard response
    arcolezi2022                     kept answers that are randomized again
    wang2017                         where a threshold on noisy histograms is best

Only formulas whose wording is certain are here, without numbers of equations.
"""

from sympy import Expr, Le, exp

from ldp_verified.check.claims import AllOf, Document, OfSpec, Relation, equal, published
from ldp_verified.language import real

APPLE = "Differential Privacy Team, Apple 2017, Learning with Privacy at Scale"
TELEMETRY = "Ding, Kulkarni, Yekhanin 2017, Collecting Telemetry Data Privately"
HADAMARD = (
    "Acharya, Sun, Zhang 2019, Hadamard Response: Estimating Distributions Privately, Efficiently, "
    "and with Little Communication"
)
LONGITUDINAL = (
    "Arcolezi, Couchot, Al Bouna, Xiao 2022, Improving the Utility of Locally Differentially "
    "Private Protocols for Longitudinal and Multidimensional Frequency Estimates"
)
WANG = (
    "Wang, Blocki, Li, Jha 2017, Locally Differentially Private Protocols for Frequency Estimation"
)

eps = real("eps", above=0)
u = exp(eps)
mine, other = (real(name, at_least=0, at_most=1) for name in ("mine", "other"))


def said(share: Expr) -> Expr:
    """Pr[the one bit is 1] for a number that is this share of its largest value."""
    return 1 / (u + 1) + share * (u - 1) / (u + 1)


document = Document(
    "Systems in the literature",
    [
        published(
            "apple2017.1",
            "The client of the count mean sketch, flipping with 1/(1 + e^(eps/2)), is eps-LDP.",
            OfSpec("cms", lambda m: m.claims[:1]),
            APPLE,
            "the eps of its spec",
        ),
        published(
            "apple2017.2",
            "The client of the Hadamard count mean sketch, one bit flipped with 1/(1 + e^eps), is "
            "eps-LDP.",
            OfSpec("hcms", lambda m: m.claims[:1]),
            APPLE,
            "the eps of its spec",
        ),
        published(
            "ding2017.1",
            "One bit that is 1 with probability 1/(e^eps + 1) + (x/m)(e^eps - 1)/(e^eps + 1) is "
            "eps-LDP.",
            AllOf(
                Relation(Le(said(mine), u * said(other), evaluate=False), (eps, mine, other)),
                Relation(
                    Le(1 - said(mine), u * (1 - said(other)), evaluate=False), (eps, mine, other)
                ),
            ),
            TELEMETRY,
            "for any two numbers x from 0 to m, and both values of the bit",
        ),
        published(
            "ding2017.2",
            "m (b (e^eps + 1) - 1)/(e^eps - 1) estimates x from that bit b without bias.",
            Relation(equal((said(mine) * (u + 1) - 1) / (u - 1), mine), (eps, mine)),
            TELEMETRY,
            "stated for x/m",
        ),
        published(
            "ding2017.3",
            "d bits of b buckets, each kept with probability e^(eps/2)/(e^(eps/2) + 1), are "
            "eps-LDP.",
            OfSpec("dbitflip"),
            TELEMETRY,
            "the eps of its spec",
            adds="written out for 2 of 3 buckets",
        ),
        published(
            "acharya2019.1",
            "Hadamard response is eps-LDP.",
            OfSpec("hadamard_response", lambda m: m.claims[:1]),
            HADAMARD,
            "the eps of its spec",
            adds="one block, the form for small eps",
        ),
        published(
            "arcolezi2022.1",
            "One report of L-GRR is ln((p1 p2 + q1 q2)/(p1 q2 + q1 p2))-LDP.",
            OfSpec("l_grr", lambda m: [m.claims[0], m.claims[2]], file="longitudinal"),
            LONGITUDINAL,
            "the tight eps of its spec is at most that",
        ),
        published(
            "wang2017.18",
            "The threshold with the least variance at a fixed eps lies between 1/2 and 1.",
            AllOf(*(OfSpec(name, file="the") for name in ("the_threshold", "the_above"))),
            WANG,
            "as in its spec",
            adds="f = 0; among thresholds of 0 and above",
        ),
    ],
    register="literature",
)
