"""Noisy histograms that a programmer could have got wrong: samplers of two numbers at once.

Each has the kernel's arguments and runs it; what every single number's distribution says may be
right, and the report's wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.kernels.noise import geometric_fill

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Fill, Slots


def one_noise_for_all(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """The same noise on every number: each is right on its own."""
    used = 0
    for i in range(len(values)):
        one = [0]
        done, used = geometric_fill([values[i]], one, words, cuts, sizes)
        if not done:
            return i, used
        out[i] = one[0]
    return len(values), used


def noise_on_the_own_bit(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Zeros are reported as they are: who has the value is seen."""
    used = 0
    for i in range(len(values)):
        one = [values[i] + sizes[2] - 1]  # the cell of the number itself
        if values[i]:
            done, used = geometric_fill([values[i]], one, words, cuts, sizes)
            if not done:
                return i, used
        out[i] = one[0]
    return len(values), used


def the_value_picks_the_order(
    values: DrawnColumn, out: Slots, words: DrawnColumn, cuts: DrawnColumn, sizes: DrawnColumn
) -> tuple[int, int]:
    """Numbers are right and independent, but the noisy own bit is sent first."""
    in_order = sorted((values[i] for i in range(len(values))), reverse=True)
    return geometric_fill(in_order, out, words, cuts, sizes)


WRONG: dict[str, Fill] = {
    "one noise for all numbers": one_noise_for_all,
    "noise on the own bit alone": noise_on_the_own_bit,
    "the own bit first": the_value_picks_the_order,
}
"""What is wrong -> the kernel."""
