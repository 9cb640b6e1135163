r"""Yes or no, answered on a scale of five (an explicit 2 x 5 matrix): more outputs than inputs.

    x \\ y      ++       +        0        -       --
    yes     s^2 / c   s / c    s / c    1 / c    1 / c
    no        1 / c   1 / c    s / c    s / c  s^2 / c

with s = e^(eps/2) and c = s^2 + 2 s + 2. Nothing is claimed: what follows is derived and proved.
"""

from ldp_verified.language import Matrix, Mechanism, exp, real

eps = real("eps", above=0)
s = exp(eps / 2)
yes = [s**2, s, s, 1, 1]
total = sum(yes)

yes_no_scale = Mechanism(
    "yes_no_scale",
    parameters=[eps],
    table=Matrix(
        [[cell / total for cell in yes], [cell / total for cell in reversed(yes)]],
        inputs=["yes", "no"],
        outputs=["++", "+", "0", "-", "--"],
    ),
)
