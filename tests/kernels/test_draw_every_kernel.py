"""Every sampling kernel of the package, found by asking it: machine code against plain Python.

A kernel that no sampler below runs is an error, so one that is added is looked at too.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ldp_verified.run.kernels
from ldp_verified.protocols import SHE, Gaussian
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.bernoulli import bernoulli_sampler
from ldp_verified.run.kernels.corners import corner_sampler
from ldp_verified.run.kernels.favoured import favoured_sampler
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.noise import geometric_sampler
from ldp_verified.run.kernels.noisy_one_hot import noisy_one_hot_sampler
from ldp_verified.run.kernels.permanent_bits import permanent_sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.staircase import staircase_sampler
from tests.mechanisms.parameters import CLASSES, usual

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler

COUNT = 400


def kernels() -> dict[str, Any]:
    """Each function that samples, by its name."""
    modules = [
        importlib.import_module(f"ldp_verified.run.kernels.{info.name}")
        for info in pkgutil.iter_modules(ldp_verified.run.kernels.__path__)
    ]
    return {
        name: made
        for module in modules
        for name, made in inspect.getmembers(module, inspect.isfunction)
        if name.endswith("_fill") and made.__module__ == module.__name__
    }


def samplers() -> dict[str, Sampler]:
    """One of each class that has one, and of the kernels that only some sizes choose."""
    objects = [made(**usual(made)) for made in CLASSES.values()]
    objects += [CLASSES[name](epsilon=8.0) for name in ("Duchi", "Hybrid", "Piecewise")]
    objects += [CLASSES["OLH"](epsilon=1.0, k=9, g=g) for g in (2, 3, 4)]
    objects += [Gaussian(epsilon=1.0, delta=1e-6)]
    found = {f"{type(made).__name__} {number}": made for number, made in enumerate(objects)}
    run = {name: made._sampler for name, made in found.items() if hasattr(made, "_sampler")}
    return run | {
        "bernoulli": bernoulli_sampler(12345 << 40),
        "permanent bits": permanent_sampler(70, 1 << 63, 12345 << 40),
        "corners": corner_sampler(3, 1 << 63),
        "favoured": favoured_sampler(10, 3, 1 << 62),
        "grr": grr_sampler(5, 1 << 60),
        "grr_wide": grr_wide_sampler(5, 1 << 62),
        "geometric": geometric_sampler(16, 700, int(0.94 * 2**63)),
        "noisy one-hot": noisy_one_hot_sampler(5, *SHE(1.0, 5).number.thresholds),
        "prefix_noise": SHE(1.0, 4).sampler(),
        "staircase": staircase_sampler(64, 27, 46, int(0.37 * 2**63)),
    }


ALL: dict[str, Any] = samplers()


def test_no_kernel_is_left_out() -> None:
    run = {sampler.fill for sampler in ALL.values()}
    assert {name for name, fill in kernels().items() if fill not in run} == set()


@pytest.mark.parametrize("name", ALL)
def test_machine_code_draws_what_python_draws(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = ALL[name]
    values = np.arange(COUNT, dtype=np.int64) % sampler.inputs
    drawn = []
    for pure_words in (0, 1 << 40):
        monkeypatch.setattr(draw, "PURE_WORDS", pure_words)
        drawn.append(sampler.draw(values, word_source(seed, "test")))
    np.testing.assert_array_equal(drawn[0], drawn[1])
