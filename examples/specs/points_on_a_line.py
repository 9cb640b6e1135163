"""k points on a line: what is further from the value is reported less often.

    truncated_line     P(y|x) = (1 - t)/(1 + t) t^|y - x|   for 0 < y < k - 1
                       P(0|x) = t^x/(1 + t),   P(k - 1|x) = t^(k - 1 - x)/(1 + t)
    exponential_line   P(y|x) = t^|y - x| / sum over z of t^|z - x|

with 0 < t < 1. In the first one the ends take all that lies beyond them. Both are
(k - 1) ln(1/t)-LDP, and no less. Per unit of distance the first one costs ln(1/t). The second one
costs more, because its sum depends on x, and at most 2 ln(1/t).

Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing Privacy
Mechanisms. Frank McSherry, Kunal Talwar (2007), Mechanism Design via Differential Privacy.
"""

from ldp_verified.language import (
    LDP,
    Mechanism,
    MetricLDP,
    Points,
    apart,
    integer,
    left,
    log,
    near,
    real,
    right,
)

k = integer("k", at_least=2)
t = real("t", above=0, below=1)

truncated_line = Mechanism(
    "truncated_line",
    parameters=[k, t],
    table=Points(
        k,
        decay=t,
        cell=(1 - t) / (1 + t) * near,
        low_end=left / (1 + t),
        high_end=right / (1 + t),
    ),
    claims=[LDP((k - 1) * log(1 / t), tight=True), MetricLDP(log(1 / t), apart)],
)

exponential_line = Mechanism(
    "exponential_line",
    parameters=[k, t],
    table=Points(k, decay=t, cell=near * (1 - t) / (1 + t - t * left - t * right)),
    claims=[LDP((k - 1) * log(1 / t), tight=True), MetricLDP(2 * log(1 / t), apart)],
)
