"""The facade over numba: lazy, cached where possible, working where not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.kernels import compiled as module
from ldp_verified.kernels.compiled import Compiled, compiled, read_only

if TYPE_CHECKING:
    from collections.abc import Callable


def double(x: int) -> int:
    return x + x


def test_one_compiled_form_per_function() -> None:
    assert compiled(double) is compiled(double)
    assert compiled(double)(21) == 42
    assert compiled(double).function is double


WITHOUT_A_CACHE = """
import numba.core.caching as caching
import numpy as np
from ldp_verified.kernels.grr import grr
from ldp_verified.kernels.seeds import word_source

caching.CompileResultCacheImpl._locator_classes = []
print(grr(np.zeros(10_000, dtype=int), 3, 1 << 60, word_source(1, "test")).shape)
"""


def test_it_works_where_no_cache_directory_can_be_written() -> None:
    command = [sys.executable, "-c", WITHOUT_A_CACHE]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout == "(10000,)\n"


def test_it_works_where_the_cache_cannot_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    caches = []

    def full_disk(function: Callable[..., Any], *, cache: bool) -> Callable[..., Any]:
        caches.append(cache)

        def run(*args: Any) -> Any:
            if cache:
                raise OSError(28, "No space left on device")
            return function(*args)

        return run

    monkeypatch.setattr(module, "_njit", full_disk)
    form = Compiled(double)
    assert [form(1), form(2)] == [2, 4]
    assert caches == [True, False]


def test_an_error_is_not_taken_for_a_missing_cache() -> None:
    def fails(x: int) -> int:
        raise ValueError(x)

    with pytest.raises(ValueError, match="3"):
        Compiled(fails, cache=False)(3)


def test_read_only_views() -> None:
    array = np.arange(10)
    view = read_only(array)
    assert array.flags.writeable
    assert not view.flags.writeable
    assert np.shares_memory(array, view)
    assert read_only(array[::2]).flags.c_contiguous
