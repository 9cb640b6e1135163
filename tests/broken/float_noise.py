"""Laplace noise as it is usually drawn: a float from a uniform word, added to the value."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.run.kernels.draw import Sampler

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import DrawnColumn, Slots


def float_laplace(width: int) -> Sampler:
    """x + Laplace noise of scale 1 in doubles, from one word; the report is the double's bits.

    Ilya Mironov (2012), On Significance of the Least Significant Bits for Differential Privacy:
    which doubles can come out depends on x.
    """
    return Sampler(
        fill=_fill,
        inputs=2,
        cuts=(1 << width,),
        sizes=(),
        shape=(),
        dtype=np.dtype(np.uint64),
        word_bits=width,
    )


def _fill(
    values: DrawnColumn,
    out: Slots,
    words: DrawnColumn,
    cuts: DrawnColumn,
    sizes: DrawnColumn,  # noqa: ARG001  (kernels have one signature)
) -> tuple[int, int]:
    done = min(len(values), len(words))
    for i in range(done):
        share = (words[i] + 0.5) / cuts[0] - 0.5
        noise = -math.copysign(math.log1p(-2 * abs(share)), share)
        (bits,) = struct.unpack(">Q", struct.pack(">d", values[i] + noise))
        out[i] = bits
    return done, done
