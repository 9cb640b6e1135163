"""The wheel, built from the source distribution and installed alone, verifies its own catalogue."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
PROOFS = {
    path.relative_to(ROOT / "proofs").as_posix(): path.read_bytes()
    for path in [
        *(ROOT / "proofs" / "lib").glob("*.v"),
        *(ROOT / "proofs").glob("*.txt"),
        *(ROOT / "proofs" / "expected_theorems").iterdir(),
        *(ROOT / "proofs" / "certificates").glob("*.json"),
        ROOT / "proofs" / "transcript.json",
    ]
}
SPECS = {
    path.relative_to(ROOT / "spec").as_posix(): path.read_bytes()
    for path in (ROOT / "spec").rglob("*.py")
}


def run(command: Sequence[str | Path], folder: Path) -> str:
    """The standard output of a command that must succeed, without the checkout on its path."""
    done = tried(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tried(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command that may fail, without the checkout on its path."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution."""
    out = tmp_path_factory.mktemp("sdist")
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", out], ROOT)
    (archive,) = out.glob("*.tar.gz")
    # As a command: the call's argument `filter` is required by new Pythons and unknown to 3.11.2.
    run([sys.executable, "-m", "tarfile", "-e", archive, out], out)
    (folder,) = (path for path in out.iterdir() if path.is_dir())
    return folder


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel built from the source distribution."""
    out = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out], sdist)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel in it, which borrows our dependencies but not the package.

    A path that a .pth file adds is searched for modules, but its own .pth files, such as an
    editable install's, are not read.
    """
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder)]
    run([*pip, "install", "--no-index", "--no-deps", str(wheel)], folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def test_the_wheel_carries_the_specs_the_theory_and_the_marker_of_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        carried = {
            name.removeprefix("ldp_verified/_spec/"): packed.read(name)
            for name in names
            if name.startswith("ldp_verified/_spec/") and name.endswith(".py")
        }
        theory = {
            name.removeprefix("ldp_verified/_proofs/"): packed.read(name)
            for name in names
            if name.startswith("ldp_verified/_proofs/")
        }
    assert carried == SPECS
    assert theory == PROOFS
    assert "ldp_verified/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"ldp_verified"}


def test_the_wheel_carries_its_bill_of_materials(wheel: Path) -> None:
    bill = ROOT / "release" / "ldp-verified.cdx.json"
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if ".dist-info/sboms/" in name]
        assert name.endswith("/sboms/ldp-verified.cdx.json")
        assert packed.read(name) == bill.read_bytes()


def test_the_source_distribution_carries_what_the_tests_need(sdist: Path) -> None:
    expected = {"LICENSE", "Makefile", "README.md", "benchmarks", "ldp_verified", "proofs", "spec"}
    assert expected | {"tests", "release", "SECURITY.md", "CITATION.cff"} <= {
        path.name for path in sdist.iterdir()
    }


def test_the_package_in_use_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    program = "import ldp_verified; print(ldp_verified.__file__)"
    file = Path(run([installed / "python", "-c", program], tmp_path).strip())
    assert file.is_relative_to(installed.parent)


def test_verify_from_the_wheel_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(run([installed / "ldp-verified", "list", "--json"], tmp_path))
    # One mechanism of each table form: all of them are verified from the sources.
    by_file = sorted(listed["mechanisms"], key=lambda m: str(m["spec"]))
    of_form = {m["table"]: m["name"] for m in by_file}
    assert len(of_form) > 3
    options = ("--no-coq", "--accept", "one-group", "--json")
    verify: list[str | Path] = [installed / "ldp-verified", "verify", *of_form.values(), *options]
    found = json.loads(run(verify, tmp_path))
    assert [m["needs"] for m in found["mechanisms"]] == [["proved by one group"]] * len(of_form)
    assert list(tmp_path.iterdir()) == []


def test_recheck_from_the_wheel_accepts_what_was_proved_and_names_what_was_edited(
    installed: Path, tmp_path: Path
) -> None:
    (package,) = installed.parent.glob("lib/python*/site-packages/ldp_verified")
    shipped = (package / "_proofs" / "transcript.json").read_bytes()
    made = tmp_path / "transcript.json"
    module = "ldp_verified.check.recheck"
    write: list[str | Path] = [installed / "python", "-m", module, "warner", "--no-coq"]
    run([*write, "--output", made], tmp_path)
    edited = {"_proofs/certificates/warner.json": "proofs/certificates/warner.json"}
    checker = "prove/certificates/checker.py"
    edited |= {"_spec/warner.py": "spec/warner.py", checker: checker}
    recheck = [str(installed / "ldp-verified"), "recheck", "warner", "--json"]
    try:
        shutil.copyfile(made, package / "_proofs" / "transcript.json")
        found = json.loads(run(recheck, tmp_path))
        assert (found["refused"], found["lacking"]) == ([], [])
        show = "import ldp_verified as l; print(l.Warner.evidence().status)"
        assert run([installed / "python", "-c", show], tmp_path) == "proved by one group\n"
        for name, said in edited.items():
            whole = (package / name).read_bytes()
            (package / name).write_bytes(whole + b"\n")
            done = tried(recheck, tmp_path)
            (package / name).write_bytes(whole)
            assert done.returncode == 1
            refused = json.loads(done.stdout)["refused"]
            assert any(f"{said}: has the sha256" in line for line in refused), refused
    finally:
        (package / "_proofs" / "transcript.json").write_bytes(shipped)


def test_coq_is_asked_with_the_theory_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    program = installed / "ldp-verified"
    verify: list[str | Path] = [program, "verify", "sue", "--accept", "one-group", "--json"]
    found = json.loads(run(verify, tmp_path))
    (mechanism,) = found["mechanisms"]
    by_coq = {"coq" in verdict["checkers"] for verdict in mechanism["verdicts"]}
    if shutil.which("coqc") is None:
        assert "CI" not in os.environ, "coqc is not installed: nothing was kernel-checked"
        assert by_coq == {False}
    else:
        assert by_coq == {True}
