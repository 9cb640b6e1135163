"""The kernel accepts our proofs, and rejects wrong ones.

Where coqc is missing every test here shows that nothing is accepted then, and in CI fails.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Mechanism, catalogue_folder, load, load_catalogue
from ldp_verified.prove.coq import KernelReport, coq_text, coqc_available, kernel_check
from ldp_verified.prove.coq.__main__ import main
from ldp_verified.prove.coq.compile import check_one
from ldp_verified.prove.coq.drift import read_without
from ldp_verified.prove.coq.expected import LISTS, read_expected
from tests.broken.coq.sources import HONEST, LISTED
from tests.broken.coq.sources import WRONG as WRONG_SOURCES
from tests.broken.coq.tables import WRONG as WRONG_TABLES
from tests.prove.coq.own import OWN

PROOFS = catalogue_folder().parent / "proofs"


def small(folder: Path, source: str) -> Path:
    """A proofs folder with one file."""
    (folder / "lib").mkdir(parents=True)
    (folder / "generated").mkdir()
    (folder / "lib" / "Small.v").write_text(source)
    (folder / LISTS).mkdir()
    (folder / LISTS / "LDP.Small.txt").write_text(LISTED)
    (folder / "allowed_axioms.txt").write_text("")
    return folder


def refused(tmp_path: Path) -> bool:
    """Return whether coqc is missing, having made sure that nothing passes then."""
    if coqc_available():
        return False
    assert "CI" not in os.environ, "coqc is not installed: the proofs were NOT kernel-checked"
    with pytest.raises(SpecError, match="not installed"):
        kernel_check(small(tmp_path / "refused", HONEST), tmp_path / "refused_build")
    assert main(["--build", str(tmp_path / "refused_build")]) == 2
    return True


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, KernelReport | None]:
    """The build folder of the whole check, and its report; None without coqc."""
    build = tmp_path_factory.mktemp("coq") / "build"
    if not coqc_available():
        return build, None
    return build, kernel_check(PROOFS, build, load_catalogue())


NO_VARIANCE = {"two_coins", "keep_or_uniform"}


def test_every_listed_theorem_is_accepted(
    kernel: tuple[Path, KernelReport | None], tmp_path: Path
) -> None:
    _, report = kernel
    if report is None:
        assert refused(tmp_path)
        return
    assert report.failures == ()
    assert report.holds
    entries = read_expected(PROOFS)
    listed = [(e.module, e.name) for e in entries if e.kind == "theorem"]
    assert [(p.module, p.name) for p in report.theorems] == listed
    without = read_without(PROOFS / "not_in_coq.txt")
    for mechanism in load_catalogue():
        if mechanism.name in without:
            continue
        proved = {p.name for p in report.theorems if p.module == f"Mechanisms.{mechanism.name}"}
        kinds = {"Unbiased": "unbiased", "Variance": "variance", "LDP": "ldp"}
        claimed = {kinds.get(type(claim).__name__, "stochastic") for claim in mechanism.claims}
        # What two coins estimate varies with everybody's values, and the mixture claims f = 0 only.
        tight = any(isinstance(claim, LDP) and claim.tight for claim in mechanism.claims)
        suffixes = claimed | {"stochastic"} | ({"tight"} if tight else set())
        suffixes -= {"variance"} if mechanism.name in NO_VARIANCE else set()
        assert proved >= {f"{mechanism.name}_{suffix}" for suffix in suffixes}


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_a_wrong_table_or_claim_is_rejected(
    name: str, kernel: tuple[Path, KernelReport | None], tmp_path: Path
) -> None:
    mechanism, lemma = WRONG_TABLES[name]
    text = coq_text(mechanism, attempt=True)
    assert isinstance(text, str)
    build, report = kernel
    if report is None:
        assert refused(tmp_path)
        return
    finding = check_one(build, f"wrong_{[*WRONG_TABLES].index(name)}", text, 60)
    assert finding is not None, "the kernel accepted a wrong table"
    before = text.splitlines()[: finding.line]
    stated = [line.split()[1] for line in before if line.startswith(("Lemma", "Theorem"))]
    assert stated[-1] == lemma, finding


@pytest.mark.parametrize("mechanism", OWN, ids=lambda m: m.name)
def test_own_mechanisms_are_proved(
    mechanism: Mechanism, kernel: tuple[Path, KernelReport | None], tmp_path: Path
) -> None:
    text = coq_text(mechanism)
    assert isinstance(text, str)
    build, report = kernel
    if report is None:
        assert refused(tmp_path)
        return
    assert check_one(build, f"own_{mechanism.name}", text, 120) is None


def test_an_honest_folder_is_accepted(tmp_path: Path) -> None:
    if refused(tmp_path):
        return
    report = kernel_check(small(tmp_path / "proofs", HONEST), tmp_path / "build")
    assert report.failures == ()
    assert [p.name for p in report.theorems] == ["small"]
    assert sorted(p.name for p in (tmp_path / "proofs" / "lib").iterdir()) == ["Small.v"]


@pytest.mark.parametrize("name", WRONG_SOURCES)
def test_a_wrong_folder_is_rejected(name: str, tmp_path: Path) -> None:
    if refused(tmp_path):
        return
    source, message, line = WRONG_SOURCES[name]
    limit = 5 if name == "endless" else 60
    folder = small(tmp_path / "proofs", source)
    report = kernel_check(folder, tmp_path / "build", seconds_per_file=limit)
    assert not report.holds
    places = {f.line for f in report.failures if message in f.message}
    assert places, report.failures
    if line:
        assert places & {line, line - 1}, report.failures


def test_sources_are_not_built_among(tmp_path: Path) -> None:
    if refused(tmp_path):
        return
    folder = small(tmp_path / "proofs", HONEST)
    for build in (folder, folder / "build", tmp_path):
        with pytest.raises(SpecError, match="build_dir"):
            kernel_check(folder, build)


def test_a_stale_file_fails_the_check(tmp_path: Path) -> None:
    if refused(tmp_path):
        return
    folder = small(tmp_path / "proofs", HONEST)
    report = kernel_check(folder, tmp_path / "build", load("grr"))
    assert any("missing" in f.message for f in report.failures)
