"""What the core does without, and the one line that says how to install what is missing."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ldp_verified
from ldp_verified.extras import (
    EXTRAS,
    PARTS,
    MissingPackageError,
    extra_of,
    missing_package,
    needs,
)
from ldp_verified.run.aggregate.consistent import METHODS

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {"flint": "python-flint", "sklearn": "scikit-learn"}
OPTIONAL = {package for package, extra in EXTRAS.items() if extra}

IMPORT = """
import importlib, importlib.abc, importlib.util, sys

missing, names = set(sys.argv[1].split()), sys.argv[2:]

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in missing else there(name, *more)
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, type(error).__name__, error, sep="|")
"""


def failures(missing: set[str], *names: str) -> list[list[str]]:
    """The modules that cannot be imported where some packages are missing, with the error."""
    command = [sys.executable, "-c", IMPORT, " ".join(sorted(missing)), *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    return [line.split("|") for line in run.stdout.splitlines()]


def covered(name: str) -> bool:
    """Whether a module belongs to a part that needs more, or to the auditor."""
    parts = (*PARTS, "check.audit", "check.conformance")
    return any(f"{name}.".startswith(f"ldp_verified.{part}.") for part in parts)


def test_everything_else_imports_with_the_core_alone() -> None:
    names = [
        found.name
        for found in pkgutil.walk_packages(ldp_verified.__path__, "ldp_verified.")
        if not covered(found.name) and not found.name.startswith("ldp_verified._")
    ]
    assert len(names) > 150
    assert failures(OPTIONAL, *names) == []


def test_a_part_needs_what_the_table_says_and_no_more() -> None:
    for packages in set(PARTS.values()):
        parts = [f"ldp_verified.{name}" for name, needed in PARTS.items() if needed == packages]
        more = {"matplotlib", "numba", "pandas", "polars", "sklearn", "pyarrow", "sympy", "scipy"}
        assert failures(more - set(packages), *parts) == []


def test_a_missing_package_is_named_in_one_line_with_the_extra() -> None:
    for package in {package for packages in PARTS.values() for package in packages}:
        parts = [f"ldp_verified.{name}" for name, needed in PARTS.items() if package in needed]
        found = failures({package}, *parts)
        assert [line[0] for line in found] == parts
        for name, kind, message in found:
            assert kind == "MissingPackageError"
            assert message.endswith(
                f" needs {package}: pip install 'ldp-verified[{extra_for(name, package)}]'"
            ), name


def extra_for(name: str, package: str) -> str:
    """The extra that a module which needs a package is to name."""
    return extra_of(name.removeprefix("ldp_verified.")) or EXTRAS[package]


def test_the_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offered = project["optional-dependencies"]
    for package, extra in EXTRAS.items():
        name = DISTRIBUTIONS.get(package, package)
        lines = offered[extra] if extra else project["dependencies"]
        assert any(line.startswith(name) for line in lines), package
    guide = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert [extra for extra in offered if f"`[{extra}]`" not in guide] == []


def test_the_error_is_an_import_error_and_names_the_package() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"a part needs .*\[audit\]") as caught:
        needs("a part", "numpy", "no_such_package", extra="audit")
    assert isinstance(caught.value, MissingPackageError)
    assert caught.value.name == "no_such_package"
    assert missing_package(caught.value, "x") is caught.value
    assert missing_package(ValueError("x"), "x") is None
    assert missing_package(ModuleNotFoundError("x", name="somebody_elses"), "x") is None
    said = missing_package(ModuleNotFoundError("x", name="scipy.stats"), "this command")
    assert str(said) == "this command needs scipy: pip install 'ldp-verified[verify]'"


@pytest.mark.parametrize(
    ("package", "extra", "arguments"),
    [
        ("typer", "cli", ["list"]),
        ("sympy", "verify", ["derive", "grr"]),
        ("scipy", "audit", ["audit", "lib:client", "--inputs", "0..1", "--epsilon", "1"]),
        ("scipy", "audit", ["audit", "--table", "counts.csv"]),
    ],
)
def test_the_command_line_says_it_in_one_line(
    package: str, extra: str, arguments: list[str]
) -> None:
    script = IMPORT + "sys.argv = ['ldp-verified', *names]; import ldp_verified.__main__ as m\n"
    script = script.replace("for name in names:", "for name in []:") + "m.main()\n"
    command = [sys.executable, "-c", script, package, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("ldp-verified: ")
    assert run.stderr.endswith(f" needs {package}: pip install 'ldp-verified[{extra}]'\n")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("stderr", ["there", "None", "closed"])
def test_a_command_line_without_its_packages_ends_with_2(stderr: str) -> None:
    """Without a stderr it ended with a traceback that nobody saw, and with 1: refuted."""
    lines = [IMPORT, "sys.argv = ['ldp-verified', 'list']"]
    if stderr == "None":
        lines.append("sys.stderr = sys.__stderr__ = None")
    if stderr == "closed":
        lines.append("sys.stderr.close()")
    lines += ["from ldp_verified.__main__ import main", "main()"]
    command = [sys.executable, "-c", "\n".join(lines), "typer"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 2
    assert ("needs typer" in run.stderr) == (stderr == "there")


CORE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"scipy", "pyarrow", "pandas", "polars", "matplotlib"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import numpy as np
from ldp_verified import GRR, SquareWave
from ldp_verified.deploy.collect.plan_distinct import share_seen
from ldp_verified.protocols import ItemSets, padded_sampling

made = GRR(epsilon=1.0, k=3)
estimate = made.aggregate(made.privatize(np.arange(300) % 3, rng=1), simulated=True).estimate()
wave = SquareWave(epsilon=1.0, bounds=(0.0, 1.0))
state = wave.counted(simulated=True).update(wave.privatize(np.linspace(0, 1, 300), rng=2))
padded = padded_sampling(epsilon=1.0, k=4, length=2)
held = ItemSets.of([[0], [1, 2]] * 100)
sets = padded.empty(simulated=True).update(padded.privatize(held, rng=3))
calls = {
    "all others": lambda: (
        estimate.sum_of([0, 1]), estimate.contrast(0, 1), estimate.ratio(0, 1), estimate.top(2),
        estimate.held_by(0.1), estimate.interval(simultaneous=True), estimate.difference(estimate),
        [estimate.consistent(name) for name in sys.argv[1:]], estimate.rows(),
        wave.distribution(state, smooth=True).quantile(0.5), estimate._repr_html_(),
    ),
    "bounded": lambda: wave.bounded(state),
    "changed_since": lambda: estimate.changed_since(estimate),
    "distinct_at_least": estimate.distinct_at_least,
    "equal_to": lambda: estimate.equal_to([0.5, 0.25, 0.25]),
    "mean_items": lambda: padded.mean_items(sets),
    "plot": estimate.plot,
    "share_seen": lambda: share_seen(made, 1000),
    "to_arrow": estimate.to_arrow,
    "to_pandas": estimate.to_pandas,
    "to_polars": estimate.to_polars,
    "wave": lambda: wave.distribution(state),
}
for name, call in calls.items():
    try:
        call()
    except ImportError as error:
        print(name, type(error).__name__, error, sep="|")
"""

NEEDED = {
    "bounded": "scipy",
    "changed_since": "scipy",
    "distinct_at_least": "scipy",
    "equal_to": "scipy",
    "mean_items": "scipy",
    "plot": "matplotlib",
    "share_seen": "scipy",
    "to_arrow": "pyarrow",
    "to_pandas": "pandas",
    "to_polars": "polars",
    "wave": "scipy",
}
"""Call -> the package without which it is refused; those of `all others` need none."""


def test_estimates_that_need_more_than_the_core_say_so() -> None:
    """They ended in a raw ModuleNotFoundError, without a word on what to install."""
    command = [sys.executable, "-c", CORE, *METHODS, "likelihood", "least-squares"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = {line.split("|")[0]: line.split("|")[1:] for line in run.stdout.splitlines()}
    assert {name: message.split(" needs ")[1] for name, (_, message) in found.items()} == {
        name: f"{package}: pip install 'ldp-verified[{EXTRAS[package]}]'"
        for name, package in NEEDED.items()
    }
    assert {kind for kind, _ in found.values()} == {"MissingPackageError"}


def test_a_package_that_is_kept_out_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingPackageError, match=r"it needs scipy: .*\[verify\]"):
        needs("it", "scipy")
