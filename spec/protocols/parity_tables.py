"""Hadamard coefficients of bits: each user reports one parity, and tables follow from all of them.

    Public   a user has d bits, x. There are m sets of a few bits: all up to a size, say. M has for
             each set the parity of the bits of x in it; any public functions of x do here.
    Server   draws for each user, in public and uniformly, one of the sets.
    User     sends randomized response on the parity of the set.
    Server   estimates of each set the mean sign of the parity, a Hadamard coefficient. The table of
             any bits, all of whose subsets are among the sets, is the inverse transform of these.

Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2018), Marginal Release Under Local Differential
Privacy.
"""

from ldp_verified.language import integer, load, real
from ldp_verified.language.protocol import (
    Groups,
    Protocol,
    Round,
    Sends,
    group,
    public_function,
    x,
)

(grr,) = load("grr")
eps_, k = grr.parameters

eps = real("eps", above=0)
d = integer("d", at_least=1)
m = integer("m", at_least=1)
M = integer("M", at_least=0)

parity_tables = Protocol(
    "parity_tables",
    title="Tables of bits from parities",
    source="Cormode, Kulkarni, Srivastava 2018",
    parameters=[eps, d, m, M],
    values=2**d,
    groups=Groups(m),
    rounds=[
        Round(sends=[Sends(grr, of=public_function(M, group * 2**d + x, 2), at={eps_: eps, k: 2})])
    ],
    epsilon=eps,
    counts="Of a table's cell: n times the mean over the subsets of its bits of +- coefficient.",
)
