"""Tutorial on local differential privacy: deployed systems, pure protocols, heavy hitters.

    B1-B3      definition, two coins, what a count costs
    B4-B5      RAPPOR and the count-mean sketch
    B6-B12     pure protocols for frequencies, and which of them is best
    B13        heavy hitters

B14 to B16, sets of items, are in `tutorial_itemsets.py`; B17 and B18, personal regions and open
problems, in `tutorial_safe_regions.py`.
"""

from sympy import Rational, exp, log

from ldp_verified.check.claims import (
    BOUNDS_IN_BETA,
    POINTWISE,
    SETWISE,
    AllOf,
    Both,
    Cited,
    Document,
    Entry,
    Implies,
    Ladder,
    LaplaceMoment,
    OfSpec,
    OpenReading,
    Part,
    Reading,
    Relation,
    Table,
    Theorem,
    earlier_bound_exceeds,
    equal,
    optimal_bound_stays,
    part,
    repeated_reports,
    signs_of_a_column,
)
from ldp_verified.language import (
    LDP,
    Unbiased,
    Variance,
    load,
    n,
    real,
)

LOWER = (
    "Beimel, Nissim, Omri 2008, Distributed Private Data Analysis: Simultaneously Solving How and "
    "What; Chan, Shi, Song 2012, Optimal Lower Bound for Differentially Private Multi-Party "
    "Aggregation"
)
half = Rational(1, 2)
(binary_rr,), (grr,), (oue,), (sue,) = map(load, ("binary_rr", "grr", "oue", "sue"))
fair_coins = load("two_coins")[1]
basic, permanent, one_report = load("rappor")
eps, k = grr.parameters
(own,), (oue_eps, oue_k), (sue_eps, sue_k) = binary_rr.parameters, oue.parameters, sue.parameters
u = exp(eps)

noise, low, high, _ = basic.parameters
raised = noise / 2 * (low + high)
true_one, true_zero = basic.table.cells()["one"], basic.table.cells()["zero"]
coins = (noise, low, high)
p_star, q_star = one_report.parameters[:2]
hashes_2_eps = 4 * log((1 - permanent.parameters[0] / 2) / (permanent.parameters[0] / 2))

collide, level = real("c", at_least=0, at_most=1), real("level", above=1)
kept, lied = u / (u + 1), 1 / (u + 1)

