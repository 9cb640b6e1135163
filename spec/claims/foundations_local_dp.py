"""Foundations of local differential privacy: protocols, a survey, counts and histograms.

    C1         local protocols from randomizers
    C2         a survey that forces some answers
    C3-C4      errors of counts and histograms
    C5-C6      interactive mechanisms, several curators

Errors are standard deviations unless a reading says otherwise.
"""

from sympy import Rational, Symbol, exp, log, sqrt

from ldp_verified.check.claims import (
    HOEFFDING,
    NEAR_SHARES,
    AllOf,
    Cited,
    Document,
    Entry,
    Ladder,
    LaplaceMoment,
    Law,
    NotSo,
    Part,
    Reading,
    Relation,
    Routes,
    Table,
    Tail,
    Theorem,
    TwoPoint,
    conversations,
    equal,
    fixed_queries,
    part,
    shares_apart,
)
from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, Variance, load, n, real

LOWER = (
    "Beimel, Nissim, Omri 2008, Distributed Private Data Analysis: Simultaneously Solving How and "
    "What; Chan, Shi, Song 2012, Optimal Lower Bound for Differentially Private Multi-Party "
    "Aggregation"
)
eps = real("eps", above=0)
u = exp(eps)
p, share = real("p", above=0, below=1), real("q", at_least=0, at_most=1)
forced = Matrix([[1 - p, p], [0, 1]], inputs=["no", "yes"], outputs=["no", "yes"])
forced_yes = Mechanism(
    "forced_yes",
    title="Say yes with probability p, else the truth",
    parameters=[p],
    table=forced,
)
(binary_rr,), (histogram_rr,) = load("binary_rr"), load("histogram_rr")
(own,), (bit_eps, k) = binary_rr.parameters, histogram_rr.parameters
half = Rational(1, 2)
at_half = (Rational(3, 4) - half) / (1 - half)
small = Ladder(u / (u - 1) ** 2 <= 1 / eps**2, eps)

level, users, beta, bins = Symbol("level"), Symbol("n"), Symbol("beta"), Symbol("bins")
holders = Symbol("holders")
high, low = level / (level - 1), -1 / (level - 1)
full = TwoPoint(level / (level + 1), high, low, holders)
empty = TwoPoint(1 / (level + 1), high, low, users - holders)
bound = (level + 1) / (level - 1) * sqrt(users * log(2 * bins / beta) / 2)

