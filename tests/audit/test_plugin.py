"""The pytest plugin as a user runs it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from ldp_verified.check.audit.assertion import AuditWarning, assert_ldp
from ldp_verified.errors import ParameterError
from tests.broken.audit.targets import Client, bulk

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
import pytest
from tests.broken.audit.targets import Client

@pytest.fixture
def k():
    return 4

@pytest.mark.ldp(epsilon=1.0, inputs=range(4), n=4000)
def test_right(k):
    return Client(1.0, k).privatise

@pytest.mark.ldp(epsilon=1.0, inputs=range(4), n=4000)
def test_wrong(k):
    return Client(3.0, k).privatise

@pytest.mark.ldp(epsilon=1.0, inputs=range(4))
def test_nothing():
    pass

def test_other():
    assert True
"""


def test_marked_tests_are_audited(tmp_path: Path) -> None:
    """The right one fails with probability 1e-9; eps = 3 under a claim of 1 is always seen."""
    (tmp_path / "test_suite.py").write_text(SUITE)
    # Where the package is installed, its entry point has registered the plugin already.
    installed = entry_points(group="pytest11", name="ldp-verified")
    named = [] if installed else ["-p", "ldp_verified.check.audit.plugin"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *named, "-q"),
            *("--strict-markers", "-p", "no:cacheprovider", "--override-ini", "addopts="),
            *("-W", "error", "--rootdir", str(tmp_path), str(tmp_path)),
        ],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "claimed eps = 1" in done.stdout
    assert "must return the randomizer" in done.stdout
    assert "ldp: 1 audited and not seen to fail. LDP005 to LDP012 and" in done.stdout


def test_the_plugin_costs_other_runs_no_scipy() -> None:
    code = "import sys, ldp_verified.check.audit.plugin; sys.exit('scipy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0


def test_the_assertion_says_what_it_saw() -> None:
    with pytest.raises(AssertionError, match=r"eps >= .*claimed eps = 0.5") as failed:
        assert_ldp(Client(2.0, 3).privatise, epsilon=0.5, inputs=range(3), n=4000)
    assert "probability <= 1e-09" in str(failed.value)
    assert "seed of the inputs" in str(failed.value)


def test_the_assertion_returns_what_it_would_have_seen() -> None:
    found = assert_ldp(bulk, epsilon=1.0, inputs=[0, 1], n=20_000, bulk=True)
    assert found.resolution is not None
    assert found.resolution <= 2.0


def test_too_few_samples_warn() -> None:
    with pytest.warns(AuditWarning, match="more samples"):
        assert_ldp(Client(1.0, 2).privatise, epsilon=1.0, inputs=[0, 1], n=200)
    with pytest.raises(ParameterError):
        assert_ldp(Client(1.0, 2).privatise, epsilon=1.0, inputs=[0], n=200)


def test_a_target_that_never_reports_fails() -> None:
    def raises(_: int) -> int:
        raise ValueError("no")

    with pytest.raises(AssertionError, match="not audited: most outputs are exceptions"):
        assert_ldp(raises, epsilon=1.0, inputs=[0, 1], n=400)
    with pytest.raises(AssertionError, match="cannot be read"):
        assert_ldp(lambda _: threading.Lock(), epsilon=1.0, inputs=[0, 1], n=400)
