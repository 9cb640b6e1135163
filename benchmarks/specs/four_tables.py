"""k-ary randomized response of two, three, four and five values, each written out."""

from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, exp, real

eps = real("eps", above=0)
u = exp(eps)


def written_out(k: int) -> Mechanism:
    """The table of k values."""
    truth, lie = u / (u + k - 1), 1 / (u + k - 1)
    return Mechanism(
        f"of_{k}",
        parameters=[eps],
        table=Matrix([[truth if x == y else lie for y in range(k)] for x in range(k)]),
        claims=[LDP(eps, tight=True), Unbiased()],
    )


of_2, of_3, of_4, of_5 = map(written_out, (2, 3, 4, 5))
