"""The sign-matrix frequency oracle: one bit a user, for any domain and any number of users.

    Public   a matrix Z of uniform signs: a row for each of the X values, a column for each user. A
             column is one of the 2^X vectors of signs; here it is the group of its user.
    User i   sends randomized response on the sign Z[x, i], at the price eps.
    Server   estimates the count of x by the sum over users of y_i Z[x, i] (e^eps + 1)/(e^eps - 1).

Privacy does not depend on how Z is made: a group here is any vector of signs. That estimates are
unbiased does: what runs makes the columns by a block cipher, pairwise independent in the values.
With the probability 1/2 + gamma of telling the truth, eps is ln((1 + 2 gamma)/(1 - 2 gamma)).

Raef Bassily, Adam Smith (2015), Local, Private, Efficient Protocols for Succinct Histograms.
"""

import sympy

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Counted,
    Groups,
    Protocol,
    Round,
    Sends,
    coin,
    group,
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
X = integer("X", at_least=2)

sign_matrix = Protocol(
    "sign_matrix",
    title="Sign-matrix frequency oracle",
    source="Bassily, Smith 2015",
    parameters=[eps, X],
    values=X,
    groups=Groups(2**X, of=coin),
    rounds=[Round(sends=[Sends(grr, of=public_function(group, x, 2), at={eps_: eps, k: 2})])],
    epsilon=eps,
    counted=Counted(alike=sympy.Rational(1, 2)),
    counts="The sum over users of y_i Z[x, i], times (e^eps + 1)/(e^eps - 1).",
)
