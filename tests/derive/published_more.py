"""Formulas as the literature prints them: sketches, memoised reports, tuples, noise.

As in `tests/derive/published.py`, whose symbols and rules are used here.
"""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.language import f
from tests.derive.published import (
    APPLE,
    ARCOLEZI,
    DRAWN,
    NUMERIC,
    WANG,
    Published,
    b,
    g,
    k,
    s,
    u,
    x,
)

LOLOHA = "Arcolezi, Pinzon, Palamidessi, Gambs 2023"
FAKES = "Arcolezi, Couchot, Al Bouna, Xiao 2021"
DING = "Ding, Kulkarni, Yekhanin 2017"
GEOMETRIC = "Inusah, Kozubowski 2006"
GHOSH = "Ghosh, Roughgarden, Sundararajan 2009"
DWORK = "Dwork, McSherry, Nissim, Smith 2006"
STAIRCASE = "Geng, Viswanath 2014"


def _symbols(names: str) -> tuple[Any, ...]:
    return tuple(sympy.Symbol(name, positive=True) for name in names.split())


buckets, keep_1, keep_2, zero_1, zero_2, d, keep = _symbols(
    "buckets keep_1 keep_2 zero_1 zero_2 d keep"
)
kept, raised, alpha, eps, one, zero, fake = _symbols("kept raised alpha eps one zero fake")
ever, once = _symbols("ever once")  # e^epsilon of all reports, and of one
half = sympy.Rational(1, 2)

# Apple 2017: c = (e^(eps/2) + 1)/(e^(eps/2) - 1); a row of the sketch is added up from k (c/2 y +
# 1/2), y = +-1, and the count is m/(m - 1) (mean over the k rows - n/m). HCMS: k c y, c in e^eps.
_c, _scale = (s + 1) / (s - 1), buckets / (buckets - 1)
_c_bit = (u + 1) / (u - 1)

OF_SKETCHES = [
    Published(f"{APPLE}, CMS: probability of keeping an entry", "cms", "p*", s / (s + 1)),
    Published(f"{APPLE}, CMS: e^eps of a report", "cms", "e^epsilon", s**2),
    Published(
        f"{APPLE}, CMS: what a report adds to a value whose entry is +1",
        "cms",
        "weight of a support",
        _scale * (_c / 2 + half - 1 / buckets),
    ),
    Published(
        f"{APPLE}, CMS: what a report adds to a value whose entry is -1",
        "cms",
        "weight of another report",
        _scale * (-_c / 2 + half - 1 / buckets),
    ),
    Published(f"{APPLE}, HCMS: probability of keeping the sign", "hcms", "p*", u / (u + 1)),
    Published(
        f"{APPLE}, HCMS: what a report adds to a value with its sign",
        "hcms",
        "weight of a support",
        _scale * (_c_bit - 1 / buckets),
    ),
    Published(
        f"{APPLE}, HCMS: what a report adds to a value with the other sign",
        "hcms",
        "weight of another report",
        _scale * (-_c_bit - 1 / buckets),
    ),
]


def _chained(p_1: Any, q_1: Any, p_2: Any, q_2: Any, rare: bool = True) -> Any:
    """The variance of Arcolezi et al. 2022: of a rare value, or as printed for every f."""
    ones = p_2 * q_1 + q_2 * (1 - q_1)
    if not rare:
        ones += f * (2 * p_1 * p_2 - 2 * p_1 * q_2 + 2 * q_2 - 1)
    return ones * (1 - ones) / ((p_1 - q_1) * (p_2 - q_2)) ** 2


def _chained_ratio(p_1: Any, q_1: Any, p_2: Any, q_2: Any) -> Any:
    """Their e^eps_1 of one report of a chained unary encoding."""
    held, absent = p_1 * p_2 + (1 - p_1) * q_2, q_1 * p_2 + (1 - q_1) * q_2
    return held * (1 - absent) / (absent * (1 - held))


def _response_ratio(p_1: Any, q_1: Any, p_2: Any, q_2: Any) -> Any:
    """Their e^eps_1 of one report of a chained k-ary response."""
    return (p_1 * p_2 + q_1 * q_2) / (p_1 * q_2 + q_1 * p_2)


def _response(size: Any, share: Any) -> tuple[Any, Any]:
    return share + (1 - share) / size, (1 - share) / size


def _left_out(size: Any) -> Any:
    """Ours less theirs: (N + m)/(D + m) - N/D, m what the other permanent answers add."""
    (p_1, q_1), (p_2, q_2) = _response(size, keep_1), _response(size, keep_2)
    top, bottom = p_1 * p_2 + q_1 * q_2, p_1 * q_2 + q_1 * p_2
    more = (size - 2) * q_1 * q_2
    return more * (bottom - top) / (bottom * (bottom + more))


