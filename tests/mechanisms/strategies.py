"""Mechanism objects over the whole range of their parameters, the corners first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from tests.strategies import DOMAIN_SIZES, EPSILONS

if TYPE_CHECKING:
    from ldp_verified.run.realize import RoundedTable

WIDE_SIZES = st.one_of(st.sampled_from([2, 1 << 20, (1 << 20) + 1, 1 << 24]), DOMAIN_SIZES)
"""Domain sizes up to those that need a mixing word."""

BUCKET_NUMBERS = st.sampled_from([None, 2, 3, 4, 255, 256, 257])
"""Numbers of buckets that every epsilon can be realized with; None for the best."""

GAMMAS = st.one_of(
    st.sampled_from([1e-6, 0.25, 0.4999999]),
    st.floats(min_value=1e-6, max_value=0.4999999),
    st.fractions("1/1000", "499/1000"),
)
"""Warner's gamma, as floats and fractions."""


def small_mechanisms(
    sizes: st.SearchStrategy[int] = DOMAIN_SIZES, epsilons: st.SearchStrategy[float] = EPSILONS
) -> st.SearchStrategy[RoundedTable]:
    """A mechanism of every class, with a domain that one can aggregate over."""
    return st.one_of(
        st.builds(Warner, GAMMAS),
        st.builds(BinaryRR, epsilons),
        st.builds(GRR, epsilons, sizes),
        st.builds(SUE, epsilons, sizes),
        st.builds(OUE, epsilons, sizes),
        st.builds(OLH, epsilons, sizes, BUCKET_NUMBERS),
        st.builds(BLH, epsilons, sizes),
    )


def all_mechanisms() -> st.SearchStrategy[RoundedTable]:
    """A mechanism of every class, over the largest domains too."""
    return small_mechanisms(WIDE_SIZES)
