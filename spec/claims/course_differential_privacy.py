"""Course notes on differential privacy: definitions, mechanisms on databases, local histograms.

    E1-E5      definitions, post-processing, composition, groups
    E6-E9      Laplace, Gaussian and exponential mechanism
    E10-E14    local randomizers, a histogram and its error
    E15        statistical queries

Outputs are finitely many wherever a theorem about tables decides.
"""

from sympy import Expr, Le, Rational, Symbol, erfc, exp, log, sqrt

from ldp_verified.check.claims import (
    COUNT_MOVES_BY_ONE,
    DETERMINISTIC_IS_CONSTANT,
    LOSS_TAIL,
    POINTWISE,
    PURE_NEARBY,
    SETWISE,
    AllOf,
    Document,
    Entry,
    GaussianIs,
    GaussianTail,
    Grid,
    Implies,
    LaplaceMoment,
    LaplaceTail,
    Law,
    NotSo,
    OfSpec,
    Part,
    Reading,
    Relation,
    Routes,
    Table,
    Theorem,
    part,
)
from ldp_verified.language import (
    LDP,
    Holds,
    Matrix,
    Mechanism,
    exponential_mechanism,
    load,
    real,
    utility_claims,
)

DWORK = "Dwork, Roth 2014, The Algorithmic Foundations of Differential Privacy, appendix A"
(grr,), (mixture,) = load("grr"), load("keep_or_uniform")
eps, k = grr.parameters

near = [[0, -1, -2], [-1, 0, -1], [-2, -1, 0]]
far = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
answers = [0, 1, 2]


def scored(name: str, scores: list[list[int]]) -> Mechanism:
    """The exponential mechanism for f(D) in {0, 1, 2}, one row per value of f(D)."""
    return Mechanism(
        name,
        parameters=[eps],
        table=exponential_mechanism(scores, eps, inputs=answers, outputs=answers),
    )


prefers_near, prefers_far = scored("prefers_near", near), scored("prefers_far", far)
near_right, _, near_wrong = exponential_mechanism(near, eps).rows[0]
far_right, _, far_wrong = exponential_mechanism(far, eps).rows[0]
bounds = utility_claims(near, eps)

e, d, count, b, s, t, m, n = map(Symbol, ("eps", "delta", "K", "beta", "s", "t", "m", "n"))
classical = sqrt(2 * log(Rational(5, 4) / d)) / e
small = {e: ("1/100", "1/10", "1/2", "9/10", "99/100"), d: ("1/1000000", "1/1000", "1/10", "1/2")}
large = {e: ("1", "2", "5", "10", "20", "50"), d: ("1/1000000", "1/100", "1/2")}
betas = {b: ("1/2", "1/10", "1/100", "1/10000"), count: (1, 10, 1000), e: ("1/2", "9/10")}
betas_only = {b: betas[b], count: betas[count]}
top, people = real("top", above=0), real("m", at_least=1)
before, after = real("s", at_least=0, at_most=top), real("s_new", at_least=0, at_most=top)
others = real("rest", at_least=0)
always_1 = Mechanism(
    "always_1",
    title="The answer 1, whatever the data",
    parameters=[eps],
    table=Matrix([[0, 1], [0, 1]], outputs=["0", "1"]),
)

seldom = real("delta", above=0, below=1)


def telling(name: str) -> Mechanism:
    """The value with probability delta, else nothing."""
    table = [[seldom, 0, 1 - seldom], [0, seldom, 1 - seldom]]
    return Mechanism(name, parameters=[seldom], table=Matrix(table, outputs=["0", "1", "nothing"]))


tells_seldom, tells_without_delta = telling("tells_seldom"), telling("tells_without_delta")


def some_of(deviations: Expr) -> Expr:
    """The probability that some of K independent normal numbers is that far from 0."""
    return 1 - (1 - erfc(deviations / sqrt(2))) ** count


