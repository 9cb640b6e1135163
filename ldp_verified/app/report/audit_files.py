"""JUnit XML and SARIF 2.1.0 of an audit, for other people's dashboards."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from ldp_verified.app.report.audit import claim, exact_headline, headline
from ldp_verified.app.report.audit_servers import fails
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.rules.rules import RULES
from ldp_verified.commandtext import command_words
from ldp_verified.errors import printable

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.exact import ExactResult
    from ldp_verified.check.audit.results.results import AuditResult
    from ldp_verified.check.audit.targets.targets import Target

CLAIM = "LDP000"
"""The rule under which a violated claim is filed: the bound itself, not a named check."""

SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def junit(result: AuditResult) -> str:
    """One test for the claim and one for each named check.

    Inconclusive is an error, and a check that did not run is skipped, with the reason.
    """
    suite = _suite(result.target, sum(result.seconds))
    case = _case(suite, result.target, f"claim {claim(result)}")
    if result.verdict is AuditVerdict.VIOLATED:
        _child(case, "failure", _events(result), message=headline(result))
    elif result.verdict is AuditVerdict.INCONCLUSIVE:
        _child(case, "error", _events(result), message=headline(result))
    else:
        _child(case, "system-out", headline(result))
    for rule in RULES.values():
        broken = [f for f in result.findings if f.rule == rule.id]
        case = _case(suite, result.target, f"{rule.id} {rule.title}")
        if not broken and rule.id in result.skipped:
            _child(case, "skipped", message=f"did not run: {result.skipped[rule.id]}")
        for finding in broken[:1]:
            if fails(finding):
                _child(case, "failure", rule.why, message=finding.message)
            else:
                _child(case, "system-out", f"warning: {finding.message}")
    return _counted(suite)


def exact_junit(result: ExactResult) -> str:
    """One test for the claim."""
    suite = _suite(result.target, 0.0)
    case = _case(suite, result.target, f"claim {claim(result)}")
    if result.verdict is AuditVerdict.VIOLATED:
        witness = next(e.witness for e in result.found if e.period == result.claimed_for)
        _child(case, "failure", witness, message=exact_headline(result))
    else:
        _child(case, "system-out", exact_headline(result))
    return _counted(suite)


def _events(result: AuditResult) -> str:
    return "\n".join(
        f"{t.words}: {t.tally.plus} against {t.tally.minus} of {t.tally.n}, eps >= {t.bound:.4g}"
        for t in result.tested
    )


def _clean(text: str) -> str:
    """Text as `printable` writes it, but in the lines and with the tabs that it has."""
    return "".join(each if each in "\t\n" else printable(each) for each in text)


def _attributes(named: dict[str, str]) -> dict[str, str]:
    return {name: _clean(value) for name, value in named.items()}


def _suite(name: str, seconds: float) -> ET.Element:
    named = {"name": f"ldp-verified audit {name}", "time": f"{seconds:.3f}"}
    return ET.Element("testsuite", _attributes(named))


def _case(suite: ET.Element, target: str, name: str) -> ET.Element:
    return _child(suite, "testcase", classname=target, name=name)


def _child(of: ET.Element, kind: str, text: str = "", /, **named: str) -> ET.Element:
    """Add an element; all text of the document but the counts goes in here."""
    child = ET.SubElement(of, kind, _attributes(named))
    child.text = _clean(text) or None
    return child


def _counted(suite: ET.Element) -> str:
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall(".//failure"))))
    suite.set("errors", str(len(suite.findall(".//error"))))
    suite.set("skipped", str(len(suite.findall(".//skipped"))))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode")


def sarif(result: AuditResult, target: Target) -> str:
    """A SARIF log: the claim where it is violated, and each broken rule."""
    found = []
    if result.claimed and (result.bound > result.epsilon or result.infinite):
        found.append((CLAIM, "error", f"{headline(result)}\n{_events(result)}"))
    elif result.verdict is AuditVerdict.INCONCLUSIVE:
        found.append((CLAIM, "note", headline(result)))
    found += [(f.rule, "error" if fails(f) else "warning", f.message) for f in result.findings]
    return _sarif(found, target.reference, _written(result, target))


def exact_sarif(result: ExactResult, path: Path | None = None) -> str:
    """A SARIF log of an exact audit.

    Args:
        result: of the audit.
        path: the file that holds the table or the configuration.
    """
    broken = result.verdict is AuditVerdict.VIOLATED
    found = [(CLAIM, "error", exact_headline(result))] if broken else []
    return _sarif(found, result.target, None if path is None else (str(path), 1))


def _written(result: AuditResult, target: Target) -> tuple[str, int] | None:
    """File and line of the target: its source, its file of reports, or a program's script."""
    if result.place is not None:
        return result.place
    words = [target.reference] if target.kind == "file" else []
    if target.kind == "program":
        several = command_words(target.reference, "--command")
        words = [*several[1:], *several[:1]]
    found = next(((word, 1) for word in words if Path(word).is_file()), None)
    if found is None and target.kind == "program":
        program = shutil.which(words[-1])  # no script among its words: the program itself
        return None if program is None else (program, 1)
    return found


def _location(place: str, written: tuple[str, int] | None) -> dict[str, Any]:
    found: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": place}]}
    if written is not None:
        path = Path(written[0]).resolve()
        inside = path.is_relative_to(Path.cwd())
        uri = quote(path.relative_to(Path.cwd()).as_posix()) if inside else path.as_uri()
        found["physicalLocation"] = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": written[1]},
        }
    return found


def _sarif(found: list[tuple[str, str, str]], place: str, written: tuple[str, int] | None) -> str:
    rules: list[dict[str, Any]] = [
        {"id": CLAIM, "shortDescription": {"text": "the claimed eps stands"}}
    ]
    rules += [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.why},
            "help": {"text": rule.how},
        }
        for rule in RULES.values()
    ]
    index = {rule["id"]: i for i, rule in enumerate(rules)}
    results = [
        {
            "ruleId": rule,
            "ruleIndex": index[rule],
            "level": level,
            "message": {"text": message},
            "locations": [_location(place, written)],
        }
        for rule, level, message in found
    ]
    driver = {"name": "ldp-verified", "semanticVersion": version("ldp-verified"), "rules": rules}
    log = {"$schema": SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": driver}}]}
    log["runs"][0]["results"] = results  # type: ignore[index]  # a list of dicts, two lines above
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"
