"""Tutorial on local differential privacy: personalised privacy, open problems.

    B17        definitions of Chen, Li, Qin, Kasiviswanathan, Jin (2016), and as printed;
               counts of places (PCEP), clusters of users (PSDA), regions that places choose
    B18        local and central answers together

The tables have three places: a and b, which are the safe region, and c, which lies outside.
"""

from sympy import Expr, Ge, Rational, Symbol, exp, log, sqrt

from ldp_verified.check.claims import (
    HOEFFDING,
    AllOf,
    Document,
    Entry,
    Law,
    NotSo,
    OpenReading,
    Part,
    Reading,
    Relation,
    Stated,
    Table,
    Tail,
    Theorem,
    TwoPoint,
    equal,
    part,
)
from ldp_verified.language import (
    LDP,
    Blocks,
    Design,
    Matrix,
    Mechanism,
    PersonalisedLDP,
    Unbiased,
    load,
    real,
)

eps = real("eps", above=0)
u = exp(eps)
keep, flip = u / (u + 1), 1 / (u + 1)
(binary_rr,) = load("binary_rr")
(own,) = binary_rr.parameters
safe = ["a", "b"]
local, central, weight = real("v", above=0), real("w", above=0), real("a")
best = local * central / (local + central)

honest_outside = Mechanism(
    "honest_outside",
    title="Randomized response in the safe region {a, b}; at c the truth",
    parameters=[eps],
    table=Matrix([[keep, flip, 0], [flip, keep, 0], [0, 0, 1]], inputs=["a", "b", "c"]),
)
louder_outside = Mechanism(
    "louder_outside",
    title="Randomized response in the safe region {a, b}; at c the answer a at 3 eps",
    parameters=[eps],
    table=Matrix(
        [[keep, flip], [flip, keep], [u**3 / (u**3 + 1), 1 / (u**3 + 1)]], inputs=["a", "b", "c"]
    ),
)
columns = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
signs = Mechanism(
    "signs_of_places",
    title="A uniform public column of signs; its sign at the own place by randomized response",
    parameters=[eps],
    table=Design(
        blocks=16,
        containing=8,
        together=4,
        inside=keep / 8,
        outside=flip / 8,
        structure=Blocks(3, [{x for x in range(3) if c[x] == s} for c in columns for s in (-1, 1)]),
    ),
)
own_region = Mechanism(
    "own_region",
    title="Name {a, b} at a and b, {c, d} at c and d; then randomized response in it",
    parameters=[eps],
    table=Matrix(
        [[keep, flip, 0, 0], [flip, keep, 0, 0], [0, 0, keep, flip], [0, 0, flip, keep]],
        inputs=["a", "b", "c", "d"],
    ),
)
three, one = Rational(3, 4), Rational(1, 4)
hinted_region = Mechanism(
    "hinted_region",
    title="Name one of two regions that hold a and b: the first at a, the second at b, with 3/4",
    parameters=[eps],
    table=Matrix(
        [
            [three * keep, three * flip, one * keep, one * flip],
            [one * flip, one * keep, three * flip, three * keep],
        ],
        inputs=safe,
    ),
)

gamma, users, beta = Symbol("gamma"), Symbol("n"), Symbol("beta")
clusters = Symbol("clusters")
half = Rational(1, 2)
absent = TwoPoint(half, 1 / (2 * gamma), -1 / (2 * gamma), users)
cases = {
    gamma: ("1/4",),
    users: (2, 10),
    beta: ("1/10", "3/4"),
    clusters: (1, 5, 40),
}


def all_clusters(confidence: Expr) -> Tail:
    """Some cluster's error of one place exceeds its own bound, at this confidence of each."""
    bound = sqrt(2 * users * log(2 / confidence)) / (2 * gamma)
    return Tail([absent], bound, beta, cases, HOEFFDING, clusters, proved=True)


ANY_TABLE = "forall (X Y : Type) (M : mech X Y) (region : X -> bool) (eps : R), "

