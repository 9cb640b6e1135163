"""A strict type checker refuses what no user can hold, and lets pass what users hold."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ldp_verified import protocols
from ldp_verified.errors import DomainError
from tests.mechanisms.parameters import CLASSES

ROOT = Path(__file__).resolve().parents[2]

HEAD = """import numpy as np

from ldp_verified import GRR, Duchi, Laplace
from ldp_verified.protocols import (
    BoxWavelet, DuchiVector, JointTables, KeyValueResponse, PaddedResponse, ParityTables,
    PrefixExtending, RangeTree, SampleOne, TextSketch,
)
from ldp_verified.run.mechanisms import HashCohorts

made = GRR(1.0, 4)
named = GRR(1.0, 2, categories=("a", "b"))
pairs = KeyValueResponse(1.0, 5, 2, (-1.0, 1.0))
joint = JointTables(1.0, {"a": ("x", "y"), "b": 3})
strings = TextSketch(HashCohorts(1.0, 1 << 16, 5))
mixed = {"a": ["x"], "b": [2]}
"""

RIGHT = """made.privatize(1)
made.privatize([1, 2])
made.privatize((np.int64(1), 2))
made.privatize(range(4))
made.privatize(np.array([1, 2]))
made.privatize([made.labels[0]])
named.privatize("a")
named.privatize(["a", "b"])
named.privatize(np.array(["a", "b"]))
Duchi(1.0).privatize(0.5)
Duchi(1.0).privatize([1, 0.5])
Laplace(1.0).privatize(np.array([0.5, 1.0]))
PrefixExtending(4.0).privatize(["word"])
PrefixExtending(4.0, 20).privatize([3])
RangeTree(1.0, 8).privatize([3])
BoxWavelet(1.0, (4, 3)).privatize([(3, 2)])
SampleOne(1.0, (2, 3)).privatize([[0, 2]])
SampleOne(1.0, (2, 3)).privatize(np.array([[0, 2]]))
joint.privatize({"a": ["x"], "b": [2]})
joint.privatize(mixed)
ParityTables(1.0, ("a", "b"), 2).privatize({"a": [0, 1], "b": [1, 1]})
PaddedResponse(1.0, 5, 2).privatize([[0, 1], []])
PaddedResponse(1.0, 5, 2).privatize([{0, 1}, set()])
pairs.privatize([{0: 0.5, 3: 1}])
DuchiVector(1.0, 3, (-1.0, 1.0)).privatize([[0.5, 0.5, 1]])
DuchiVector(1.0, 3, (-1.0, 1.0)).privatize(np.zeros((2, 3)))
strings.privatize(["a", "b"])
"""

WRONG = """made.privatize(3.5)
made.privatize(object())
made.privatize({"a": 1})
made.privatize([0.5])
made.privatize(None)
made.privatize([None])
made.privatize({1, 2})
made.privatize(np.zeros(3))
made.privatize([[1]])
named.privatize({"a": 1})
named.privatize(object())
Duchi(1.0).privatize("0.5")
Duchi(1.0).privatize(object())
Laplace(1.0).privatize({"a": 0.5})
PrefixExtending(4.0).privatize(3.5)
RangeTree(1.0, 8).privatize(["a"])
BoxWavelet(1.0, (4, 3)).privatize([3])
SampleOne(1.0, (2, 3)).privatize(object())
SampleOne(1.0, (2, 3)).privatize([0, 1])
joint.privatize([0, 1])
joint.privatize(object())
PaddedResponse(1.0, 5, 2).privatize([3])
pairs.privatize([3])
pairs.privatize({0: 0.5})
DuchiVector(1.0, 3, (-1.0, 1.0)).privatize(0.5)
strings.privatize([3])
"""


def test_a_strict_checker_tells_them_apart(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(HEAD + RIGHT + WRONG)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "c"), "use.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (HEAD + RIGHT + WRONG).splitlines()
    refused = {int(n) for n in re.findall(r"use\.py:(\d+): error: ", done.stdout)}
    first = len(lines) - len(WRONG.splitlines()) + 1
    assert refused == set(range(first, len(lines) + 1)), done.stdout + done.stderr
    assert "errors in 1 file" in done.stdout


def test_what_types_say_is_what_runs() -> None:
    names: dict[str, object] = {}
    exec(HEAD, names)
    for line in RIGHT.splitlines():
        exec(line, names)
    for line in WRONG.splitlines():
        with pytest.raises(DomainError):
            exec(line, names)


def test_no_class_takes_anything() -> None:
    classes = [*CLASSES.values(), *(getattr(protocols, name) for name in protocols.__all__)]
    taking = [each for each in classes if hasattr(each, "privatize")]
    assert len(taking) > 60
    for each in taking:
        _own, first, *_more = inspect.signature(each.privatize).parameters.values()
        assert first.annotation not in ("Any", "object", first.empty), each
