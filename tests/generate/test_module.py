"""The text of generated modules: it runs, it is tidy, and it says where it came from."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.check.conformance.own_specs import own_expectation
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate import class_name, generate
from ldp_verified.generate.module import module_text, package_text
from ldp_verified.language import Claim, Matrix, Mechanism, load, load_file
from ldp_verified.language.names import CLASS, LETTERS
from ldp_verified.prove.enumeration.expand import expand_form
from ldp_verified.prove.enumeration.table_facts import tight_ratio
from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.realize import (
    BlockRandomizer,
    CohortRandomizer,
    ColumnRandomizer,
    HashedRandomizer,
    MatrixRandomizer,
    OneHotRandomizer,
    PointRandomizer,
    RoundedTable,
    SignRandomizer,
    SingletonRandomizer,
    SubsetRandomizer,
    TableRandomizer,
)
from tests.generate.specs import ACCEPTED, HEAD, REFUSED
from tests.mechanisms.against_table import check_realized, every_report
from tests.realize import exact

ROOT = Path(__file__).resolve().parents[2]

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "another_epsilon": (1.0,),
    "p_and_q": (0.5, Fraction(1, 4), 4),
    "letters": (0.125, Fraction(1, 4)),
    "two_coins": (),
    "one_time": (0.25, 3),
    "histogram": (1.0, 3),
    "five": (1.0,),
    "triangle": (1.0,),
    "free_bits": (0.1, Fraction(2, 3), 4),
    "free_response": (0.5, 4),
    "free_hashing": (0.75, 3, 2),
    "kary": (1.0,),
    "damped": (1.0, 0.5),
    "pairs_of_four": (1.0,),
    "line_of_three": (1.0,),
    "scale": (0.25, Fraction(1, 3)),
    "low_rank": (1.0,),
    "likely_lie": (Fraction(1, 3),),
}

TABLES = {"letters", "pairs_of_four", "line_of_three", "scale", "low_rank", "likely_lie"}
"""Estimated by a left inverse."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the specs of ACCEPTED and, in `made/`, the modules generated from them."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "made").mkdir()
    for name, text in ACCEPTED.items():
        (folder / f"{name}.py").write_text(HEAD + text)
        (folder / "made" / f"made_{name}.py").write_text(generate(folder / f"{name}.py"))
    return folder


def build(folder: Path, name: str) -> Any:
    """The object of a generated class, with ARGUMENTS."""
    path = folder / "made" / f"made_{name}.py"
    description = importlib.util.spec_from_file_location(path.stem, path)
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    sys.modules[path.stem] = module  # dataclasses look it up
    description.loader.exec_module(module)
    return getattr(module, class_name(name))(*ARGUMENTS[name])


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_users_spec_becomes_a_working_class(name: str, written: Path) -> None:
    mechanism = build(written, name)
    (spec,) = load_file(written / f"{name}.py")
    assert isinstance(mechanism, TableRandomizer if name in TABLES else RoundedTable)
    if isinstance(mechanism, RoundedTable):
        size = mechanism.k
        check_realized(mechanism, spec, {"k": size, "d": size, "g": getattr(mechanism, "g", 0)})
    assert mechanism.realized_epsilon <= mechanism.epsilon
    assert mechanism.gap < 1e-12
    reports = mechanism.privatize(np.arange(100) % mechanism.k)
    assert mechanism.aggregate(reports).n == 100
    if name != "low_rank":
        assert mechanism.aggregate(reports).estimate().n == 100
    assert reports.law_hash == spec.law_hash


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_class_draws_the_spec_s_table(name: str, written: Path) -> None:
    """P(y|x) of every report against the expanded table of the spec at 60 digits."""
    mechanism = build(written, name)
    (spec,) = load_file(written / f"{name}.py")
    expected = own_expectation(mechanism, spec)
    table = expand_form(expected.form, expected.point)
    assert exact.ln(tight_ratio(table) or Fraction(1)) == pytest.approx(
        mechanism.epsilon, rel=1e-15
    )
    for x in range(mechanism.k):
        drawn = sorted(float(mechanism.pmf(y, x)) for y in every_report(mechanism))
        stated = sorted(
            float(table.probability(column, x))
            for column in table.columns
            for _ in range(column.multiplicity)
        )
        np.testing.assert_allclose(drawn, stated, rtol=1e-15)


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_sampler_in_narrow_words_draws_the_realized_table(name: str, written: Path) -> None:
    mechanism = build(written, name)
    if isinstance(mechanism, OneHotRandomizer):
        realization = next(mechanism.realizations(4))
        one, zero = realization.thresholds
        sampler = one_hot_sampler(2, one, zero, 4, lanes=2)
        law = exact_distribution(sampler, 1, 3)
    else:
        realization = next(mechanism.realizations(5))
        law = exact_distribution(mechanism.sampler(realization), 1, 3)
    cells = realized_cells(mechanism, realization, 1)
    assert law.unresolved == 0
    assert sorted(law.probabilities.values()) == sorted(cells)