document = Document(
    "Tutorial on local differential privacy: personalised privacy",
    [
        Entry(
            "B17",
            """Personalised LDP: each user picks a safe region tau and eps; the ratio bound is
            printed for any two regions l, l'; tau = whole domain is plain LDP.""",
            Part(
                Reading(
                    "a client that has the original definition has the printed one",
                    AllOf(
                        Table(louder_outside, PersonalisedLDP(eps, safe)),
                        Table(louder_outside, LDP(eps)),
                    ),
                    "original: any two places of the safe region; printed: any two of the domain, "
                    "read with the Pr that its denominator lacks; this client stands for all",
                ),
                Reading(
                    "so does one that tells the truth outside its region",
                    AllOf(
                        Table(honest_outside, PersonalisedLDP(eps, safe)),
                        Law(honest_outside, "equal_support"),
                    ),
                    "what the printed definition implies at any eps: equal support",
                ),
                corrections=(
                    Reading(
                        "the printed definition, which is plain LDP, implies the original one",
                        Stated(
                            ANY_TABLE + "ldp M eps -> ldp_within M region eps",
                            "intros X Y M region eps H x x' y e Hx Hx' Hy; "
                            "destruct (region x && region x')%bool; intro E; inversion E; subst; "
                            "auto",
                        ),
                    ),
                    Reading(
                        "the first of these clients has the original definition at eps",
                        Table(louder_outside, PersonalisedLDP(eps, safe)),
                    ),
                ),
            ),
            part(
                "with tau = the whole domain the original definition is plain LDP",
                Stated(
                    ANY_TABLE + "(forall x, dom M x -> region x = true) -> "
                    "(ldp_within M region eps <-> ldp M eps)",
                    "intros X Y M region eps W; split; intro H; [intros x x' y Hx Hx' Hy; "
                    "apply (H x x' y eps Hx Hx' Hy); rewrite (W x Hx), (W x' Hx'); reflexivity | "
                    "intros x x' y e Hx Hx' Hy; destruct (region x && region x')%bool; intro E; "
                    "inversion E; subst; auto]",
                ),
                adds="any finite randomizer; tau holds every place",
            ),
            part(
                "a report of PCEP, a sign by randomized response, has the original definition",
                AllOf(
                    Table(binary_rr, LDP(own, tight=True)),
                    Theorem("LDP.Combine.encode_first_ldp"),
                    Theorem("LDP.Combine.mixture_ldp"),
                    Table(signs, LDP(eps, tight=True)),
                ),
                adds="the places are those of tau, and the column is public; written out for three",
            ),
            part(
                "and its estimate is unbiased",
                Table(signs, Unbiased((u + 1) / (u - 1), -(u + 1) / (u - 1))),
                adds="columns are uniform and independent of the places",
            ),
            part(
                "PSDA: with the confidence beta/|C| in each of the clusters, the bound of none is "
                "exceeded but with a chance of beta; with beta in each that is not so",
                AllOf(all_clusters(beta / clusters), NotSo(all_clusters(beta))),
                adds=(
                    "one place of each cluster where nobody is, users with the same eps; the "
                    "reports of different clusters are independent"
                ),
            ),
            Part(
                Reading(
                    "the region and the report together are eps-LDP where the place chooses tau",
                    Law(own_region, "equal_support"),
                    "at any eps: what is sent at one place can be sent at every other",
                ),
                Reading(
                    "the same where the place only makes one region likelier",
                    Table(hinted_region, LDP(eps)),
                    "two regions that hold both places; 3/4 against 1/4",
                ),
                corrections=(
                    Reading(
                        "that costs ln 3 more",
                        Table(hinted_region, LDP(eps + log(3), tight=True)),
                    ),
                    Reading(
                        "a region chosen without a look at the place costs nothing in itself",
                        Theorem("LDP.Combine.mixture_ldp"),
                    ),
                ),
            ),
        ),
        Entry(
            "B18",
            """Open problems: combine local and central DP; deep learning with LDP; more rounds of
            interaction.""",
            part(
                "local and central answers of variances v and w: no unbiased weighted mean of the "
                "two has a variance below v w/(v + w)",
                Relation(
                    Ge(weight**2 * local + (1 - weight) ** 2 * central, best, evaluate=False),
                    (local, central, weight),
                ),
                adds="independent and unbiased answers about one number; weights that add up to 1 "
                "and do not depend on the answers; the text names a problem and no solution",
            ),
            part(
                "weights in inverse proportion to the variances reach it",
                Relation(
                    equal(
                        (central / (local + central)) ** 2 * local
                        + (local / (local + central)) ** 2 * central,
                        best,
                    ),
                    (local, central),
                ),
                adds="as above; more than two answers by repetition",
            ),
            part(
                "deep learning, more rounds",
                OpenReading("the text names problems, which are no statements"),
            ),
        ),
    ],
)