document = Document(
    "Differential privacy, course notes",
    [
        Entry(
            "E1",
            """(eps, delta)-DP for all measurable sets. Privacy loss L = ln P(A(D) = o)/P(A(D') =
            o).""",
            part(
                "the definition for sets implies the one for single outputs",
                Implies(SETWISE, POINTWISE, "LDP.Approximate.sets_pointwise"),
                adds="finitely many outputs",
            ),
            part(
                "L <= eps for every output implies the definition for sets with delta = 0",
                Theorem("LDP.Approximate.ldp_sets"),
            ),
        ),
        Entry(
            "E1b",
            """A differentially private algorithm that is not trivial must be randomized (printed:
            otherwise A(D) = 0).""",
            part(
                "one that is not randomized gives every input the same output",
                DETERMINISTIC_IS_CONSTANT,
                adds="finitely many outputs; eps-DP",
            ),
            part(
                "that output need not be 0: to answer 1 always is 0-LDP",
                Table(always_1, LDP(0)),
            ),
        ),
        Entry(
            "E2",
            "(eps, delta)-DP implies Pr[L <= eps] >= 1 - delta.",
            part(
                "as stated, for every table",
                Implies(SETWISE, LOSS_TAIL),
                correction=(
                    ("it implies Pr[L <= e] >= 1 - delta/(1 - e^(eps - e)) for every e > eps"),
                    Theorem("LDP.Approximate.sets_tail"),
                ),
            ),
            part(
                "Pr[L <= eps] >= 1 - delta implies (eps, delta)-DP",
                Implies(LOSS_TAIL, SETWISE, "LDP.Approximate.tail_sets"),
                adds="the converse, which the notes do not state",
            ),
        ),
        Entry(
            "E3",
            "Post-processing keeps (eps, delta).",
            part(
                "any random map of the output",
                Theorem("LDP.Approximate.post_delta"),
                adds="finitely many outputs",
            ),
        ),
        Entry(
            "E4",
            """Simple composition adds eps_k and delta_k; on disjoint inputs the maximum.""",
            part(
                "any number of steps, each in view of all before it",
                Theorem("LDP.Approximate.rounds_delta"),
                adds="finitely many reports",
            ),
            part(
                "any number of parts of the data: the largest eps with the largest delta",
                Theorem("LDP.Approximate.disjoint_delta"),
                adds="neighbours differ in one part at most; finitely many reports",
            ),
        ),
        Entry(
            "E5",
            """Group privacy: (K eps, K e^(K eps) delta) for groups of size K (its proof ends with a
            geometric sum credited to the arithmetic-geometric inequality).""",
            part("as stated", Theorem("LDP.Approximate.group_delta_power")),
            part(
                "with the sum itself, 1 + e^eps + ... + e^((K-1) eps), in place of K e^(K eps)",
                Theorem("LDP.Approximate.group_delta"),
            ),
        ),
        Entry(
            "E6",
            """Laplace mechanism, scale Delta_1/eps: (eps, 0)-DP; E||error||_1 = K Delta_1/eps
            (printed with <=); E|Y| = b, E Y^2 = 2 b^2, P(|Y| > t b) <= e^-t; sup-error <=
            ln(K/beta) Delta_1/eps with probability >= 1 - beta. L1 sensitivity of a count is 1.""",
            part(
                "densities of K numbers with noise of scale Delta_1/eps differ by e^eps at most",
                Theorem("LDP.Central.laplace_ratio"),
                adds="real-valued noise; what a sampler does is another matter",
            ),
            part("as the spec of Laplace noise says", OfSpec("laplace")),
            part("E|Y| = b, so E||error||_1 = K b: with =, and so with <=", LaplaceMoment(1, 1)),
            part("E Y^2 = 2 b^2", LaplaceMoment(2, 2)),
            part(
                "P(|Y| > t b) = e^-t",
                LaplaceTail(),
            ),
            part(
                "K independent numbers: some |Y| exceeds ln(K/beta) b with probability at most "
                "K beta/K",
                AllOf(LaplaceTail(), Theorem("LDP.Central.none_of_many")),
                adds="the bound of the notes is the union bound at t = ln(K/beta)",
            ),
            part(
                "one person changes a count by at most 1",
                COUNT_MOVES_BY_ONE,
                adds="neighbours by adding or removing one person",
            ),
        ),
        Entry(
            "E6b",
            """The mean salary of m people has L1 sensitivity at most (largest salary)/m (printed:
            mean salary/m).""",
            part(
                "printed: one salary moves the mean by at most (mean salary)/m",
                Relation(
                    Le((before - after) / people, (others + before) / people**2),
                    (top, before, after, others, people),
                ),
                adds="one salary is replaced by another; the others add up to rest",
                correction=(
                    "by at most (largest salary)/m",
                    AllOf(
                        Relation(
                            Le((before - after) / people, top / people),
                            (top, before, after, people),
                        ),
                        Relation(
                            Le((after - before) / people, top / people),
                            (top, before, after, people),
                        ),
                    ),
                ),
            ),
        ),
        Entry(
            "E7",
            """Gaussian mechanism with sigma^2 = sqrt(2 ln(1.25/delta)) Delta_2/eps: (eps, delta)-DP
            for every eps > 0; sup-error < sqrt(2 ln(1.25/delta) ln(K/eps)) Delta_2/eps with
            probability >= 1 - beta.""",
            Part(
                Reading(
                    "sigma^2 = sqrt(2 ln(1.25/delta))/eps, as printed",
                    GaussianIs(sqrt(classical), e, d, small),
                    "Delta_2 = 1, eps < 1",
                ),
                Reading(
                    "sigma = sqrt(2 ln(1.25/delta))/eps, every eps > 0",
                    GaussianIs(classical, e, d, large),
                    "sigma in place of sigma^2",
                ),
                Reading(
                    "sigma = sqrt(2 ln(1.25/delta))/eps, 0 < eps < 1",
                    GaussianIs(classical, e, d, small, DWORK),
                    "sigma in place of sigma^2; eps < 1",
                ),
            ),
            Part(
                Reading(
                    "some |Y| of K exceeds sqrt(ln(K/beta)) sigma with probability at most beta",
                    Grid(some_of(sqrt(log(count / b))) <= b, betas_only),
                    "beta in place of eps inside the logarithm; K independent numbers",
                ),
                Reading(
                    "some |Y| of K exceeds sqrt(ln(K/eps)) sigma with probability at most beta",
                    Grid(some_of(sqrt(log(count / e))) <= b, betas),
                    "as printed; K >= eps, independent numbers",
                ),
                corrections=(
                    Reading(
                        "some |Y| of K exceeds sqrt(2 ln(K/beta)) sigma with probability at most "
                        "beta",
                        AllOf(GaussianTail(), Theorem("LDP.Central.none_of_many")),
                        "K >= beta, independent numbers; Pr[|Y| > s sigma] <= e^(-s^2/2), which is "
                        "beta/K",
                    ),
                ),
            ),
        ),
        Entry(
            "E7b",
            """For delta << 1 the difference between eps-DP and (eps, delta)-DP does not show in
            practice.""",
            Part(
                Reading(
                    "of n reports one tells a value as it is with probability at most 1/100",
                    Grid(Le(1 - (1 - 1 / n) ** n, Rational(1, 100)), {n: (100, 10_000)}),
                    "what would show is somebody's value; delta = 1/n; each report tells its value "
                    "with probability delta, and nothing else, which is (0, delta)-DP",
                ),
                corrections=(
                    Reading(
                        "it is so with delta = 1/(100 n): the probability is at most n delta",
                        Theorem("LDP.Central.none_of_many"),
                        "the same reports",
                    ),
                    Reading(
                        "no event of n answers shows it with a probability above n delta: within "
                        "delta of an (eps, delta)-DP law is an eps-DP one, and n of them are "
                        "within n delta, which is composition at eps = 0",
                        AllOf(PURE_NEARBY, Theorem("LDP.Approximate.rounds_delta")),
                        "any mechanism with finitely many outputs, at the two data sets that are "
                        "to be told apart; answers may depend on those before",
                    ),
                ),
            ),
            part(
                "such a report is (0, delta)-DP for every delta, and no less",
                Table(tells_seldom, LDP(0, delta=seldom, tight=True)),
            ),
            part("it is eps-DP for no eps", NotSo(Law(tells_without_delta, "equal_support"))),
        ),
        Entry(
            "E9",
            """Exponential mechanism with weight exp(eps s/(2 Delta)): eps-DP (example score
            s(D, o) = |o - f(D)|); Pr[s(out) <= s* - (2 Delta/eps)(ln(|O|/|O*|) + 1)] <= e^-t.""",
            part(
                "eps-DP for every score on finitely many outputs",
                Routes(Theorem("LDP.Central.exponential_mech_ldp"), Table(prefers_near, LDP(eps))),
            ),
            part(
                "the example's mechanism gives the true answer at least as often as a wrong one",
                Table(
                    prefers_far,
                    Holds(far_right >= far_wrong),
                ),
                adds="a score is to be large for good outputs",
                correction=(
                    "with the score -|o - f(D)|",
                    Table(
                        prefers_near,
                        Holds(near_right >= near_wrong),
                    ),
                ),
            ),
            Part(
                Reading(
                    "as printed, for every t > 0: the left side does not depend on t",
                    Grid(exp(-2) / (1 + exp(-2)) <= exp(-t), {t: ("1", "2", "5")}),
                    "for all t; two outputs of scores 0 and -1, Delta = 1, eps = 4: the worse "
                    "one is "
                    "(2/4)(ln 2 + 1) < 1 below the best, and has e^-2/(1 + e^-2)",
                ),
                corrections=(
                    Reading(
                        "with t in place of 1: Pr[s(out) <= s* - c] <= (|O|/|O*|) e^(-eps c/(2 "
                        "Delta)) for every c",
                        AllOf(
                            Theorem("LDP.Central.exponential_mech_utility"),
                            *(Table(prefers_near, claim) for claim in bounds),
                        ),
                    ),
                ),
            ),
        ),
    ],
)
