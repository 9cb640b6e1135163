"""numba behind one typed function, imported when the first bulk call needs it.

Without numba every kernel runs as it is written, or as NumPy where it has such a form: the same
words give the same reports and the same counts, more slowly.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import signal
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=np.generic)


WITHOUT = (
    "numba is not installed: large batches give the same reports; k-ary randomized response takes "
    "about as long, others 20 to 700 times (docs/install.md). To install it: "
    "pip install 'ldp-verified[fast]'"
)


def _told_not_to() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@functools.cache
def has_compiler() -> bool:
    """Return whether kernels can be compiled: numba is there, and not told to compile nothing.

    It is looked for once, without importing it.
    """
    return not _told_not_to() and importlib.util.find_spec("numba") is not None


@functools.cache
def machine_code() -> bool:
    """Return whether kernels are compiled, as `has_compiler` does.

    Where numba is missing, one warning says so, for this is asked where a batch is large enough to
    gain from it.
    """
    if not has_compiler() and not _told_not_to():
        warnings.warn(WITHOUT, RuntimeWarning, stacklevel=2)
    return has_compiler()


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Let Ctrl-C interrupt the program after the block, and not within it.

    Signals come to the main thread alone, so that in others there is nothing to do.
    """
    given = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(given):
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *arrived: waiting.append(arrived))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, given)
        if waiting:
            given(*waiting[0])


class Compiled(Generic[P, R]):
    """A plain-Python function as machine code, compiled at the first call for each set of types.

    The machine code is kept on disk for the next process where a cache directory can be written,
    and compiled anew in each process where none can. Compiled code releases the interpreter lock.

    Args:
        function: arithmetic on numbers and arrays, without input or output.
        cache: whether the machine code may be kept on disk; not where compiled functions are
            among the arguments.
    """

    def __init__(self, function: Callable[P, R], *, cache: bool = True) -> None:
        self.function = function
        self._ran = False
        # numba that is interrupted while it is imported is broken until the process ends.
        with _ctrl_c_waits():
            try:
                self.dispatcher = _njit(function, cache=cache)
            except RuntimeError:  # numba: no cache directory can be written
                self.dispatcher = _njit(function, cache=False)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled function."""
        if self._ran:
            return self._run(*args, **kwargs)
        with _ctrl_c_waits():
            found = self._run(*args, **kwargs)
            self._ran = True
        return found

    def _run(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return self.dispatcher(*args, **kwargs)
        except OSError:  # only the cache touches files, and it does so before the code first runs
            self.dispatcher = _njit(self.function, cache=False)
            return self.dispatcher(*args, **kwargs)


def _njit(function: Callable[P, R], *, cache: bool) -> Callable[P, R]:
    numba: Any = importlib.import_module("numba")
    # Division follows the machine (no check for zero): every divisor is a validated constant.
    decorate = numba.njit(cache=cache, nogil=True, error_model="numpy")
    return cast("Callable[P, R]", decorate(function))


@functools.cache
def _compiled(function: Any) -> Any:
    return Compiled(function)


def compiled(function: Callable[P, R]) -> Compiled[P, R]:
    """The compiled form of `function`: the same object for each call with the same function."""
    return cast("Compiled[P, R]", _compiled(function))


def read_only(array: NDArray[S]) -> NDArray[S]:
    """A contiguous read-only view of an array, or of a contiguous copy.

    numba compiles a function anew for arrays that are not writable: passing this for what is only
    read makes one form serve both.
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
