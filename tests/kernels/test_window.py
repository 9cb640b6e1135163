"""The window kernels: ranges, and that machine code draws what Python draws."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.window import hybrid_sampler, window_sampler


@pytest.mark.parametrize(
    ("m", "w", "inside", "total"),
    [(0, 1, 1, 2), (1, 0, 1, 2), (5, 3, 0, 8), (5, 3, 8, 8), (5, 3, 5, 17), (14, 3, 1, 2)],
)
def test_other_windows_are_refused(m: int, w: int, inside: int, total: int) -> None:
    with pytest.raises(ParameterError):
        window_sampler(m, w, inside, total, width=4)


@pytest.mark.parametrize(("m", "w"), [(3, 3), (2, 3), (4, 1), (0, 1)])
def test_other_mixtures_are_refused(m: int, w: int) -> None:
    with pytest.raises(ParameterError):
        hybrid_sampler(m, w, width=4)


@pytest.mark.parametrize(
    "sampler",
    [
        window_sampler(5, 3, 5, 8),
        window_sampler(2**31, 2**31, 2**63, 2**64),
        window_sampler(3 * 2**30, 2**30 - 7, 11, 2**64),
        window_sampler(9, 1, 2**63, 2**64),
        window_sampler(1, 1, 2, 3),
        hybrid_sampler(3, 2),
        hybrid_sampler(9, 1),
        hybrid_sampler(2**31 - 1, 2**30 - 5),
    ],
)
def test_machine_code_draws_what_python_draws(sampler: Sampler) -> None:
    """More than 2^11 words run compiled; one value at a time runs as Python."""
    n = 3000
    values = np.random.default_rng(1).integers(0, sampler.inputs, n)
    bulk = sampler.draw(values, word_source(7, "test"))
    source = word_source(7, "test")
    single = np.concatenate([sampler.draw(values[i : i + 1], source) for i in range(100)])
    # Unread words go back to nowhere in a single draw, so streams are compared by replaying words.
    words = word_source(7, "test").words(3 * n + 64)
    slots = [0] * n
    done, _ = sampler.fill(values.tolist(), slots, words.tolist(), sampler.cuts, sampler.sizes)
    assert done > n // 2
    assert bulk[:done].tolist() == slots[:done]
    assert len(single) == 100
