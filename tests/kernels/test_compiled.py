"""The facade over numba: lazy, cached where possible, working where not."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.run.kernels import compiled as module
from ldp_verified.run.kernels.compiled import Compiled, compiled, read_only

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
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.kernels.seeds import word_source

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


INTERRUPTED = """
import importlib.abc, os, signal, sys

import numpy as np
from ldp_verified import GRR

class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

finder = Interrupting()
sys.meta_path.insert(0, finder)
grr, values = GRR(1.0, 5), np.zeros(10_000, dtype=int)
try:
    grr.privatize(values)
except KeyboardInterrupt:
    print("interrupted", finder not in sys.meta_path)
print(len(grr.privatize(values)), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@pytest.mark.parametrize("name", ["numba.core.types.misc", "numba.cpython.builtins"])
def test_ctrl_c_while_numba_is_imported_or_compiles_breaks_nothing_for_later(name: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, name]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout == "interrupted True\n10000 True\n"


def test_read_only_views() -> None:
    array = np.arange(10)
    view = read_only(array)
    assert array.flags.writeable
    assert not view.flags.writeable
    assert np.shares_memory(array, view)
    assert read_only(array[::2]).flags.c_contiguous


SAME_EVERYWHERE = """
import hashlib, importlib.abc, importlib.util, sys, warnings

missing = sys.argv[1].split()

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in missing else there(name, *more)

import numpy as np
from ldp_verified.deploy import Deployment
from tests.deploy.deployed import MADE, has_memory, public_of, value_of

users, seed = 3000, int(sys.argv[2])
for number, made in enumerate(MADE):
    public = public_of(made)
    if public or has_memory(made):
        continue
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        reports = made.privatize([value_of(made)] * users, seed)
        collector = Deployment(made).collector(simulated=True)
        collector.add(Deployment(made).to_batch(reports, bytes(16)))
    hints = sum("ldp-verified[fast]" in str(one.message) for one in said)
    shown = collector.to_bytes()
    print(number, type(made).__name__, hints, hashlib.sha256(shown).hexdigest())
"""
NOT_NEEDED = "numba sympy scipy pyarrow z3 typer rich matplotlib"


def test_without_numba_the_same_words_give_the_same_reports_and_counts(seed: int) -> None:
    """A process that can import nothing but what randomizing needs: slower, and the same."""
    found = []
    for missing in ("", NOT_NEEDED):
        command = [sys.executable, "-c", SAME_EVERYWHERE, missing, str(seed)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert run.returncode == 0, run.stderr
        found.append([line.split() for line in run.stdout.splitlines()])
    with_all, without = found
    assert len(without) > 40
    assert [line[-1] for line in with_all] == [line[-1] for line in without]
    assert sum(int(line[2]) for line in with_all) == 0
    assert sum(int(line[2]) for line in without) == 1  # one hint in a process
