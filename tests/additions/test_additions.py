"""A mechanism, checker or declared protocol in two files, a claim in three, a form in six."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.repository.test_catalogue import ROOT
from tests.repository.test_layers import lint

HERE = Path(__file__).parent
MOST = {"mechanism": 2, "claim": 3, "form": 6, "checker": 2, "protocol": 2}
"""Files that a patch may touch; what commands write from them is not counted."""

GENERATED = (
    "docs/catalogue.md: an entry",
    "docs/catalogue.html: an entry",
    "proofs/certificates/abstaining_rr.json",
    "proofs/smt/abstaining_rr.smt2",
    "either proofs/generated/abstaining_rr.v or the reason why not",
)
"""What `make generated` writes for a mechanism, by the words of the test of the catalogue."""

LACKING = """
from ldp_verified.language import load_catalogue
from tests.repository.test_catalogue import drawer_lacks, lacks
(added,) = (m for m in load_catalogue() if m.name == "abstaining_rr")
print("\\n".join([*lacks(added), *drawer_lacks("AbstainingRR")]))
"""

SPEC = """
from ldp_verified.language import LDP, Design, Mechanism, Singletons, exp, integer, real
from ldp_verified.language.claims import Guess

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
mine = Mechanism(
    "mine",
    parameters=[eps, k],
    table=Design(
        blocks=k, containing=1, together=0, structure=Singletons(k),
        inside=u / (u + k - 1), outside=1 / (u + k - 1),
    ),
    claims=[LDP(eps, tight=True), Guess(VALUE)],
)
"""


def touched(patch: Path) -> list[str]:
    """The files that a patch changes or adds."""
    return re.findall(r"^\+\+\+ b/(.+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the tree, as far as specs, package and tests go."""
    folder = tmp_path / "tree"
    for name in ("ldp_verified", "spec", "tests", "docs", "proofs", "examples", "release"):
        ignored = shutil.ignore_patterns("__pycache__", "*.patch", "golden")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


LEVELS = """
from ldp_verified.language import LDP, Levels, Mechanism, OneHot, exp, integer, real

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
more, less = u / (2 * u + 2), 1 / (2 * u + 2)
mine = Mechanism(
    "mine",
    parameters=[eps, k],
    table=Levels([more, 0.5, less], [less, 0.5, more], OneHot(k), supporting=[0]),
    claims=[LDP(VALUE, tight=True)],
)
""".replace("0.5", "1 - more - less")


def apply(name: str, folder: Path, *options: str) -> None:
    """Apply a patch; it fits the tree as it is."""
    patch = HERE / f"{name}.patch"
    assert len(touched(patch)) <= MOST[name]
    done = subprocess.run(
        ["git", "apply", *options, "--unsafe-paths", f"--directory={folder}", str(patch)],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )
    assert done.returncode == 0, done.stderr


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )


def verdicts(folder: Path, value: str, spec: str = SPEC) -> tuple[int, dict[str, Any]]:
    """(exit code, status of each kind) of the spec with a claim of this value."""
    file = folder / "mine.py"
    file.write_text(spec.replace("VALUE", value), encoding="utf-8")
    done = run(folder, "-m", "ldp_verified", "verify", str(file), "--no-coq", "--json")
    document = json.loads(done.stdout)
    (found,) = document["mechanisms"]
    return done.returncode, {each["obligation"]: each for each in found["verdicts"]}


def test_every_patch_is_counted() -> None:
    assert {path.stem for path in HERE.glob("*.patch")} == set(MOST)
    for name, most in MOST.items():
        assert 1 <= len(touched(HERE / f"{name}.patch")) <= most


def test_a_mechanism_is_a_spec_and_a_test(copy: Path) -> None:
    before = run(copy, "-c", LACKING)
    assert "ValueError" in before.stderr  # no such mechanism yet
    apply("mechanism", copy)
    written = run(copy, "-m", "ldp_verified", "generate")
    assert written.returncode == 0, written.stderr
    assert (copy / "ldp_verified/run/mechanisms/abstaining_rr.py").is_file()
    tests = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_tests("mechanism"))
    assert tests.returncode == 0, tests.stdout
    lacking = run(copy, "-c", LACKING)
    assert lacking.returncode == 0, lacking.stderr
    assert lacking.stdout.split("\n")[:-1] == list(GENERATED)


def _tests(patch: str) -> list[str]:
    return [name for name in touched(HERE / f"{patch}.patch") if name.startswith("tests/")]


