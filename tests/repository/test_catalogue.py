"""Every mechanism of the catalogue has everything: asked of the catalogue, not of a list.

Spec, class or the reason why not, certificate, solver's questions, Coq file or the reason why not,
sampler check, what `conform` runs, a page entry that says when to prefer it and cites its source,
tests of its own, and a place in the tests over all classes.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ldp_verified
import ldp_verified.mechanisms
from ldp_verified.conformance.run import defaults
from ldp_verified.generate import class_name
from ldp_verified.generate.module import IN_PROTOCOLS, no_class
from ldp_verified.language import load_catalogue
from ldp_verified.prove.coq.drift import WITHOUT, read_without
from ldp_verified.report.entries import said_by
from tests.conformance.test_decision_tree_of_classes import TABLES
from tests.mechanisms.parameters import CLASSES, kind

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = {mechanism.name: mechanism for mechanism in load_catalogue()}
PAGES = ("docs/catalogue.md", "docs/catalogue.html")


def module_of(mechanism: Mechanism) -> str:
    assert mechanism.origin is not None
    return mechanism.origin.module


def lacks(mechanism: Mechanism) -> list[str]:
    """What the mechanism has not."""
    name, module = mechanism.name, module_of(mechanism)
    without = read_without(ROOT / "proofs" / WITHOUT)
    files = [f"proofs/certificates/{name}.json", f"proofs/smt/{name}.smt2"]
    folder = "protocols" if module in IN_PROTOCOLS else "mechanisms"
    files.append(f"tests/{folder}/test_{module}.py")
    if name not in without:
        files.append(f"proofs/generated/{name}.v")
    if not no_class(mechanism):
        files.append(f"ldp_verified/mechanisms/{module}.py")
    found = [file for file in files if not (ROOT / file).is_file()]
    found += [f"{page}: an entry" for page in PAGES if not _has_entry(page, name)]
    assert mechanism.origin is not None
    if not said_by(Path(mechanism.origin.path))[2]:
        found.append("a last paragraph of its docstring that cites author, year and title")
    return found + ([] if no_class(mechanism) else _class_lacks(mechanism))


def _has_entry(page: str, name: str) -> bool:
    text = (ROOT / page).read_text(encoding="utf-8")
    return f"): `{name}`\n" in text or f'id="{name}"' in text


def _class_lacks(mechanism: Mechanism) -> list[str]:
    """What a mechanism with a class needs besides."""
    name = class_name(mechanism.name)
    found = []
    if name not in CLASSES:
        return [f"a class {name} in ldp_verified.mechanisms"]
    if name not in ldp_verified.__all__:
        found.append(f"{name} among the names of ldp_verified")
    if not defaults().get(mechanism.name):
        found.append("objects that conform runs, in conformance.run.defaults")
    if not mechanism.prefer:
        found.append("prefer=: when to prefer it")
    for parameter in inspect.signature(CLASSES[name]).parameters:
        try:
            kind(CLASSES[name], parameter)
        except LookupError as error:
            found.append(str(error))
    if name not in TABLES:
        # Its sampler has no narrow form of the class's own making: its tests have to make one.
        path = ROOT / f"tests/mechanisms/test_{module_of(mechanism)}.py"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not re.search(r"\b(check_sampler|exact_distribution)\(", text):
            found.append(f"an exhaustive check of its sampler in {path.name}")
    return found


@pytest.mark.parametrize("name", MECHANISMS)
def test_it_has_everything(name: str) -> None:
    assert lacks(MECHANISMS[name]) == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = set(re.findall(r'(?:\]\(|href=")\.\./([^)"]+)', text))
    assert len(links) > len(MECHANISMS)
    assert [link for link in sorted(links) if not (ROOT / link).is_file()] == []


def test_every_class_belongs_to_a_mechanism() -> None:
    named = {class_name(name) for name, m in MECHANISMS.items() if not no_class(m)}
    assert set(ldp_verified.mechanisms.__all__) == named
    assert set(defaults()) <= set(MECHANISMS)


def test_a_mechanism_that_has_nothing_is_noticed(tmp_path: Path) -> None:
    from ldp_verified.language import load_file

    text = Path(str(MECHANISMS["grr"].origin and MECHANISMS["grr"].origin.path)).read_text()
    text = text.replace('"grr",', '"grr_of_mine",').replace("(2016)", "").replace("(2017)", "")
    path = tmp_path / "grr_of_mine.py"
    path.write_text(re.sub(r"    prefer=\(.*?\n    \),\n", "", text, flags=re.DOTALL))
    (mine,) = load_file(path)
    said = "\n".join(lacks(mine))
    kinds = ("certificates/", "smt/", "generated/", "test_grr_of_mine", "entry", "cites", "a class")
    assert [each for each in kinds if each not in said] == []
