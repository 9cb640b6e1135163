"""One seed for the whole run, printed at its head and with every failure, to replay it by."""

from __future__ import annotations

import os
import secrets
import zlib
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import numpy as np
import pytest

from release.manifest import lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    ShowLargest = Callable[[str, Fraction | int], None]

pytest_plugins = ["tests.evidence"]

ROOT = Path(__file__).resolve().parents[1]
PROOFS = ROOT / "proofs"
LARGEST = "largest "
SEED_VARIABLE = "LDP_VERIFIED_SEED"

# No deadline: the machine may be busy, and a slow example is not a wrong one.
hypothesis.settings.register_profile("repository", deadline=None, print_blob=True)
hypothesis.settings.load_profile("repository")


def pytest_configure() -> None:
    """Draw the run's seed unless the environment gives one; worker processes inherit it.

    Raises:
        pytest.UsageError: texts of proofs are not there, or not those of the manifest.
    """
    if lacks := lacking(PROOFS):
        raise pytest.UsageError(f"{len(lacks)} texts of proofs lack, {lacks[0]} first: make proofs")
    os.environ.setdefault(SEED_VARIABLE, str(secrets.randbits(64)))


def pytest_report_header() -> str:
    """Say at the head of the run how to replay it."""
    return f"replay with {SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Print the run's seed with each failure."""
    report = yield
    if report.failed:
        report.sections.append(("seed", f"{item.nodeid}: {pytest_report_header()}"))
    return report


@pytest.fixture
def show_largest(record_property: Callable[[str, object], None]) -> ShowLargest:
    """Call with a name and a number: the end of the run shows each name's largest number."""

    def show(name: str, value: Fraction | int) -> None:
        record_property(LARGEST + name, str(Fraction(value)))

    return show


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the largest of what the tests of all worker processes have measured."""
    largest: dict[str, Fraction] = {}
    for report in chain.from_iterable(terminalreporter.stats.values()):
        for name, value in getattr(report, "user_properties", ()):
            if name.startswith(LARGEST):
                largest[name] = max(Fraction(value), largest.get(name, Fraction(0)))
    if largest:
        terminalreporter.section("largest of what was measured")
    for name, value in sorted(largest.items()):
        shown = value if value.denominator == 1 else f"{float(value):.2g}"
        terminalreporter.write_line(f"{name.removeprefix(LARGEST)}: {shown}")


@pytest.fixture(scope="session")
def run_seed() -> int:
    """The run's seed: fresh each time unless LDP_VERIFIED_SEED is set."""
    return int(os.environ[SEED_VARIABLE])


@pytest.fixture
def seed(run_seed: int, request: pytest.FixtureRequest) -> int:
    """This test's own seed: a function of the run's seed and the test's name, not the order."""
    own = np.random.SeedSequence([run_seed, zlib.crc32(request.node.nodeid.encode())])
    return int(own.generate_state(1, np.uint64)[0])


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A generator seeded by `seed`."""
    return np.random.default_rng(seed)