def realized_cells(mechanism: Any, realization: Any, x: int) -> list[Fraction]:
    """The row of x, from the thresholds and what the base class says that they are."""
    unit, words = 2**realization.width, realization.thresholds
    if isinstance(mechanism, TableRandomizer):
        m = mechanism.outputs
        return [Fraction(each, unit) for each in words[x * m : (x + 1) * m]]
    if isinstance(mechanism, BlockRandomizer):
        return [Fraction(words[x not in block], unit) for block in mechanism.blocks]
    if isinstance(mechanism, OneHotRandomizer):  # two bits of it
        one, zero = (Fraction(each, unit) for each in words)
        return [a * b for a in (one, 1 - one) for b in (zero, 1 - zero)]
    lie = Fraction(words[0], unit)
    if isinstance(mechanism, HashedRandomizer):
        g = mechanism.buckets
        columns = mechanism.privatize(0, 1).data.shape[1]
        functions = int(g ** (columns - 1))
        return [c / functions for c in [1 - (g - 1) * lie, *[lie] * (g - 1)]] * functions
    return [1 - (mechanism.k - 1) * lie, *[lie] * (mechanism.k - 1)]


@pytest.mark.parametrize("name", sorted(LETTERS - {"n", "f"}))
def test_a_parameter_may_be_named_as_the_papers_name_it(name: str, tmp_path: Path) -> None:
    text = f'w = real("{name}", above=0, below=Rational(1, 2))\n'
    text += 'mine = Mechanism("mine", parameters=[w], table=Matrix([[1 - w, w], [w, 1 - w]]))\n'
    (tmp_path / "mine.py").write_text(HEAD + text)
    made: dict[str, Any] = {}
    exec(compile(generate(tmp_path / "mine.py"), "mine", "exec", dont_inherit=True), made)
    assert made["Mine"](0.25).epsilon == pytest.approx(np.log(3))


