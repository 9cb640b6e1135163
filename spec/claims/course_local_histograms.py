"""Course notes on differential privacy, their part on the local model.

    E10-E11    local randomizers
    E12-E14    a histogram and its error
    E15        statistical queries

K is written k in formulas, and errors are those of counts unless said otherwise.
"""

from sympy import Expr, Ge, Gt, Le, Rational, exp, log

from ldp_verified.check.claims import (
    BOUNDED,
    BOUNDED_TWICE,
    BY_HOEFFDING,
    POINTWISE,
    QUERIES_ASKED,
    REPORT_BY_QUERIES,
    REPORTS_NEAR_BY,
    SETWISE,
    UNBOUNDED,
    AllOf,
    Cited,
    Document,
    Entry,
    Grid,
    Implies,
    Ladder,
    LaplaceMoment,
    OnlyIf,
    OpenReading,
    Part,
    Reading,
    Relation,
    Routes,
    Table,
    Theorem,
    equal,
    part,
    query_sizes,
    reports_by_queries,
)
from ldp_verified.language import (
    LDP,
    SameTable,
    Unbiased,
    Variance,
    f,
    load,
    n,
    real,
)

LOWER = "Duchi, Jordan, Wainwright 2013, Local Privacy and Statistical Minimax Rates"
(grr,), (mixture,) = load("grr"), load("keep_or_uniform")
eps, k = grr.parameters
mix_eps, mix_k = mixture.parameters
u, mix_u = exp(eps), exp(mix_eps)
truth, coin = (u - 1) / (u + k - 1), k / (u + k - 1)


own = real("eps", above=0)
rows, many = real("m", at_least=1), real("m", at_least=1 / own**2)
few = real("m", above=0, below=1 / own**2)
printed_scale = own
mix_p, mix_q = (mix_u - 1) / (mix_u + mix_k - 1), 1 / (mix_u + mix_k - 1)
held = real("share", at_least=0, at_most=1)
wide = real("k", at_least=2)
level = real("level", above=1)
t = QUERIES_ASKED
half = Rational(1, 2)
small = real("eps", above=0, at_most=1)
enough = real("users", at_least=Rational(89, 10))


def stated_error(level: Expr, k: Expr) -> Expr:
    """n times the squared error of a frequency, as the notes state it."""
    return (k - 2 + level) / (level - 1) ** 2


def right_error(level: Expr, k: Expr, share: Expr) -> Expr:
    """The same with the term that a true share adds."""
    return stated_error(level, k) + share * (k - 2) / (level - 1)


def loss(scale: Expr, size: Expr) -> Expr:
    """The privacy loss of Laplace noise of this scale on a mean that one row moves by 1/size."""
    return (1 / size) / scale


