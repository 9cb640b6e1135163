"""One run of Coq for both questions about a mechanism: its theorems, and its statement's bytes.

Loading the theory and finding what theorems rest on takes most of the time of either. Whoever asks
about the statement (`reflection`) waits until the theorems are printed, and whoever prints them
(`kernel`) waits until the certificate is found. What Coq refuses in one run is asked apart.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")

MOST_TEXT = 1 << 17
"""The most characters of theorems with which the question about the statement is compiled."""

NAME = "StatementRead"
"""The Coq module that holds the question about the statement, among the theorems."""

IMPORTS = """From Coq Require Import ZArith String List.
From LDP Require Import ReflectFactors ReflectStatement ReflectChecker.
Import ListNotations.
"""
"""The imports with which the text of the question begins."""

BESIDE = "generated/reflected.v"
"""The file that the question would be if it were asked alone."""

PATIENCE_S = 2.0
"""Seconds that the theorems wait for the question, at most."""

_LOOK_S = 0.1


class SharedRun:
    """Pass the statement's text and Coq's output between the two threads that share a run.

    Attributes:
        stop: once it is set nobody waits any more, and Coq is stopped.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._text: Future[str] = Future()
        self._printed: Future[str | None] = Future()

    def ask(self, text: str) -> str | None:
        """Hand over a text and return what Coq printed about it; None if it must be asked apart.

        Args:
            text: a Coq file; empty where there is nothing to ask.
        """
        self._text.set_result(text)
        return _waited(self._printed, self.stop) if text else None

    def text(self) -> str:
        """Return the text to compile behind the theorems; empty if there is none."""
        return _waited(self._text, self.stop, PATIENCE_S) or ""

    def tell(self, printed: str | None) -> None:
        """Say what Coq printed about the text, or that it is to be asked apart; the first counts.

        Args:
            printed: the output of coqc; None where it is to be asked apart.
        """
        if not self._printed.done():
            self._printed.set_result(printed)


def _waited(future: Future[T], stop: threading.Event, limit: float = math.inf) -> T | None:
    end = time.monotonic() + limit
    while not stop.is_set() and time.monotonic() < end:
        with contextlib.suppress(TimeoutError):
            return future.result(_LOOK_S)
    return None


def placed(text: str) -> str:
    """The text as a module behind others: what it imports comes before it.

    Args:
        text: a Coq file that begins with `IMPORTS`.
    """
    body = text.removeprefix(IMPORTS)
    return f"\n{IMPORTS}\nModule {NAME}.\n{body}\nEnd {NAME}.\n\nPrint {NAME}.answers.\n"
