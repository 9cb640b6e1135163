"""Wrong variants of combined tables: RAPPOR, memoised reports, several attributes."""

from __future__ import annotations

from typing import Any

from ldp_verified.language import (
    LDP,
    Bits,
    Bloom,
    Eq,
    Holds,
    Matrix,
    MetricLDP,
    OneHot,
    Rational,
    Unbiased,
    alongside,
    differing_in_one,
    exp,
    integer,
    log,
    memo,
    real,
    sample,
    then,
    together,
)

eps = real("eps", above=0)
noise = real("noise", above=0, below=1)
low = real("low", above=0, below=Rational(1, 2))
k = integer("k", at_least=2)
m = integer("m", at_least=4)
u, s = exp(eps), exp(eps / 2)
half = Rational(1, 2)


def _response(level: Any) -> Matrix:
    return Matrix([[level / (level + 1), 1 / (level + 1)], [1 / (level + 1), level / (level + 1)]])


def _fakes() -> Matrix:
    """One of two attributes of two values by binary response, the other a fair coin."""
    tuples = [(a, b) for a in (0, 1) for b in (0, 1)]

    def cell(x: tuple[int, int], y: tuple[int, int]) -> Any:
        own = [(u if a == b else 1) / (u + 1) for a, b in zip(x, y, strict=True)]
        return (own[0] + own[1]) / 4

    return Matrix([[cell(x, y) for y in tuples] for x in tuples], inputs=tuples, outputs=tuples)


_TWICE = then(
    Bits(one=1 - noise / 2, zero=noise / 2, encoder=OneHot(k)), [[1 - low, low], [low, 1 - low]]
)

COMBINED: tuple[tuple[Any, ...], ...] = (
    (
        "rappor_one_hash",
        "epsilon of a permanent response is that of one hash function, where there are two",
        [noise, m],
        Bits(one=1 - noise / 2, zero=noise / 2, encoder=Bloom(m, hashes=2)),
        [LDP(2 * log((1 - noise / 2) / (noise / 2)))],
        [(0, "ratio")],
    ),
    (
        "rappor_one_bit",
        "epsilon of a one-hot permanent response is that of one bit, where two differ",
        [noise, k],
        Bits(one=1 - noise / 2, zero=noise / 2, encoder=OneHot(k)),
        [LDP(log((1 - noise / 2) / (noise / 2)))],
        [(0, "ratio")],
    ),
    (
        "report_estimated_as_permanent",
        "reports are estimated from as if nothing had been randomized after the permanent response",
        [noise, low, k],
        _TWICE,
        [Unbiased(supported=(1 - noise / 2) / (1 - noise), otherwise=-noise / 2 / (1 - noise))],
        [(0, "unbiased")],
    ),
    (
        "steps_multiplied",
        "P(1) of two steps in turn is said to be the product of both",
        [noise, low, k],
        _TWICE,
        [Holds(Eq(_TWICE.one, (1 - noise / 2) * (1 - low), evaluate=False))],
        [(0, "holds")],
    ),
    (
        "second_report_free",
        "a second report from one permanent answer is said to cost nothing",
        [eps],
        memo(_response(u), _response(s), 2),
        [LDP(log((u * s + 1) / (u + s)))],
        [(0, "ratio")],
    ),
    (
        "together_is_largest",
        "two reports on one value are said to cost what the dearer one costs",
        [eps],
        together(_response(u), _response(s)),
        [LDP(eps)],
        [(0, "ratio")],
    ),
    (
        "alongside_is_largest",
        "tuples of two attributes are said to be protected as one attribute is",
        [eps],
        alongside(_response(s), _response(s)),
        [LDP(eps / 2), MetricLDP(eps / 2, differing_in_one)],
        [(0, "ratio")],
    ),
    (
        "sampling_amplifies",
        "to sample one of two attributes, and say which, is said to halve epsilon",
        [eps],
        sample(_response(u), _response(u)),
        [LDP(eps / 2)],
        [(0, "ratio")],
    ),
    (
        "fakes_amplify",
        "to hide a sampled attribute among fakes is said to lower epsilon of whole tuples",
        [eps],
        _fakes(),
        [LDP(log((u + 1) / 2)), MetricLDP(log((u + 1) / 2), differing_in_one)],
        [(0, "ratio")],
    ),
)
"""(name, what is wrong, parameters, table, claims, obligations that are refuted)."""
