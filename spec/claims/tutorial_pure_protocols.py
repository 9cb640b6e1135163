"""Tutorial on local differential privacy, its part on pure protocols for frequencies.

    B6-B8      support, direct encoding, histogram encoding
    B9-B12     unary encoding, local hashing, and which of them is best

Variances are those of estimated counts of n users, a share f of whom hold the value.
"""

from sympy import Expr, Gt, Rational, exp

from ldp_verified.check.claims import (
    AllOf,
    Document,
    Entry,
    Ladder,
    LaplaceMoment,
    OfSpec,
    OnlyIf,
    Part,
    Reading,
    Relation,
    Table,
    Theorem,
    equal,
    hash_reports,
    part,
)
from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Mechanism,
    OneHot,
    Optimal,
    Variance,
    f,
    integer,
    load,
    n,
    real,
)

half = Rational(1, 2)
(binary_rr,), (grr,), (oue,), (sue,) = map(load, ("binary_rr", "grr", "oue", "sue"))
(ss,) = load("subset_selection")
ss_eps, ss_k, omega, _ = ss.parameters
olh, blh = load("olh")
eps, k = grr.parameters
(own,), (oue_eps, oue_k), (sue_eps, sue_k) = binary_rr.parameters, oue.parameters, sue.parameters
u = exp(eps)


s = exp(eps / 2)
the_at_1 = Mechanism(
    "the_at_1",
    title="THE with threshold 1: bits of Laplace noise of scale 2/eps above 1",
    parameters=[eps, k],
    table=Bits(one=half, zero=1 / (2 * s), encoder=OneHot(k)),
)
collide, level = real("c", at_least=0, at_most=1), real("level", above=1)
p = real("p", above=0, at_most=1)
q_at = real("q", at_least=p / level)
kept, lied = u / (u + 1), 1 / (u + 1)

size, items, domain = 2, integer("l", at_least=1), 4


oue_variance = n * (4 * exp(oue_eps) / (exp(oue_eps) - 1) ** 2 + f)
root = exp(sue_eps / 2)
hash_eps, _, g, _ = olh.parameters
own_hash = exp(hash_eps)
olh_variance = n * (own_hash + g - 1) ** 2 / ((g - 1) * (own_hash - 1) ** 2) + n * f * (
    (g - 1) ** 2 - own_hash
) / ((g - 1) * (own_hash - 1))
share = real("share", at_least=0, at_most=1)
oue_is_olh = (
    Table(oue, Variance(oue_variance)),
    Table(olh, Variance(olh_variance)),
    Relation(
        equal(
            (level + level) ** 2 / (level * (level - 1) ** 2)
            + share * (level**2 - level) / (level * (level - 1)),
            4 * level / (level - 1) ** 2 + share,
        ),
        (level, share),
    ),
)
wide_k = real("k", above=3 * level + 2)
weight = real("omega", at_least=1, at_most=wide_k - 1)


def chosen_variance(at: Expr, size: Expr, weight: Expr) -> Expr:
    """Of one user's estimate by subset selection at f = 0, e^eps being `at`."""
    total = weight * at + size - weight
    return (total - at) * (total - 1) / (weight * (size - weight) * (at - 1) ** 2)


best = real("best", above=1)


def level_of(best: Expr) -> Expr:
    """s = e^(eps/2) at which this e^(eps t/2) belongs to the best threshold."""
    return best * (3 * best - 2) / (2 * best - 1)


