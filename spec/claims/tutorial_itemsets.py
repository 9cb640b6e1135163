"""Tutorial on local differential privacy: sets of items.

    B14        what single reports tell of sets; the groups of SVIM; B14b on who proposed what
    B15        sampling an item before k-RR or local hashing, and which of them then is better
    B16        SVIM beside LDPMiner

Wang, Li, Jha (2018) call the rule of B15 adaptive; the sets of items are users' private values.
"""

from sympy import Expr, Gt, Lt, exp

from ldp_verified.check.claims import (
    AllOf,
    AskedGroups,
    Document,
    Entry,
    OpenReading,
    Relation,
    Table,
    Theorem,
    equal,
    part,
)
from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    Unbiased,
    Variance,
    integer,
    load,
    n,
    real,
)

(grr,) = load("grr")
eps, k = grr.parameters
u, level = exp(eps), real("level", above=1)
kept, lied = u / (u + 1), 1 / (u + 1)

size, items, domain = 2, integer("l", at_least=1), 4
amplified = 2 * u - 1
baskets = [(x, y) for x in range(domain) for y in range(x + 1, domain)]
one_of_two = Matrix(
    [
        [((amplified if y in basket else 1) + 1) / (2 * (amplified + domain - 1)) for y in range(4)]
        for basket in baskets
    ],
    inputs=baskets,
)
padded_krr = Mechanism(
    "padded_krr",
    title="One of two items, then k-ary response on 4 values at e^eps' = 2 (e^eps - 1) + 1",
    parameters=[eps],
    table=one_of_two,
)
bits = (0, 1)
hashes = [(a, b, c, d) for a in bits for b in bits for c in bits for d in bits]
padded_hash = Mechanism(
    "padded_hash",
    title="One of two items, then binary local hashing of 4 values at eps",
    parameters=[eps],
    table=Matrix(
        [
            [
                sum(kept if h[x] == b else lied for x in basket) / (2 * len(hashes))
                for h in hashes
                for b in (0, 1)
            ]
            for basket in baskets
        ],
        inputs=baskets,
    ),
)
sampled = items * (level - 1) + 1
limit = (4 * items**2 - items) * level + 1
many, few = real("J", above=limit), real("J", at_least=1, below=limit)


def padded_variance(domain_size: Expr) -> Expr:
    """k-ary response on the candidates and l dummies, each report counted l times, at f = 0."""
    return items**2 * (domain_size + items - 2 + sampled) / (sampled - 1) ** 2


hashed_variance = items**2 * 4 * level / (level - 1) ** 2
pairs = Mechanism(
    "pairs",
    title="A report of one of two users, who hold {0, 1} and {2, 3}, or {0, 2} and {1, 3}",
    parameters=[eps],
    table=Matrix(
        [
            [
                sum(one_of_two.rows[baskets.index(basket)][y] for basket in users) / 2
                for y in range(domain)
            ]
            for users in (((0, 1), (2, 3)), ((0, 2), (1, 3)))
        ],
        inputs=["0 with 1", "0 with 2"],
    ),
)
whole = integer("S", at_least=2)
quarter, candidates = real("v", above=1), real("J", at_least=2 * items)
buckets = real("g", above=1)
any_hashing = items**2 * (level + buckets - 1) ** 2 / ((buckets - 1) * (level - 1) ** 2)

