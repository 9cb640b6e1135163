r"""Two coins: the first says whether to answer truthfully, the second what to say otherwise.

    x \ y                  no                                yes
    no      heads + (1 - heads) (1 - yes)              (1 - heads) yes
    yes           (1 - heads) (1 - yes)         heads + (1 - heads) yes

`heads` is the probability of the truth, `yes` that of the second coin's "yes", at most 1/2: the
answer that the second coin gives more rarely says most. Two fair coins are Warner's response at
gamma = 1/4, with eps = ln 3; the share of "yes" is then 2 (X - 1/4) for a share X of answers "yes".

Stanley L. Warner (1965), Randomized Response: A Survey Technique for Eliminating Evasive Answer
Bias.
"""

from ldp_verified.language import (
    LDP,
    Matrix,
    Mechanism,
    Rational,
    SameTable,
    Unbiased,
    Variance,
    load,
    log,
    n,
    real,
)

half = Rational(1, 2)
heads = real("heads", above=0, below=1)
yes = real("yes", above=0, at_most=half)
tails = 1 - heads

two_coins = Mechanism(
    "two_coins",
    title="Two coins",
    prefer=(
        "A survey in which the second coin is not fair: whoever wants most answers to be "
        "harmless pays with variance. Otherwise `warner`."
    ),
    parameters=[heads, yes],
    table=Matrix(
        [
            [heads + tails * (1 - yes), tails * yes],
            [tails * (1 - yes), heads + tails * yes],
        ]
    ),
    claims=[
        LDP(log((heads + tails * yes) / (tails * yes)), tight=True),
        Unbiased(),
    ],
)

(warner,) = load("warner")

fair_coins = two_coins.instance(
    "fair_coins",
    {heads: half, yes: half},
    title="Two fair coins",
    prefer="The classroom protocol with two fair coins, at eps = ln 3.",
    claims=[
        LDP(log(3), tight=True),
        Unbiased(supported=2 * (1 - Rational(1, 4)), otherwise=2 * (0 - Rational(1, 4))),
        Variance(n * Rational(3, 4)),
        SameTable(warner.instance("quarter", {warner.parameters[0]: Rational(1, 4)})),
    ],
)