document = Document(
    "Foundations of local differential privacy, a course summary",
    [
        Entry(
            "C1",
            """Local protocol = randomizers Q_i and an aggregator; each Q_i eps-DP implies the
            protocol is eps-LDP.""",
            part(
                "the transcript of n users, each with a randomizer of their own, is within e^eps "
                "when the value of one user changes",
                Theorem("LDP.Central.protocol_ldp"),
                adds="users report independently; finitely many outputs",
            ),
            part("the aggregator costs nothing", Theorem("LDP.Combine.post_ldp")),
        ),
        Entry(
            "C2",
            """Warner's survey: say yes with probability p, else the truth; Pr[yes] = p + (1 - p) q;
            0.75 at p = 0.5 means half the students. Its eps?""",
            part(
                "Pr[yes] = p + (1 - p) q for a share q of yes",
                Relation(
                    equal(
                        (1 - share) * forced.rows[0][1] + share * forced.rows[1][1],
                        p + (1 - p) * share,
                    ),
                    (p, share),
                ),
            ),
            part(
                "at p = 1/2 a share 3/4 of yes means q = 1/2",
                Relation(equal(at_half, half), (p,)),
            ),
            part(
                "no finite eps: a report that one answer can give and the other cannot",
                NotSo(Law(forced_yes, "equal_support")),
                adds="the text names no eps",
            ),
        ),
        Entry(
            "C3",
            """{-1, +1} randomized response flips with 1/(e^eps + 1); count/sum error
            O(sqrt(n)/eps),
            mean error O(1/(eps sqrt(n))); central: O(1/eps) and O(1/(eps n)).""",
            part("eps-LDP, tight", Table(binary_rr, LDP(own, tight=True))),
            part(
                "count: a standard deviation of at most sqrt(n)/eps, for every eps",
                AllOf(
                    Table(binary_rr, Variance(n * exp(own) / (exp(own) - 1) ** 2)),
                    small,
                ),
                adds="error as standard deviation; the constant is 1",
            ),
            part(
                "mean: that divided by n",
                Ladder(u / (u - 1) ** 2 <= 1 / eps**2, eps),
                adds="the variance n u/(u - 1)^2 of the sum divided by n^2",
            ),
            part(
                "central: E|Y| = b for Laplace noise of scale b = 1/eps, 1/(eps n) for the mean",
                LaplaceMoment(1, 1),
            ),
            part("locally no protocol does better", Cited(LOWER), adds="Omega; the text has O"),
        ),
        Entry(
            "C4",
            """Histogram by randomized response on every bit of the one-hot vector, each flipped
            with
            1/(e^eps + 1): 2 eps-LDP; error per bin O(sqrt(n)/eps); max over d bins
            O(sqrt(n log d)/eps).""",
            part("2 eps-LDP, tight", Table(histogram_rr, LDP(2 * bit_eps, tight=True))),
            part(
                "per bin: a standard deviation of at most sqrt(n)/eps",
                AllOf(
                    Table(histogram_rr, Variance(n * exp(bit_eps) / (exp(bit_eps) - 1) ** 2)),
                    small,
                ),
                adds="error as standard deviation; eps is that of one bit",
            ),
            Part(
                Reading(
                    "with probability 1 - beta all d bins are within (u + 1)/(u - 1) sqrt(n "
                    "ln(2 d/beta)/2), which is at most (2/eps + eps/6) sqrt(n ln(2 d/beta)/2)",
                    AllOf(
                        Ladder((u + 1) / (u - 1) <= 2 / eps + eps / 6, eps),
                        Tail(
                            [full, empty],
                            bound,
                            beta,
                            {
                                level: ("3/2", "3"),
                                users: (10, 100),
                                holders: (0, 4),
                                beta: ("1/10", "1/100"),
                                bins: (10, 1000),
                            },
                            f"{HOEFFDING}, and the union bound",
                            bins,
                            proved=True,
                        ),
                    ),
                    "with probability 1 - beta, whatever the number of users in each bin; eps "
                    "bounded, or O(1/eps) is not what one gets",
                ),
            ),
            part(
                "the estimate of each bin is unbiased",
                Table(
                    histogram_rr,
                    Unbiased(exp(bit_eps) / (exp(bit_eps) - 1), -1 / (exp(bit_eps) - 1)),
                ),
            ),
        ),
        Entry(
            "C5",
            """Interactive mechanisms: an adaptive sequence of queries; the view with C(D) and with
            C(D') is within e^eps.""",
            part(
                "k answers within e^(eps_1), ..., e^(eps_k), whatever was asked before: the view "
                "is within e^(eps_1 + ... + eps_k)",
                Routes(Theorem("LDP.Protocols.sequential_ldp"), conversations(added=True)),
                adds="the text defines it; this is what has it. Answers are drawn anew, the next "
                "query may be any function of all answers",
            ),
            part(
                "the same where what an answer costs depends on the answers before, and no view "
                "costs more than eps",
                Theorem("LDP.Protocols.filter_ldp"),
            ),
            part(
                "k answers within e^eps each: the view is within e^eps",
                conversations(added=False),
                adds="a reading that takes the promise of every single query for that of the view",
                correction=(
                    "within e^(k eps): the first reading",
                    Theorem("LDP.Protocols.sequential_ldp"),
                ),
            ),
            part(
                "whoever adapts queries to answers sees no larger ratio than with the worst fixed "
                "queries",
                fixed_queries(),
                adds="finitely many inputs and answers, delta = 0; answers may be remembered",
            ),
        ),
        Entry(
            "C6",
            "Multiparty DP: k curators, each protecting its own share.",
            part(
                "messages within e^eps for neighbouring shares, one of each party: whoever sees "
                "all of them sees a ratio of e^eps at most",
                Routes(NEAR_SHARES, shares_apart(twice=False)),
                adds="one share is replaced by a neighbouring one; the parties see the messages "
                "of others, and no shares",
            ),
            part(
                "the same where the first party sends twice",
                shares_apart(twice=True),
                adds="messages within e^eps each, as above",
                correction=(
                    "the epsilons of a party's messages add up",
                    Theorem("LDP.Protocols.sequential_ldp"),
                ),
            ),
            part(
                "with k = n, every share one record, it is local privacy",
                Theorem("LDP.Central.protocol_ldp"),
                adds="any two records are neighbours; a curator who holds all is k = 1, and the "
                "statement is that of its one message",
            ),
        ),
    ],
)
