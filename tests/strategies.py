"""Hypothesis strategies for parameters, tables and mechanisms.

Shared by the tests of both sides.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from hypothesis import strategies as st

from ldp_verified.language import Bits, Design, Matrix, Mechanism, OneHot, Singletons

EPSILONS = st.one_of(
    st.sampled_from([1e-6, 0.1, 1.0, 5.0, 44.0, 700.0]),
    st.floats(min_value=1e-6, max_value=700.0, allow_nan=False),
)
"""Claimed epsilons, the corners first."""

DOMAIN_SIZES = st.one_of(st.sampled_from([2, 3, 64, 65, 1024]), st.integers(2, 5000))
"""Numbers of input values."""

BUCKETS = st.one_of(st.sampled_from([2, 3, 4, 8, 255, 256, 257]), st.integers(2, 600))
"""Numbers of hash buckets."""

SHARES = st.fractions(min_value=0, max_value=1, max_denominator=50)
"""True shares f of a value."""


def probabilities(denominator: int = 24) -> st.SearchStrategy[Fraction]:
    """Fractions strictly between 0 and 1 with a small denominator."""
    return st.integers(1, denominator - 1).map(lambda i: Fraction(i, denominator))


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


@st.composite
def channels(draw: st.DrawFn, max_inputs: int = 4, max_outputs: int = 4) -> list[list[Fraction]]:
    """Stochastic matrices with positive rational entries."""
    inputs, outputs = draw(st.integers(2, max_inputs)), draw(st.integers(2, max_outputs))
    rows = []
    for _ in range(inputs):
        weights = draw(st.lists(st.integers(1, 9), min_size=outputs, max_size=outputs))
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows


@st.composite
def matrix_mechanisms(draw: st.DrawFn) -> Mechanism:
    """Explicit tables that claim nothing."""
    rows = [[_rational(cell) for cell in row] for row in draw(channels())]
    return Mechanism("drawn_matrix", parameters=[], table=Matrix(rows))


@st.composite
def bits_mechanisms(draw: st.DrawFn) -> Mechanism:
    """One-hot bits with one != zero that claim nothing."""
    one = draw(probabilities())
    zero = draw(probabilities().filter(lambda q: q != one))
    table = Bits(_rational(one), _rational(zero), OneHot(draw(st.integers(2, 4))))
    return Mechanism("drawn_bits", parameters=[], table=table)


@st.composite
def design_mechanisms(draw: st.DrawFn) -> Mechanism:
    """k-ary tables with any inside probability other than the uniform one."""
    k = draw(st.integers(2, 6))
    inside = draw(probabilities().filter(lambda p: p != Fraction(1, k)))
    outside = (1 - inside) / (k - 1)
    table = Design(k, 1, 0, _rational(inside), _rational(outside), Singletons(k))
    return Mechanism("drawn_design", parameters=[], table=table)


def mechanisms() -> st.SearchStrategy[Mechanism]:
    """Mechanisms of every table form."""
    return st.one_of(matrix_mechanisms(), bits_mechanisms(), design_mechanisms())
