"""Published formulas about frequency oracles: privacy, estimators, variances, crossing points.

    warner1965, kairouz2016, erlingsson2014     randomized response and RAPPOR
    wang2017                                    pure protocols and their variances
    bassily2017, ye2018, feldman2022            hashing, subsets, projective geometry
    wang2018                                    padding and sampling

Formulas are stated for n users and the estimate of a count; only those whose wording is certain are
here, without numbers of equations.
"""

from sympy import Rational, exp, log

from ldp_verified.check.claims import (
    AllOf,
    Document,
    Ladder,
    LaplaceMoment,
    OfSpec,
    Relation,
    Table,
    Theorem,
    equal,
    published,
)
from ldp_verified.language import (
    LDP,
    BetterThan,
    Optimal,
    Unbiased,
    Variance,
    f,
    load,
    n,
    real,
)

WARNER = "Warner 1965, Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias"
EXTREMAL = "Kairouz, Oh, Viswanath 2014, Extremal Mechanisms for Local Differential Privacy"
DISCRETE = "Kairouz, Bonawitz, Ramage 2016, Discrete Distribution Estimation under Local Privacy"
RAPPOR = (
    "Erlingsson, Pihur, Korolova 2014, RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal "
    "Response"
)
WANG = (
    "Wang, Blocki, Li, Jha 2017, Locally Differentially Private Protocols for Frequency Estimation"
)
SIGNS = "Bassily, Nissim, Stemmer, Thakurta 2017, Practical Locally Private Heavy Hitters"
YE = "Ye, Barg 2018, Optimal Schemes for Discrete Distribution Estimation Under Locally Differential Privacy"  # noqa: E501  (a title)
FELDMAN = (
    "Feldman, Nelson, Nguyen, Talwar 2022, Private Frequency Estimation via Projective Geometry"
)
ITEMS = "Wang, Li, Jha 2018, Locally Differentially Private Frequent Itemset Mining"
LEARN = "Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011, What Can We Learn Privately?"

half = Rational(1, 2)
(warner,), (grr,), (sue,), (oue,), (ue,) = map(load, ("warner", "grr", "sue", "oue", "ue"))
(binary_rr,), (hrr,) = load("binary_rr"), load("hrr")
olh, blh = load("olh")
basic, permanent, report = load("rappor")
gamma, (own,) = warner.parameters[0], binary_rr.parameters
eps, k = grr.parameters
u = exp(eps)
s, o, h = exp(sue.parameters[0] / 2), exp(oue.parameters[0]), exp(olh.parameters[0])
g, b = olh.parameters[2], exp(blh.parameters[0])
size, zero, one = ue.parameters
noise, low, high, _ = basic.parameters
p_star, q_star, _ = report.parameters
kept, raised = basic.table.cells()["one"], basic.table.cells()["zero"]
w, z = real("w", above=1), real("z", above=0, below=1)
threshold_p, threshold_q = 1 - z / 2, 1 / (2 * w)
level, items = real("level", above=1), real("l", at_least=1)
sampled = items * (level - 1) + 1
few = real("J", at_least=1, below=items * (4 * items - 1) * level + 1)


