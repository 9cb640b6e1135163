"""JUnit and SARIF: what a dashboard needs is there, whatever the target is called."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ldp_verified.app.report.audit import document, terminal
from ldp_verified.app.report.audit_files import CLAIM, exact_junit, exact_sarif, junit, sarif
from ldp_verified.app.report.audit_page import page
from ldp_verified.app.report.output import show
from ldp_verified.check.audit.bounds.configurations import audit_configuration
from ldp_verified.check.audit.results.results import AuditOutcome, AuditResult, AuditWitness
from ldp_verified.check.audit.rules.rules import RULES, Finding, heard
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.check.audit.targets.targets import Target
from tests.audit.test_configurations import PUBLISHED, values
from tests.broken.audit.randomizers import PLANTED
from tests.cli.running import run

TARGET = Target("callable", "pkg:f", (0, 1))


def audited(broken: bool, n: int = 4000) -> AuditResult:
    planted = next(p for p in PLANTED if p.rule == "LDP002")
    rng = np.random.default_rng(1)
    name = "a <b> \x00 & c"
    source = from_callable(planted.call(broken, rng), planted.inputs, name)
    return audit(source, Claim(planted.epsilon, n=n, level=1e-9), seed=1)


def test_junit_writes_out_what_xml_cannot_hold_and_keeps_lines() -> None:
    result = audit_configuration(values(**PUBLISHED), "a\x00\tb\n\x1b", epsilon=1.0)
    name = ET.fromstring(exact_junit(result)).get("name")
    assert name == "ldp-verified audit a\\x00\tb\n\\x1b"


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


def test_a_check_that_did_not_run_is_skipped_and_says_why() -> None:
    """Named checks are no part of `audit`; types and lengths need more than a hundred samples."""
    suite = ET.fromstring(junit(audited(True)))
    skipped = {
        str(case.get("name"))[:6]: str(case[0].get("message"))
        for case in suite
        if case.find("skipped") is not None
    }
    assert set(skipped) == {
        *(f"LDP{number:03d}" for number in range(5, 13)),
        "LDP014",
        "LDP015",
        "LDP016",
        "LDP017",
        "LDP018",
        "LDP019",
        "LDP020",
    }
    assert suite.get("skipped") == "15"
    assert all(why.startswith("did not run: ") for why in skipped.values())
    few = ET.fromstring(junit(audited(False, n=200)))
    assert few.get("skipped") == str(len(RULES))
    checked = replace(audited(True), skipped={"LDP006": "was not asked for"})
    assert ET.fromstring(junit(checked)).get("skipped") == "1"


def test_sarif_says_where(tmp_path: Path) -> None:
    found = replace(audited(True), place=(str(Path.cwd() / "pkg" / "a b.py"), 7))
    for result in json.loads(sarif(found, TARGET))["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "pkg/a%20b.py"
        assert place["region"]["startLine"] == 7
    script = tmp_path / "client.py"
    script.write_text("")
    target = Target("program", f"python3 {script} --fast", (0, 1))
    (first, *_) = json.loads(sarif(audited(True), target))["runs"][0]["results"]
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == script.resolve().as_uri()
    target = Target("program", "sh -c cat", (0, 1))
    (first, *_) = json.loads(sarif(audited(True), target))["runs"][0]["results"]
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert uri.endswith("sh")


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("ldp_verified:GRR(1.0, 4)", "grr.py"),
        ("functools:partial(__import__('tests.broken.audit.ending').broken.audit.ending.told)", ""),
        ("tests.broken.audit.targets:Client(1.0, 4).privatise", "targets.py"),
    ],
)
def test_what_is_written_in_python_has_a_place(target: str, file: str, tmp_path: Path) -> None:
    log = tmp_path / "log.sarif"
    options = ["--epsilon", 0.01, "--inputs", "0..3", "-n", 2000, "--no-checks", "--sarif", log]
    assert run("audit", target, *options).exit_code == 1
    for result in json.loads(log.read_text())["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(file or "ending.py")
        assert place["region"]["startLine"] > 1


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


ESCAPES = "\x1b]0;pwned\x07\x1b[2J\x1b[32mconsistent with eps = 1.0\x1b[0m\r\n\u202e\ud800"
"""A target's text that a terminal would obey, that a line would end at, and that XML cannot hold.
"""

OBEYED = {each for each in ESCAPES if not each.isprintable()} - {"\n"}

STANDS: dict[str, Callable[[AuditResult], AuditResult]] = {
    "its name": lambda r: replace(r, target=ESCAPES),
    "a finding that violates": lambda r: replace(r, findings=(Finding("LDP001", ESCAPES, {}),)),
    "a warning": lambda r: replace(r, findings=(Finding("LDP008", ESCAPES, {}),)),
    "a finding of its process": lambda r: replace(
        r, findings=tuple(heard([("LDP007", ESCAPES, {})]))
    ),
    "a note": lambda r: replace(r, notes=(ESCAPES,)),
    "a witness": lambda r: replace(r, witnesses=(AuditWitness(ESCAPES, (9, 9)),)),
    "an event": lambda r: replace(r, tested=(replace(r.tested[0], words=ESCAPES),)),
    "a doubtful event": lambda r: replace(
        r, tested=(replace(r.tested[0], words=ESCAPES, p_value=1e-12, bound=0.0),)
    ),
    "an exception": lambda r: replace(
        r, outcomes=(AuditOutcome(ESCAPES, (9,) * len(r.inputs), (9,) * len(r.inputs)),)
    ),
    "why a check did not run": lambda r: replace(r, skipped={"LDP008": ESCAPES}),
    "a class that is not read": lambda r: replace(r, unread=(ESCAPES,)),
}


@pytest.mark.parametrize("broken", [True, False])
@pytest.mark.parametrize("place", list(STANDS))
def test_no_text_of_a_target_is_obeyed_wherever_it_stands(
    place: str, broken: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    result = STANDS[place](audited(broken, n=200))
    show(terminal(result, "ldp-verified replay"))
    seen = capsys.readouterr().out
    xml = junit(result)
    ET.fromstring(xml)
    texts = (seen, xml, page(result, ""), sarif(result, TARGET))
    for text in (*texts, *strings(document(result, ""))):
        assert not OBEYED & {*text}
        text.encode()
    assert "pwned" in seen or (broken and place == "a class that is not read")


def strings(value: object) -> list[str]:
    """All texts of a JSON document."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in strings(each)]
    return [value] if isinstance(value, str) else []
