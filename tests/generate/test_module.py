"""The text of generated modules: it runs, it is tidy, and it says where it came from."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import SpecError
from ldp_verified.generate import class_name, generate
from ldp_verified.generate.module import module_text, package_text
from ldp_verified.language import Matrix, Mechanism, load, load_file
from tests.generate.specs import ACCEPTED, HEAD, REFUSED
from tests.mechanisms.against_table import check_realized

if TYPE_CHECKING:
    from ldp_verified.realize import RoundedTable

ROOT = Path(__file__).resolve().parents[2]

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "two_coins": (),
    "one_time": (0.25, 3),
    "histogram": (1.0, 3),
    "five": (1.0,),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the specs of ACCEPTED and, in `made/`, the modules generated from them."""
    folder = tmp_path_factory.mktemp("specs")
    (folder / "made").mkdir()
    for name, text in ACCEPTED.items():
        (folder / f"{name}.py").write_text(HEAD + text)
        (folder / "made" / f"made_{name}.py").write_text(generate(folder / f"{name}.py"))
    return folder


def build(folder: Path, name: str) -> RoundedTable:
    """The object of a generated class, with ARGUMENTS."""
    path = folder / "made" / f"made_{name}.py"
    description = importlib.util.spec_from_file_location(path.stem, path)
    assert description is not None
    assert description.loader is not None
    module = importlib.util.module_from_spec(description)
    sys.modules[path.stem] = module  # dataclasses look it up
    description.loader.exec_module(module)
    made: RoundedTable = getattr(module, class_name(name))(*ARGUMENTS[name])
    return made


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_users_spec_becomes_a_working_class(name: str, written: Path) -> None:
    mechanism = build(written, name)
    (spec,) = load_file(written / f"{name}.py")
    size = mechanism.k
    check_realized(mechanism, spec, {"k": size, "d": size})
    assert mechanism.realized_epsilon <= mechanism.epsilon
    assert mechanism.gap < 1e-12
    reports = mechanism.privatize(np.arange(100) % size, 1)
    assert mechanism.aggregate(reports).estimate().n == 100
    assert reports.spec_hash == spec.spec_hash


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
    assert lines[1] == f"# Input: spec/grr.py, sha256 {digest}"
    assert lines[2].startswith("# Tools: ldp-verified ")
    assert f'spec_sha256: ClassVar[str] = "{digest}"' in text


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
