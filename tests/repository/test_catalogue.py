"""Every mechanism of the catalogue and every public class has everything: asked, not listed.

A row for each mechanism, and for each class of `mechanisms` and `protocols` that draws reports:
spec, class or the reason why not, certificate of the present spec, solver's questions, Coq file or
the reason why not, sampler check, what `conform` runs, a page entry that says when to prefer it and
cites its source, tests of its own, and which tests say of themselves (`tests.registry`) that they
cover the class. What does not apply is listed below with its reason, and a reason that no longer
holds is an error too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ldp_verified
import ldp_verified.run.mechanisms
from ldp_verified import protocols
from ldp_verified.app.report.entries import entry, said_by
from ldp_verified.check.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.check.conformance.run import defaults
from ldp_verified.generate import class_name
from ldp_verified.generate.module import PROTOCOLS as IN_PROTOCOLS
from ldp_verified.generate.module import no_class
from ldp_verified.language import Line, catalogue_folder, load_catalogue, load_file, load_protocol
from ldp_verified.prove.coq.drift import WITHOUT, read_without
from tests.conformance.test_decision_tree_of_classes import TABLES
from tests.mechanisms.parameters import CLASSES, kind
from tests.registry import COVERED, RANGE, SAMPLER, covers
from tests.repository.test_corners import NO_PARAMETERS, USUAL

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = {mechanism.name: mechanism for mechanism in load_catalogue()}
PAGES = ("docs/catalogue.md", "docs/catalogue.html")

DRAW_NOTHING = {"BloomFilter": "public functions: what is drawn is drawn by `Rappor`'s clients"}
"""Public classes with parameters that draw no report."""

DRAWERS = sorted({*CLASSES, *(n for n in USUAL if hasattr(protocols, n))} - DRAW_NOTHING.keys())

ONLY_ENUMERATED = {
    "ChangeTree": "of all signs one looks at the value; a declaration would add up all of them",
    "PlaneNoise": "`TruncatedGeometric` twice, one for each axis; that one is conformed",
    "VotedMean": "a budget of yes votes, which no declared input can state",
}
"""Protocols that the vocabulary cannot declare: SAMPLER is the enumerated law of their clients."""

NOT_RUN = {
    "hybrid_less": "a mixture that `hybrid` is compared with; no class has it",
    "hybrid_more": "a mixture that `hybrid` is compared with; no class has it",
    "the_above": "thresholds that `the` is compared with; no class has them",
    "the_at_one": "`the` at the threshold 1, which is `oue`: that class is run",
    "the_below": "thresholds that `the` is compared with; no class has them",
    "the_threshold": "what the best threshold is; `the` is run at thresholds",
}
"""Mechanisms that nothing draws from, so that there is nothing to conform."""

DRAWN_BY = {
    "JointTables": "`SampleOne`, of the cells of its views; that one is conformed",
    "RangeGrid": "`SampleOne`, of the cells of its groups",
    "RangeHierarchy": "`SampleOne`, of the nodes of its levels",
    "ClippedMean": "`RangeTree`, of bins, and a mechanism for numbers, of what was clipped",
}
"""Classes that only number the values which another class of these reports on."""

ASSUMED_ELSEWHERE = {
    "threshold_encoding": "a `THE`, which has a row",
}
"""Classes without a mechanism of the catalogue. One that gets its spec is to be taken out."""

NO_PREFERENCE = {
    "dbitflip_one": "said of `dbitflip`",
    "duchi_plane": "said of `duchi_coordinate`",
    "hpgr_count": "said of `hpgr`",
    "fake_bit_marginal": "what one attribute of `fake_zeros` looks like",
    "fake_marginal": "what one attribute of `fake` looks like",
    "rappor_permanent": "said of `rappor`",
    "sampled_bit": "a step of `dbitflip` and of `sample_one`",
    "she_grid": "said of `she`",
    "she_lattice": "said of `she`",
    **dict.fromkeys(
        ("keys_alike", "keys_apart", "key_or_dummy", "two_dummies"), "said of `signs_of_a_key`"
    ),
    **NOT_RUN,
}
"""Mechanisms that are parts of others, or are compared with them."""

REPORT_MODULES = ("conformance", "kernels", "mechanisms", "protocols", "realize")


IN_TESTS = {
    "a Hypothesis test over its parameters": r"@given\(",
    "a statistical test with its null": r"Null: ",
    "odd parameters that are refused": r"pytest\.raises\(ParameterError",
}
"""What a class that runs a table has to have in one of the test files that name it."""


def module_of(mechanism: Mechanism) -> str:
    assert mechanism.origin is not None
    return mechanism.origin.module


def lacks(mechanism: Mechanism) -> list[str]:
    """Return the things that the mechanism lacks."""
    name, protocol = mechanism.name, run_by(mechanism)
    tests = f"tests/{'protocols' if protocol else 'mechanisms'}"
    files = [f"{tests}/test_{protocol or module_of(mechanism)}.py"]
    if not no_class(mechanism):
        files.append(f"ldp_verified/run/mechanisms/{module_of(mechanism)}.py")
    found = [file for file in files if not (ROOT / file).is_file()]
    found += [f"{page}: an entry" for page in PAGES if not _has_entry(page, name)]
    found += proof_lacks(mechanism) + page_lacks(mechanism) + run_lacks(mechanism)
    if protocol:
        found += _protocol_lacks(mechanism, protocol)
    return found + ([] if no_class(mechanism) else _class_lacks(mechanism))


def proof_lacks(mechanism: Mechanism) -> list[str]:
    """Certificate of this very spec, solver's questions, Coq file or the reason why not."""
    found = []
    name = mechanism.name
    certificate, smt = f"proofs/certificates/{name}.json", f"proofs/smt/{name}.smt2"
    if not (ROOT / certificate).is_file():
        found.append(certificate)
    elif mechanism.spec_hash not in json.dumps(json.loads((ROOT / certificate).read_text())):
        found.append("a certificate of the present spec")
    if not (ROOT / smt).is_file():
        found.append(smt)
    coq = f"proofs/generated/{name}.v"
    if (ROOT / coq).is_file() == (name in read_without(ROOT / "proofs" / WITHOUT)):
        found.append(f"either {coq} or the reason why not")
    return found


