"""Our tree keeps each habit, and each checker rejects a small tree that does not."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.repository import source, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    Checker = Callable[[Path], list[str]]

ROOT = Path(__file__).resolve().parents[2]

PROJECT = """\
[project]
dependencies = ["numpy>=2", "python-flint>=0.7"]
[project.optional-dependencies]
plot = ["matplotlib"]
[tool.mypy]
strict = true
"""
UNTYPED = """\
[[tool.mypy.overrides]]
module = "{}.*"
ignore_missing_imports = true
"""

# checker, files of a tree that keeps the habit, files that break it, breaches to be found
PLANTED: list[tuple[Checker, dict[str, str], dict[str, str], int]] = [
    (
        tree.build_junk,
        {"builder.py": "", "docs/distance.md": ""},
        {
            "ldp_verified/__pycache__/a.py": "",
            "a.pyc": "",
            "build/lib/a.py": "",
            ".mypy_cache/3.11/a.json": "",
            "kernels.nbi": "",
            "proofs/.lia.cache": "",
            "proofs/lib/Design.vos": "",
            "proofs/lib/.Design.aux": "",
            "large.csv": "x" * (tree.LARGEST_FILE + 1),
        },
        9,
    ),
    (
        tree.long_files,
        {
            "ldp_verified/a.py": "x = 1\n" * 400,
            "ldp_verified/run/mechanisms/b.py": "x = 1\n" * 500,
            "spec/c.py": "x = 1\n" * 100,
        },
        {"ldp_verified/a.py": "x = 1\n" * 401, "spec/c.py": "x = 1\n" * 121},
        2,
    ),
    (
        tree.unfinished,
        {"a.py": "# todo lists are data here\n"},
        {"a.py": "x = 1  # TODO: two\n", "b.md": "FIXME\n"},
        2,
    ),
    (
        tree.folders_of_somebody,
        {"a.md": "see docs/home/a and https://example.org/home/a and .venv/bin\n"},
        {"a.md": "see /home/ann/a\n", "b.py": "PATH = '/tmp/x'\n"},
        2,
    ),
    (
        tree.bare_suppressions,
        {"a.py": "x = f()  # type: ignore[arg-type]  # f takes None, its stub is wrong\n"},
        {
            "a.py": "x = f()  # type: ignore\n",
            "b.py": "x = f()  # type: ignore[arg-type]\n",
            "c.py": "x = f()  # noqa\n",
            "d.py": "x = f()  # noqa: E501\n",
        },
        4,
    ),
    (
        tree.spec_without_module_or_test,
        {
            "spec/a.py": "",
            "ldp_verified/run/mechanisms/__init__.py": "",
            "ldp_verified/run/mechanisms/a.py": "",
            "tests/mechanisms/test_a.py": "",
        },
        {"spec/b.py": "", "ldp_verified/run/mechanisms/c.py": ""},
        3,
    ),
    (
        tree.folders_without_mirror,
        {
            "ldp_verified/a/x.py": "",
            "ldp_verified/a/c/z.py": "",
            "ldp_verified/e/__init__.py": "",
            "ldp_verified/e/d/y.py": "",
            "tests/a/test_x.py": "",
            "tests/d/test_y.py": "",
            "tests/broken/y.py": "",
        },
        {"ldp_verified/b/x.py": "", "ldp_verified/e/f/y.py": "", "tests/c/test_x.py": ""},
        3,
    ),
    (
        tree.tests_without_module,
        {
            "ldp_verified/a/x.py": "",
            "ldp_verified/w/a/b/z.py": "",
            "tests/a/test_x.py": "",
            "tests/a/test_x_at_full_width.py": "",
            "tests/a/test_z.py": "",
            "tests/a/b/test_z.py": "",
            "tests/a/words.py": "",
            "ldp_verified/errors.py": "",
            "tests/test_errors.py": "",
            "tests/repository/test_habits.py": "",
        },
        {
            "ldp_verified/a/x.py": "",
            "tests/a/test_y.py": "",
            "tests/a/test_xy.py": "",
            "tests/test_x.py": "",
        },
        3,
    ),
    (
        tree.long_entries,
        {"CHANGELOG.md": "# Changes\n\n- One thing, said in\n  one sentence.\n- OUE: p = 0.5.\n"},
        {"CHANGELOG.md": "- One thing. And another.\n- No full stop\n"},
        2,
    ),
    (
        source.without_docstring,
        {
            "ldp_verified/a.py": '"""A."""\ndef _f(): ...\n',
            "ldp_verified/b.py": '"""B."""\ndef f():\n    """F."""\n    def g(): ...\n',
            "tests/test_a.py": "def test_f(): ...\n",
        },
        {
            "ldp_verified/b.py": "x = 1\n",
            "ldp_verified/c.py": '"""C."""\nclass C:\n    """C."""\n    def f(self): ...\n',
            "ldp_verified/d.py": '"""D."""\ndef f():\n    return 1\n',
        },
        3,
    ),
    (
        source.spec_imports,
        {"spec/a.py": "import sympy\nfrom ldp_verified.language import Design\n"},
        {
            "spec/a.py": "import numpy\n",
            "spec/b.py": "def f():\n    from ldp_verified.run.kernels import grr\n",
            "spec/c.py": "from .a import x\n",
        },
        3,
    ),
    (
        source.bare_kinds,
        {
            "ldp_verified/kinds.py": 'RATIO = "ratio"\n',
            "ldp_verified/prove/a.py": 'def f(c):\n    return {"tight": c["tight"], "k": K}\n',
            "ldp_verified/prove/b.py": 'def f(c):\n    return f"mean of {c}", "the ratio"\n',
            "ldp_verified/prove/mutation/wrong_claims.py": 'KIND = "variance"\n',
        },
        {
            "ldp_verified/prove/a.py": 'def f(o):\n    return o.kind == "ratio"\n',
            "ldp_verified/app/report/b.py": 'TEXTS = {"tight": "tight"}\n',
            "ldp_verified/check/claims/c.py": 'LAWS = ("sums_to_one",)\n',
            "ldp_verified/prove/mutation/wrong_claims.py": 'KIND = "optimal"\n',
        },
        5,
    ),
    (
        source.spec_sources,
        {"spec/a.py": '"""A.\n\n    y    P(y | x)\n    0    1\n\nAnn Author (1965), Odds.\n"""\n'},
        {
            "spec/a.py": '"""A, after Ann Author (1965)."""\n',
            "spec/b.py": '"""B.\n\n    y    P(y | x)\n    0    1\n"""\n',
        },
        2,
    ),
    (
        source.undeclared_imports,
        {
            "pyproject.toml": PROJECT,
            "ldp_verified/a.py": "import json, numpy\nfrom flint import arb\nfrom . import b\n",
            "ldp_verified/b.py": "def f():\n    import matplotlib.pyplot\n",
            "ldp_verified/c.py": "if TYPE_CHECKING:\n    import matplotlib.axes\n",
        },
        {
            "pyproject.toml": PROJECT,
            "ldp_verified/a.py": "import pandas\n",
            "ldp_verified/b.py": "import matplotlib\n",
            "ldp_verified/c.py": "def f():\n    from pandas import DataFrame\n",
        },
        3,
    ),
    (
        source.unannounced_imports,
        {
            "ldp_verified/a.py": "def f():\n    needs('f', 'scipy')\n    import scipy.stats\n",
            "ldp_verified/prove/b.py": "def f():\n    from scipy.stats import binom\n",
            "ldp_verified/c.py": "def f():\n    from flint import arb\n",
        },
        {
            "ldp_verified/run/a.py": "def f():\n    from scipy.stats import binom\n",
            "ldp_verified/run/b.py": "def f():\n    import pyarrow\n    needs('f', 'pyarrow')\n",
            "ldp_verified/prove/c.py": "def f():\n    needs('f', 'numba')\n    import pandas\n",
        },
        3,
    ),
    (
        source.skipped_tests,
        {"tests/test_a.py": "@pytest.mark.parametrize('skip', [1])\ndef test(skip): ...\n"},
        {
            "tests/test_a.py": "@pytest.mark.skipif(True, reason='x')\ndef test(): ...\n",
            "tests/test_b.py": "numba = pytest.importorskip('numba')\n",
            "tests/test_c.py": "@pytest.mark.xfail\ndef test(): ...\n",
        },
        3,
    ),
    (
        source.names_of_several_classes,
        {
            "ldp_verified/a/x.py": "class A: ...\nclass _C: ...\n",
            "ldp_verified/b/y.py": "class B: ...\nclass _C: ...\n",
        },
        {"ldp_verified/a/x.py": "class A: ...\n", "ldp_verified/b/y.py": "class A: ...\n"},
        1,
    ),
    (
        source.unseeded_tests,
        {"tests/test_a.py": "import numpy as np\nrng = np.random.default_rng(7)\n"},
        {"tests/test_a.py": "import numpy as np\nrng = np.random.default_rng()\n"},
        1,
    ),
    (
        source.unhashed_seeds,
        {
            "ldp_verified/run/kernels/seeds.py": "import numpy\nnumpy.random.default_rng(7)\n",
            "ldp_verified/run/realize/a.py": "def f(rng: np.random.Generator): word_source(rng)\n",
            "ldp_verified/check/audit/b.py": "R = np.random.Generator | None\nrng.integers(0, 3)\n",
        },
        {
            "ldp_verified/run/realize/a.py": "g = np.random.default_rng(7)\n",
            "ldp_verified/run/realize/b.py": "def f(rng): return rng.binomial(3, 0.5)\n",
            "ldp_verified/check/audit/c.py": "from numpy.random import default_rng\n",
            "ldp_verified/run/kernels/d.py": "import random\n",
            "ldp_verified/deploy/collect/e.py": "draw = getattr(np.random, name)\n",
            "ldp_verified/run/kernels/f.py": "x = isinstance(y, numpy.random.Generator)\n",
            "ldp_verified/run/kernels/g.py": "words = given.bit_generator\n",
            "ldp_verified/run/kernels/h.py": "from numpy import random as chance\n",
            "ldp_verified/run/kernels/i.py": "import numpy.random as chance\n",
        },
        9,
    ),
    (
        source.timed_tests,
        {"tests/test_a.py": "import time\ntime.sleep(0)\n"},
        {"tests/test_a.py": "import time\nassert time.perf_counter_ns() < 9\n"},
        1,
    ),
    (
        source.untyped_modules,
        {"pyproject.toml": PROJECT + UNTYPED.format("sympy")},
        {"pyproject.toml": PROJECT + UNTYPED.format("numba")},
        1,
    ),
]
CHECKERS = [checker for checker, _, _, _ in PLANTED]


def plant(root: Path, contents: dict[str, str]) -> Path:
    """Write a small tree."""
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def name_of(value: object) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("checker", CHECKERS, ids=name_of)
def test_our_tree_keeps_the_habit(checker: Checker) -> None:
    breaches = checker(ROOT)
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize("checker,kept,broken,breaches", PLANTED, ids=name_of)
def test_the_checker_accepts_and_rejects(
    checker: Checker, kept: dict[str, str], broken: dict[str, str], breaches: int, tmp_path: Path
) -> None:
    assert checker(plant(tmp_path / "kept", kept)) == []
    found = checker(plant(tmp_path / "broken", broken))
    assert len(found) == breaches, found


def test_files_that_git_ignores_are_not_looked_at(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "/out/\n", "out/a.py": "", "b.py": "", "c/d.py": ""})
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    listed = [tree.relative(path, tmp_path) for path in tree.files(tmp_path)]
    assert listed == [".gitignore", "b.py", "c/d.py"]


def test_whatever_may_make_generators_does() -> None:
    for name in source.SEEDED:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "np.random." in text or "random.Random(" in text, name


def test_every_checker_is_listed() -> None:
    checkers = {
        name
        for module in (source, tree)
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__annotations__", {}).get("return") == "list[str]"
        if not name.startswith("_")
    }
    assert checkers == {name_of(checker) for checker in CHECKERS}
