"""The matrix of everything that has to be there, for every mechanism and every public class.

A row for each mechanism of the catalogue and each class of `mechanisms` and `protocols` that draws
reports. `test_catalogue` asks for files and tests by name; here it is what is in them: that the
spec is the one that was proved and generated from, what its entry on the page says, and which tests
say of themselves (`tests.registry`) that they cover the class. What does not apply is listed below
with its reason, and a reason that no longer holds is an error too.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import protocols
from ldp_verified.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.conformance.run import defaults
from ldp_verified.generate import class_name
from ldp_verified.generate.module import no_class
from ldp_verified.language import Line, load_catalogue
from ldp_verified.prove.coq.drift import WITHOUT, read_without
from ldp_verified.report.entries import entry, said_by
from tests.mechanisms.parameters import CLASSES
from tests.registry import COVERED, RANGE, SAMPLER, covers
from tests.repository.test_corners import NO_PARAMETERS, USUAL

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = {mechanism.name: mechanism for mechanism in load_catalogue()}

DRAW_NOTHING = {"BloomFilter": "public functions: what is drawn is drawn by `Rappor`'s clients"}
"""Public classes with parameters that draw no report."""

DRAWERS = sorted({*CLASSES, *(n for n in USUAL if hasattr(protocols, n))} - DRAW_NOTHING.keys())

NOT_RUN = {
    "hybrid_less": "a mixture that `hybrid` is compared with; no class has it",
    "hybrid_more": "a mixture that `hybrid` is compared with; no class has it",
    "the_above": "thresholds that `the` is compared with; no class has them",
    "the_at_one": "`the` at the threshold 1, which is `oue`: that class is run",
    "the_below": "thresholds that `the` is compared with; no class has them",
    "the_threshold": "what the best threshold is; `the` is run at thresholds",
}
"""Mechanisms that nothing draws from, so that there is nothing to conform."""

ASSUMED_ELSEWHERE = {
    "threshold_encoding": "a `THE`, which has a row",
}
"""Classes without a mechanism of the catalogue. One that gets its spec is to be taken out."""

NO_PREFERENCE = {
    "dbitflip_one": "said of `dbitflip`",
    "duchi_plane": "said of `duchi_coordinate`",
    "fake_bit_marginal": "what one attribute of `fake_zeros` looks like",
    "fake_marginal": "what one attribute of `fake` looks like",
    "rappor_permanent": "said of `rappor`",
    "sampled_bit": "a step of `dbitflip` and of `sample_one`",
    "she_grid": "said of `she`",
    "she_lattice": "said of `she`",
    **NOT_RUN,
}
"""Mechanisms that are parts of others, or are compared with them."""

REPORT_MODULES = ("conformance", "kernels", "mechanisms", "protocols", "realize")


@cache
def covered() -> dict[str, dict[str, list[str]]]:
    """What tests say of themselves, once all modules that may say so are imported."""
    for folder in REPORT_MODULES:
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            importlib.import_module(f"tests.{folder}.{path.stem}")
    return COVERED


def proof_lacks(mechanism: Mechanism) -> list[str]:
    """Spec, certificate of this very spec, solver's questions, Coq file or the reason why not."""
    assert mechanism.origin is not None
    found = []
    name = mechanism.name
    path = ROOT / f"proofs/certificates/{name}.json"
    if not path.is_file():
        found.append("a certificate file")
    elif mechanism.spec_hash not in json.dumps(json.loads(path.read_text(encoding="utf-8"))):
        found.append("a certificate of the present spec")
    if not (ROOT / f"proofs/smt/{name}.smt2").is_file():
        found.append("the solver's questions")
    reasons = read_without(ROOT / "proofs" / WITHOUT)
    coq = (ROOT / f"proofs/generated/{name}.v").is_file()
    if coq == (name in reasons):
        found.append("either a Coq file or the reason why not")
    return found


def page_lacks(mechanism: Mechanism) -> list[str]:
    """What its entry on the page does not say."""
    assert mechanism.origin is not None
    shown = entry(mechanism)
    said = {label for label, _ in shown.facts}
    finite = not isinstance(mechanism.table, Line)
    found = [] if shown.table.rows else ["its table"]
    wanted = {"files"}
    wanted |= {"estimator"} if finite else {"mean of a report", "variance of a report"}
    if mechanism.name not in NOT_RUN:
        wanted |= {"epsilon"}
    if mechanism.name not in NOT_RUN:
        wanted |= {"bits per report"}
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
        found.append("its source")
    return found


def run_lacks(mechanism: Mechanism) -> list[str]:
    """What conform runs of it, and a class of the present spec."""
    name = mechanism.name
    run = bool(defaults().get(name)) or protocol_of(name) is not None
    if run == (name in NOT_RUN):
        return ["either objects that conform runs or the reason why none"]
    if no_class(mechanism):
        return []
    made: Any = CLASSES.get(class_name(name))
    if made is None:
        return [f"a class {class_name(name)}"]
    return [] if made.spec_sha256 == mechanism.spec_hash else ["a class of the present spec"]


def class_lacks(name: str) -> list[str]:
    """What a class that draws reports lacks."""
    found = []
    if name != "threshold_encoding":
        tests = covered()
        found = [what for what in (RANGE, SAMPLER) if not tests[what].get(name)]
    run = {each.made.__name__ for each in PROTOCOLS.values()}
    run |= {class_name(each) for each in defaults()} | {"threshold_encoding"}
    if name not in run:
        found.append("objects that conform runs")
    specs = [s for p in PROTOCOLS.values() if p.made.__name__ == name for s in p.specs]
    if not specs and name not in CLASSES and name not in ASSUMED_ELSEWHERE:
        found.append("a spec, or the reason why none")
    return found


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_lacks_nothing(name: str) -> None:
    mechanism = MECHANISMS[name]
    assert proof_lacks(mechanism) + page_lacks(mechanism) + run_lacks(mechanism) == []


@pytest.mark.parametrize("name", DRAWERS)
def test_a_class_lacks_nothing(name: str) -> None:
    assert class_lacks(name) == []


def test_reasons_are_about_what_there_is() -> None:
    assert NOT_RUN.keys() | NO_PREFERENCE.keys() <= MECHANISMS.keys()
    assert not [name for name in NO_PREFERENCE if MECHANISMS[name].prefer]
    assert {*DRAWERS, *DRAW_NOTHING} <= USUAL.keys()
    assert not (NO_PARAMETERS & {*DRAWERS})
    named = {spec for each in PROTOCOLS.values() for spec in each.specs}
    assert named <= MECHANISMS.keys()
    for what, by in covered().items():
        assert by.keys() <= {*DRAWERS}, what


def test_what_is_missing_is_noticed() -> None:
    nobody = "Unnamed"
    lacking = class_lacks(nobody)
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