document = Document(
    "Tutorial on local differential privacy: sets of items",
    [
        Entry(
            "B14",
            """Itemset mining is impossible with plain oracles and heavy-hitter protocols; SVIM has
            four steps over four groups of users.""",
            part(
                "reports on one item of a set do not tell which items occur together",
                Table(pairs, LDP(0)),
                adds=(
                    "users with {0, 1} and {2, 3} report like users with {0, 2} and {1, 3}; "
                    "written out for 4 items, l = 2 and k-RR"
                ),
            ),
            part(
                "a plain oracle over whole sets says nothing of the set",
                Relation(equal((level - 1) / (level + whole - 1), 0), (level, whole)),
                adds="P(own set) - P(another one) of k-RR with the 2^|J| sets as values is 0",
                correction=(
                    "k-RR over the 2^|J| sets is eps-LDP, and its counts of sets are unbiased",
                    AllOf(
                        Table(grr, LDP(eps, tight=True)),
                        Table(grr, Unbiased()),
                        Table(grr, Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0)),
                    ),
                ),
            ),
            part(
                "SVIM has a group of users for each of its four steps",
                AskedGroups(4),
                adds="as the text introduces it; groups of the declaration, which are those of the "
                "program of SVIM's authors",
                correction=(
                    (
                        "three groups, of 40, 10 and 50 %; the fourth step is the server's "
                        "arithmetic, and a user pays for the one report of their group"
                    ),
                    AllOf(
                        AskedGroups(3, (4, 1, 5)),
                        Theorem("LDP.Combine.post_ldp"),
                        Theorem("LDP.Protocols.groups_ldp"),
                    ),
                ),
            ),
        ),
        Entry(
            "B14b",
            """Sampling succinct histogram and sampling RAPPOR are credited to Bassily et al., on
            the basis of Qin et al.""",
            part(
                "as stated",
                OpenReading(
                    "who proposed a protocol is no formal statement; Qin and others (2016) write "
                    "in their abstract that they extend what is there to sets, so that sampling "
                    "would be theirs, the succinct histogram Bassily and Smith's (2015), and "
                    "RAPPOR Erlingsson and others' (2014); their article could not be read whole"
                ),
            ),
        ),
        Entry(
            "B15",
            """Sampling amplifies privacy for k-RR under padding-and-sampling but not for local
            hashing; SVIM uses k-RR when |J| > (4 l^2 - l) e^eps + 1.""",
            part(
                "k-RR at e^eps' = l (e^eps - 1) + 1 on one of l items is eps-LDP",
                AllOf(
                    Theorem("LDP.Sampling.hidden_response_ldp"),
                    Relation(equal(sampled / items + 1 - 1 / items, level), (level, items)),
                    Table(padded_krr, LDP(eps, tight=True)),
                ),
                adds=(
                    "any l and k, and any two sets of which no item is sampled with a chance above "
                    "1/l; written out for 2 of 4"
                ),
            ),
            part(
                "local hashing at eps on one of l items has tight eps eps: nothing is gained",
                Table(padded_hash, LDP(eps, tight=True)),
                adds="written out for 2 of 4 items and all functions into 2 buckets",
            ),
            part(
                "k-RR has less variance than local hashing when |J| > (4 l^2 - l) e^eps + 1",
                Relation(Lt(padded_variance(many), hashed_variance), (level, items, many)),
                adds="at f = 0, with l dummy items besides J and the eps' above",
                correction=(
                    "when |J| < (4 l^2 - l) e^eps + 1; beyond it local hashing has less",
                    AllOf(
                        Relation(Lt(padded_variance(few), hashed_variance), (level, items, few)),
                        Relation(Gt(padded_variance(many), hashed_variance), (level, items, many)),
                    ),
                ),
            ),
            part(
                "below it k-RR has less variance than local hashing into any number g of buckets",
                Relation(Lt(padded_variance(few), any_hashing), (level, items, few, buckets)),
                adds="at f = 0; e^eps + 1 buckets, as above, are the best, and seldom whole",
            ),
        ),
        Entry(
            "B16",
            "SVIM beats LDPMiner by a wide margin.",
            part(
                "as stated",
                OpenReading(
                    "both are built, but a wide margin is no quantity, and no figure of the paper "
                    "on LDPMiner could be read, so that ours is not compared with it; in our runs "
                    "SVIM's F1 lies above our LDPMiner's at every eps (benchmarks/ITEMSETS.md)"
                ),
            ),
            part(
                "counts of the same candidates vary less in SVIM's last round than in LDPMiner's",
                Relation(
                    Lt(
                        2 * 4 * items**2 * quarter**4 / (quarter**4 - 1) ** 2,
                        candidates**2 * quarter / (quarter - 1) ** 2,
                    ),
                    (quarter, items, candidates),
                ),
                adds=(
                    "at f = 0; half of the users at eps with l places, by local hashing to "
                    "e^eps + 1 buckets; all users at eps/2 with as many places as there are "
                    "candidates, by RAPPOR's bits; at least 2 l candidates; v = e^(eps/4)"
                ),
            ),
        ),
    ],
)
