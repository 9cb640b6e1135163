"""Exponential mechanism on a scale of three grades, scored by how far the report is off.

    s(x, y) = -|x - y|, sensitivity D = 2
    P(y | x) = e^(eps s(x, y)/(2 D)) / sum over z of e^(eps s(x, z)/(2 D))

It is eps-LDP, as the general theorem says. The factor 2 pays for sums that depend on x; here the
sums of the two ends are equal, and the table's own epsilon is eps/2.

Frank McSherry, Kunal Talwar (2007), Mechanism Design via Differential Privacy.
"""

from ldp_verified.language import LDP, Mechanism, exponential_mechanism, real, utility_claims

eps = real("eps", above=0)
scale = (1, 2, 3)
scores = [[-abs(x - y) for y in scale] for x in scale]

grades = Mechanism(
    "grades",
    title="Exponential mechanism",
    prefer=(
        "One report out of a few, where a score says how good each report is for each value, "
        "and what counts is that score, not a frequency."
    ),
    parameters=[eps],
    table=exponential_mechanism(scores, eps, inputs=scale, outputs=scale),
    claims=[
        LDP(eps, source="McSherry, Talwar 2007"),
        LDP(eps / 2, tight=True),
        *utility_claims(scores, eps),
    ],
)
