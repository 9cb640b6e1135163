"""Published formulas about frequency oracles: privacy, estimators, variances, crossing points.

    warner1965, kairouz2016, erlingsson2014     randomized response and RAPPOR
    wang2017                                    pure protocols and their variances
    bassily2015, ye2018, feldman2022            hashing, subsets, projective geometry
    wang2018                                    padding and sampling

Formulas are stated for n users and the estimate of a count; only those whose wording is certain are
here, without numbers of equations.
"""

from sympy import Rational, exp, log

from ldp_verified.claims import (
    AllOf,
    Document,
    Entry,
    Ladder,
    LaplaceMoment,
    OfSpec,
    Relation,
    Table,
    Theorem,
    equal,
    part,
)
from ldp_verified.language import (
    LDP,
    BetterThan,
    Mechanism,
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
DISCRETE = (
    "Kairouz, Bonawitz, Ramage 2016, Discrete Distribution Estimation under Local Privacy"
)
RAPPOR = (
    "Erlingsson, Pihur, Korolova 2014, RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal "
    "Response"
)
WANG = (
    "Wang, Blocki, Li, Jha 2017, Locally Differentially Private Protocols for Frequency Estimation"
)
BASSILY = "Bassily, Smith 2015, Local, Private, Efficient Protocols for Succinct Histograms"
YE = "Ye, Barg 2018, Optimal Schemes for Discrete Distribution Estimation Under Locally Differential Privacy"  # noqa: E501  (a title)
FELDMAN = "Feldman, Nelson, Nguyen, Talwar 2022, Private Frequency Estimation via Projective Geometry"
ITEMS = "Wang, Li, Jha 2018, Locally Differentially Private Frequent Itemset Mining"
LEARN = (
    "Kasiviswanathan, Lee, Nissim, Raskhodnikova, Smith 2011, What Can We Learn Privately?"
)

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


def one_part(identifier, statement, text, check, source, adds=""):
    """A formula with one part."""
    return Entry(identifier, statement, part(text, check, adds=adds), source=source)


def formula(identifier, statement, mechanism: Mechanism, claim, source, adds=""):
    """A formula about one mechanism."""
    return one_part(identifier, statement, "as stated", Table(mechanism, claim), source, adds)


document = Document(
    "Frequency oracles in the literature",
    [
        formula(
            "warner1965.1",
            "(yes - 1/2 + g)/(2 g) estimates the share without bias.",
            warner,
            Unbiased((half + gamma) / (2 * gamma), (gamma - half) / (2 * gamma)),
            WARNER,
            "0 < g < 1/2, the truth told with probability 1/2 + g",
        ),
        formula(
            "warner1965.2",
            "The randomization adds (1/(16 (p - 1/2)^2) - 1/4)/n to the variance of the share.",
            warner,
            Variance(n * (1 / (16 * gamma**2) - half**2)),
            WARNER,
            "stated for the count, which is n times the share",
        ),
        formula(
            "kasiviswanathan2011.1",
            "Keeping a sign with probability e^eps/(e^eps + 1) is eps-LDP.",
            binary_rr,
            LDP(own, tight=True),
            LEARN,
        ),
        formula(
            "kairouz2014.1",
            "k-RR: e^eps/(e^eps + k - 1) for the truth, 1/(e^eps + k - 1) for each other value, is "
            "eps-LDP.",
            grr,
            LDP(eps, tight=True),
            EXTREMAL,
        ),
        formula(
            "kairouz2016.1",
            "k-RAPPOR, every bit flipped with 1/(e^(eps/2) + 1), is eps-LDP.",
            sue,
            LDP(sue.parameters[0], tight=True),
            DISCRETE,
        ),
        one_part(
            "erlingsson2014.1",
            "The permanent response costs 2 h ln((1 - f/2)/(f/2)).",
            "tight for h = 2; for every h an upper bound, and tight for disjoint encodings",
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
        ),
        one_part(
            "erlingsson2014.2",
            "q* = (f/2)(p + q) + (1 - f) q.",
            "as stated",
            Relation(equal(kept, noise / 2 * (low + high) + (1 - noise) * high), (noise, low, high)),
            RAPPOR,
        ),
        one_part(
            "erlingsson2014.3",
            "p* = (f/2)(p + q) + (1 - f) p.",
            "as stated",
            Relation(equal(raised, noise / 2 * (low + high) + (1 - noise) * low), (noise, low, high)),
            RAPPOR,
        ),
        one_part(
            "erlingsson2014.4",
            "One report costs h ln(q*(1 - p*)/(p*(1 - q*))).",
            "tight for h = 2; for every h an upper bound, and tight for disjoint encodings",
            AllOf(
                Table(
                    report,
                    LDP(2 * log(q_star * (1 - p_star) / (p_star * (1 - q_star))), tight=True),
                ),
                Theorem("LDP.Bloom.report_ldp"),
                Theorem("LDP.Bloom.report_tight"),
            ),
            RAPPOR,
        ),
        one_part(
            "wang2017.1",
            "A pure protocol's estimate (sum 1[i supported] - n q*)/(p* - q*) is unbiased.",
            "as stated",
            Theorem("LDP.Support.support_unbiased"),
            WANG,
        ),
        formula(
            "wang2017.2",
            "Var = n q(1 - q)/(p - q)^2 + n f (1 - p - q)/(p - q).",
            ue,
            Variance(
                n * zero * (1 - zero) / (one - zero) ** 2 + n * f * (1 - one - zero) / (one - zero)
            ),
            WANG,
            "for unary encodings at any 0 < q < p < 1; for all pure protocols: the next entry",
        ),
        one_part(
            "wang2017.3",
            "The same for every pure protocol.",
            "as stated",
            Theorem("LDP.Support.support_variance_count"),
            WANG,
        ),
        formula(
            "wang2017.4",
            "Unary encoding has eps = ln(p (1 - q)/((1 - p) q)).",
            ue,
            LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True),
            WANG,
        ),
        formula(
            "wang2017.5",
            "Var*[DE] = n (d - 2 + e^eps)/(e^eps - 1)^2.",
            grr,
            Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0),
            WANG,
            "f = 0",
        ),
        formula(
            "wang2017.6",
            "Var*[SUE] = n e^(eps/2)/(e^(eps/2) - 1)^2.",
            sue,
            Variance(n * s / (s - 1) ** 2, at_f=0),
            WANG,
            "f = 0",
        ),
        formula(
            "wang2017.7",
            "Var*[OUE] = n 4 e^eps/(e^eps - 1)^2.",
            oue,
            Variance(4 * n * o / (o - 1) ** 2, at_f=0),
            WANG,
            "f = 0",
        ),
        formula(
            "wang2017.8",
            "OUE with p = 1/2, q = 1/(e^eps + 1) is eps-LDP.",
            oue,
            LDP(oue.parameters[0], tight=True),
            WANG,
        ),
        formula(
            "wang2017.9",
            "p = 1/2, q = 1/(e^eps + 1) minimises Var* among unary encodings.",
            oue,
            Optimal({"one": half, "zero": 1 / (o + 1)}, at_f=0),
            WANG,
            "f = 0",
        ),
        formula(
            "wang2017.10",
            "Var*[BLH] = n (e^eps + 1)^2/(e^eps - 1)^2.",
            blh,
            Variance(n * (b + 1) ** 2 / (b - 1) ** 2, at_f=0),
            WANG,
            "f = 0; collision probability exactly 1/2",
        ),
        formula(
            "wang2017.11",
            "Var*[LH] = n (e^eps - 1 + g)^2/((e^eps - 1)^2 (g - 1)).",
            olh,
            Variance(n * (h - 1 + g) ** 2 / ((h - 1) ** 2 * (g - 1)), at_f=0),
            WANG,
            "f = 0; collision probability exactly 1/g",
        ),
        formula(
            "wang2017.12",
            "g = e^eps + 1 minimises it.",
            olh,
            Optimal({g: h + 1}, at_f=0),
            WANG,
            "over real g; f = 0",
        ),
        one_part(
            "wang2017.13",
            "Var*[OLH] = n 4 e^eps/(e^eps - 1)^2.",
            "the formula for g at g = e^eps + 1",
            Relation(
                equal(
                    (level - 1 + level + 1) ** 2 / ((level - 1) ** 2 * level),
                    4 * level / (level - 1) ** 2,
                ),
                (level,),
            ),
            WANG,
        ),
        formula(
            "wang2017.14",
            "DE is better than OUE and OLH where d < 3 e^eps + 2.",
            grr,
            BetterThan("oue", k < 3 * u + 2, at_f=0),
            WANG,
            "exactly there, at f = 0",
        ),
        one_part(
            "wang2017.15",
            "Var[SHE] = n 8/eps^2.",
            "2 b^2 per user with b = 2/eps",
            LaplaceMoment(2, 2),
            WANG,
            "L1 sensitivity 2 of a one-hot vector",
        ),
        one_part(
            "wang2017.16",
            "Var*[THE] = n (2 e^(eps t/2) - 1)/(1 + e^(eps (t - 1/2)) - 2 e^(eps t/2))^2.",
            "q(1 - q)/(p - q)^2 at p = 1 - e^(eps (t - 1)/2)/2, q = e^(-eps t/2)/2, with "
            "w = e^(eps t/2) and z = e^(eps (t - 1)/2)",
            Relation(
                equal(
                    threshold_q * (1 - threshold_q) / (threshold_p - threshold_q) ** 2,
                    (2 * w - 1) / (1 + w * z - 2 * w) ** 2,
                ),
                (w, z),
            ),
            WANG,
            "f = 0; 1/2 <= t <= 1, here all w > 1 and 0 < z < 1",
        ),
        one_part(
            "wang2017.17",
            "OUE has less variance than SUE.",
            "4 e^eps/(e^eps - 1)^2 < e^(eps/2)/(e^(eps/2) - 1)^2 for every eps",
            Ladder(4 * u / (u - 1) ** 2 < exp(eps / 2) / (exp(eps / 2) - 1) ** 2, eps),
            WANG,
            "f = 0",
        ),
        one_part(
            "bassily2015.1",
            "Scaled by (e^eps + 1)/(e^eps - 1), a randomized sign of a public random matrix estimates "
            "a frequency without bias.",
            "for the columns of a Hadamard matrix",
            Table(
                hrr,
                Unbiased(
                    (exp(hrr.parameters[0]) + 1) / (exp(hrr.parameters[0]) - 1),
                    -(exp(hrr.parameters[0]) + 1) / (exp(hrr.parameters[0]) - 1),
                ),
            ),
            BASSILY,
            "one bit of a Hadamard matrix in place of a random sign matrix",
        ),
        one_part(
            "ye2018.1",
            "Subsets of size k/(e^eps + 1): eps-LDP, and no size has less variance at f = 1/k.",
            "every claim of the spec of subset selection",
            OfSpec("subset_selection"),
            YE,
        ),
        one_part(
            "feldman2022.1",
            "Projective geometry response is eps-LDP, with the variance of its spec.",
            "every claim of the spec",
            OfSpec("pgr"),
            FELDMAN,
        ),
        one_part(
            "wang2018.1",
            "k-RR on one of l items may use eps' = ln(l (e^eps - 1) + 1).",
            "an own item is (e^eps' + l - 1)/l times as likely as another one: e^eps",
            Relation(equal((sampled + items - 1) / items, level), (level, items)),
            ITEMS,
            "each set has l items, dummies included",
        ),
        one_part(
            "wang2018.2",
            "k-RR has less variance than OLH where d < l (4 l - 1) e^eps + 1.",
            "l^2 (d + l - 2 + e^eps')/(e^eps' - 1)^2 < 4 l^2 e^eps/(e^eps - 1)^2 there",
            Relation(
                items**2 * (few + items - 2 + sampled) / (sampled - 1) ** 2
                < 4 * items**2 * level / (level - 1) ** 2,
                (level, items, few),
            ),
            ITEMS,
            "f = 0; l dummy items besides the d",
        ),
    ],
    ledger="literature",
)
