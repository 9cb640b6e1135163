"""Subset selection: report omega of the k values, likelier with the own value than without it.

    y                  how many                        P(y | x)
    x in y      B omega / k     k e^eps / (omega e^eps + k - omega) / B
    x not in y  B (1 - omega/k)       k / (omega e^eps + k - omega) / B

where B = k choose omega. The own value is reported with probability
omega e^eps / (omega e^eps + k - omega); the other values are a uniform subset.

At the share f = 1/k the variance is least at omega = k / (e^eps + 1), among all real omega.

Min Ye, Alexander Barg (2018), Optimal Schemes for Discrete Distribution Estimation under Locally
Differential Privacy. Shaowei Wang, Liusheng Huang, Pengzhan Wang, Yiwen Nie, Hongli Xu, Wei Yang,
Xiang-Yang Li, Chunming Qiao (2016), Mutual Information Optimally Local Private Discrete
Distribution Estimation.
"""

from ldp_verified.language import (
    LDP,
    Design,
    Eq,
    Holds,
    Mechanism,
    Subsets,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
omega = integer("omega", at_least=1, at_most=k - 1)
B = integer("B", at_least=1)
u = exp(eps)
total = omega * u + k - omega

at_zero = (total - u) * (total - 1) / (omega * (k - omega) * (u - 1) ** 2)
slope = ((k - omega) * (k - omega - 1) - omega * (omega - 1) * u) / (omega * (k - omega) * (u - 1))
uniform = at_zero + slope / k
least = (k - 1) * (4 * k * u - (u + 1) ** 2) / (k * (u - 1)) ** 2

subset_selection = Mechanism(
    "subset_selection",
    title="Subset selection",
    prefer=(
        "Variance counts more than size: at its best omega it is never worse than `grr`, which is "
        "omega = 1, and a report is a set of values in k bits."
    ),
    parameters=[eps, k, omega, B],
    table=Design(
        blocks=B,
        containing=B * omega / k,
        together=B * omega * (omega - 1) / (k * (k - 1)),
        inside=k * u / total / B,
        outside=k / total / B,
        structure=Subsets(values=k, size=omega, subsets=B),
    ),
    claims=[
        LDP(eps, tight=True, source="Ye, Barg 2018"),
        Unbiased(),
        Variance(n * at_zero, at_f=0),
        Variance(n * at_zero + n * f * slope),
        Holds(uniform >= least, source="Ye, Barg 2018"),
        Holds(Eq(uniform.subs(omega, k / (u + 1)), least), source="Ye, Barg 2018"),
    ],
)
