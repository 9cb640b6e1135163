"""Targets that write to every standard stream they can find, and at the end of the process too."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time

from tests.broken.audit.ending import told

os.write(1, b"loaded\n")
_begun: list[int] = []


def prints(value: int) -> int:
    """By every name that stdout has, and once more at the end."""
    if not _begun:
        _begun.append(value)
        atexit.register(lambda: (sys.stdout.write("bye\n"), os.write(1, b"really\n")))
    sys.stdout.write("hello\n")
    os.write(1, b"raw\n")
    original = sys.__stdout__
    assert original is not None
    original.write('{"verdict": "consistent"}\n')
    original.flush()
    return told(value)


def goes_on(value: int) -> int:
    """From a thread that nobody ends."""

    def write() -> None:
        while True:
            os.write(1, b"thread\n")
            time.sleep(0.001)

    if not _begun:
        _begun.append(value)
        threading.Thread(target=write, daemon=True).start()
    return told(value)


def leaves_a_child(value: int) -> int:
    """From a process that outlives the call."""
    if not _begun:
        _begun.append(value)
        subprocess.Popen(["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo child; sleep 0.5; done"])
    return told(value)


def says(output: object, value: object) -> bool:
    """A reading that prints."""
    sys.stdout.write("reading\n")
    return output == value
