"""Lecture notes on local differential privacy: randomizers and frequency oracles.

    A1-A2    what a randomizer is, and what several of them cost
    A6-A8    randomized response on signs, its estimate and its error
    A9-A11   a frequency oracle from a public matrix of signs

The notes write eps both for the privacy parameter and for the bias of a coin that keeps a sign with
probability 1/2 + eps. Readings tell the two apart: the bias is gamma, and 0 < gamma < 1/2.
"""

from sympy import Rational, Symbol, exp, log, sqrt

from ldp_verified.check.claims import (
    HOEFFDING,
    POINTWISE,
    POINTWISE_TIMES_OUTPUTS,
    SETWISE,
    AllOf,
    Both,
    Document,
    Entry,
    EpsilonAt,
    Implies,
    Ladder,
    Part,
    Reading,
    Routes,
    Table,
    Tail,
    Theorem,
    TwoPoint,
    part,
)
from ldp_verified.language import (
    LDP,
    Blocks,
    Design,
    Matrix,
    Mechanism,
    Unbiased,
    Variance,
    f,
    load,
    n,
    real,
    together,
)

half = Rational(1, 2)
eps = real("eps", above=0)
u = exp(eps)
(binary_rr,), (half_plus,) = load("binary_rr"), load("half_plus")
(own,), (gamma,) = binary_rr.parameters, half_plus.parameters
users, beta, values = Symbol("n"), Symbol("beta"), Symbol("values")

signs_of_3 = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
sign_matrix = Mechanism(
    "sign_matrix",
    title="A uniform public column of signs; its sign at x is kept with probability 1/2 + gamma",
    parameters=[gamma],
    table=Design(
        blocks=16,
        containing=8,
        together=4,
        inside=(half + gamma) / 8,
        outside=(half - gamma) / 8,
        structure=Blocks(
            3, [{x for x in range(3) if c[x] == s} for c in signs_of_3 for s in (-1, 1)]
        ),
    ),
)
keep, flip = u / (u + 1), 1 / (u + 1)
sign_column = Mechanism(
    "sign_column",
    title="A column of signs that anybody made",
    parameters=[eps],
    table=Matrix([[flip, keep], [flip, keep], [keep, flip]], inputs=["a", "b", "c"]),
)
twice = Mechanism("twice", parameters=[own], table=together(binary_rr.table, binary_rr.table))

small = real("eps", above=0, at_most=Rational(1, 8))

bound = sqrt(2 * users * log(2 / beta))
bound_for_all = sqrt(2 * users * log(2 * values / beta)) / (2 * gamma)
signs = TwoPoint(half + gamma, 1, -1, users)
answers = TwoPoint(half + gamma, 1 / (4 * gamma), -1 / (4 * gamma), users)
holders = Symbol("holders")
held = TwoPoint(half + gamma, 1 / (2 * gamma), -1 / (2 * gamma), holders)
unheld = TwoPoint(half, 1 / (2 * gamma), -1 / (2 * gamma), users - holders)
looked_at = {
    gamma: ("1/10", "1/4", "7/20", "2/5"),
    users: (10, 20, 100),
    beta: ("1/2", "1/10", "1/100", "1/1000", "1/10000"),
}
biases = [{"gamma": share} for share in ("1/4", "1/10", "1/100", "49/100")]
right_eps = log((1 + 2 * gamma) / (1 - 2 * gamma))

