r"""Three ordered answers: the further away, the less likely (an explicit 3 x 3 matrix).

    x \\ y        low             middle           high
    low       1 / a           t / a           t^2 / a
    middle    t / b           1 / b           t   / b
    high    t^2 / a           t / a           1   / a

with t = e^-eps, a = 1 + t + t^2, b = 1 + 2 t. Neighbouring answers are protected better than the
two ends.
"""

from ldp_verified.language import LDP, Matrix, Mechanism, MetricLDP, PersonalisedLDP, exp, real

eps = real("eps", above=0)
t = exp(-eps)
a, b = 1 + t + t**2, 1 + 2 * t
answers = ["low", "middle", "high"]

ternary_line = Mechanism(
    "ternary_line",
    parameters=[eps],
    table=Matrix(
        [
            [1 / a, t / a, t**2 / a],
            [t / b, 1 / b, t / b],
            [t**2 / a, t / a, 1 / a],
        ],
        inputs=answers,
        outputs=answers,
    ),
    claims=[
        LDP(2 * eps, tight=True),
        MetricLDP(2 * eps, lambda x, x2: abs(answers.index(x) - answers.index(x2))),
        PersonalisedLDP(2 * eps, region=["low", "middle"]),
    ],
)
