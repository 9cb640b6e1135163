"""The square wave on integers: a window of any width, at the authors' choice by default."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.aggregate.moments import Decoding
from ldp_verified.aggregate.reconstruct import Reconstruction, reconstruct, window_channel
from ldp_verified.aggregate.reports import Reports
from ldp_verified.realize import balls
from ldp_verified.realize.claim import WIDTH
from ldp_verified.realize.parameters import check_integer
from ldp_verified.realize.window import WindowRandomizer

if TYPE_CHECKING:
    from collections.abc import Iterable


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

    def distribution(
        self,
        reports: Reports | Iterable[Reports],
        bins: int = 64,
        *,
        smooth: bool = True,
        outputs: int = 1024,
        simulated: bool = False,
    ) -> Reconstruction:
        """The distribution of the users' values over equal bins of `bounds`, by EM.

        Args:
            reports: a batch, or an iterable of batches.
            bins: how many bins. smooth: EMS, see `reconstruct`.
            outputs: how many buckets the reports are counted in. simulated: as in `empty`.

        Raises:
            ParameterError: numbers of bins or buckets out of range.
            ReportError: reports of another mechanism.
        """
        bins = check_integer("bins", bins, 1, 1 << 12)
        outputs = check_integer("outputs", outputs, bins, 1 << 12)
        counts, state = np.zeros(outputs, dtype=np.int64), self.empty(simulated)
        for batch in [reports] if isinstance(reports, Reports) else reports:
            state = state.update(batch)  # all the checks
            buckets = batch.data.astype(np.uint64) * np.uint64(outputs) // np.uint64(self.outputs)
            counts += np.bincount(buckets.astype(np.int64), minlength=outputs)
        inside = self._inside / self._total
        channel = window_channel(self._m, self._w, inside, outputs, bins)
        return reconstruct(counts, channel, smooth=smooth)

    @property
    def b(self) -> Fraction:
        """Half the width of the high step."""
        return Fraction(self._w, 2 * self._m)

    @cached_property
    def decoding(self) -> Decoding:
        """Middles of m + w cells of [-b, 1 + b]."""
        step, u = Fraction(1, self._m), self.worst_ratio
        offset = self.report_mean(Fraction(0), u, self.b)
        slope = self.report_mean(Fraction(1), u, self.b) - offset
        cells = self._m + self._w
        return Decoding(cells, -self.b + step / 2, step, (), slope, offset)

    @property
    def variables(self) -> tuple[Fraction, ...]:
        """Return where the spec is instantiated."""
        return (self.worst_ratio, self.b)

    @property
    def _lost(self) -> Fraction:
        return self.decoding.step**2 / 12  # the spread within a cell

    @property
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        return (0, Fraction(1, 2), 1)  # a parabola, symmetric about 1/2