def test_domains_of_the_spec_are_enforced(written: Path) -> None:
    wrong: list[tuple[str, tuple[Any, ...], str]] = [
        ("free_bits", (0.5, 0.5, 4), "one: must be a number with zero < one < 1, where zero = 1/2"),
        ("free_bits", (0, 0.5, 4), "zero: must be a number with 0 < zero < 1, got 0"),
        ("free_bits", (0.1, 0.5, 2), "k: must be an integer with 3 <= k <= 1000, got 2"),
        ("free_bits", (0.1, 0.5, 1001), "k: must be an integer with 3 <= k <= 1000, got 1001"),
        ("free_response", (0.25, 4), "keep: must be a number with 1/k < keep < 1, where k = 4"),
        ("free_hashing", (0.5, 3, 65), "g: must be an integer with 2 <= g <= 64, got 65"),
        ("scale", (0.5, 0.5), "r: must be a number with 0 < r < 1 - h, where h = 1/2"),
        ("scale", (True, 0.5), "h: must be a number with 0 < h < 1, got True"),
        ("damped", (8.5, 0.5), "eps: must be a number with 0 < eps <= 8, got 8.5"),
        ("damped", (1.0, 0), "a: must be a number with 0 < a <= 1, got 0"),
        ("damped", (0.0, 1), "eps: must be a number > 0 and finite, got 0.0"),
        ("p_and_q", (0.25, 0.5, 4), "q_: must be a number with 0 < q_ < p_, where p_ = 1/4"),
        ("another_epsilon", (0,), "epsilon_: must be a number > 0 and finite, got 0"),
        ("likely_lie", (1,), "x: must be a number with 0 < x < 1, got 1"),
    ]
    for name, arguments, message in wrong:
        made = type(build(written, name))
        with pytest.raises(ParameterError) as caught:
            made(*arguments)
        assert message in str(caught.value)


def test_one_table_that_lies_half_the_time_says_nothing(written: Path) -> None:
    even = type(build(written, "likely_lie"))(0.5)
    assert even.epsilon == even.realized_epsilon == 0
    assert even.oracle.no_estimator == "the 2 x 2 table has rank 1 < 2"


def test_epsilon_is_the_loss_of_the_table(written: Path) -> None:
    # Each histogram bit at e^(eps/2): the whole report then has the claimed epsilon.
    assert float(build(written, "histogram").q) == pytest.approx(1 / (1 + np.exp(0.5)), rel=1e-15)
    assert build(written, "two_coins").epsilon == pytest.approx(np.log(3), rel=1e-15)
    assert build(written, "one_time").epsilon == pytest.approx(2 * np.log(7), rel=1e-15)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_generated_text_is_tidy_and_typed(written: Path) -> None:
    folder, config = str(written / "made"), str(ROOT / "pyproject.toml")
    for command in (
        ("ruff", "check", "--no-cache", "--config", config, folder),
        ("ruff", "format", "--no-cache", "--check", "--config", config, folder),
        ("mypy", "--config-file", config, folder),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_head_states_command_input_and_tools() -> None:
    text = generate("grr")
    digest = hashlib.sha256((ROOT / "spec" / "grr.py").read_bytes()).hexdigest()
    lines = text.splitlines()
    assert lines[0] == "# Command: ldp-verified generate grr"
    assert lines[1:3] == ["# Input: spec/grr.py", f"# sha256 of the input: {digest}"]
    assert lines[3].startswith("# Tools: ldp-verified ")
    assert f'law_sha256: ClassVar[str] = "{load("grr")[0].law_hash}"' in text


def test_the_contract_states_table_support_variance_and_proofs() -> None:
    text = generate("oue")
    for part in (
        "one  = 1/2: the probability that the value's own bit is 1",
        "zero = 1/(u + 1): the probability that any other bit is 1",
        "p* = one, q* = zero",
        "n (4*u/(u - 1)^2 + f)",
        "`ldp-verified verify oue`",
        "proofs/certificates/oue.json",
        "optimal; unbiased and variance for free cells",
    ):
        assert " ".join(part.split()) in " ".join(text.split())


def test_a_users_file_is_named_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + ACCEPTED["five"])
    text = generate(path)
    assert "ldp-verified generate mine.py" in text
    assert str(tmp_path) not in text
    assert "certificate" not in text


def test_a_mechanism_stands_for_its_whole_file() -> None:
    text = generate("blh")
    assert text.startswith("# Command: ldp-verified generate olh\n")
    assert text.index("class OLH(HashedRandomizer)") < text.index("class BLH(HashedRandomizer)")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grr", "GRR"),
        ("warner", "Warner"),
        ("binary_rr", "BinaryRR"),
        ("two_coins", "TwoCoins"),
        ("hcms", "HCMS"),
        ("subset_selection", "SubsetSelection"),
    ],
)
def test_class_names(name: str, expected: str) -> None:
    assert class_name(name) == expected


