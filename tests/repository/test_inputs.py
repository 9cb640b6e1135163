"""The inputs of a test are found in the sources, rather too many than too few."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inputs import Checkout
from tests.one_mechanism import of_one_mechanism

ROOT = Path(__file__).resolve().parents[2]
LAZY = """import importlib

def __getattr__(name):
    return getattr(importlib.import_module("ldp_verified.large"), name)
"""


def checkout(root: Path, **files: str) -> Checkout:
    """A checkout with these files: `a__b` is a/b.py."""
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for folder in ("ldp_verified", "tests", "ldp_verified/part"):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "__init__.py").touch()
    (root / "proofs").mkdir()
    (root / "proofs/list.txt").write_text("one")
    (root / "proofs/other.vo").write_text("made by a tool")
    (root / "docs").mkdir()
    (root / "docs/page.md").write_text("a page")
    (root / "docs/opened.md").write_text("a page")
    (root / "README.md").write_text("read me")
    (root / "tests/seen/old").mkdir(parents=True)
    (root / "tests/seen/old/one.dat").write_text("data")
    (root / "tests/seen/note.txt").write_text("data")
    (root / "ldp_verified/words.txt").write_text("data of the package")
    return Checkout(root)


SEEN = {
    "import ldp_verified.a": {"ldp_verified/a.py"},
    "from ldp_verified import a": {"ldp_verified/a.py"},
    "from ldp_verified.a import thing": {"ldp_verified/a.py"},
    "from ldp_verified.part import *": {"ldp_verified/part/__init__.py"},
    "def test():\n    from ldp_verified import a": {"ldp_verified/a.py"},
    "from . import helper": {"tests/helper.py"},
    "from .helper import thing": {"tests/helper.py"},
    "from tests import helper as h": {"tests/helper.py", "ldp_verified/b.py"},
    "from ldp_verified.b import c": {"ldp_verified/b.py", "ldp_verified/a.py"},
    "NAME = 'ldp_verified.a.thing'": {"ldp_verified/a.py"},
    "CODE = 'import sys; from ldp_verified.a import b'": {"ldp_verified/a.py"},
    "f(f'ldp_verified.part.{name}')": {"ldp_verified/part/inner.py"},
    "f('-m', 'ldp_verified')": {"ldp_verified/a.py", "ldp_verified/part/inner.py"},
    "P = ROOT / 'proofs'": {"proofs/list.txt"},
    "P = ROOT / 'proofs/list.txt'": {"proofs/list.txt"},
    "P = ROOT / 'docs' / 'page.md'": {"docs/page.md"},
    "P = ROOT / 'README.md'": {"README.md"},
    "P = ROOT / 'ldp_verified'": {"ldp_verified/a.py"},
    "import subprocess": {"ldp_verified/a.py", "ldp_verified/part/inner.py", "proofs/list.txt"},
    "import os\nos.execv('x', [])": {"ldp_verified/a.py", "proofs/list.txt"},
    "from ldp_verified import starts": {"ldp_verified/a.py", "ldp_verified/part/inner.py"},
    "from ldp_verified import reads": {"proofs/list.txt"},
    "from ldp_verified import opens": {"docs/opened.md"},
    "from ldp_verified import makes": {"ldp_verified/part/inner.py"},
    "": {"ldp_verified/words.txt"},
    "P = HERE / 'one.dat'": {"tests/seen/old/one.dat"},
    "P = HERE / 'seen'": {"tests/seen/old/one.dat"},
    "P = f'{HERE}/seen/{name}.dat'": {"tests/seen/old/one.dat"},
    "from tests.seen import beside": {"tests/seen/note.txt"},
    "for p in HERE.rglob('*.dat'): pass": {"tests/seen/old/one.dat"},
    "import os\nos.walk(HERE)": {"tests/seen/old/one.dat"},
    "from os import walk\nwalk(HERE)": {"tests/seen/old/one.dat"},
    "import subprocess\nP = HERE / 'seen'": {"tests/seen/old/one.dat"},
    "import subprocess\nrun(HERE / 'beside.py')": {"tests/seen/beside.py"},
    "import subprocess\nrun(f'{HERE}/seen/{name}.py')": {"tests/seen/beside.py"},
    "import subprocess\nrun(HERE / 'seen' / 'test_far.py')": {"tests/seen/test_far.py"},
    "from tests.seen import runs": {"tests/seen/beside.py"},
    "P = 'examples/runs.py'": {"examples/runs.py", "examples/loaded.py"},
}
NOT_SEEN = {
    "import ldp_verified.b": {"README.md", "docs/page.md", "proofs/list.txt", "proofs/other.vo"},
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ldp_verified.a": {
        "ldp_verified/a.py"
    },
    '"""See ldp_verified.a and proofs/list.txt."""': {"ldp_verified/a.py", "proofs/list.txt"},
    "P = 'proofs of it'": {"proofs/list.txt"},
    "from ldp_verified import says": {"docs/page.md"},
    "import subprocess": {
        *("docs/page.md", "proofs/other.vo", "examples/runs.py"),
        *("tests/seen/beside.py", "tests/seen/old/one.dat"),
    },
    "from tests.seen import runs": {"tests/seen/test_far.py"},
    "from ldp_verified import speaks": {"tests/seen/old/one.dat"},
    "import ast\nP = ast.walk('another.dat')": {"tests/seen/old/one.dat", "tests/seen/note.txt"},
}


@pytest.fixture
def small(tmp_path: Path) -> Checkout:
    return checkout(
        tmp_path,
        ldp_verified__a="X = 1\n",
        ldp_verified__b="from ldp_verified.a import X\n",
        ldp_verified__starts="import subprocess\n",
        ldp_verified__reads="FOLDER = HERE / 'proofs'\n",
        ldp_verified__opens="PAGE = ROOT / 'docs/opened.md'\n",
        ldp_verified__says="MORE = 'docs/page.md says more'\n",
        ldp_verified__makes="f(f'{__name__}.part')\n",
        ldp_verified__part__inner="",
        tests__helper="import ldp_verified.b\n",
        tests__test_it="",
        ldp_verified__speaks="WORD = 'seen'\n",
        examples__runs="import loaded\n",
        examples__loaded="",
        tests__seen__beside="",
        tests__seen__runs="import subprocess\n",
        tests__seen__test_far="",
    )


@pytest.mark.parametrize("text", SEEN)
def test_what_a_test_refers_to_is_an_input(small: Checkout, text: str) -> None:
    (small.root / "tests/test_it.py").write_text(text)
    inputs = small.inputs("tests/test_it.py")
    assert {"tests/test_it.py", "tests/__init__.py", "ldp_verified/__init__.py"} <= inputs
    assert inputs >= SEEN[text]


@pytest.mark.parametrize("text", NOT_SEEN)
def test_what_it_does_not_refer_to_is_none(small: Checkout, text: str) -> None:
    (small.root / "tests/test_it.py").write_text(text)
    assert not small.inputs("tests/test_it.py") & NOT_SEEN[text]


def test_what_a_package_imports_when_asked_counts_where_it_is_asked(tmp_path: Path) -> None:
    lazy = checkout(
        tmp_path,
        ldp_verified__small="",
        ldp_verified__large="",
        ldp_verified__asks="import ldp_verified\n\nf = ldp_verified.anything\n",
        ldp_verified__hands="import ldp_verified\n\nf(ldp_verified)\n",
        tests__test_it="",
        tests__seen__beside="",
    )
    (tmp_path / "ldp_verified/__init__.py").write_text(LAZY)
    cases = {
        "from ldp_verified import anything": True,
        "from ldp_verified import asks": True,
        "from ldp_verified import hands": True,
        "from ldp_verified import *": True,
        "import ldp_verified as l": True,
        "from ldp_verified import small": False,
        "import ldp_verified.small": False,
        "import ldp_verified.small\nf = ldp_verified.small.x": False,
    }
    for text, whole in cases.items():
        (tmp_path / "tests/test_it.py").write_text(text)
        inputs = Checkout(lazy.root).inputs("tests/test_it.py")
        assert "ldp_verified/__init__.py" in inputs
        assert ("ldp_verified/large.py" in inputs) == whole, text


def test_a_mechanism_keeps_its_own_files_and_those_that_its_spec_loads(tmp_path: Path) -> None:
    load = "from ldp_verified.language import load\n"
    here = checkout(
        tmp_path,
        spec__one="Mechanism('one'); Mechanism('one_more')\n",
        spec__two=load + "Mechanism('two'); load('one')\n",
        spec__three=load + "Mechanism('three'); load(chosen)\n",
    )
    names = ("one", "one_more", "two", "three")
    proofs = {f"proofs/certificates/{name}.json" for name in names}
    specs = {f"spec/{name}.py" for name in ("one", "two", "three")}
    paths = {
        *proofs,
        *specs,
        "ldp_verified/run/mechanisms/two.py",
        "ldp_verified/run/mechanisms/ue.py",
        "a",
    }
    one = of_one_mechanism(here, paths, "one_more")
    ours = {"proofs/certificates/one.json", "proofs/certificates/one_more.json", "spec/one.py"}
    assert one == {*ours, "a", "ldp_verified/run/mechanisms/ue.py"}
    two = of_one_mechanism(here, paths, "two")
    assert two == paths - {"spec/three.py", "proofs/certificates/three.json"}
    assert of_one_mechanism(here, paths, "three") == paths
    assert of_one_mechanism(here, paths, "unknown") == paths


@pytest.fixture(scope="module")
def ours() -> Checkout:
    return Checkout(ROOT)


CHECKERS = {
    "tests/prove/test_checker.py": (
        "prove/certificates/checker.py",
        "prove/certificates/obligations.py",
        "language/forms.py",
    ),
    "tests/prove/test_verify.py": (
        "prove/smt.py",
        "prove/cvc5_process.py",
        "prove/enumeration/expand.py",
    ),
    "tests/prove/coq/test_kernel.py": ("prove/coq/kernel.py", "prove/coq/coqc.py"),
    "tests/conformance/test_decision_tree_of_classes.py": (
        "check/conformance/decision_tree.py",
        "run/kernels/grr.py",
        "run/mechanisms/olh.py",
    ),
    "tests/audit/test_isolated.py": (
        "check/audit/targets/server.py",
        "check/audit/targets/worker.py",
        "check/audit/bounds/bounds.py",
    ),
    "tests/kernels/test_draw_every_kernel.py": ("run/kernels/window.py",),
}


@pytest.mark.parametrize("test", CHECKERS)
def test_real_checkers_are_inputs_of_their_tests(ours: Checkout, test: str) -> None:
    inputs = ours.inputs(test)
    assert {f"ldp_verified/{name}" for name in CHECKERS[test]} <= inputs
    assert {
        "tests/conftest.py",
        "tests/evidence.py",
        "ldp_verified/check/audit/plugin.py",
    } <= inputs
    assert "tests/evidence.json" not in inputs
    if "prove" in test:
        assert {
            "spec/grr.py",
            "proofs/lib/Sums.v",
            "proofs/expected_theorems/LDP.Sums.txt",
        } <= inputs


def test_a_weakened_checker_changes_the_keys_of_what_it_checks_and_no_others() -> None:
    checker = "ldp_verified/prove/certificates/checker.py"
    tests = ["tests/prove/test_checker.py", "tests/kernels/test_bits.py"]
    keys = []
    for text in (None, "every claim holds"):
        here = Checkout(ROOT)
        if text:
            here.hashes[checker] = text
        keys.append([here.digest(here.inputs(test)) for test in tests])
    assert [before == after for before, after in zip(*keys, strict=True)] == [False, True]


def test_the_two_sides_do_not_depend_on_each_other(ours: Checkout) -> None:
    """A change of what proves redoes no kernel's test, nor the other way round."""
    kernels = ours.inputs("tests/kernels/test_bits.py")
    assert not any(path.startswith(("ldp_verified/prove/", "spec/")) for path in kernels)
    proofs = ours.inputs("tests/prove/test_domains.py")
    assert not any(path.startswith("ldp_verified/run/kernels/") for path in proofs)


def test_one_changed_byte_changes_the_digest(small: Checkout) -> None:
    paths = ["ldp_verified/a.py", "proofs/list.txt", "gone.txt"]
    before = small.digest(paths, "tools")
    assert len(before) == 32
    assert small.digest(paths, "other tools") != before
    assert small.digest(paths[:2], "tools") != before
    (small.root / "proofs/list.txt").write_text("two")
    assert Checkout(small.root).digest(paths, "tools") != before