LEFT_OUT = (
    "the printed ratio leaves out the other permanent answers, which add the same to both "
    "probabilities: it is larger than the tight one, and the same for two values"
)
COEFFICIENT = (
    "the printed share of ones has 2 p1 (p2 - q2) + 2 q2 - 1 in front of f, which is (p1 - q1) "
    "(p2 - q2) only where q1 = 1 - p1 and q2 = 1 - p2; and " + DRAWN
)
UNARY: dict[str, tuple[Any, Any, Any, Any]] = {
    "l_sue": (1 - zero_1, zero_1, 1 - zero_2, zero_2),
    "l_osue": (half, zero_1, 1 - zero_2, zero_2),
    "l_oue": (half, zero_1, half, zero_2),
    "l_soue": (1 - zero_1, zero_1, half, zero_2),
}
_grr = (*_response(k, keep_1), *_response(k, keep_2))
_hashed = (*_response(g, keep_1), *_response(g, keep_2))


def _true_share(p_1: Any, q_1: Any, p_2: Any, q_2: Any) -> Any:
    return p_2 * q_1 + q_2 * (1 - q_1) + f * (p_1 - q_1) * (p_2 - q_2)


def _slope(p_1: Any, q_1: Any, p_2: Any, q_2: Any) -> Any:
    """Return the change of the printed variance by a right coefficient of f, and f (1 - f)."""
    ones = _true_share(p_1, q_1, p_2, q_2)
    right = ones * (1 - ones) / ((p_1 - q_1) * (p_2 - q_2)) ** 2
    return right - f * (1 - f) - _chained(p_1, q_1, p_2, q_2, rare=False)


_second = (ever * once - 1) / (ever - once + ever * once - 1)  # L-OSUE's p2

MEMOISED = [
    *(
        Published(
            f"{ARCOLEZI}, {name}: variance of a rare value",
            name,
            "variance at f = 0",
            _chained(*cells),
        )
        for name, cells in UNARY.items()
    ),
    *(
        Published(
            f"{ARCOLEZI}, {name}: e^eps of one report", name, "e^epsilon", _chained_ratio(*cells)
        )
        for name, cells in UNARY.items()
    ),
    Published(
        f"{ARCOLEZI}, l_sue: variance at every f",
        "l_sue",
        "variance",
        _chained(*UNARY["l_sue"], rare=False),
        differs=-f * (1 - f),
        because=DRAWN,
    ),
    *(
        Published(
            f"{ARCOLEZI}, {name}: variance at every f",
            name,
            "variance",
            _chained(*UNARY[name], rare=False),
            differs=_slope(*UNARY[name]),
            because=COEFFICIENT,
        )
        for name in ("l_osue", "l_oue", "l_soue")
    ),
    Published(
        f"{ARCOLEZI}, L-OSUE: p2 that gives eps_1",
        "l_osue",
        "e^epsilon",
        once,
        put=((zero_1, 1 / (ever + 1)), (zero_2, 1 - _second)),
    ),
    Published(
        f"{ARCOLEZI}, L-GRR: variance of a rare value",
        "l_grr",
        "variance at f = 0",
        _chained(*_grr),
    ),
    Published(
        f"{ARCOLEZI}, L-GRR: e^eps of one report",
        "l_grr",
        "e^epsilon",
        _response_ratio(*_grr),
        differs=_left_out(k),
        because=LEFT_OUT,
    ),
    Published(
        f"{LOLOHA}, variance of a rare value",
        "loloha",
        "variance at f = 0",
        _chained(_hashed[0], 1 / g, *_hashed[2:]),
    ),
    Published(f"{LOLOHA}, q* of the first step, 1/g", "loloha", "q*", 1 / g),
    Published(
        f"{LOLOHA}, e^eps of one report",
        "loloha",
        "e^epsilon",
        _response_ratio(*_hashed),
        differs=_left_out(g),
        because=LEFT_OUT,
    ),
    Published(
        f"{LOLOHA}, the second step's epsilon for BiLOLOHA, g = 2",
        "loloha",
        "e^epsilon",
        once,
        put=(
            (g, 2),
            (keep_1, (ever - 1) / (ever + 1)),
            # e^eps_IRR = (e^(ever + once) - 1)/(e^ever - e^once), as e^eps - 1 over e^eps + 1
            (keep_2, (ever * once - 1 - ever + once) / (ever * once - 1 + ever - once)),
        ),
    ),
    Published(f"{DING}, P(bit = 1) of the own bucket", "dbitflip_one", "c1", s / (s + 1)),
    Published(f"{DING}, P(bit = 1) of another bucket", "dbitflip_one", "c0", 1 / (s + 1)),
    Published(f"{DING}, e^eps of two chosen bits", "dbitflip", "e^epsilon", s**2),
]


