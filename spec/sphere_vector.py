"""A vector of length at most 1 in d dimensions: an index among public random directions.

    Public   L random lines through 0, for each user anew; both directions of a line are directions.
    User     goes to the unit vector +-x/|x|, + with probability (1 + |x|)/2, which keeps the mean.
             Of the K = 2 L directions m are favoured, those with the largest inner product.
             Sends one of them all:

        P(y | S) = e^eps / (m e^eps + K - m)   where y is in S, the set of the m favoured ones
        P(y | S) =     1 / (m e^eps + K - m)   elsewhere

    Server   averages the directions that were named, divided by a number that makes them unbiased.

This is PrivUnit (Bhowmick et al.) on a finite sample of the sphere: as K grows with m/K, it becomes
PrivUnit with a cap of the share m/K. With one line it is Duchi, Jordan and Wainwright's mechanism
for the L2 ball. Closest codewords of a random code are in Isik et al.

Only two sets matter to privacy, S and S'. Let a directions be in both, e in S only (so e in S'
only), and c in neither: m = a + e, K = a + 2 e + c. Within each of the four classes all directions
have the same probability given S, and given S', so that the classes have the epsilon of the table.
Whatever the lines are, and whichever sets rounded inner products give, these are all the cases.

Abhishek Bhowmick, John Duchi, Julien Freudiger, Gaurav Kapoor, Ryan Rogers (2018), Protection
Against Reconstruction and Its Applications in Private Federated Learning. Hilal Asi, Vitaly
Feldman, Kunal Talwar (2022), Optimal Algorithms for Mean Estimation under Local Differential
Privacy. Berivan Isik, Wei-Ning Chen, Ayfer Ozgur, Tsachy Weissman, Albert No (2023), Exact
Optimality of Communication-Privacy-Utility Tradeoffs in Distributed Mean Estimation. John C. Duchi,
Michael I. Jordan, Martin J. Wainwright (2018), Minimax Optimal Procedures for Locally Private
Estimation.
"""

from sympy import Expr

from ldp_verified.language import LDP, Matrix, Mechanism, exp, integer, real

eps = real("eps", above=0)
a = integer("a", at_least=1)
e = integer("e", at_least=1)
c = integer("c", at_least=1)
u = exp(eps)


def classes(both: Expr, neither: Expr) -> Matrix:
    """P(class | S) and P(class | S') for two sets; a class without directions is left out."""
    total = (both + e) * u + e + neither
    columns = [
        ("in both", both * u, both * u),
        ("in S only", e * u, e),
        ("in S' only", e, e * u),
        ("in neither", neither, neither),
    ]
    kept = [column for column in columns if column[1] != 0]
    rows = [[column[row] / total for column in kept] for row in (1, 2)]
    return Matrix(rows, inputs=["S", "S'"], outputs=[column[0] for column in kept])


def favoured(name: str, title: str, both: Expr, neither: Expr, *counts: Expr) -> Mechanism:
    """The mechanism for sets that meet in `both` directions, `neither` being in none of them."""
    return Mechanism(
        name,
        title=title,
        prefer=(
            "The mean of vectors of bounded length, of up to thousands of dimensions: a report is "
            "a number, and the error is close to that of the best unbiased mechanism."
        ),
        sampler="protocols.sphere_vector",
        parameters=[eps, e, *counts],
        table=classes(both, neither),
        claims=[LDP(eps, tight=True)],
    )


favoured_sets = favoured("favoured_sets", "Favoured directions", a, c, a, c)
favoured_cover = favoured("favoured_cover", "Favoured directions that cover all", a, 0, a)
favoured_apart = favoured("favoured_apart", "Favoured directions, disjoint", 0, c, c)
favoured_halves = favoured("favoured_halves", "Favoured halves of all directions", 0, 0)
