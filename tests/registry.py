"""Register which tests cover which classes: written at the tests, asked by the matrix of all.

`covers` stands directly above a test and says of which classes it shows what; a test that is
removed takes its entries with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

RANGE = "a Hypothesis test over its whole range of parameters"
SAMPLER = "an exhaustive check of its sampler"

COVERED: dict[str, dict[str, list[str]]] = {RANGE: defaultdict(list), SAMPLER: defaultdict(list)}
"""What -> class -> the tests that show it, of all test modules that have been imported."""


def covers(what: str, *names: str) -> Callable[[Test], Test]:
    """Say that a test shows something of the classes with these names.

    Raises:
        ValueError: it says of none of them.
    """
    if not names:
        raise ValueError("a test that covers nothing")

    def noted(test: Test) -> Test:
        for name in names:
            COVERED[what][name].append(f"{test.__module__}.{getattr(test, '__name__', '')}")
        return test

    return noted