def page_lacks(mechanism: Mechanism) -> list[str]:
    """Return the facts that its entry on the page lacks."""
    assert mechanism.origin is not None
    shown = entry(mechanism)
    said = {label for label, _ in shown.facts}
    finite = not isinstance(mechanism.table, Line)
    found = [] if shown.table.rows else ["its table"]
    wanted = {"files"}
    wanted |= {"estimator"} if finite else {"mean of a report", "variance of a report"}
    if mechanism.name not in NOT_RUN:
        wanted |= {"epsilon", "bits per report"}
    if mechanism.name not in NO_PREFERENCE:
        wanted |= {"when to prefer it"}
    found += sorted(wanted - said)
    # p* and q* belong to an estimator from support counts, and so does the variance of a count.
    if "p* and q*" in said and "variance of a count" not in said:
        found.append("variance of a count")
    if any(type(claim).__name__ == "Optimal" for claim in mechanism.claims) and not (
        said & {"optimal", "smaller variance", "smaller worst variance"}
    ):
        found.append("what is optimal")
    if not said_by(Path(mechanism.origin.path))[2]:
        found.append("a last paragraph of its docstring that cites author, year and title")
    return found


def run_lacks(mechanism: Mechanism) -> list[str]:
    """Return the things that `conform` lacks for it: objects, a class of the present law."""
    name = mechanism.name
    found = []
    run = bool(defaults().get(name)) or protocol_of(name) is not None
    if run == (name in NOT_RUN):
        found.append("either objects that conform runs or the reason why none")
    if no_class(mechanism):
        return found
    made: Any = CLASSES.get(class_name(name))
    if made is None:
        found.append(f"a class {class_name(name)} in ldp_verified.run.mechanisms")
    elif made.law_sha256 != mechanism.law_hash:
        found.append("a class of the present law")
    return found


def run_by(mechanism: Mechanism) -> str:
    """The module of `ldp_verified.protocols` that runs the mechanism's table; empty if none."""
    found = mechanism.sampler
    return found.removeprefix(IN_PROTOCOLS) if found.startswith(IN_PROTOCOLS) else ""


def _spends(made: Any, module: str) -> bool:
    """Return whether it is a class of the module that states what it costs."""
    if made.__module__ != module or not isinstance(made, type) or inspect.isabstract(made):
        return False
    return any(hasattr(made, f"realized_{cost}") for cost in ("epsilon", "permanent", "delta"))


def _protocol_lacks(mechanism: Mechanism, protocol: str) -> list[str]:
    """Return the further things that a mechanism run by a protocol lacks."""
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


def _class_lacks(mechanism: Mechanism) -> list[str]:
    """Return the further things that a mechanism with a class lacks."""
    name = class_name(mechanism.name)
    found = []
    if name not in CLASSES:
        return []  # `run_lacks` says so
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