def _fakes(share: Any, p: Any, q: Any) -> Any:
    """d^2 share (1 - share)/(p - q)^2 of Arcolezi et al. 2021."""
    return d**2 * share * (1 - share) / (p - q) ** 2


_p, _q = _response(k, keep)
_ones_z = (d * zero + f * (one - zero)) / d
_ones_r = (zero + f * (one - zero) + (d - 1) * (zero + (one - zero) / k)) / d

OF_TUPLES = [
    Published(
        f"{FAKES}, RS+FD[GRR]: variance",
        "fake_marginal",
        "variance",
        _fakes((_q + f * (_p - _q) + (d - 1) / k) / d, _p, _q),
        differs=-f * (1 - f),
        because=DRAWN,
    ),
    Published(
        f"{FAKES}, RS+FD[UE-z]: variance",
        "fake_bit_marginal",
        "variance",
        _fakes(_ones_z, one, zero),
        put=((fake, zero),),
        differs=-f * (1 - f),
        because=DRAWN,
    ),
    Published(
        f"{FAKES}, RS+FD[UE-r]: variance",
        "fake_bit_marginal",
        "variance",
        _fakes(_ones_r, one, zero),
        put=((fake, zero + (one - zero) / k),),
        differs=-f * (1 - f),
        because=DRAWN,
    ),
    Published(
        f"{FAKES}, RS+FD[GRR]: e^eps of a tuple at d = 2",
        "fake",
        "e^epsilon",
        (u + 1) / 2,
        differs=(u - 1) / 2,
        because="printed for tuples that differ in one attribute; here any two tuples",
    ),
    Published(
        f"{FAKES}, RS+FD[UE-z]: e^eps of a tuple at d = 2",
        "fake_zeros",
        "e^epsilon",
        (one * (1 - zero) / (zero * (1 - one)) + 1) / 2,
        differs=(one * (1 - zero) / (zero * (1 - one)) - 1) / 2,
        because="printed for tuples that differ in one attribute; here any two tuples",
    ),
]

_theta = sympy.Symbol("theta", positive=True)
_tail = sympy.exp(eps / 2 * _theta)

OF_NOISE = [
    Published(
        f"{WANG}, variance of SHE", "she", "variance of a report", 8 / eps**2, put=((b, 2 / eps),)
    ),
    Published(
        f"{WANG}, variance of THE at threshold theta",
        "the",
        "variance at f = 0",
        (2 * raised - 1) / (1 + raised / kept - 2 * raised) ** 2,
    ),
    Published(
        f"{WANG}, THE: P(1) of a 0, at theta", "the", "q*", 1 / (2 * _tail), put=((raised, _tail),)
    ),
    Published(
        f"{WANG}, THE: P(1) of a 1, at theta",
        "the",
        "p*",
        1 - sympy.exp(eps / 2 * (_theta - 1)) / 2,
        put=((kept, sympy.exp(-eps / 2 * (_theta - 1))),),
    ),
    Published(
        f"{DWORK}, variance of Laplace noise, 2 (2/eps)^2",
        "laplace",
        "variance of a report",
        8 / eps**2,
        put=((b, 2 / eps),),
    ),
    Published(
        f"{GEOMETRIC}, variance of the discrete Laplace law",
        "geometric",
        "variance of a report",
        2 * alpha / (1 - alpha) ** 2,
    ),
    Published(f"{GHOSH}, probability of no noise", "geometric", "mass", (1 - alpha) / (1 + alpha)),
    Published(
        f"{STAIRCASE}, a(gamma) with Delta = 2",
        "staircase",
        "level0",
        (1 - 1 / u) / (4 * (g + (1 - g) / u)),
    ),
    Published(f"{NUMERIC}, C of the piecewise mechanism", "piecewise", "high2", (s + 1) / (s - 1)),
    Published(
        f"{NUMERIC}, p of the piecewise mechanism", "piecewise", "level1", (s**2 - s) / (2 * s + 2)
    ),
    Published(
        f"{NUMERIC}, left end of the high step",
        "piecewise",
        "low1",
        (s + 1) / (s - 1) * x / 2 + x / 2 - ((s + 1) / (s - 1) - 1) / 2,
    ),
]

MORE = [*OF_SKETCHES, *MEMOISED, *OF_TUPLES, *OF_NOISE]
"""Every entry of this module."""
