"""One-hot bits with two probabilities of one's own, zero < one, and no eps in the table.

    P(1 | bit = 1) = one
    P(1 | bit = 0) = zero

The claims say what eps that is, and what it is when the two sum to 1.
"""

from ldp_verified.language import LDP, Bits, Mechanism, OneHot, integer, log, real

k = integer("k", at_least=2)
zero = real("zero", above=0, below=1)
one = real("one", above=0, below=1)

free_bits = Mechanism(
    "free_bits",
    parameters=[k, zero, one],
    assuming=[zero < one],
    table=Bits(one=one, zero=zero, encoder=OneHot(k)),
    claims=[LDP(log(one * (1 - zero) / (zero * (1 - one))), tight=True)],
)
