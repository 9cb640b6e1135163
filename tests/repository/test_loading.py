"""A program that randomizes and aggregates loads some modules, and never loads others."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SYMBOLIC = (
    "sympy",
    *(f"ldp_verified.{folder}" for folder in ("language", "derive", "prove", "generate")),
)
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
MANY_VALUES = """\
import ldp_verified
for mechanism in (
    ldp_verified.BinaryRR(1.0), ldp_verified.GRR(1.0, 4), ldp_verified.OUE(1.0, 4),
    ldp_verified.OLH(1.0, 4),
):
    reports = mechanism.privatize([0, 1, 1, 0] * 99)
    mechanism.aggregate(reports).estimate().interval(0.9)
    mechanism.realized_epsilon, mechanism.ideal.variance(9, 0.5), mechanism.pmf(reports.data[0], 1)
"""


def loaded(program: str, names: tuple[str, ...] = HEAVY) -> list[str]:
    """Return which of these modules a fresh process has loaded after the program."""
    tail = f"\nimport json, sys\nprint(json.dumps([m for m in {names} if m in sys.modules]))"
    command = [sys.executable, "-c", program + tail]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


def test_importing_and_randomizing_one_value_loads_nothing_heavy() -> None:
    assert loaded(ONE_VALUE) == []


def test_nothing_symbolic_is_loaded_to_randomize_aggregate_and_estimate() -> None:
    assert loaded(MANY_VALUES, SYMBOLIC) == []
    assert loaded("import ldp_verified.derive", SYMBOLIC) == list(SYMBOLIC[:3])


@pytest.mark.parametrize("name", ["sympy", "scipy"])
def test_a_heavy_import_is_seen(name: str) -> None:
    assert loaded(f"import {name}") == [name]
