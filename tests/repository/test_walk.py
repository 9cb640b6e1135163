"""How many modules a newcomer reads on the two walks: from a value to a report, and to a verdict.

Modules are counted that a call passes through, not those that are imported. The aims were 6, which
is reached, and 25, which is not. The numbers may not grow. A verdict passes through 89 or 90, by
the points that are drawn; the last that came notes what a file makes (`language.declarations`).
"""

from __future__ import annotations

import subprocess
import sys

import pytest

COUNT = """
import sys
seen = set()
def look(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("ldp_verified."):
        seen.add(name)
{first}
sys.setprofile(look)
{call}
sys.setprofile(None)
print(*sorted(seen))
"""
WALKS = {
    "a report": (
        "from ldp_verified import GRR\nmade = GRR(1.0, k=4)\nmade.privatize([0, 1])",
        "made.privatize([0, 1])",
        6,
    ),
    "a verdict": (
        "from ldp_verified.language import load; from ldp_verified.prove import verify",
        "verify(*load('grr'))",
        90,
    ),
}


def passed_through(first: str, call: str) -> list[str]:
    """The modules that a call passes through, in a process of its own."""
    command = [sys.executable, "-c", COUNT.format(first=first, call=call)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_passes_through_no_more_modules(walk: str) -> None:
    first, call, most = WALKS[walk]
    found = passed_through(first, call)
    assert 0 < len(found) <= most, found


def test_a_module_more_is_counted() -> None:
    first, call, _ = WALKS["a report"]
    more = f"{call}\nfrom ldp_verified.scalars import is_integer\nis_integer(1)"
    assert len(passed_through(first, more)) == len(passed_through(first, call)) + 1