def test_a_long_catalogue_is_wrapped() -> None:
    names = [(f"mechanism_{i}", [f"mechanism_{i}"]) for i in range(9)]
    text = package_text(names)
    assert max(map(len, text.splitlines())) <= 100
    space: dict[str, Any] = {}
    exec(text[text.index("__all__") :], space)
    assert space["__all__"] == [f"Mechanism{i}" for i in range(9)]


def test_what_comes_from_no_file_or_from_two_is_refused() -> None:
    (grr,), (sue,) = load("grr"), load("sue")
    homeless = Mechanism("homeless", parameters=[], table=Matrix([[1, 0], [0, 1]]))
    for mechanisms in ([], [grr, sue], [homeless]):
        with pytest.raises(SpecError, match="one spec file"):
            module_text(mechanisms)


@pytest.mark.parametrize("title", ['a """ b', "a \\ b", "a\nb"])
def test_a_title_cannot_break_out_of_its_docstring(title: str, tmp_path: Path) -> None:
    path = tmp_path / "titled.py"
    text = ACCEPTED["two_coins"].replace('"two_coins",', f'"two_coins", title={title!r},')
    path.write_text(HEAD + text)
    with pytest.raises(SpecError, match="title"):
        generate(path)


def test_no_spec_no_text(tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        generate(tmp_path / "missing.py")
    path = tmp_path / "refused.py"
    path.write_text(HEAD + REFUSED["swapped"][0])
    with pytest.raises(SpecError, match="no numeric side"):
        generate(path)


USER = """from fractions import Fraction

from made import FreeBits, LineOfThree, Scale

line = LineOfThree(epsilon=1.0)
counts = line.aggregate(line.privatize([0, 1, 2])).estimate().counts
total: float = float(counts.sum()) + float(line.variance(10, [0.5, 0.25, 0.25]).sum())
bits = FreeBits(zero=Fraction(1, 10), one=0.5, k=5).variance(10, 0.5)
low, high = Scale(h=0.25, r=0.25).empty().estimate().interval()
assert abs(counts.sum() - 3) < 1e-9, total
"""


def test_a_users_project_is_typed_and_runs_without_sympy(tmp_path: Path) -> None:
    """The generated module and a few lines of the user's own, in a folder with nothing else."""
    spec = tmp_path / "made.spec.py"
    parts = [ACCEPTED[name] for name in ("free_bits", "line_of_three", "scale")]
    spec.write_text(HEAD + "\n".join(parts))
    project = tmp_path / "project"
    project.mkdir()
    (project / "made.py").write_text(generate(spec))
    (project / "use.py").write_text(USER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    loaded = "import sys, use; assert not {'sympy', 'scipy'} & set(sys.modules), 'symbolic'"
    for command in (
        ("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "made.py", "use.py"),
        ("ruff", "check", "--isolated", "--no-cache", "made.py"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [sys.executable, "-c", loaded],
        cwd=project,
        env={**environment, "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_parameter_can_hide_an_attribute_of_its_class() -> None:
    for base in (
        BlockRandomizer,
        CohortRandomizer,
        ColumnRandomizer,
        HashedRandomizer,
        MatrixRandomizer,
        OneHotRandomizer,
        PointRandomizer,
        SignRandomizer,
        SingletonRandomizer,
        SubsetRandomizer,
        TableRandomizer,
    ):
        public = {name for name in (*dir(base), *base.__annotations__) if not name.startswith("_")}
        assert public <= CLASS | LETTERS


def test_every_kind_of_claim_names_its_kinds_and_describes_itself() -> None:
    for kind in get_args(Claim):
        assert hasattr(kind, "kinds"), kind
        assert callable(kind.describe), kind
