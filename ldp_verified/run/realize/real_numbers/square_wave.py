"""The square wave on integers: a window of any width, at the authors' choice by default."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.aggregate.buckets import BUCKETS, BucketLayout, BucketOracle
from ldp_verified.run.aggregate.distribution import (
    LOOKS,
    Distribution,
    DistributionBounds,
    counted_within,
)
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.aggregate.reconstruct import reconstruct, window_channel
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.real_numbers.window import WindowRandomizer
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray


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
        # Rounded, the window may be as likely as its size: then a report says nothing.
        if outside * (m + w) >= m << WIDTH:
            raise ParameterError("epsilon", "must be above 2^-62", self.epsilon)
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

    def counted(self, simulated: bool = False) -> State:
        """A state of the whole distribution that has seen nothing: reports in 1024 buckets.

        It is updated, merged and saved; `distribution` and `bounded` read it.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        return State(self._bucket_oracle, simulated=simulated)

    def load_counted(self, path: str | os.PathLike[str], *, implausible: bool = False) -> State:
        """A state of `counted` that `State.save` wrote: see `Saved.load`."""
        return State.load(path, self._bucket_oracle, implausible=implausible)

    @cached_property
    def _bucket_oracle(self) -> BucketOracle:
        layout = BucketLayout(self.outputs)
        starts = layout.starts
        # A bucket meets the window least, or most, where the input is an end or next to it.
        near = np.concatenate([starts, starts - self._w]).clip(0, self._m)
        inputs = np.unique(np.concatenate([near, [0, self._m]]))
        least, most = np.ones(BUCKETS), np.zeros(BUCKETS)
        for part in np.array_split(inputs, -(-len(inputs) // 64)):
            chances = np.diff(self.chance_below(starts, part), axis=1)
            least = np.minimum(least, chances.min(axis=0))
            most = np.maximum(most, chances.max(axis=0))
        return BucketOracle(self.identity, layout, (least, most))

    def chance_below(
        self, cells: NDArray[np.int64], inputs: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """P(report < cell | grid input), float64 (inputs, cells); it falls with the input.

        Args:
            cells: 0..outputs, int64 (cells,). inputs: 0..steps, int64 (inputs,).
        """
        held = np.clip(cells[np.newaxis, :] - inputs[:, np.newaxis], 0, self._w)
        inside = self._inside / self._total
        others = cells[np.newaxis, :] - held
        return np.asarray(inside * held / self._w + (1 - inside) * others / self._m)

    def bounded(self, state: State, bins: int = 64, level: float = 0.95) -> DistributionBounds:
        """Intervals for shares below the edges, quantiles, mean and variance, all at once.

        They hold with the level at least, for the users as they are, whatever their numbers are.

        Args:
            state: of `counted`. bins: how many equal bins of `bounds`; more give shorter intervals,
                and take longer. level: of all intervals together.

        Raises:
            ParameterError: the state is another one or has no reports, or a number out of range.
            ReportError: no distribution fits the reports at this level; honest ones have that with
                a chance of at most 1 - `level`. ImportError: scipy is not installed.
        """
        bins = check_integer("bins", bins, 1, BUCKETS)
        self._check_buckets(state)
        cuts = np.arange(1, LOOKS + 1) * (BUCKETS // (LOOKS + 1))
        below = np.cumsum(state.counts)[cuts - 1]
        low, high = counted_within(below, state.n, level)
        cells = BucketLayout(self.outputs).starts[cuts]
        ends = np.arange(bins + 1) * self._m
        # Chances fall with the input; the slack is far above the rounding of doubles.
        least = self.chance_below(cells, -(-ends[1:] // bins)) - 1e-12
        most = self.chance_below(cells, ends[:-1] // bins) + 1e-12
        return DistributionBounds(self._edges(bins), level, least, most, low, high)

    def _edges(self, bins: int) -> NDArray[np.float64]:
        return np.linspace(*self.bounds, bins + 1)

    def _check_buckets(self, state: State) -> None:
        check_kind("state", state, State)
        difference = self.identity.difference(state.identity)
        if difference is not None or not isinstance(state.oracle, BucketOracle):
            rule = f"must be of this mechanism's buckets: {difference or 'it is another state'}"
            raise ParameterError("state", rule)
        if state.n == 0:
            raise ParameterError("state", "must have reports", 0)

    def distribution(
        self,
        reports: State | Reports | Iterable[Reports],
        bins: int = 64,
        *,
        smooth: bool | None = None,
        outputs: int = 1024,
        simulated: bool = False,
    ) -> Distribution:
        """The distribution of the users' values over equal bins of `bounds`, by EM.

        Args:
            reports: a state of `counted`, a batch, or an iterable of batches.
            bins: how many bins.
            smooth: whether by EMS; None decides by the reports, see `reconstruct`.
            outputs: how many buckets reports are counted in; a state has 1024. simulated: as in
                `empty`, of reports.

        Raises:
            ParameterError: numbers of bins or buckets out of range, or another state.
            ReportError: reports of another mechanism.
        """
        bins = check_integer("bins", bins, 1, 1 << 12)
        if isinstance(reports, State):
            self._check_buckets(reports)
            check_integer("bins", bins, 1, BUCKETS)
            return self._reconstructed(reports.counts, bins, smooth)
        outputs = check_integer("outputs", outputs, bins, 1 << 12)
        counts, state = np.zeros(outputs, dtype=np.int64), self.empty(simulated)
        for batch in [reports] if isinstance(reports, Reports) else reports:
            state = state.update(batch)  # all the checks
            buckets = batch.data.astype(np.uint64) * np.uint64(outputs) // np.uint64(self.outputs)
            counts += np.bincount(buckets.astype(np.int64), minlength=outputs)
        return self._reconstructed(counts, bins, smooth)

    def _reconstructed(
        self, counts: NDArray[np.int64], bins: int, smooth: bool | None
    ) -> Distribution:
        inside = self._inside / self._total
        channel = window_channel(self._m, self._w, inside, len(counts), bins)
        found = reconstruct(counts, channel, smooth=smooth)
        edges, n = self._edges(bins), int(counts.sum())
        return Distribution(**vars(found), edges=edges, n=n)

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
