r"""Say yes with probability p, else the truth: not private at any eps.

    x \ y        no      yes
    no        1 - p        p
    yes           0        1

Only somebody whose answer is no ever says "no", so that report gives them away: P(no | no) = 1 - p
against P(no | yes) = 0, and the eps is infinite. The claim below is what one would like to be true;
`verify` refutes it with that report. There is no sampler: `generate` refuses the table.

The share of "yes" is p + (1 - p) q for a share q of yes, so the estimate is unbiased all the same.
"""

from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, log, real

p = real("p", above=0, below=1)

forced_yes = Mechanism(
    "forced_yes",
    title="Forced yes",
    parameters=[p],
    table=Matrix([[1 - p, p], [0, 1]]),
    claims=[
        LDP(log(1 / p)),
        Unbiased(),
    ],
)
