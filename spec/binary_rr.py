r"""Binary randomized response on {-1, +1}: keep the sign with probability e^eps / (e^eps + 1).

    x \ y              -1                    +1
    -1       e^eps / (e^eps + 1)     1 / (e^eps + 1)
    +1           1 / (e^eps + 1) e^eps / (e^eps + 1)

Stanley L. Warner (1965), Randomized Response: A Survey Technique for Eliminating Evasive Answer
Bias, has the same coin, with its bias as the parameter.
"""

from ldp_verified.language import LDP, Matrix, Mechanism, Unbiased, Variance, exp, n, real

eps = real("eps", above=0)
u = exp(eps)
keep = u / (u + 1)
flip = 1 / (u + 1)

binary_rr = Mechanism(
    "binary_rr",
    title="Binary randomized response",
    prefer=(
        "A question with two answers and a given eps; `warner` and `half_plus` are the same table, "
        "named by its probability."
    ),
    parameters=[eps],
    table=Matrix([[keep, flip], [flip, keep]], inputs=[-1, 1], outputs=[-1, 1]),
    claims=[
        LDP(eps, tight=True),
        Unbiased(),
        Variance(n * u / (u - 1) ** 2),
    ],
)
