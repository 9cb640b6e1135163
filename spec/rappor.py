"""RAPPOR: a Bloom encoding, a permanent randomized response, and one instantaneous one per report.

    permanent        P(1 | bit = 1) = 1 - noise/2     P(1 | bit = 0) = noise/2      (the paper's f)
    instantaneous    P(1 | bit = 1) = high            P(1 | bit = 0) = low          (q and p)
    one report       q* = noise/2 (low + high) + (1 - noise) high    p*: the same with low last

The permanent bits are kept: all reports ever cost 2 h ln((1 - noise/2)/(noise/2)), one report
h ln(q* (1 - p*)/(p* (1 - q*))). Both are reached by values whose encodings are disjoint and have h
ones; elsewhere they are upper bounds. Proved here for h = 2, of one report for all 0 < p* < q* < 1,
and for the one-hot encoding (Basic RAPPOR) in noise, low and high; for every h: proofs/lib/Bloom.v.

Ulfar Erlingsson, Vasyl Pihur, Aleksandra Korolova (2014), RAPPOR: Randomized Aggregatable
Privacy-Preserving Ordinal Response.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Bloom,
    Eq,
    Holds,
    Mechanism,
    OneHot,
    Unbiased,
    Variance,
    f,
    integer,
    log,
    n,
    real,
    then,
)

noise = real("noise", above=0, below=1)
low = real("low", above=0, below=1)
high = real("high", above=low, below=1)
p_star = real("p_star", above=0, below=1)
q_star = real("q_star", above=p_star, below=1)
k = integer("k", at_least=2)
m = integer("m", at_least=4)

truth, lie = 1 - noise / 2, noise / 2
both = noise / 2 * (low + high)
one, zero = both + (1 - noise) * high, both + (1 - noise) * low

basic_rappor = Mechanism(
    "basic_rappor",
    title="Basic RAPPOR, one report",
    prefer=(
        "Repeated reports of one value over a small known domain, where a device keeps its "
        "permanent answer; for one report alone `oue` has a smaller variance at f = 0."
    ),
    parameters=[noise, low, high, k],
    table=then(Bits(one=truth, zero=lie, encoder=OneHot(k)), [[1 - low, low], [1 - high, high]]),
    claims=[
        LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True, source="Erlingsson et al."),
        Holds(Eq(one - zero, (1 - noise) * (high - low))),
        Unbiased(),
        Variance(n * (zero * (1 - zero) + f * (one - zero) * (1 - one - zero)) / (one - zero) ** 2),
    ],
)

rappor_permanent = Mechanism(
    "rappor_permanent",
    title="RAPPOR's permanent response, so all reports ever",
    parameters=[noise, m],
    table=Bits(one=truth, zero=lie, encoder=Bloom(m, hashes=2)),
    claims=[LDP(4 * log((1 - noise / 2) / (noise / 2)), tight=True, source="Erlingsson et al.")],
)

rappor = Mechanism(
    "rappor",
    title="RAPPOR, one report",
    prefer=(
        "Reports of strings that are not listed beforehand: candidates are decoded "
        "afterwards. For a known list an oracle above has a smaller variance."
    ),
    parameters=[p_star, q_star, m],
    table=Bits(one=q_star, zero=p_star, encoder=Bloom(m, hashes=2)),
    claims=[
        LDP(
            2 * log(q_star * (1 - p_star) / (p_star * (1 - q_star))),
            tight=True,
            source="Erlingsson et al.",
        )
    ],
)