def test_a_kind_of_claim_is_said_and_looked_at(copy: Path) -> None:
    apply("claim", copy)
    code, found = verdicts(copy, "u / (u + k - 1)")
    assert found["guess"]["status"] == "enumerated"
    assert found["ratio"]["status"] != "refuted"
    assert code == 3
    code, found = verdicts(copy, "1 / k")
    assert found["guess"]["status"] == "refuted"
    assert "the best guess is right with probability 3/4" in json.dumps(found["guess"])
    assert code == 1


def test_a_form_is_taken_out_and_put_back(copy: Path) -> None:
    """The form is part of the package, so its patch is undone first: then nobody knows it."""
    apply("form", copy, "--reverse")
    imported = run(copy, "-c", "from ldp_verified.language import Levels")
    assert "cannot import name 'Levels'" in imported.stderr
    assert run(copy, "-c", "import ldp_verified.prove").returncode == 0
    apply("form", copy)
    code, found = verdicts(copy, "2 * eps", LEVELS)
    assert found["tight"]["status"] == found["class_counts"]["status"] == "proved by one group"
    assert code == 3
    code, found = verdicts(copy, "eps", LEVELS)
    assert found["ratio"]["status"] == "refuted"
    assert code == 1


PAGE = """
import ldp_verified.prove
from ldp_verified.app.report.checks_page import markdown
print(markdown())
"""


def test_a_checker_is_a_file_and_a_test(copy: Path) -> None:
    assert "intervals" not in run(copy, "-c", PAGE).stdout
    apply("checker", copy)
    tests = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_tests("checker"))
    assert tests.returncode == 0, tests.stdout
    imports = lint(copy)
    assert imports.returncode == 0, imports.stdout
    row = "| intervals | intervals | walks through the declared cells"
    assert row in run(copy, "-c", PAGE).stdout
    code, found = verdicts(copy, "eps", COIN)
    assert "intervals" in found["nonnegative"]["checkers"]
    assert found["nonnegative"]["status"] == "proved by one group"
    assert code == 3


COIN = """
from ldp_verified.language import LDP, Matrix, Mechanism, exp, real

eps = real("eps", above=0)
u = exp(eps)
row = [u / (u + 1), 1 / (u + 1)]
mine = Mechanism("mine", parameters=[eps], table=Matrix([row, row[::-1]]), claims=[LDP(VALUE)])
"""


def put(folder: Path, text: str) -> None:
    """Put a module among the added checkers of a copy."""
    file = folder / "ldp_verified" / "prove" / "added" / "planted.py"
    file.write_text(f"from tests.broken import checkers\n\n{text}\n", encoding="utf-8")


def test_planted_checkers_that_lie(copy: Path) -> None:
    put(copy, "checkers.refuses_everything()")
    code, found = verdicts(copy, "eps", COIN)
    assert {each["status"] for each in found.values()} == {"open"}
    assert "grumbler refuses what certificate, smt proves" in found["ratio"]["detail"]
    assert code == 3
    file = copy / "mine.py"
    put(copy, "checkers.accepts_everything()")
    file.write_text(COIN.replace("VALUE", "eps / 2"), encoding="utf-8")
    done = run(copy, "-m", "ldp_verified", "verify", str(file), "--no-coq")
    assert done.returncode == 70
    assert "proved by: liar" in done.stderr
    put(copy, "checkers.takes_the_name('coq')")
    done = run(copy, "-m", "ldp_verified", "verify", str(file), "--no-coq")
    assert done.returncode == 70
    assert "must not be another checker's, got 'coq'" in done.stderr


def test_a_protocol_is_declared_and_decided(copy: Path) -> None:
    """Two files declare a protocol and decide its price; a class that runs it is further work."""
    before = run(copy, "-m", "ldp_verified", "verify", "range_hierarchy", "--no-coq")
    assert before.returncode == 2
    apply("protocol", copy)
    tests = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_tests("protocol"))
    assert tests.returncode == 0, tests.stdout
    found = run(copy, "-m", "ldp_verified", "verify", "range_hierarchy", "--no-coq")
    assert found.returncode == 3
    assert "transcript is eps-LDP: proved by one group" in found.stdout
    lacking = "tests/repository/test_catalogue.py::test_every_declared_protocol_is_run"
    lacks = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", lacking)
    assert lacks.returncode == 1
    assert "1 failed" in lacks.stdout