document = Document(
    "Lecture notes on local differential privacy",
    [
        Entry(
            "A1",
            """(eps, delta)-randomizer: for all x, x' and every single output y, Pr[R(x) = y] <=
            e^eps Pr[R(x') = y] + delta; said to be exactly the database definition at size 1.""",
            Part(
                Reading(
                    "the definition for single outputs and the one for sets are the same",
                    Both(
                        Implies(POINTWISE, SETWISE),
                        Implies(SETWISE, POINTWISE, "LDP.Approximate.sets_pointwise"),
                    ),
                    "the same eps and delta in both; finitely many outputs",
                ),
                corrections=(
                    Reading(
                        "they are the same at delta = 0",
                        Both(
                            Implies(POINTWISE, SETWISE, "LDP.Approximate.ldp_sets", delta=False),
                            Implies(
                                SETWISE, POINTWISE, "LDP.Approximate.sets_pointwise", delta=False
                            ),
                        ),
                    ),
                    Reading(
                        "single outputs imply sets with delta times the number of outputs",
                        Implies(
                            POINTWISE, POINTWISE_TIMES_OUTPUTS, "LDP.Approximate.pointwise_sets"
                        ),
                    ),
                    Reading(
                        "sets imply single outputs",
                        Implies(SETWISE, POINTWISE, "LDP.Approximate.sets_pointwise"),
                    ),
                ),
            ),
        ),
        Entry(
            "A2",
            """An algorithm is eps-LDP when it touches each input only through randomizers, at most
            k times, with eps_1 + ... + eps_k <= eps.""",
            part(
                "two randomizers on one input, the second chosen in view of the first report, are "
                "(eps_1 + eps_2)-LDP",
                Theorem("LDP.Combine.compose_ldp"),
                adds="randomizers may be chosen adaptively; finitely many outputs; for k of them "
                "the step is repeated, the first k - 1 being one randomizer",
            ),
            part(
                "what is done with the reports afterwards costs nothing",
                Theorem("LDP.Combine.post_ldp"),
            ),
            part(
                "the sum cannot be improved: two reports of binary randomized response on one "
                "value have tight eps 2 eps",
                Table(twice, LDP(2 * own, tight=True)),
            ),
        ),
        Entry(
            "A6",
            """Randomized response on {-1, +1}: keep with probability e^eps/(e^eps + 1),
            "approximately 1/2 + eps", flip with probability 1/(e^eps + 1), "approximately
            1/2 + eps" too; it is an eps-randomizer.""",
            Part(
                Reading(
                    "keep is closer to 1/2 + eps than to 1/2 for eps <= 1/8",
                    Ladder(exp(small) / (exp(small) + 1) >= half + small / 2, small),
                    "approximately: at least half of the way from 1/2; small eps only",
                ),
                corrections=(
                    Reading(
                        "keep is 1/2 + eps/4 up to eps^3/48",
                        AllOf(
                            Ladder(u / (u + 1) <= half + eps / 4, eps),
                            Ladder(u / (u + 1) >= half + eps / 4 - eps**3 / 48, eps),
                        ),
                    ),
                ),
            ),
            part(
                "flip is closer to 1/2 + eps than to 1/2 for eps <= 1/8",
                Ladder(1 / (exp(small) + 1) >= half + small / 2, small),
                adds="approximately: at least half of the way from 1/2; small eps only",
                correction=(
                    "flip is 1/2 - eps/4 up to eps^3/48",
                    AllOf(
                        Ladder(1 / (u + 1) >= half - eps / 4, eps),
                        Ladder(1 / (u + 1) <= half - eps / 4 + eps**3 / 48, eps),
                    ),
                ),
            ),
            part("it is eps-LDP, and no better", Table(binary_rr, LDP(own, tight=True))),
        ),
        Entry(
            "A7",
            """Keep with probability 1/2 + eps, report (1/(4 eps)) (2 eps n + sum y_i): unbiased for
            the number of +1.""",
            part(
                "each report y adds (2 gamma + y)/(4 gamma)",
                Table(
                    half_plus,
                    Unbiased((2 * gamma + 1) / (4 * gamma), (2 * gamma - 1) / (4 * gamma)),
                ),
                adds="0 < gamma < 1/2: otherwise 1/2 + gamma is no probability",
            ),
        ),
        Entry(
            "A8",
            """Hoeffding: sum y_i deviates from its expectation by more than (1/(4 eps)) sqrt(2 n
            ln(2/beta)) with probability <= beta, hence the error of A7 is at most that with
            probability >= 1 - beta.""",
            part(
                "the sum of the signs deviates by more than (1/(4 gamma)) sqrt(2 n ln(2/beta)) "
                "with "
                "probability <= beta, for all n, beta and 0 < gamma < 1/2",
                Tail([signs], bound / (4 * gamma), beta, looked_at),
                correction=(
                    (
                        "the sum of the signs deviates by more than sqrt(2 n ln(2/beta)) with "
                        "probability <= beta"
                    ),
                    Tail([signs], bound, beta, looked_at, HOEFFDING, proved=True),
                ),
            ),
            part(
                "the estimate of A7 is off by more than (1/(4 gamma)) sqrt(2 n ln(2/beta)) with "
                "probability <= beta",
                Tail([answers], bound / (4 * gamma), beta, looked_at, HOEFFDING, proved=True),
            ),
        ),
        Entry(
            "A9",
            """General frequency oracle: public uniform sign matrix Z; user i sends randomized
            response (1/2 + eps) of Z[x_i, i]; est(x) = (1/(2 eps)) sum y_i Z[x, i]: unbiased, error
            at most (1/(2 eps)) sqrt(2 n ln(2/beta)) with probability >= 1 - beta; it satisfies the
            eps-randomizer definition.""",
            part(
                "a report y adds y Z[x, i]/(2 gamma): unbiased",
                Table(sign_matrix, Unbiased(1 / (2 * gamma), -1 / (2 * gamma))),
                adds="columns are uniform and independent of the values; written out for 3 values",
            ),
            Part(
                Reading(
                    "for one value, fixed beforehand",
                    Tail(
                        [held, unheld],
                        bound / (2 * gamma),
                        beta,
                        looked_at | {holders: (0, 3, 10)},
                        HOEFFDING,
                        proved=True,
                    ),
                    "the value does not depend on the reports; any number of users hold it",
                ),
                Reading(
                    "for all values at once, as the error of an oracle is defined",
                    Tail(
                        [held, unheld],
                        bound / (2 * gamma),
                        beta,
                        {
                            gamma: ("1/4",),
                            users: (2, 10),
                            holders: (0, 2),
                            beta: ("1/10", "3/4"),
                            values: (5, 100),
                        },
                        events=values,
                    ),
                    "the largest error over all values, those included that nobody holds",
                ),
                corrections=(
                    Reading(
                        "for all values at once with ln(2 |X|/beta) in place of ln(2/beta)",
                        Tail(
                            [held, unheld],
                            bound_for_all,
                            beta,
                            {
                                gamma: ("1/4",),
                                users: (2, 10, 100),
                                holders: (0, 2),
                                beta: ("1/10", "3/4"),
                                values: (5, 100),
                            },
                            f"{HOEFFDING}, and the union bound",
                            values,
                            proved=True,
                        ),
                        "whatever the number of users that hold each of them",
                    ),
                ),
            ),
            part(
                "keeping with probability 1/2 + gamma is gamma-LDP",
                EpsilonAt(half_plus, gamma, biases),
                adds="gamma < 1/2",
                correction=(
                    "its tight eps is ln((1 + 2 gamma)/(1 - 2 gamma)), at least 4 gamma",
                    AllOf(
                        Table(half_plus, LDP(right_eps, tight=True)),
                        Ladder(1 + 2 * gamma >= exp(4 * gamma) * (1 - 2 * gamma), gamma),
                    ),
                ),
            ),
        ),
        Entry(
            "A10",
            """Privacy of A9 does not depend on how Z is made (any Z, even adversarial); Z may be a
            pseudorandom function.""",
            part(
                "a randomizer on any function of the value has its eps",
                Routes(Theorem("LDP.Combine.encode_first_ldp"), Table(sign_column, LDP(eps))),
                adds="Z does not depend on the values",
            ),
            part(
                "the same for a column drawn in public from any distribution, a generator's "
                "included",
                Theorem("LDP.Combine.mixture_ldp"),
                adds="privacy only; estimates need Z to be close to pairwise independent",
            ),
        ),
        Entry(
            "A11",
            "The estimate of A9 when f(x) = 0 and when f(x) = n: what is its variance in each "
            "case?",
            part(
                "n/(4 gamma^2) when nobody holds x",
                Table(sign_matrix, Variance(n / (4 * gamma**2), at_f=0)),
            ),
            part(
                "n (1/(4 gamma^2) - 1) when everybody does: the reports' matrix cancels, and the "
                "randomization is left",
                Table(sign_matrix, Variance(n * (1 / (4 * gamma**2) - 1), at_f=1)),
            ),
            part(
                "n (1/(4 gamma^2) - f) at a share f",
                Table(sign_matrix, Variance(n * (1 / (4 * gamma**2) - f))),
            ),
        ),
    ],
)