document = Document(
    "Tutorial on local differential privacy",
    [
        Entry(
            "B1",
            "eps-LDP: for every output y and all inputs v, v': Pr[pi(v) = y] <= e^eps Pr[pi(v') "
            "= y].",
            part(
                "the definition for single outputs and the one for sets are the same",
                Both(
                    Implies(POINTWISE, SETWISE, "LDP.Approximate.ldp_sets", delta=False),
                    Implies(SETWISE, POINTWISE, "LDP.Approximate.sets_pointwise", delta=False),
                ),
                adds="finitely many outputs",
            ),
        ),
        Entry(
            "B2",
            """Two-coin randomized response (heads: truth; tails: a second coin decides); true share
            = 2 (X - 0.25). Its eps?""",
            part(
                "a yes adds 2 (1 - 1/4), a no 2 (0 - 1/4): unbiased",
                Table(fair_coins, Unbiased(Rational(3, 2), -half)),
            ),
            part("its tight eps is ln 3", Table(fair_coins, LDP(log(3), tight=True))),
        ),
        Entry(
            "B3",
            "Noise lower bounds: central O(1/eps), local O(sqrt(n)/eps) for a count.",
            part(
                "local, reached: binary randomized response has variance n u/(u - 1)^2, at most "
                "n/eps^2, for every eps",
                AllOf(
                    Table(binary_rr, Variance(n * exp(own) / (exp(own) - 1) ** 2)),
                    Ladder(u / (u - 1) ** 2 <= 1 / eps**2, eps),
                ),
                adds="a standard deviation of at most sqrt(n)/eps",
            ),
            part(
                "central, reached: Laplace noise of scale 1/eps has E|Y| = 1/eps",
                LaplaceMoment(1, 1),
            ),
            part("neither can be beaten", Cited(LOWER), adds="Omega where the text has O"),
        ),
        Entry(
            "B4",
            """RAPPOR: one-time eps_1 = 2 h ln((1 - f/2)/(f/2)); q' = (f/2)(p + q) + (1 - f) q;
            p' = (f/2)(p + 1) + (1 - f) p; eps_2 = h ln(q'(1 - p')/(p'(1 - q'))).""",
            part(
                "eps_1, tight, for h = 2 and any number of bits >= 4",
                Table(permanent, LDP(hashes_2_eps, tight=True)),
                adds="encodings of h = 2 ones; for every h: theorem permanent_ldp of Bloom.v",
            ),
            part("eps_1 for every h", Theorem("LDP.Bloom.permanent_ldp")),
            part(
                "q' is what a 1 becomes",
                Relation(equal(raised + (1 - noise) * high, true_one), coins),
            ),
            part(
                "p' is what a 0 becomes",
                Relation(equal(noise / 2 * (low + 1) + (1 - noise) * low, true_zero), coins),
                correction=(
                    "(f/2)(p + q) + (1 - f) p",
                    Relation(equal(raised + (1 - noise) * low, true_zero), coins),
                ),
            ),
            part(
                "eps_2, tight, for h = 2 and all 0 < p' < q' < 1",
                Table(
                    one_report,
                    LDP(2 * log(q_star * (1 - p_star) / (p_star * (1 - q_star))), tight=True),
                ),
                adds="p' and q' as corrected; of one report",
            ),
            part("eps_2 for every h", Theorem("LDP.Bloom.report_ldp")),
        ),
        Entry(
            "B5",
            """Apple's count-mean sketch: one of k public hash functions, a vector in {-1, 1}^m that
            is +1 at h(d) only, each entry flipped with probability 1/(1 + e^(eps/2)): eps-LDP; the
            estimate averages over rows. Eps of 1-2 per message, up to 16 messages a day, so a day's
            eps can be 16.""",
            part(
                "the client is eps-LDP: symmetric unary encoding of h(d), behind any hash "
                "function, "
                "which is chosen in public",
                AllOf(
                    Table(sue, LDP(sue_eps, tight=True)),
                    Theorem("LDP.Combine.encode_first_ldp"),
                    Theorem("LDP.Combine.mixture_ldp"),
                ),
            ),
            part("the estimate is unbiased, its variance as its spec says", OfSpec("cms")),
            part("the same with one Hadamard bit per user", OfSpec("hcms")),
            Part(
                Reading(
                    "16 messages of eps 1 cost at most 16",
                    Theorem("LDP.Combine.compose_ldp"),
                    "eps = 1 per message; the theorem adds one message to those before, 15 times",
                ),
                Reading(
                    "16 messages of eps between 1 and 2 cost at most 16",
                    repeated_reports(16, 16, ("5/2", "7")),
                    "the upper end of eps 1-2",
                ),
            ),
        ),
        Entry(
            "B13",
            """Heavy hitters (x is delta-heavy when a delta share holds it; delta is the
            protocol's error): succinct histogram, TreeHist and Bitstogram do not reach the
            worst-case lower bound; PrivateExpanderSketch, built on Hashtogram, does.""",
            part(
                "their printed bounds exceed the lower bound by more than any constant",
                earlier_bound_exceeds(),
                adds=BOUNDS_IN_BETA,
            ),
            part(
                "no better bound holds for one of the three",
                OpenReading(
                    "an upper bound of an error says nothing of how small it is; the three "
                    "protocols are built, how their errors grow is measured in "
                    "benchmarks/ERROR_GROWTH.md, and no lower bound of their own is proved"
                ),
            ),
            Part(
                Reading(
                    "the printed bound of PrivateExpanderSketch is twice the lower one at most",
                    optimal_bound_stays(),
                    f"squared, as (sqrt(a) + sqrt(b))^2; {BOUNDS_IN_BETA}",
                ),
                Reading(
                    "the protocol has an error within that bound",
                    Cited(
                        "Bun, Nelson, Stemmer (2018), Heavy Hitters and the Structure of Local "
                        "Privacy; the sketch is built and run here, its error bound is not proved"
                    ),
                ),
            ),
        ),
        Entry(
            "B13b",
            "Bitstogram uses a public matrix Z in {-1, 1}^(|D| x n).",
            Part(
                Reading(
                    "as stated, D the domain of the users' values",
                    signs_of_a_column(of_values=True),
                ),
                Reading(
                    "the same with D the domain of the oracle for the bits",
                    signs_of_a_column(of_values=False),
                    "D is the pairs of one of T cells and a bit of the code: |D| = 2 T",
                ),
            ),
        ),
    ],
)
