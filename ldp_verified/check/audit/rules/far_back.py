"""Test whether a report tells, in clear, an input of three to eight reports before its own.

Nothing is learnt here: an output, or a slot of it, is an input, or it is not. Going back from the
last sample, each earlier input is uniform given all later samples of a chain, so that hits are
independent and every sample counts, where reports depend on their own inputs alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, lower_bound
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.rules.rules import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ldp_verified.check.audit.targets.batch import Batch

BACK = tuple(range(3, 9))
SLOTS = ("same", "same:0", "same:1", "same:-1")


class FarBack:
    """Counts how often a slot of a report is the input so many reports before.

    Args:
        inputs: the audited ones.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.readings = [OutputReading(name, tuple(inputs)) for name in SLOTS]
        self.stake = Stake(len(inputs) - 1.0)
        none = Tally(0, 0, 0)
        self.tallies = {(back, name): none for back in BACK for name in SLOTS}

    def see(self, batch: Batch) -> None:
        """Count a batch of samples in the order in which they were drawn."""
        for reading in self.readings:
            guess = reading.guesses(batch)
            if not np.any(guess >= 0):
                continue
            for back in BACK:
                told, before = guess[back:], batch.inputs[:-back]
                plus = int(np.sum(told == before))
                minus = int(np.sum(told >= 0)) - plus
                own = (back, reading.name)
                self.tallies[own] = self.tallies[own] + Tally(plus, minus, len(told))

    def findings(
        self, epsilon: float, level: float, delta: float, *, sequential: bool
    ) -> list[Finding]:
        """LDP013 for the first distance at which the claim is broken.

        Args:
            epsilon, delta: the claim. level: of all distances and slots together.
            sequential: the bounds must hold at every time.
        """
        part = level / len(self.tallies)
        for (back, _), tally in self.tallies.items():
            if sequential:
                bound = anytime.lower_bound(tally, self.stake, part, delta)
            else:
                method = METHODS[1] if delta else METHODS[0]
                bound = lower_bound(tally, self.stake, part, delta, method)
            if bound > epsilon:
                words = (
                    f"a report tells the input {back} before its own, in clear: eps >= "
                    f"{bound:.4g} about that one ({tally.plus} against {tally.minus} of {tally.n})"
                )
                return [Finding("LDP013", words, {"back": back, "bound": bound})]
        return []