document = Document(
    "Differential privacy, course notes",
    [
        Entry(
            "E10",
            "LDP, pointwise in y with delta (compare A1).",
            part(
                "single outputs imply sets, with the same eps and delta",
                Implies(POINTWISE, SETWISE),
                adds="that this is the definition of E1 at database size 1",
                correction=(
                    "with delta times the number of outputs",
                    Theorem("LDP.Approximate.pointwise_sets"),
                ),
            ),
        ),
        Entry(
            "E10b",
            "E10 is equivalent to (eps, delta)-DP for data of size 1.",
            part(
                "adding or removing a row at eps bounds replacing one at eps",
                Implies(UNBOUNDED, BOUNDED, delta=False),
                adds="neighbours as the notes have them, who add or remove a row; delta = 0; a "
                "local randomizer is about replacing the one row",
                correction=(
                    "it bounds replacing one at 2 eps",
                    Implies(UNBOUNDED, BOUNDED_TWICE, "LDP.Approximate.group_delta", delta=False),
                ),
            ),
        ),
        Entry(
            "E11",
            """K-randomized response: B ~ Bernoulli(K/(e^eps + K - 1)); B = 0 answer x, B = 1 answer
            uniform. eps-LDP (in the proof P(B = 0) is printed (1 - K)/(e^eps + K - 1)).""",
            part("eps-LDP, tight", Table(mixture, LDP(mix_eps, tight=True))),
            part("it is k-ary randomized response", Table(mixture, SameTable("grr"))),
            part(
                "P(B = 0) = (1 - K)/(e^eps + K - 1)",
                Relation(equal(1 - coin, (1 - k) / (u + k - 1)), (eps, k)),
                correction=(
                    "(e^eps - 1)/(e^eps + K - 1)",
                    Relation(equal(1 - coin, truth), (eps, k)),
                ),
            ),
        ),
        Entry(
            "E12",
            """Histogram estimator (p = (e^eps - 1)/(e^eps + K - 1)): (freq - (1 - p)/K)/(p - (1 -
            p)/K), said unbiased and equal to ((e^eps + K - 1)/(e^eps - 1)) (freq - 1).""",
            part(
                "(freq - (1 - p)/K)/(p - (1 - p)/K) is unbiased",
                Table(
                    mixture,
                    Unbiased((1 - mix_q) / (mix_p - mix_q), -mix_q / (mix_p - mix_q)),
                ),
                adds="p as printed, the probability that B = 0; K > 1",
                correction=(
                    "(freq - (1 - p)/K)/p",
                    Table(mixture, Unbiased((1 - mix_q) / mix_p, -mix_q / mix_p)),
                ),
            ),
            part(
                "((e^eps + K - 1)/(e^eps - 1)) (freq - 1) is unbiased",
                Table(mixture, Unbiased(0, -(mix_u + mix_k - 1) / (mix_u - 1))),
                correction=(
                    "((e^eps + K - 1)/(e^eps - 1)) (freq - 1/(e^eps + K - 1))",
                    Table(
                        mixture,
                        Unbiased((mix_u + mix_k - 2) / (mix_u - 1), -1 / (mix_u - 1)),
                    ),
                ),
            ),
        ),
        Entry(
            "E13",
            "Its mean squared error is (K - 2 + e^eps)/(n (e^eps - 1)^2).",
            Part(
                Reading(
                    "for every true frequency f",
                    Table(grr, Variance(n * stated_error(u, k))),
                    "no condition is printed; n^2 times the error of the frequency",
                ),
                Reading(
                    "at f = 0",
                    Table(grr, Variance(n * stated_error(u, k), at_f=0)),
                    "a value that nobody holds",
                ),
                corrections=(
                    Reading(
                        "plus f (K - 2)/(n (e^eps - 1))",
                        Table(grr, Variance(n * right_error(u, k, f))),
                    ),
                ),
            ),
            part(
                "where the missing term f (K - 2)/(u - 1) is 0",
                AllOf(
                    Table(grr, Variance(n * right_error(u, k, f))),
                    OnlyIf(
                        equal(stated_error(level, wide), right_error(level, wide, held)),
                        equal(held * (wide - 2), 0),
                        (level, held, wide),
                    ),
                ),
            ),
        ),
        Entry(
            "E14",
            """Central Laplace has MSE about 1/(n^2 eps^2) on the same histogram (scale printed
            eps/(m Delta), where Delta is the sensitivity of the mean, 1/m): a factor 1/n is lost,
            unavoidably.""",
            part(
                "noise of scale b = 1/(n eps) on a frequency has mean squared error 2 b^2",
                LaplaceMoment(2, 2),
                adds="neighbours by adding or removing one person; 8/(n eps)^2 where one is "
                "replaced",
            ),
            part(
                "noise of scale eps/(m Delta) on a mean of m rows is eps-DP",
                Relation(Le(loss(printed_scale, rows), own), (own, rows)),
                adds="Delta = 1/m, so the printed scale is eps; a row moves the mean by 1/m, and "
                "the log-ratio of densities is that over the scale",
                correction=(
                    "exactly where m eps^2 >= 1; with the scale Delta/eps it is, for every m",
                    AllOf(
                        Relation(Le(loss(printed_scale, many), own), (own, many)),
                        Relation(Gt(loss(printed_scale, few), own), (own, few)),
                        Relation(equal(loss(1 / (rows * own), rows), own), (own, rows)),
                    ),
                ),
            ),
            part(
                "locally the error is at most 1/(n eps^2) for two values, n times the central "
                "order",
                Ladder(u / (u - 1) ** 2 <= 1 / eps**2, eps),
                adds="binary randomized response, whose variance of a frequency is u/(n (u - 1)^2)",
            ),
            part("unavoidably", Cited(LOWER)),
        ),
        Entry(
            "E15",
            """Statistical queries: an algorithm with t queries of tolerance tau can be simulated
            eps-locally with n of order t/(eps^2 tau^2) (and back, polynomially).""",
            part(
                "some eps-local protocol needs n of order t/(eps^2 tau^2) only",
                OpenReading(
                    "what some protocol can do is not decided by looking at one; the protocol "
                    "below needs a factor ln t more"
                ),
            ),
            part(
                "8 t/(eps^2 tau^2) users are enough for randomized response, each of them asked "
                "one query",
                query_sizes(users=8 * t),
                adds="one protocol, and the constant 8, which is enough for t = 1; eps <= 1; "
                "probability 9/10",
            ),
            Part(
                Reading(
                    "3 t ln(20 t)/(eps^2 tau^2) users are enough for it",
                    Routes(
                        AllOf(
                            Theorem(BY_HOEFFDING),
                            Ladder((u - 1) / (u + 1) >= eps / 2 - eps**3 / 24, eps),
                            Relation(Ge(small / 2 - small**3 / 24, 11 * small / 25), (small,)),
                            Grid(Ge(3 * log(20), Rational(89, 10), evaluate=False), {}),
                            Relation(
                                Ge(2 * (enough - 1) * Rational(11, 25) ** 2, enough / 3),
                                (enough,),
                            ),
                        ),
                        query_sizes(users=3 * t * log(20 * t)),
                    ),
                    "eps <= 1, tau <= 1; 2 e^(-2 m tau^2 (u - 1)^2/(u + 1)^2) with "
                    "(u - 1)/(u + 1) >= 11 eps/25 is at most 1/(10 t) for m users of a query, "
                    "m the whole part of 3 ln(20 t)/(eps tau)^2, which is at least 3 ln 20",
                ),
            ),
            part(
                "and back: a report of a user drawn from a population takes e^eps queries in "
                "expectation",
                REPORT_BY_QUERIES,
                adds="exact answers, functions in 0..1; a trial proposes a report of x0 and "
                "accepts it by the answer. It ends with y with probability e^-eps p(y), so the "
                "accepted report has the law p, and e^eps trials are expected",
            ),
            part(
                "and back with tolerance: answers within tau = beta/(M (1 + beta)) give a report "
                "whose law is within beta",
                Routes(REPORTS_NEAR_BY, reports_by_queries()),
                adds="M <= e^eps trials are expected with exact answers. With an answer "
                "(p(y)/r(y) + e(y))/M a trial ends with y with probability (p(y) + r(y) e(y))/M; "
                "|e| <= t = tau M, and t/(1 - t) = beta. Distances of n reports add up",
            ),
            part(
                "and back where a user speaks several times, with others in between",
                OpenReading(
                    "the law of such a message depends on what the same user said before, so it is "
                    "no mean over the population; no program for it is here"
                ),
            ),
        ),
    ],
)
