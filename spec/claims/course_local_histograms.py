"""Course notes on differential privacy, their part on the local model.

    E10-E11    local randomizers
    E12-E14    a histogram and its error
    E15        statistical queries

K is written k in formulas, and errors are those of counts unless said otherwise.
"""

from sympy import Ge, Gt, Rational, Symbol, exp, log

from ldp_verified.claims import (
    BY_HOEFFDING,
    POINTWISE,
    SETWISE,
    AllOf,
    Cited,
    Document,
    Entry,
    Grid,
    Implies,
    Ladder,
    LaplaceMoment,
    OnlyIf,
    Part,
    Reading,
    Relation,
    Routes,
    Table,
    Theorem,
    equal,
    part,
    query_sizes,
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


e, d, count, b, s, t, m = map(Symbol, ("eps", "delta", "K", "beta", "s", "t", "m"))
delta_1 = Symbol("Delta")
change, rows, own = real("Delta", above=0), real("m", above=0), real("eps", above=0)
mix_p, mix_q = (mix_u - 1) / (mix_u + mix_k - 1), 1 / (mix_u + mix_k - 1)
held = real("share", above=0, at_most=1)
wide = real("k", above=2)
level = real("level", above=1)
half = Rational(1, 2)
small = real("eps", above=0, at_most=1)
enough, twice = real("users", at_least=Rational(89, 10)), real("twice", at_least=2)
grr_2 = grr.instance("grr_2", {k: 2}, claims=[])

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
                    Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2)),
                    "no condition is printed; n^2 times the error of the frequency",
                ),
                Reading(
                    "at f = 0",
                    Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0)),
                    "a value that nobody holds",
                ),
                corrections=(
                    Reading(
                        "plus f (K - 2)/(n (e^eps - 1))",
                        Table(
                            grr,
                            Variance(n * (k - 2 + u) / (u - 1) ** 2 + n * f * (k - 2) / (u - 1)),
                        ),
                    ),
                ),
            ),
            part(
                "where the missing term f (K - 2)/(u - 1) is 0",
                OnlyIf(
                    "K = 2 or f = 0",
                    AllOf(
                        Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0)),
                        Table(grr_2, Variance(n * u / (u - 1) ** 2)),
                    ),
                    Relation(held * (wide - 2) / (level - 1) > 0, (level, held, wide)),
                ),
            ),
        ),
        Entry(
            "E14",
            """Central Laplace has MSE about 1/(n^2 eps^2) on the same histogram (scale printed
            eps/(m Delta)): a factor 1/n is lost, unavoidably.""",
            part(
                "noise of scale b = 1/(n eps) on a frequency has mean squared error 2 b^2",
                LaplaceMoment(2, 2),
                adds="neighbours by adding or removing one person; 8/(n eps)^2 where one is "
                "replaced",
            ),
            part(
                "noise of scale eps/(m Delta) on a mean of m rows is eps-DP",
                Grid(
                    m * delta_1 * (delta_1 / m) / e <= e, {e: ("2", "1/2"), m: (10,), delta_1: (1,)}
                ),
                adds="a row moves the mean by Delta/m; the log-ratio of densities is that over b",
                correction=(
                    "noise of scale Delta/(m eps) is: the log-ratio is eps",
                    Relation(
                        equal((change / rows) / (change / (rows * own)), own), (change, rows, own)
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
            Part(
                Reading(
                    "n <= 8 t/(eps^2 tau^2) users of their own for each query answer all of them "
                    "within tau with probability 9/10",
                    query_sizes(log_factor=False),
                    "one constant for every t, here 8, which is enough for t = 1; eps <= 1; the "
                    "same users "
                    "answer one query only",
                ),
                corrections=(
                    Reading(
                        "n <= 3 t ln(20 t)/(eps^2 tau^2) do",
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
                            query_sizes(log_factor=True),
                        ),
                        "eps <= 1, tau <= 1; 2 e^(-2 m tau^2 (u - 1)^2/(u + 1)^2) with "
                        "(u - 1)/(u + 1) >= 11 eps/25 is at most 1/(10 t) for m users of a query, "
                        "m the whole part of 3 ln(20 t)/(eps tau)^2, which is at least 3 ln 20",
                    ),
                ),
            ),
            part(
                "no other constant does: with m users for each query, whatever m, and t = 2^m "
                "queries each answer is off by more than 1/2 with probability at least 2^-m, more "
                "than the 1/(10 t) that is allowed",
                AllOf(
                    Relation(level / (level - 1) - half > half, (level,)),
                    Relation(Gt(1 / twice, 1 / (10 * twice), evaluate=False), (twice,)),
                ),
                adds="true share 1/2, every report of a query says yes; twice is 2^m; independent "
                "users for each query",
            ),
            part(
                "and back",
                Cited(
                    "Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011, What Can We Learn "
                    "Privately?"
                ),
            ),
        ),
    ],
)
