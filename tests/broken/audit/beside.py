"""Targets whose reports are private (eps = 1) and that tell the value beside them."""

from __future__ import annotations

import logging
import os
import sys
import time

from tests.broken.audit.ending import told

LOG = logging.getLogger("client")
HANDLER = logging.StreamHandler()
LOG.addHandler(HANDLER)
LOG.setLevel(logging.INFO)


def logs(value: int) -> int:
    """A log record with a time and the private value."""
    HANDLER.setStream(sys.stderr)
    LOG.info("%s sent value=%d", time.time_ns(), value)
    return told(value)


def writes(value: int) -> int:
    """One value prints a longer line, past Python's own streams."""
    os.write(1, b"done" + b"." * (value == 2) + b"\n")
    return told(value)


def logs_reports(value: int) -> int:
    """The clean twin: a time and the report, which is private."""
    report = told(value)
    os.write(2, f"{time.time_ns()} sent report={report}\n".encode())
    return report


def silent(value: int) -> int:
    """Nothing is written."""
    return told(value)
