"""The fork server ends its process when the audit is gone, however it went."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time

import pytest

from ldp_verified.check.audit.targets import server
from ldp_verified.check.audit.targets.makers import _START


@pytest.mark.parametrize("unread", [False, True])
def test_the_process_of_a_target_does_not_outlive_the_audit(unread: bool) -> None:
    """With an answer unread the socket is reset, not closed; no traceback is written either way."""
    ours, theirs = socket.socketpair()
    requests, asking = os.pipe()
    answers, answering = os.pipe()
    sink = os.open(os.devnull, os.O_WRONLY)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(theirs.fileno()), json.dumps(sys.path)],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
    try:
        socket.send_fds(ours, [server.START], [requests, answering, sink])
        found = ours.recv(server.STATUS.size, socket.MSG_WAITALL)
        (pid,) = server.STATUS.unpack(found)
        os.kill(pid, 0)
        if unread:
            ours.sendall(server.POLL)
            select.select([ours], [], [], 60.0)
        ours.close()
        _, written = process.communicate(timeout=60)
        assert written == b""
        for _ in range(1000):
            if not alive(pid):
                break
            time.sleep(0.01)
        assert not alive(pid)
        assert process.returncode == 0
    finally:
        process.kill()
        for each in (requests, asking, answers, answering, sink):
            os.close(each)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
