"""The eight protocols of the comparison of auditors: chances of what the auditors look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, exp

import numpy as np
from scipy.integrate import dblquad, quad
from scipy.optimize import minimize_scalar
from scipy.stats import binom

K, EPSILON, SHARE = 25, 1.0, 0.9


@dataclass(frozen=True)
class Protocol:
    """Probabilities of what the auditors look at.

    Attributes:
        name: of the protocol.
        plus, minus: that a report speaks for its input and not for a random other one, and the
            other way; with one value spoken for, that it is the input, or any other.
        stake: how many other inputs are spoken for at once.
        own, other: that a guess of the input from one report is v, for the input v, and for
            another one.
        top: the mass under the other input of the outputs with the largest ratio, e^eps.
        sure: the chances under the input, and under one other, of the outputs whose ratio is above
            e^(0.9 eps): what a perfect classifier of the two takes.
        strata: (s, a, chance, chance): that a report speaks for s inputs and against a others, and
            for its own; or against its own.
    """

    name: str
    plus: float
    minus: float
    stake: float
    own: float
    other: float
    top: float
    sure: tuple[float, float]
    strata: tuple[tuple[int, int, float, float], ...]


def _apart(p: float, q: float, k: int) -> tuple[tuple[int, int, float, float], ...]:
    """Strata where the own value is supported with p and each of the others with q."""
    others = binom.pmf(np.arange(k + 1), k - 1, q)
    return tuple(
        (s, k - s, float(p * others[s - 1]), float((1 - p) * others[s])) for s in range(1, k)
    )


def _share(chance: float, certain: int, several: int, maybe: float = 0.0) -> float:
    """E[1/(certain + Bernoulli(maybe) + Binomial(several, chance))]."""
    counts = np.arange(several + 1)
    mass = binom.pmf(counts, several, chance)
    plain = float(np.sum(mass / (certain + counts)))
    more = float(np.sum(mass / (certain + 1 + counts)))
    return (1 - maybe) * plain + maybe * more


def supporting(name: str, p: float, q: float, k: int = K) -> Protocol:
    """A protocol in which each value is supported on its own: p for the input's, q for others'.

    The guess is one of the values supported, or any where there is none.
    """
    own = p * _share(q, 1, k - 1) + (1 - p) * (1 - q) ** (k - 1) / k
    other = q * _share(q, 1, k - 2, p) + (1 - q) ** (k - 1) * (1 - p) / k
    plus, minus = p * (1 - q), q * (1 - p)
    return Protocol(name, plus, minus, 1.0, own, other, minus, (plus, minus), _apart(p, q, k))


def grr(k: int = K, eps: float = EPSILON) -> Protocol:
    """K-ary randomized response."""
    p = exp(eps) / (exp(eps) + k - 1)
    q = (1 - p) / (k - 1)
    strata = ((1, k - 1, p, (k - 1) * q),)
    return Protocol("GRR", p, (k - 1) * q, k - 1.0, p, q, q, (p, q), strata)


def subsets(k: int = K, eps: float = EPSILON) -> Protocol:
    """Subset selection with the size that its authors recommend."""
    size = max(1, ceil(k / (exp(eps) + 1)))
    weight = size * exp(eps) + k - size
    p = size * exp(eps) / weight
    q = p * (size - 1) / (k - 1) + (1 - p) * size / (k - 1)
    plus = p * (k - size) / (k - 1)
    minus = (1 - p) * size / (k - 1)
    strata = ((size, k - size, p, 1 - p),)
    return Protocol("SS", plus, minus, 1.0, p / size, q / size, minus, (plus, minus), strata)


def hashing(name: str, g: int, k: int = K, eps: float = EPSILON) -> Protocol:
    """Local hashing, with a hash function that is drawn anew for each report."""
    p = exp(eps) / (exp(eps) + g - 1)
    found = supporting(name, p, 1 / g, k)
    # Given the report's bucket, another value falls into it with 1/g, whatever the input did.
    plus, minus = p * (1 - 1 / g), (1 - p) / g
    sides = (plus, minus)
    return Protocol(name, *sides, 1.0, found.own, found.other, minus, sides, found.strata)


def thresholds(k: int = K, eps: float = EPSILON) -> Protocol:
    """Thresholding of a histogram with Laplace noise of scale 2/eps, at its best threshold."""

    def pair(theta: float) -> tuple[float, float]:
        return 1 - exp(eps / 2 * (theta - 1)) / 2, exp(-eps / 2 * theta) / 2

    def variance(theta: float) -> float:
        p, q = pair(theta)
        return q * (1 - q) / (p - q) ** 2

    theta = float(minimize_scalar(variance, bounds=(0.5, 1.0), method="bounded").x)
    own, other = pair(theta)
    guess = supporting("THE", own, other, k)
    noisy = noise(k, eps)
    least = (noisy.plus, noisy.minus)
    return Protocol("THE", *least, 1.0, guess.own, guess.other, noisy.top, noisy.sure, noisy.strata)


def noise(k: int = K, eps: float = EPSILON) -> Protocol:
    """Summation of the same: our event is item v >= 1 and item w <= 0, the guess the likeliest."""
    half = exp(-eps / 2) / 2
    plus, minus = 0.25, half * half

    def inside(y: float, mine: bool) -> float:
        """The density of one item between 0 and 1."""
        return eps / 4 * exp(-eps / 2 * (1 - y if mine else y))

    def below(y: float, mine: bool) -> float:
        return exp(-eps / 2 * (1 - y)) / 2 if mine else 1 - exp(-eps / 2 * y) / 2

    own = 0.5 * _share(half, 1, k - 1) + half * 0.5 ** (k - 1) / k
    own += quad(lambda y: inside(y, True) * below(y, False) ** (k - 1), 0, 1)[0]
    other = half * _share(half, 1, k - 2, 0.5) + 0.5 ** (k - 1) * half / k
    other += quad(lambda y: inside(y, False) * below(y, False) ** (k - 2) * below(y, True), 0, 1)[0]
    strata = _noisy_strata(half, k)
    return Protocol("SHE", plus, minus, 1.0, own, other, minus, _above(eps), strata)


def _noisy_strata(half: float, k: int) -> tuple[tuple[int, int, float, float], ...]:
    """Strata of items >= 1 and <= 0; another item is >= 1 with chance `half`, <= 0 with 1/2."""

    def others(s: int, a: int) -> float:
        if min(s, a) < 0 or s + a > k - 1:
            return 0.0
        below = binom.pmf(a, k - 1 - s, 0.5 / (1 - half))
        return float(binom.pmf(s, k - 1, half) * below)

    return tuple(
        (s, a, 0.5 * others(s - 1, a), half * others(s, a - 1))
        for s in range(1, k)
        for a in range(1, k + 1 - s)
    )


@cache
def _above(eps: float) -> tuple[float, float]:
    """The chances, under v and under w, that items v and w speak for v by more than e^(0.9 eps).

    An item's part of the ln of the ratio is eps/2 (for v: from 1 on), or it is inside, t eps/2 with
    t from -1 to 1.
    """
    inside = 2 * SHARE - 1
    """What one item must speak by where the other one speaks as loudly as it can."""

    def chances(mine: bool) -> float:
        end = 0.5 if mine else exp(-eps / 2) / 2

        def density(t: float) -> float:
            return eps / 8 * exp(-eps / 4 * (1 - t if mine else 1 + t))

        one = quad(density, inside, 1)[0]
        both = dblquad(lambda t, s: density(t) * density(s), inside, 1, lambda s: 2 * SHARE - s, 1)
        return float(end * end + 2 * end * one + both[0])

    return chances(True), chances(False)


def protocols(k: int = K, eps: float = EPSILON) -> tuple[Protocol, ...]:
    """The eight protocols of the comparison."""
    half = exp(eps / 2)
    return (
        grr(k, eps),
        subsets(k, eps),
        supporting("SUE", half / (half + 1), 1 / (half + 1), k),
        supporting("OUE", 0.5, 1 / (exp(eps) + 1), k),
        hashing("BLH", 2, k, eps),
        hashing("OLH", round(exp(eps)) + 1, k, eps),
        noise(k, eps),
        thresholds(k, eps),
    )