document = Document(
    "Tutorial on local differential privacy",
    [
        Entry(
            "B6",
            """Pure protocols: one p* and one q* < p* for all values; q* > 0 and p*/q* <= e^eps are
            needed for eps-LDP; estimate (sum 1[i in Support(y_j)] - n q*)/(p* - q*).""",
            part(
                "p* <= e^eps q*: the probability of a set of reports under two values",
                Theorem("LDP.Central.support_ratio"),
                adds="needed, not sufficient",
            ),
            part("then q* > 0", Relation(Gt(q_at, 0), (level, p, q_at))),
            part("the estimate is unbiased", Theorem("LDP.Support.support_unbiased")),
        ),
        Entry(
            "B7",
            """Direct encoding: p = e^eps/(e^eps + k - 1), q = 1/(e^eps + k - 1); variance grows
            linearly in k.""",
            part("eps-LDP, tight", Table(grr, LDP(eps, tight=True))),
            part(
                "the variance is n (k - 2 + u)/(u - 1)^2 + n f (k - 2)/(u - 1)",
                Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2 + n * f * (k - 2) / (u - 1))),
                adds="for every share f; the text has f = 0",
            ),
        ),
        Entry(
            "B8",
            """Histogram encoding with Laplace noise: SHE (sum) and THE (threshold); THE has the
            smaller variance. (Optimal threshold?)""",
            part("SHE as its spec says", OfSpec("she")),
            part("THE as its spec says", OfSpec("the")),
            part(
                "THE with threshold 1 is eps-LDP as bits: no more is known of it than of the noisy "
                "numbers",
                Table(the_at_1, LDP(eps)),
            ),
            part(
                "THE with threshold 1 has less variance than SHE's 8 n/eps^2, for every eps",
                AllOf(
                    Table(the_at_1, Variance(n * (2 * s - 1) / (s - 1) ** 2, at_f=0)),
                    LaplaceMoment(2, 2),
                    Ladder((2 * s - 1) / (s - 1) ** 2 < 8 / eps**2, eps),
                ),
                adds="at f = 0 and threshold 1; the best threshold can only do better",
            ),
            part(
                "the best threshold t has e^(eps t/2) = (1 + s + sqrt(s^2 - s + 1))/3 with s = "
                "e^(eps/2), and lies between 1/2 and 1",
                AllOf(
                    OfSpec("the_threshold", file="the"),
                    OfSpec("the_above", file="the"),
                    OfSpec("the_below", file="the"),
                    Relation(
                        equal(3 * best**2 - 2 * (1 + level_of(best)) * best + level_of(best), 0),
                        (best,),
                    ),
                ),
                adds="at f = 0, over all real t; best is that e^(eps t/2), the larger root of "
                "3 best^2 - 2 (1 + s) best + s",
            ),
        ),
        Entry(
            "B9",
            """Unary encoding: SUE p + q = 1; OUE p = 1/2, q = 1/(e^eps + 1); OUE minimises the
            error
            over all (p, q) at fixed eps.""",
            part(
                "SUE has p + q = 1",
                Relation(
                    equal(sue.table.cells()["one"], 1 - sue.table.cells()["zero"]), (sue_eps,)
                ),
            ),
            Part(
                Reading(
                    "at f = 0",
                    Table(oue, Optimal({"one": half, "zero": 1 / (exp(oue_eps) + 1)}, at_f=0)),
                    "the error of a value that nobody holds, which stands for all rare ones",
                ),
                Reading(
                    "at f = 1",
                    AllOf(
                        Table(oue, Variance(oue_variance)),
                        Table(sue, Variance(n * root / (root - 1) ** 2)),
                        Relation(
                            4 * level**2 / (level**2 - 1) ** 2 + 1 <= level / (level - 1) ** 2,
                            (level,),
                        ),
                    ),
                    "the error of a value that everybody holds, compared with SUE",
                ),
            ),
        ),
        Entry(
            "B10",
            """Binary local hashing (hash to 1 bit, Pr[H(x) = H(y)] <= 1/2 for x != y),
            p = e^eps/(e^eps + 1).""",
            part(
                "eps-LDP, tight",
                Table(blh, LDP(blh.parameters[0], tight=True)),
                adds="uniform in a family with collision probability exactly 1/2",
            ),
            part(
                "with collision probability c a report supports another value with probability "
                "1/2, "
                "as the estimate takes it",
                OnlyIf(
                    equal(collide * kept + (1 - collide) * lied, half),
                    equal(collide, half),
                    (eps, collide),
                ),
                adds="Pr <= 1/2 is not enough for an unbiased estimate",
            ),
        ),
        Entry(
            "B11",
            """Optimal local hashing (g values), p = e^eps/(e^eps + g - 1), q = 1/(e^eps + g - 1);
            g = e^eps + 1 is optimal; same variance as OUE; communication O(log k) against O(k).""",
            part("eps-LDP, tight", Table(olh, LDP(hash_eps, tight=True))),
            part(
                "g = e^eps + 1 has the least variance over all real g >= 2, at f = 0",
                Table(olh, Optimal({g: own_hash + 1}, at_f=0)),
                adds="g is whole in use; f = 0",
            ),
            part(
                "at g = e^eps + 1 the variance is that of OUE, for every f",
                AllOf(*oue_is_olh),
                adds="the two formulas at e^eps = level, g = level + 1, n = 1 and a share f",
            ),
            part("a report of log k bits against k bits", hash_reports()),
        ),
        Entry(
            "B12",
            """k < 3 e^eps + 2: direct encoding is best; k > 3 e^eps + 2: OUE and OLH are best.""",
            part(
                "direct encoding has less variance than OUE, and OLH at its best g, exactly where "
                "k < 3 e^eps + 2, at f = 0",
                AllOf(Table(grr, BetterThan("oue", k < 3 * u + 2, at_f=0)), *oue_is_olh),
                adds="at f = 0; among direct encoding, OUE and OLH",
            ),
            part(
                "the same at every f",
                Table(grr, BetterThan("oue", k < 3 * u + 2, at_f=f)),
                adds="shares above 0",
                correction=("exactly where is derived", Table(grr, BetterThan("oue", at_f=f))),
            ),
            part(
                "OUE has no more variance than SUE at f = 0",
                AllOf(
                    Table(oue, Variance(oue_variance)),
                    Table(sue, Variance(n * root / (root - 1) ** 2)),
                    Relation(
                        4 * level**2 / (level**2 - 1) ** 2 <= level / (level - 1) ** 2, (level,)
                    ),
                ),
                adds="level is e^(eps/2)",
            ),
            part(
                "OUE has no more variance than subset selection at f = 0 where k > 3 e^eps + 2",
                AllOf(
                    Table(oue, Variance(oue_variance)),
                    Table(ss, Variance(n * chosen_variance(exp(ss_eps), ss_k, omega), at_f=0)),
                    Relation(
                        4 * level / (level - 1) ** 2 <= chosen_variance(level, wide_k, weight),
                        (level, wide_k, weight),
                    ),
                ),
                adds="best among all protocols, those the text does not name included",
            ),
        ),
    ],
)
