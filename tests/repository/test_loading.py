"""What a program that only randomizes one value has to load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("sympy", "numba", "scipy", "pandas", "pyarrow", "matplotlib", "typer", "rich")
ONE_VALUE = """\
import ldp_verified
for mechanism in (
    ldp_verified.Warner(0.25), ldp_verified.BinaryRR(1.0), ldp_verified.GRR(1.0, 4),
    ldp_verified.SUE(1.0, 4), ldp_verified.OUE(1.0, 4), ldp_verified.OLH(1.0, 4),
    ldp_verified.BLH(1.0, 4),
):
    assert len(mechanism.privatize(1)) == 1
"""


def loaded(program: str) -> list[str]:
    """The heavy packages that a fresh process has loaded after the program."""
    tail = f"\nimport json, sys\nprint(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    command = [sys.executable, "-c", program + tail]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


def test_importing_and_randomizing_one_value_loads_nothing_heavy() -> None:
    assert loaded(ONE_VALUE) == []


@pytest.mark.parametrize("name", ["sympy", "scipy"])
def test_a_heavy_import_is_seen(name: str) -> None:
    assert loaded(f"import {name}") == [name]
