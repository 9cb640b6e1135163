"""One audit, in the process that `audits` gives it: its cells and modules as JSON on stdout.

What is run is watched from before the auditor is loaded, so that it imports none of it above.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys

from examples.audits.rests import rests, watch

_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


def main() -> None:
    """Audit the case of a name with a command that can be run."""
    ctypes.CDLL(None).prctl(_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    os.environ["PYTHONWARNINGS"] = "ignore"  # of the packages, on stderr
    name, command, n, level = sys.argv[1:5]
    files = watch()
    one = importlib.import_module("examples.audits.one")
    cells = one.answered(name, command, int(n), float(level))
    passed, loaded = rests(files)
    json.dump({"cells": cells, "passed": passed, "loaded": loaded}, sys.stdout)


if __name__ == "__main__":
    main()
