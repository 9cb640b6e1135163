"""Noise without ends, from kernels whose reports have ends.

A kernel adds noise to an input and reports what lies beyond an end as that end. A curator has no
public end to cut at, and cutting the noise would give the data away. But geometric noise has no
memory: given that its size is at least r, the size less r is distributed like the size itself. So
what comes back as an end is drawn again, and r is added: the law is that of noise on all integers,
exactly, and one draw in 2^66 takes a second round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource

    Integers = NDArray[np.int64]
    Read = Callable[[Integers], "DrawnNoise"]


class DrawnNoise(NamedTuple):
    """The noise as far as reports on the input 0 tell it.

    Attributes:
        above: whether the noise is above 0. size: steps from the first on that side, from 0 on.
        open: whether the size is only known to be at least that.
    """

    above: NDArray[np.bool_]
    size: Integers
    open: NDArray[np.bool_]


def geometric_read(reach: int) -> Read:
    """How reports of `geometric_sampler(1, reach, share)` on 0 are read.

    The noise is 1 + size above 0, and -size else. Reports are the noise less 1 - reach, and then
    the two ends: at most -reach, at least 1 + reach.
    """

    def read(reports: Integers) -> DrawnNoise:
        cells = 2 * reach
        noise = reports + 1 - reach
        above = np.where(reports < cells, noise > 0, reports == cells + 1)
        inside = np.where(noise > 0, noise - 1, -noise)
        return DrawnNoise(above, np.where(reports < cells, inside, reach), reports >= cells)

    return read


def staircase_read(m: int, periods: int) -> Read:
    """How reports of `staircase_sampler(m, w, periods, share)` on 0 are read.

    The size counts cells. What lies beyond the last cell of a side comes back as one of two
    reports, which are one here.
    """

    def read(reports: Integers) -> DrawnNoise:
        cells = (2 * periods + 1) * m
        place = reports - periods * m
        outside = reports >= cells
        above = np.where(outside, reports >= cells + 2, place >= 0)
        inside = np.where(place >= 0, place, -1 - place)
        ends = np.where(above, (periods + 1) * m, periods * m)
        return DrawnNoise(above, np.where(outside, ends, inside), outside)

    return read


def unbounded(
    sampler: Sampler, read: Read, count: int, source: WordSource
) -> tuple[NDArray[np.bool_], Integers]:
    """Sides and sizes of independent noise, drawn on until none is open.

    Args:
        sampler: a kernel whose size has no memory across its ends. read: how its reports are read.
        count: how many. source: of words.

    Returns:
        (above, size): bool (count,), int64 (count,).
    """
    above, size, left = read(_zeros(sampler, count, source))
    (places,) = np.nonzero(left)
    while len(places):
        _, more, left = read(_zeros(sampler, len(places), source))
        size[places] += more
        places = places[left]
    return above, size


def _zeros(sampler: Sampler, count: int, source: WordSource) -> Integers:
    return sampler.draw(np.zeros(count, dtype=np.int64), source, in_range=True).astype(np.int64)
