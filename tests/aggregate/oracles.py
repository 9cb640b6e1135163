"""Frequency oracles as a server has them, without any mechanism."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from ldp_verified.run.aggregate import FrequencyOracle, Identity, OutputLayout


def oracle(
    p_star: Fraction = Fraction(3, 4), q_star: Fraction = Fraction(1, 8), k: int = 3
) -> FrequencyOracle:
    """Reports are values; the variances are those of indicator variables."""
    spread = (p_star - q_star) ** 2
    return FrequencyOracle(
        Identity("Drawn", (("k", k),), "", (int(p_star * 1000), int(q_star * 1000))),
        OutputLayout(k, k),
        p_star,
        q_star,
        q_star * (1 - q_star) / spread,
        p_star * (1 - p_star) / spread,
    )


@st.composite
def oracles(draw: st.DrawFn, k: int = 3) -> FrequencyOracle:
    """Any p* > q* with denominators up to 1000."""
    low, high = sorted(draw(st.lists(st.integers(1, 999), min_size=2, max_size=2, unique=True)))
    return oracle(Fraction(high, 1000), Fraction(low, 1000), k)
