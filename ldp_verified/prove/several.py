"""`verify` for several mechanisms: as many at a time as there are processors."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.queues import SimpleQueue
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import SpecError
from ldp_verified.prove.verify import STAGES, verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.language import Mechanism
    from ldp_verified.prove.verdicts import Verification

LOOK_S = 0.1
"""Seconds between two looks at how far the processes are."""

KILLED = "one of its processes was killed, for want of memory perhaps, so nothing was decided"

GRACE_S = 5.0
"""Seconds for a process to stop its Coq when nobody waits for it any more."""

Decide = Callable[..., "Verification"]
Asked = tuple["Sequence[Mechanism]", Decide, "SimpleQueue[tuple[int, str]]"]

_asked: Asked | None = None
"""What a process of ours was forked with: mechanisms hold functions, which no pickle takes."""


def verify_several(
    mechanisms: Sequence[Mechanism],
    *,
    coq: bool | None = None,
    points_seed: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    processes: int | None = None,
) -> list[Verification]:
    """Decide every obligation of several mechanisms, in processes of their own where there are two.

    Args:
        mechanisms: in any number.
        coq, points_seed: as in `verify`.
        progress: called with what is being done, how many stages are over and how many there are.
        processes: at most so many at a time; by default as many as this process may use processors.
            Where processes cannot be forked it is one.

    Returns:
        The verifications, in the order of the mechanisms.

    Raises:
        ParameterError, FileNotFoundError, SpecError, ContradictionError: as in `verify`. What else
            is being decided then is stopped.
        SpecError: one of the processes was killed.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    at_once = min(len(mechanisms), processes or allowed or 1)
    told = _Told(mechanisms, progress or (lambda *_: None))
    decide = partial(verify, coq=coq, points_seed=points_seed)
    if at_once < 2 or "fork" not in multiprocessing.get_all_start_methods():
        found = []
        for position, mechanism in enumerate(mechanisms):
            found.append(decide(mechanism, progress=partial(told.tell, position)))
            told.over(position)
        return found
    context = multiprocessing.get_context("fork")
    stages: SimpleQueue[tuple[int, str]] = context.SimpleQueue()
    with _forked(at_once, context, (mechanisms, decide, stages)) as pool:
        futures = {pool.submit(_verified, at): at for at in range(len(mechanisms))}
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, LOOK_S, FIRST_COMPLETED)
            while not stages.empty():
                told.tell(*stages.get())
            for future in done:
                try:
                    future.result()
                except BrokenProcessPool:
                    raise SpecError("verify", KILLED) from None
                told.over(futures[future])
        return [future.result() for future in futures]


class _Told:
    """Count the stages of all mechanisms that are over, and name the one that began last."""

    def __init__(self, mechanisms: Sequence[Mechanism], tell: Callable[[str, int, int], None]):
        self._names = [mechanism.name for mechanism in mechanisms]
        self._done = [0] * len(mechanisms)
        self._tell = tell

    def tell(self, position: int, stage: str) -> None:
        self._done[position] = max(self._done[position], STAGES.index(stage))
        self._say(f"{self._names[position]}: {stage}")

    def over(self, position: int) -> None:
        self._done[position] = len(STAGES)
        self._say(f"{self._names[position]}: decided")

    def _say(self, what: str) -> None:
        self._tell(what, sum(self._done), len(STAGES) * len(self._names))


@contextlib.contextmanager
def _forked(processes: int, context: Any, asked: Asked) -> Iterator[ProcessPoolExecutor]:
    """Processes that have what is asked; stopped when something goes wrong here."""
    others = context.active_children()
    pool = ProcessPoolExecutor(processes, context, _begin, (asked, os.getpid()))
    try:
        yield pool
    except BaseException:
        # An interrupt, so that they stop the Coq that they have started.
        for process in [each for each in context.active_children() if each not in others]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGINT)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(asked: Asked, parent: int) -> None:
    global _asked  # noqa: PLW0603  (what a forked process is given, once, before its first task)
    _asked = asked
    gc.freeze()  # what was there before is not looked through again and again
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever forked may ignore it

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(GRACE_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _verified(position: int) -> Verification:
    assert _asked is not None
    mechanisms, decide, stages = _asked
    return decide(mechanisms[position], progress=lambda stage: stages.put((position, stage)))