document = Document(
    "Frequency oracles in the literature",
    [
        published(
            "warner1965.1",
            "(yes - 1/2 + g)/(2 g) estimates the share without bias.",
            Table(warner, Unbiased((half + gamma) / (2 * gamma), (gamma - half) / (2 * gamma))),
            WARNER,
            adds="0 < g < 1/2, the truth told with probability 1/2 + g",
        ),
        published(
            "warner1965.2",
            "The randomization adds (1/(16 (p - 1/2)^2) - 1/4)/n to the variance of the share.",
            Table(warner, Variance(n * (1 / (16 * gamma**2) - half**2))),
            WARNER,
            adds="stated for the count, which is n times the share",
        ),
        published(
            "kasiviswanathan2011.1",
            "A number in [0, 1] with Laplace noise of scale 1/eps is an eps-local answer to a "
            "statistical query.",
            Theorem("LDP.Central.laplace_ratio"),
            LEARN,
            "densities of one number differ by a factor of at most e^eps everywhere",
        ),
        published(
            "kairouz2014.1",
            "k-RR: e^eps/(e^eps + k - 1) for the truth, 1/(e^eps + k - 1) for each other value, is "
            "eps-LDP.",
            Table(grr, LDP(eps, tight=True)),
            EXTREMAL,
        ),
        published(
            "kairouz2016.1",
            "k-RAPPOR, every bit flipped with 1/(e^(eps/2) + 1), is eps-LDP.",
            Table(sue, LDP(sue.parameters[0], tight=True)),
            DISCRETE,
        ),
        published(
            "erlingsson2014.1",
            "The permanent response costs 2 h ln((1 - f/2)/(f/2)).",
            AllOf(
                Table(
                    permanent,
                    LDP(
                        4 * log((1 - permanent.parameters[0] / 2) / (permanent.parameters[0] / 2)),
                        tight=True,
                    ),
                ),
                Theorem("LDP.Bloom.permanent_ldp"),
                Theorem("LDP.Bloom.permanent_tight"),
            ),
            RAPPOR,
            "tight for h = 2; for every h an upper bound, and tight for disjoint encodings",
        ),
        published(
            "erlingsson2014.2",
            "q* = (f/2)(p + q) + (1 - f) q.",
            Relation(
                equal(kept, noise / 2 * (low + high) + (1 - noise) * high), (noise, low, high)
            ),
            RAPPOR,
        ),
        published(
            "erlingsson2014.3",
            "p* = (f/2)(p + q) + (1 - f) p.",
            Relation(
                equal(raised, noise / 2 * (low + high) + (1 - noise) * low), (noise, low, high)
            ),
            RAPPOR,
        ),
        published(
            "erlingsson2014.4",
            "One report costs h ln(q*(1 - p*)/(p*(1 - q*))).",
            AllOf(
                Table(
                    report,
                    LDP(2 * log(q_star * (1 - p_star) / (p_star * (1 - q_star))), tight=True),
                ),
                Theorem("LDP.Bloom.report_ldp"),
                Theorem("LDP.Bloom.report_tight"),
            ),
            RAPPOR,
            "tight for h = 2; for every h an upper bound, and tight for disjoint encodings",
        ),
        published(
            "wang2017.1",
            "A pure protocol's estimate (sum 1[i supported] - n q*)/(p* - q*) is unbiased.",
            Theorem("LDP.Support.support_unbiased"),
            WANG,
        ),
        published(
            "wang2017.2",
            "Var = n q(1 - q)/(p - q)^2 + n f (1 - p - q)/(p - q).",
            Table(
                ue,
                Variance(
                    n * zero * (1 - zero) / (one - zero) ** 2
                    + n * f * (1 - one - zero) / (one - zero)
                ),
            ),
            WANG,
            adds="for unary encodings at any 0 < q < p < 1; for all pure protocols: the next entry",
        ),
        published(
            "wang2017.3",
            "The same for every pure protocol.",
            Theorem("LDP.Support.support_variance_count"),
            WANG,
        ),
        published(
            "wang2017.4",
            "Unary encoding has eps = ln(p (1 - q)/((1 - p) q)).",
            Table(ue, LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True)),
            WANG,
        ),
        published(
            "wang2017.5",
            "Var*[DE] = n (d - 2 + e^eps)/(e^eps - 1)^2.",
            Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0)),
            WANG,
            adds="f = 0",
        ),
        published(
            "wang2017.6",
            "Var*[SUE] = n e^(eps/2)/(e^(eps/2) - 1)^2.",
            Table(sue, Variance(n * s / (s - 1) ** 2, at_f=0)),
            WANG,
            adds="f = 0",
        ),
        published(
            "wang2017.7",
            "Var*[OUE] = n 4 e^eps/(e^eps - 1)^2.",
            Table(oue, Variance(4 * n * o / (o - 1) ** 2, at_f=0)),
            WANG,
            adds="f = 0",
        ),
        published(
            "wang2017.8",
            "OUE with p = 1/2, q = 1/(e^eps + 1) is eps-LDP.",
            Table(oue, LDP(oue.parameters[0], tight=True)),
            WANG,
        ),
        published(
            "wang2017.9",
            "p = 1/2, q = 1/(e^eps + 1) minimises Var* among unary encodings.",
            Table(oue, Optimal({"one": half, "zero": 1 / (o + 1)}, at_f=0)),
            WANG,
            adds="f = 0",
        ),
        published(
            "wang2017.10",
            "Var*[BLH] = n (e^eps + 1)^2/(e^eps - 1)^2.",
            Table(blh, Variance(n * (b + 1) ** 2 / (b - 1) ** 2, at_f=0)),
            WANG,
            adds="f = 0; collision probability exactly 1/2",
        ),
        published(
            "wang2017.11",
            "Var*[LH] = n (e^eps - 1 + g)^2/((e^eps - 1)^2 (g - 1)).",
            Table(olh, Variance(n * (h - 1 + g) ** 2 / ((h - 1) ** 2 * (g - 1)), at_f=0)),
            WANG,
            adds="f = 0; collision probability exactly 1/g",
        ),
        published(
            "wang2017.12",
            "g = e^eps + 1 minimises it.",
            Table(olh, Optimal({g: h + 1}, at_f=0)),
            WANG,
            adds="over real g; f = 0",
        ),
        published(
            "wang2017.13",
            "Var*[OLH] = n 4 e^eps/(e^eps - 1)^2.",
            Relation(
                equal(
                    (level - 1 + level + 1) ** 2 / ((level - 1) ** 2 * level),
                    4 * level / (level - 1) ** 2,
                ),
                (level,),
            ),
            WANG,
            "the formula for g at g = e^eps + 1",
        ),
        published(
            "wang2017.14",
            "DE is better than OUE and OLH where d < 3 e^eps + 2.",
            Table(grr, BetterThan("oue", k < 3 * u + 2, at_f=0)),
            WANG,
            adds="exactly there, at f = 0",
        ),
        published(
            "wang2017.15",
            "Var[SHE] = n 8/eps^2.",
            LaplaceMoment(2, 2),
            WANG,
            "2 b^2 per user with b = 2/eps",
            adds="L1 sensitivity 2 of a one-hot vector",
        ),
        published(
            "wang2017.16",
            "Var*[THE] = n (2 e^(eps t/2) - 1)/(1 + e^(eps (t - 1/2)) - 2 e^(eps t/2))^2.",
            Relation(
                equal(
                    threshold_q * (1 - threshold_q) / (threshold_p - threshold_q) ** 2,
                    (2 * w - 1) / (1 + w * z - 2 * w) ** 2,
                ),
                (w, z),
            ),
            WANG,
            "q(1 - q)/(p - q)^2 at p = 1 - e^(eps (t - 1)/2)/2, q = e^(-eps t/2)/2, with "
            "w = e^(eps t/2) and z = e^(eps (t - 1)/2)",
            adds="f = 0; 1/2 <= t <= 1, here all w > 1 and 0 < z < 1",
        ),
        published(
            "wang2017.17",
            "OUE has less variance than SUE.",
            Ladder(4 * u / (u - 1) ** 2 < exp(eps / 2) / (exp(eps / 2) - 1) ** 2, eps),
            WANG,
            "4 e^eps/(e^eps - 1)^2 < e^(eps/2)/(e^(eps/2) - 1)^2 for every eps",
            adds="f = 0",
        ),
        published(
            "kairouz2014.2",
            "Keeping a bit with probability e^eps/(e^eps + 1) is eps-LDP.",
            Table(binary_rr, LDP(own, tight=True)),
            EXTREMAL,
        ),
        published(
            "bassily2017.1",
            "Scaled by (e^eps + 1)/(e^eps - 1), a randomized sign of a public random matrix "
            "estimates "
            "a frequency without bias.",
            Table(
                hrr,
                Unbiased(
                    (exp(hrr.parameters[0]) + 1) / (exp(hrr.parameters[0]) - 1),
                    -(exp(hrr.parameters[0]) + 1) / (exp(hrr.parameters[0]) - 1),
                ),
            ),
            SIGNS,
            "for the columns of a Hadamard matrix",
            adds="one bit of a Hadamard matrix in place of a random sign matrix",
        ),
        published(
            "ye2018.1",
            "Subsets of size k/(e^eps + 1): eps-LDP, and no size has less variance at f = 1/k.",
            OfSpec("subset_selection", lambda m: [m.claims[0], m.claims[2], *m.claims[4:]]),
            YE,
            "eps-LDP, the variance at f = 0, and the least one at f = 1/k, as in its spec",
        ),
        published(
            "feldman2022.1",
            "Projective geometry response is eps-LDP.",
            OfSpec("pgr", lambda m: m.claims[:1]),
            FELDMAN,
            "the eps of its spec",
        ),
        published(
            "wang2018.1",
            "k-RR on one of l items may use eps' = ln(l (e^eps - 1) + 1).",
            Relation(equal((sampled + items - 1) / items, level), (level, items)),
            ITEMS,
            "an own item is (e^eps' + l - 1)/l times as likely as another one: e^eps",
            adds="each set has l items, dummies included",
        ),
        published(
            "wang2018.2",
            "k-RR has less variance than OLH where d < l (4 l - 1) e^eps + 1.",
            Relation(
                items**2 * (few + items - 2 + sampled) / (sampled - 1) ** 2
                < 4 * items**2 * level / (level - 1) ** 2,
                (level, items, few),
            ),
            ITEMS,
            "l^2 (d + l - 2 + e^eps')/(e^eps' - 1)^2 < 4 l^2 e^eps/(e^eps - 1)^2 there",
            adds="f = 0; l dummy items besides the d",
        ),
    ],
    register="literature",
)
