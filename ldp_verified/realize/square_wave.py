"""The square wave on integers: a window of any width, at the authors' choice by default."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any

from ldp_verified.aggregate.moments import Decoding
from ldp_verified.realize import balls
from ldp_verified.realize.claim import WIDTH
from ldp_verified.realize.window import WindowRandomizer


class SquareWaveRandomizer(WindowRandomizer):
    """The square wave at b = w/(2 m): the window has probability floor(2^64 p)/2^64."""

    inputs = (0, 1)

    def _realize(self) -> None:
        m = 1 << 30
        w = max(1, min(2 * m, round(2 * self._b() * m)))

        def attempt() -> int | None:
            u = balls.ball(self.epsilon).exp()
            outside = balls.ball(Fraction(m)) / (u * w + m)
            return balls.ceil_scaled(outside, WIDTH)

        outside = balls.decide(attempt)
        self._set(m, w, (1 << WIDTH) - outside, 1 << WIDTH)

    def _b(self) -> Fraction:
        """The authors' b, to double precision at least."""
        if self.epsilon > 80:
            return Fraction(0)

        def attempt() -> Fraction | None:
            e = balls.ball(self.epsilon)
            u = e.exp()
            return balls.approximation((e * u - u + 1) / (2 * u * (u - 1 - e)))

        return balls.decide(attempt)

    @property
    def b(self) -> Fraction:
        """Half the width of the high step."""
        return Fraction(self._w, 2 * self._m)

    @staticmethod
    @abstractmethod
    def report_mean(x: Any, u: Any, b: Any) -> Any:
        """The mean of the spec's report."""

    @staticmethod
    @abstractmethod
    def report_variance(x: Any, u: Any, b: Any) -> Any:
        """The variance of the spec's report."""

    @cached_property
    def decoding(self) -> Decoding:
        """Middles of m + w cells of [-b, 1 + b]."""
        step, u = Fraction(1, self._m), self.worst_ratio
        offset = self.report_mean(Fraction(0), u, self.b)
        slope = self.report_mean(Fraction(1), u, self.b) - offset
        cells = self._m + self._w
        return Decoding(cells, -self.b + step / 2, step, (), slope, offset)

    def _variance_at(self, x: Fraction) -> Fraction:
        found = self.report_variance(x, self.worst_ratio, self.b)
        return found - Fraction(1, 12 * self._m**2)  # type: ignore[no-any-return]  # generic

    @property
    def _worst_variance(self) -> Fraction:
        # A parabola in x that is symmetric about 1/2.
        return max(self._variance_at(x) for x in (Fraction(0), Fraction(1, 2), Fraction(1)))
