"""Normal noise looked at by integration, in balls, at exact points.

Independent of derived forms and of the lemma behind the certificates: neither the best event nor
the worst pair is taken from it. Every number comes with a bound of its error; a claim is refuted if
it lies beyond that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from flint import arb, ctx

from ldp_verified.prove.enumeration.noise_integrals import BITS, FAR, ball, integral
from ldp_verified.prove.enumeration.witnesses import both

CELLS, HALVINGS = 32, 60
"""Parts of the line in which the sign of a difference is looked for; how often one is halved."""

EPSILONS = (Fraction(0), Fraction(1, 2), Fraction(2))
"""The values of epsilon at which a curve of deltas is checked; it is checked at mu, too."""

Pair = tuple[Fraction, Fraction]
Part = tuple[Fraction, Fraction, int]


def loss_above(
    claimed: Fraction, scale: Fraction, bounds: tuple[Fraction, Fraction]
) -> tuple[dict[str, Any], str]:
    """An output at which the loss between the two ends is more than the claim, exactly."""
    low, high = bounds
    y = (low + high) / 2 + (abs(claimed) + 1) * scale**2 / (high - low)
    loss = ((y - low) ** 2 - (y - high) ** 2) / (2 * scale**2)
    assert loss > claimed
    said = f"the loss is {both(loss)} at y = {both(y)}, claimed {both(claimed)}: it has no bound"
    return {"x": high, "x'": low, "y": y, "loss": loss}, said


def _signs(differs: Callable[[arb, arb], int], low: Fraction, high: Fraction) -> Iterator[Part]:
    """(low, high, sign) of parts of an interval, from left to right; sign 0 where it is not known.

    Args:
        differs: of the middle of a part and the part, both balls: 1 or -1, 0 where it is undecided.
    """
    step = (high - low) / CELLS
    todo = [(low + i * step, low + (i + 1) * step, 0) for i in reversed(range(CELLS))]
    while todo:
        a, b, depth = todo.pop()
        middle = (a + b) / 2
        at = ball(middle)
        sign = differs(at, at + arb(0, 1) * ball((b - a) / 2))
        if sign or depth == HALVINGS:
            yield a, b, sign
        else:
            todo += [(middle, b, depth + 1), (a, middle, depth + 1)]


@lru_cache(maxsize=512)
def delta(pair: Pair, scale: Fraction, epsilon: Fraction) -> arb:
    """The integral of max(0, f(y - x) - e^epsilon f(y - x')), f being the normal density.

    The line is cut where the sign of the difference changes, as balls of the line decide it. Where
    it stays undecided, the part is narrow, and the difference is between 0 and f(y - x).
    """
    x, x2 = pair
    with ctx.workprec(BITS):
        rate, eps = ball(-1 / (2 * scale**2)), ball(epsilon)
        front = 1 / (ball(scale) * (2 * arb.pi()).sqrt())
        own, other = ball(x), ball(x2)

        def differs(middle: arb, part: arb) -> int:
            # ln of the ratio, in mean value form: its value at the middle, and its slope anywhere.
            slope = 2 * rate * (part - own) - 2 * rate * (part - other)
            gap = rate * (middle - own) ** 2 - rate * (middle - other) ** 2 - eps
            gap += slope * (part - middle)
            return 1 if gap > 0 else -1 if gap < 0 else 0

        def excess(y: Any) -> Any:
            first, second = rate * (y - own) ** 2, rate * (y - other) ** 2 + eps
            return front * (first.exp() - second.exp())

        total = arb(0)
        # Parts of one sign that touch are one integral.
        parts = _signs(differs, x - FAR * scale, x + FAR * scale)
        for sign, run in groupby(parts, key=lambda part: part[2]):
            touching = [*run]
            low, high = touching[0][0], touching[-1][1]
            if sign > 0:
                total += integral(excess, low, high)
            elif sign == 0:
                total += arb(0).union(front * ball(high - low))
        return total + arb(0).union(2 * ball(Fraction(-(FAR**2), 2)).exp())


def _claimed(mu: Fraction, epsilon: Fraction) -> arb:
    """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)."""

    def phi(z: Fraction) -> arb:
        return (-ball(z) / arb(2).sqrt()).erfc() / 2

    return phi(mu / 2 - epsilon / mu) - ball(epsilon).exp() * phi(-mu / 2 - epsilon / mu)


def curve_error(
    mu: Fraction, scale: Fraction, pairs: Sequence[Pair], *, tight: bool
) -> tuple[str, dict[str, Any]]:
    """(what is wrong with a claimed curve, or nothing; where).

    Args:
        mu: as claimed. scale: of the noise. pairs: of inputs. tight: whether a smaller delta at any
            of the epsilons refutes it too.
    """
    if mu <= 0:
        return "the claimed mu is not above 0", {"mu": mu}
    for epsilon in (*EPSILONS, mu):
        with ctx.workprec(BITS):
            stated = _claimed(mu, epsilon)
            found = {pair: delta(pair, scale, epsilon) for pair in pairs}
            above = [pair for pair, value in found.items() if value > stated]
            below = tight and all(value < stated for value in found.values())
            if not above and not below:
                continue
            pair = above[0] if above else max(found, key=lambda p: float(found[p]))
            real = float(found[pair])
        values = {"x": pair[0], "x'": pair[1], "eps": epsilon, "delta": f"{real:.6g}"}
        said = f"at eps = {epsilon} the largest delta is {real:.6g}, claimed {float(stated):.6g}"
        return said, values
    return "", {}
