"""JUnit and SARIF: what a dashboard needs is there, whatever the target is called."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import numpy as np

from ldp_verified.audit.configurations import audit_configuration
from ldp_verified.audit.results import AuditResult
from ldp_verified.audit.rules import RULES
from ldp_verified.audit.run import Claim, audit
from ldp_verified.audit.sources import from_callable
from ldp_verified.audit.targets import Target
from ldp_verified.report.audit_files import CLAIM, exact_junit, exact_sarif, junit, sarif
from tests.audit.test_configurations import PUBLISHED, values
from tests.broken.audit.randomizers import PLANTED

TARGET = Target("callable", "pkg:f", (0, 1))


def audited(broken: bool, n: int = 4000) -> AuditResult:
    planted = next(p for p in PLANTED if p.rule == "LDP002")
    rng = np.random.default_rng(1)
    name = "a <b> \x00 & c"
    source = from_callable(planted.call(broken, rng), planted.inputs, name)
    return audit(source, Claim(planted.epsilon, n=n, level=1e-9), seed=1)


def test_junit_counts_what_is_wrong() -> None:
    suite = ET.fromstring(junit(audited(True)))
    assert suite.get("tests") == str(1 + len(RULES))
    assert suite.get("failures") == "2"  # the claim, and LDP002
    failures = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failures[0] is not None
    assert failures[0].startswith("claim eps = 0.5")
    assert "LDP002" in str(failures[1])


def test_inconclusive_is_an_error_not_a_pass() -> None:
    suite = ET.fromstring(junit(audited(False)))
    assert suite.get("failures") == "0"
    assert suite.get("errors") == "1"


def test_sarif_names_rules_and_levels() -> None:
    log = json.loads(sarif(audited(True), TARGET))
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [CLAIM, *RULES]
    found = {result["ruleId"]: result for result in one["results"]}
    assert set(found) == {CLAIM, "LDP002"}
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in one["results"])
    assert found["LDP002"]["level"] == "error"
    place = found[CLAIM]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
    assert place == "pkg:f"


def test_exact_results() -> None:
    result = audit_configuration(values(**PUBLISHED), "c", epsilon=1.0)
    assert ET.fromstring(exact_junit(result)).get("failures") == "1"
    assert len(json.loads(exact_sarif(result))["runs"][0]["results"]) == 1
    result = audit_configuration(values(**PUBLISHED), "c", epsilon=2.0)
    assert ET.fromstring(exact_junit(result)).get("failures") == "0"
    assert json.loads(exact_sarif(result))["runs"][0]["results"] == []
