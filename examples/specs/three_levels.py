"""Unary encoding with three levels: each coordinate says yes, perhaps or no.

    level         yes                    perhaps   no
    held      (1 - s) e^eps/(e^eps + 1)     s      (1 - s)/(e^eps + 1)
    unheld    (1 - s)/(e^eps + 1)           s      (1 - s) e^eps/(e^eps + 1)

"perhaps" is drawn with probability s, whatever the value is. A yes is a vote for the value of its
coordinate. The value moves two coordinates, each by e^eps at most: 2 eps for a report.
"""

from ldp_verified.language import LDP, Levels, Mechanism, OneHot, Unbiased, exp, integer, real

eps = real("eps", above=0)
k = integer("k", at_least=2)
s = real("s", above=0, below=1)
u = exp(eps)
more, less = (1 - s) * u / (u + 1), (1 - s) / (u + 1)

three_levels = Mechanism(
    "three_levels",
    parameters=[eps, k, s],
    table=Levels([more, s, less], [less, s, more], OneHot(k), supporting=[0]),
    claims=[LDP(2 * eps, tight=True), Unbiased()],
)