def drawer_lacks(name: str) -> list[str]:
    """Return the things that a class that draws reports lacks."""
    found = []
    if name != "threshold_encoding":
        tests = covered()
        found = [what for what in (RANGE, SAMPLER) if not tests[what].get(name)]
    declared = getattr(getattr(protocols, name, None), "law_sha256", None) in declared_protocols()
    if declared or name in ONLY_ENUMERATED or name in DRAWN_BY:
        return found  # no table to conform to: SAMPLER is a comparison of whole transcripts
    run = {each.made.__name__ for each in PROTOCOLS.values()}
    run |= {class_name(each) for each in defaults()} | {"threshold_encoding"}
    if name not in run:
        found.append("objects that conform runs")
    specs = [s for p in PROTOCOLS.values() if p.made.__name__ == name for s in p.specs]
    if not specs and name not in CLASSES and name not in ASSUMED_ELSEWHERE:
        found.append("a spec, or the reason why none")
    return found


@cache
def declared_protocols() -> dict[str, str]:
    """Return the protocols declared in the catalogue: hash of the law -> name."""
    folder = catalogue_folder() / "protocols"
    return {load_protocol(path.stem).law_hash: path.stem for path in folder.glob("*.py")}


def test_every_declared_protocol_is_run() -> None:
    run = {getattr(getattr(protocols, name), "law_sha256", None) for name in protocols.__all__}
    assert declared_protocols().keys() <= run


def _has_entry(page: str, name: str) -> bool:
    text = (ROOT / page).read_text(encoding="utf-8")
    return f"): `{name}`\n" in text or f'id="{name}"' in text


@cache
def _protocol_tests() -> tuple[str, ...]:
    folder = ROOT / "tests" / "protocols"
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.glob("test_*.py")))


def _says(text: str, name: str, pattern: str) -> bool:
    return bool(re.search(rf"\b{name}\b", text) and re.search(pattern, text))


@cache
def covered() -> dict[str, dict[str, list[str]]]:
    """Return the coverage that tests declare, once all modules with such tests are imported."""
    for folder in REPORT_MODULES:
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            importlib.import_module(f"tests.{folder}.{path.stem}")
    return COVERED


@pytest.mark.parametrize("name", MECHANISMS)
def test_it_has_everything(name: str) -> None:
    assert lacks(MECHANISMS[name]) == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = set(re.findall(r'(?:\]\(|href=")\.\./([^)"]+)', text))
    assert len(links) > len(MECHANISMS) // 2  # some files have several mechanisms
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
    assert set(ldp_verified.run.mechanisms.__all__) == named
    assert set(defaults()) <= set(MECHANISMS)


def test_a_mechanism_that_has_nothing_is_noticed(tmp_path: Path) -> None:
    text = Path(str(MECHANISMS["grr"].origin and MECHANISMS["grr"].origin.path)).read_text()
    text = text.replace('"grr",', '"grr_of_mine",').replace("(2016)", "").replace("(2017)", "")
    path = tmp_path / "grr_of_mine.py"
    path.write_text(re.sub(r"    prefer=\(.*?\n    \),\n", "", text, flags=re.DOTALL))
    (mine,) = load_file(path)
    said = "\n".join(lacks(mine))
    kinds = ("certificates/", "smt/", "generated/", "test_grr_of_mine", "entry", "cites", "a class")
    assert [each for each in kinds if each not in said] == []


@pytest.mark.parametrize("name", DRAWERS)
def test_a_class_lacks_nothing(name: str) -> None:
    assert drawer_lacks(name) == []


def test_reasons_are_about_what_there_is() -> None:
    assert NOT_RUN.keys() | NO_PREFERENCE.keys() <= MECHANISMS.keys()
    assert not [name for name in NO_PREFERENCE if MECHANISMS[name].prefer]
    assert {*DRAWERS, *DRAW_NOTHING} <= USUAL.keys()
    assert not (NO_PARAMETERS & {*DRAWERS})
    assert {*DRAWN_BY} <= {*DRAWERS}
    named = {spec for each in PROTOCOLS.values() for spec in each.specs}
    assert named <= MECHANISMS.keys()
    for what, by in covered().items():
        assert by.keys() <= {*DRAWERS}, what


def test_what_is_missing_is_noticed() -> None:
    nobody = "Unnamed"
    lacking = drawer_lacks(nobody)
    assert {RANGE, SAMPLER, "objects that conform runs"} < {*lacking}
    hidden = MECHANISMS["hybrid_less"]
    assert not run_lacks(hidden)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(NOT_RUN, "hybrid_less")
        assert run_lacks(hidden) == ["either objects that conform runs or the reason why none"]
        patch.delitem(NO_PREFERENCE, "hybrid_less")
        assert {"when to prefer it", "epsilon"} <= {*page_lacks(hidden)}
    with pytest.raises(ValueError, match="covers nothing"):
        covers(RANGE)
