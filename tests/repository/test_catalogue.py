"""Every mechanism of the catalogue has everything: asked of the catalogue, not of a list.

Spec, class or the reason why not, certificate, solver's questions, Coq file or the reason why not,
sampler check, what `conform` runs, a page entry that says when to prefer it and cites its source,
tests of its own, and a place in the tests over all classes.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ldp_verified
import ldp_verified.mechanisms
from ldp_verified import protocols
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
    protocol = run_by(name)
    files.append(f"tests/{'protocols' if protocol else 'mechanisms'}/test_{protocol or module}.py")
    if name not in without:
        files.append(f"proofs/generated/{name}.v")
    if not no_class(mechanism):
        files.append(f"ldp_verified/mechanisms/{module}.py")
    found = [file for file in files if not (ROOT / file).is_file()]
    found += [f"{page}: an entry" for page in PAGES if not _has_entry(page, name)]
    assert mechanism.origin is not None
    if not said_by(Path(mechanism.origin.path))[2]:
        found.append("a last paragraph of its docstring that cites author, year and title")
    if protocol:
        found += _protocol_lacks(mechanism, protocol)
    return found + ([] if no_class(mechanism) else _class_lacks(mechanism))


def _spends(made: Any, module: str) -> bool:
    """Whether it is a class of the module that states what it costs."""
    if made.__module__ != module or not isinstance(made, type) or inspect.isabstract(made):
        return False
    return any(hasattr(made, f"realized_{cost}") for cost in ("epsilon", "permanent", "delta"))


def run_by(name: str) -> str:
    """The module of `ldp_verified.protocols` that runs the mechanism's table; empty if none."""
    return next((module for module, names in IN_PROTOCOLS.items() if name in names), "")


IN_TESTS = {
    "a Hypothesis test over its parameters": r"@given\(",
    "a statistical test with its null": r"Null: ",
    "odd parameters that are refused": r"pytest\.raises\(ParameterError",
}
"""What a class that runs a table has to have in one of the test files that name it."""


@cache
def _protocol_tests() -> tuple[str, ...]:
    folder = ROOT / "tests" / "protocols"
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.glob("test_*.py")))


def _says(text: str, name: str, pattern: str) -> bool:
    return bool(re.search(rf"\b{name}\b", text) and re.search(pattern, text))


def _protocol_lacks(mechanism: Mechanism, protocol: str) -> list[str]:
    """What a mechanism that a protocol runs needs besides."""
    found = []
    own = f"ldp_verified.protocols.{protocol}"
    made = [name for name in protocols.__all__ if _spends(getattr(protocols, name), own)]
    tests = ROOT / f"tests/protocols/test_{protocol}.py"
    text = tests.read_text(encoding="utf-8") if tests.is_file() else ""
    if not made:
        found.append(f"a class in {own}")
    found += [f"{each} in {tests.name}" for each in made if not re.search(rf"\b{each}\b", text)]
    for each in made:
        for what, pattern in IN_TESTS.items():
            if not any(_says(text, each, pattern) for text in _protocol_tests()):
                found.append(f"{each}: {what} in tests/protocols")
    same = [m for m in MECHANISMS.values() if m.origin and m.origin == mechanism.origin]
    if not any(m.prefer for m in same):
        found.append("prefer=: when to prefer it, of one mechanism of the file at least")
    return found


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


def test_a_protocol_class_without_tests_of_its_own_is_noticed() -> None:
    """A class nobody names has none of them; every one that spends an epsilon has them all."""
    nobody = "Unnamed" + "Class"
    assert not any(_says(t, nobody, p) for p in IN_TESTS.values() for t in _protocol_tests())
    spends = [
        name
        for name in protocols.__all__
        if _spends(made := getattr(protocols, name), made.__module__)
    ]
    assert {"SHE", "DuchiVector", "LGRR", "DBitFlip", "SampleAmongFakeBits"} <= {*spends}
    lacking = [
        (name, what)
        for name in [*spends, "Rappor"]
        for what, pattern in IN_TESTS.items()
        if not any(_says(text, name, pattern) for text in _protocol_tests())
    ]
    assert lacking == []


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
