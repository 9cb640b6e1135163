"""The printed texts are those of the manifest, or nothing is made of them."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import release.manifest
from ldp_verified.language import load
from ldp_verified.prove.statements.store import document
from release import texts
from release.hook import CustomBuildHook
from release.manifest import MANIFEST, lacking, listed, manifest, strangers
from release.texts import make, remake

TEXTS = {"certificates/a.json": "{}\n", "generated/a.v": "Check a.\n", "smt/a.smt2": "(exit)\n"}


@pytest.fixture
def proofs(tmp_path: Path) -> Path:
    """A folder with three texts and their manifest, in a project of its own."""
    folder = tmp_path / "proofs"
    folder.mkdir()
    remake(folder, TEXTS.items())
    (tmp_path / "release").mkdir()
    for made in (texts, release.manifest):
        shutil.copy(str(made.__file__), tmp_path / "release")
    (tmp_path / "constraints.txt").write_text(
        "numpy==2.0\npython-flint==0.8\nscipy==1.1\nsympy==1.14\nsympy-more==2\n"
    )
    return folder


def hook(proofs: Path, target: str) -> CustomBuildHook:
    """What hatchling calls for a target."""
    nothing: Any = None
    return CustomBuildHook(str(proofs.parent), {}, nothing, nothing, str(proofs), target, nothing)


def test_the_manifest_is_what_sha256sum_reads(proofs: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", MANIFEST],
        check=True, cwd=proofs, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.count(": OK") == len(TEXTS)
    assert lacking(proofs) == strangers(proofs) == []


@pytest.mark.parametrize(
    "line",
    ["", "abc  smt/a.smt2", f"{'0' * 64}  lib/Sums.v", f"{'0' * 64}  smt/../lib/a",
     f"{'0' * 64}  smt/..", f"{'0' * 64}  smt/", f"{'0' * 64} smt/a.smt2"],
)  # fmt: skip
def test_a_line_of_something_else_is_refused(proofs: Path, line: str) -> None:
    with (proofs / MANIFEST).open("a") as stream:
        stream.write(f"{line}\n")
    with pytest.raises(ValueError, match=r"manifest\.sha256:4: must be a sha256 and a path"):
        listed(proofs)


def test_a_file_named_twice_is_refused(proofs: Path) -> None:
    path = proofs / MANIFEST
    path.write_text(path.read_text() * 2)
    with pytest.raises(ValueError, match=r"manifest\.sha256:4: must be"):
        listed(proofs)


def test_what_is_missing_or_edited_is_named_and_made_again(proofs: Path) -> None:
    (proofs / "smt/a.smt2").unlink()
    (proofs / "generated/a.v").write_text("Check b.\n")
    assert lacking(proofs) == ["generated/a.v", "smt/a.smt2"]
    assert make(proofs, TEXTS.items()) == []
    assert lacking(proofs) == []


def test_a_text_that_comes_out_otherwise_is_not_written(proofs: Path) -> None:
    other = TEXTS | {"smt/a.smt2": "(check-sat)\n"}
    assert make(proofs, other.items()) == [
        "proofs/smt/a.smt2: is printed with another hash than in the manifest"
    ]
    assert (proofs / "smt/a.smt2").read_text() == TEXTS["smt/a.smt2"]


def test_texts_beside_the_manifest_are_named(proofs: Path) -> None:
    (proofs / "generated/forgotten.v").write_text("Check a.\n")
    fewer = {name: text for name, text in TEXTS.items() if name != "certificates/a.json"}
    assert make(proofs, (fewer | {"smt/new.smt2": ""}).items()) == [
        "proofs/certificates/a.json: was not printed",
        "proofs/generated/forgotten.v: is not printed any more",
        "proofs/smt/new.smt2: is not in proofs/manifest.sha256",
    ]
    remake(proofs, TEXTS.items())
    assert strangers(proofs) == []


def test_the_manifest_of_the_catalogue_has_the_text_that_a_spec_gives_now() -> None:
    known = listed(texts.PROOFS)
    for mechanism in (*load("warner"), *load("oue")):
        text = document(mechanism)
        path = f"certificates/{mechanism.name}.json"
        assert known[path] == hashlib.sha256(text.encode()).hexdigest()
        wrong = text.replace(mechanism.spec_hash, "0" * 64)
        assert known[path] != hashlib.sha256(wrong.encode()).hexdigest()


def test_a_certificate_that_shows_nothing_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def weaker(mechanism: Any) -> str:
        found = json.loads(document(mechanism))
        found["table"]["proofs"] = {}
        return json.dumps(found)

    monkeypatch.setattr("ldp_verified.language.load_catalogue", lambda: load("warner"))
    monkeypatch.setattr("ldp_verified.prove.statements.store.document", weaker)
    with pytest.raises(ValueError, match="certificate of warner: "):
        list(texts.printed(texts.PROOFS))


def test_a_wheel_gets_the_certificates_and_a_source_distribution_all(proofs: Path) -> None:
    for target, expected in {
        "wheel": {"ldp_verified/_proofs/certificates/a.json"},
        "sdist": {f"proofs/{name}" for name in TEXTS},
    }.items():
        build: dict[str, Any] = {"force_include": {}}
        hook(proofs, target).initialize("standard", build)
        assert set(build["force_include"].values()) == expected
        assert all(Path(name).is_file() for name in build["force_include"])


def test_an_editable_install_carries_nothing_and_prints_nothing(proofs: Path) -> None:
    (proofs / "smt/a.smt2").unlink()
    build: dict[str, Any] = {"force_include": {}}
    hook(proofs, "wheel").initialize("editable", build)
    assert build == {"force_include": {}}
    assert lacking(proofs) == ["smt/a.smt2"]


def test_a_build_asks_for_the_printers_only_where_it_prints(proofs: Path) -> None:
    assert hook(proofs, "wheel").dependencies() == []
    (proofs / "smt/a.smt2").unlink()
    needed = ["numpy==2.0", "python-flint==0.8", "scipy==1.1", "sympy==1.14"]
    assert hook(proofs, "wheel").dependencies() == needed


def test_a_build_with_a_text_that_is_not_the_manifests_fails(
    proofs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (proofs / MANIFEST).write_text(manifest({"smt/a.smt2": "0" * 64}))
    made = hook(proofs, "sdist")
    monkeypatch.setattr(made._texts, "printed", lambda _: [("smt/a.smt2", "(exit)\n")])
    with pytest.raises(ValueError, match="is printed with another hash"):
        made.initialize("standard", {"force_include": {}})
