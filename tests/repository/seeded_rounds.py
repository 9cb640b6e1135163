"""Prefix rounds that take a seed: values in, and errors of their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.protocols import PrefixRound, PrefixRounds, RoundState
from tests.repository.seeded_runs import errors, held, seeds_of_devices

if TYPE_CHECKING:
    from tests.repository.seeded_runs import Bits, Floats, Run

MADE = PrefixRounds(8.0, bits=8, top=2, first=4, step=4, cohorts=64)
LAST = PrefixRound(MADE, MADE.levels, (0, 255 << 120))
"""The last round, which asks about the two values that are held."""

ENOUGH = 10_000
"""Users, so that something can be found."""


def rounds(how: str) -> Run:
    """Two of 256 values, counted by the last round, in which every device is."""

    def run(bits: Bits, rng: Any) -> Floats:
        ends, truth = [0, 255], np.bincount(bits, minlength=2)
        if how in ("mine", "simulate"):
            truth = truth * max(1, ENOUGH // len(bits))
            if how == "mine":
                found = MADE.mine(ends, truth, rng)
            else:
                found = MADE.counted(*MADE.simulate(ends, truth, rng))
            rows = {value: (count, error) for value, count, error in found}
            counts, sizes = zip(*(rows.get(value, (0.0, 1.0)) for value in ends), strict=True)
            return errors(np.array(counts), truth, np.array(sizes))
        state = RoundState(LAST, simulated=True)
        if how == "privatize":
            state.update(LAST.privatize(held(bits, 256), rng))
        else:
            for value, own in zip(held(bits, 256).tolist(), seeds_of_devices(rng), strict=False):
                state.update(MADE.client(MADE.levels, own).report(value, LAST))
        estimate = state.estimate(ends)
        return errors(estimate.counts, truth, estimate.std_error)

    return run
