"""The fork server: started before any target loads, it makes one clean process for each start.

It holds nothing of a target, and no generator of random numbers that a copy could repeat: what a
process is forked from is an interpreter with this package's few modules. `python -m` is not used,
so that no file of the working directory can stand for one of them.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys

from ldp_verified.check.audit.targets import called, worker

__all__ = ["called", "main"]

STATUS = struct.Struct(">q")
ALIVE = -1
START, POLL, END = b"S", b"P", b"E"


def main(descriptor: int) -> None:
    """Start, watch and end processes as the audit says, until it closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    pid = 0
    try:
        while True:
            word, passed, _, _ = socket.recv_fds(control, 1, 3)
            if not word:
                return
            if word == START:
                pid = os.fork()
                if pid == 0:
                    control.close()
                    _work(*passed)
                for each in passed:
                    os.close(each)
                control.sendall(STATUS.pack(pid))
            else:
                status = _poll(pid) if word == POLL else _end(pid)
                pid = pid if status == ALIVE else 0
                control.sendall(STATUS.pack(status))
    except OSError:
        return  # the audit has ended, and nobody reads an answer
    finally:
        _end(pid)


def _poll(pid: int) -> int:
    if not pid:
        return 0
    found, status = os.waitpid(pid, os.WNOHANG)
    return status if found else ALIVE


def _end(pid: int) -> int:
    """Kill a process and all that is in its session, and return its status."""
    if not pid:
        return 0
    status = _poll(pid)
    for kill in (os.killpg, os.kill) if status == ALIVE else (os.killpg,):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return status if status != ALIVE else os.waitpid(pid, 0)[1]


def _work(requests: int, answers: int, sink: int) -> None:
    try:
        worker.confine(sink)
        worker.serve(worker.Channel(requests, answers))
    except BaseException:
        os._exit(1)
    # Its own end: what a target has asked to be done at exit belongs to what it does.
    sys.exit(0)
