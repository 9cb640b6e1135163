"""Histogram encoding with a threshold: Laplace noise of scale 2/eps on each bit, then "above t?".

    P(1 | bit = 1) = 1 - 1 / (2 kept)        kept   = e^(eps/2 (1 - t))
    P(1 | bit = 0) = 1 / (2 raised)          raised = e^(eps/2 t), for 0 <= t <= 1

The noisy numbers are eps-private; the bits' own eps, ln((2 kept - 1) (2 raised - 1)), is smaller.
At t = 1, with the noise for it, thresholding is optimized unary encoding.

With s = kept raised = e^(eps/2), the variance at f = 0 (for any number of values: said for two) is
smallest, over all real t, at raised = best = (1 + s + sqrt(s^2 - s + 1))/3, so s = best (3 best -
2)/(2 best - 1), and t is between 1/2 and 1. `best` takes the place of eps, so that all is rational.

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation, minimises over t numerically, and states eps for the bits.
"""

from ldp_verified.language import (
    LDP,
    Bits,
    Holds,
    Mechanism,
    OneHot,
    Optimal,
    SameTable,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    log,
    n,
    real,
)

kept = real("kept", at_least=1)
raised = real("raised", above=1)
k = integer("k", at_least=2)
spread = 2 * kept * raised - kept - raised

the = Mechanism(
    "the",
    title="Thresholding with histogram encoding",
    prefer=(
        "Where histograms are encoded with Laplace noise and a threshold anyway. Of one-hot bits "
        "`oue` has the smallest variance at f = 0 for the eps that the bits really have."
    ),
    parameters=[kept, raised, k],
    table=Bits(one=1 - 1 / (2 * kept), zero=1 / (2 * raised), encoder=OneHot(k)),
    claims=[
        LDP(log((2 * kept - 1) * (2 * raised - 1)), tight=True),
        Holds((2 * kept - 1) * (2 * raised - 1) < (kept * raised) ** 2),
        Unbiased(),
        Variance(n * kept**2 * (2 * raised - 1) / spread**2, at_f=0, source="Wang et al. 2017"),
        Variance(n * kept**2 * (2 * raised - 1) / spread**2 + n * f * (raised - kept) / spread),
    ],
)

best = real("best", above=1)
level = best * (3 * best - 2) / (2 * best - 1)
inside = real("inside", at_least=1, at_most=level)

the_threshold = Mechanism(
    "the_threshold",
    title="Thresholds between 0 and 1",
    parameters=[best, inside],
    table=Bits(one=1 - inside / (2 * level), zero=1 / (2 * inside), encoder=OneHot(2)),
    # t above 1/2, and below 1
    claims=[Optimal({inside: best}, at_f=0), Holds(level < best**2), Holds(best < level)],
    runs=False,
)

s = real("s", above=1)
above = real("above", at_least=s)
below = real("below", above=0, at_most=1)

the_above = Mechanism(
    "the_above",
    title="Thresholds of 1 and above: 1 is the best",
    parameters=[s, above],
    table=Bits(one=s / (2 * above), zero=1 / (2 * above), encoder=OneHot(2)),
    claims=[Optimal({above: s}, at_f=0)],
    runs=False,
)

the_below = Mechanism(
    "the_below",
    title="Thresholds of 0 and below: 0 is the best",
    parameters=[s, below],
    table=Bits(one=1 - below / (2 * s), zero=1 - below / 2, encoder=OneHot(2)),
    claims=[Optimal({below: 1}, at_f=0)],
    runs=False,
)

eps = real("eps", above=0)

the_at_one = Mechanism(
    "the_at_one",
    title="Threshold 1 with the noise for eps-private bits",
    parameters=[eps, k],
    table=the.table.map(lambda value: value.subs({kept: 1, raised: (exp(eps) + 1) / 2})),
    claims=[LDP(eps, tight=True), SameTable("oue")],
    runs=False,
)
