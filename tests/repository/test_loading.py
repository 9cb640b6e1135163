"""A program that randomizes and aggregates loads some modules, and never loads others."""

from __future__ import annotations

import json
import re
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

BLOCKED = """\
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sympy", "mpmath", "z3"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
"""sympy and z3 as if they were not installed."""

ESTIMATED = """\
from ldp_verified import GRR
mechanism = GRR(1.0, 4)
reports = mechanism.privatize([0, 1, 1, 3] * 99)
estimate = mechanism.aggregate(reports).estimate()
assert len(estimate.counts) == 4 and abs(sum(estimate.counts) - 396) < 1e-6
estimate.interval(0.9)
"""
AUDITED = """\
import random
from ldp_verified.check.audit import assert_ldp
def answer(value):
    return value if random.random() < 0.75 else 1 - value
def clear(value):
    return value
assert_ldp(answer, epsilon=1.2, inputs=[0, 1], n=2000, in_process=True)
try:
    assert_ldp(clear, epsilon=1.2, inputs=[0, 1], n=2000, in_process=True)
except AssertionError:
    print("violated")
"""
NAMED = AUDITED.replace("in_process", "mechanism='grr', in_process")


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


def without_sympy(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh process in which sympy cannot be imported."""
    command = [sys.executable, "-c", BLOCKED + program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_reports_and_estimates_need_no_sympy() -> None:
    done = without_sympy(ESTIMATED)
    assert done.returncode == 0, done.stderr


def test_auditing_foreign_code_needs_no_sympy() -> None:
    """The honest answer has eps = ln 3 < 1.2: called violated with probability 1e-9 or less."""
    done = without_sympy(AUDITED)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "violated\n"


@pytest.mark.parametrize("program", [NAMED, "import ldp_verified.language"])
def test_what_reads_a_spec_does_need_it(program: str) -> None:
    done = without_sympy(program)
    assert done.returncode == 1
    assert re.search(r"No module named 'sympy'$|needs sympy: ", done.stderr, re.MULTILINE)
