"""Ctrl-C, also where it comes out as another error.

An interrupt while an extension module is being initialised ends as an `ImportError`, and one in
somebody's callback as whatever that makes of it. So the signal is noted when it comes.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, NoReturn

from ldp_verified.errors import LdpError, chained

if TYPE_CHECKING:
    from types import FrameType

_seen: list[int] = []


def listen() -> None:
    """Note every Ctrl-C from now on, if it is not ignored and nobody else waits for it."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, note)


def note(number: int, frame: FrameType | None) -> NoReturn:
    """Note a signal, and interrupt the program: a handler of signals.

    Args:
        number: of the signal. frame: where the program was.

    Raises:
        KeyboardInterrupt: always.
    """
    del frame
    _seen.append(number)
    raise KeyboardInterrupt


def interrupted(error: BaseException) -> bool:
    """Return whether an error that ended a command is one of an interrupt.

    After a signal every fault is taken for its consequence. What this package refuses is not, such
    as a file that an interrupted audit cannot write, unless an import failed on the way there.

    Args:
        error: that was raised, with what it came from.
    """
    chain = chained(error)
    if any(isinstance(each, KeyboardInterrupt) for each in chain):
        return True
    lost = not isinstance(error, LdpError) or any(isinstance(each, ImportError) for each in chain)
    return bool(_seen) and lost
