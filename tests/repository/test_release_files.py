"""The files that a host, a citer and a contributor read have the shape of their formats.

The shapes are written here from GitHub's syntax of workflows and of issue forms, and from the
Citation File Format 1.2.0.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.report.json_schema import problems
from tests.repository.plain_yaml import read

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
CLOSED: dict[str, Any] = {"type": "object", "additionalProperties": False}
RIGHTS = {
    **CLOSED,
    "properties": {
        "contents": {"enum": ["read"]},
        "id-token": {"enum": ["write"]},
    },
}
STEP = {
    **CLOSED,
    "required": ["name"],
    "properties": {"name": TEXT, "uses": TEXT, "run": TEXT, "with": {"type": "object"}},
}
JOB = {
    **CLOSED,
    "required": ["runs-on", "steps"],
    "properties": {
        "runs-on": TEXT,
        "needs": TEXT,
        "environment": TEXT,
        "permissions": RIGHTS,
        "steps": {"type": "array", "items": STEP},
    },
}
WORKFLOW: dict[str, Any] = {
    **CLOSED,
    "required": ["name", "on", "permissions", "jobs"],
    "properties": {
        "name": TEXT,
        "on": {"type": "object"},
        "permissions": {**CLOSED, "properties": {"contents": {"const": "read"}}},
        "jobs": {**CLOSED, "patternProperties": {"^[a-z]+$": JOB}},
    },
}
PART = {
    **CLOSED,
    "required": ["type", "attributes"],
    "properties": {
        "type": {"enum": ["markdown", "textarea", "input", "dropdown"]},
        "id": TEXT,
        "attributes": {
            **CLOSED,
            "properties": {"value": TEXT, "label": TEXT, "description": TEXT, "options": TEXTS},
        },
        "validations": {**CLOSED, "properties": {"required": {"type": "boolean"}}},
    },
}
FORM: dict[str, Any] = {
    **CLOSED,
    "required": ["name", "description", "body"],
    "properties": {
        "name": TEXT,
        "description": TEXT,
        "labels": TEXTS,
        "body": {"type": "array", "items": PART},
    },
}
CITATION: dict[str, Any] = {
    **CLOSED,
    "required": ["cff-version", "message", "title", "authors"],
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": TEXT,
        "title": TEXT,
        "type": {"enum": ["software"]},
        "version": TEXT,
        "license": TEXT,
        "authors": {"type": "array", "items": {**CLOSED, "properties": {"name": TEXT}}},
        "keywords": TEXTS,
    },
}


def of(path: Path) -> Any:
    return read(path.read_text(encoding="utf-8"))


def test_the_files_have_the_shape_of_their_formats() -> None:
    assert {path.stem for path in WORKFLOWS} == {"checks", "release"}
    assert len(FORMS) == 3
    assert [problems(of(path), WORKFLOW) for path in WORKFLOWS] == [[], []]
    assert [problems(of(path), FORM) for path in FORMS] == [[], [], []]
    assert problems(of(ROOT / "CITATION.cff"), CITATION) == []


@pytest.mark.parametrize(
    ("name", "schema", "old", "new"),
    [
        (".github/workflows/release.yml", WORKFLOW, "contents: read", "contents: write"),
        (".github/workflows/release.yml", WORKFLOW, "runs-on:", "runs:"),
        (".github/ISSUE_TEMPLATE/wrong-verdict.yml", FORM, "type: textarea", "type: text"),
        ("CITATION.cff", CITATION, "title:", "name:"),
    ],
)
def test_another_shape_is_refused(name: str, schema: Any, old: str, new: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert problems(read(text.replace(old, new, 1)), schema) != []


def test_only_the_job_that_publishes_may_ask_for_a_token_and_it_builds_nothing() -> None:
    for path in WORKFLOWS:
        assert "secrets." not in path.read_text(encoding="utf-8")
        for name, job in of(path)["jobs"].items():
            rights = job.get("permissions", {})
            assert ("id-token" in rights) == (name == "publish")
            used = [step.get("uses", "") for step in job["steps"]]
            assert any("gh-action-pypi-publish" in each for each in used) == (name == "publish")
            if name == "publish":
                assert not any("checkout" in each for each in used)
                assert job["environment"] == "pypi"


def unpinned(text: str) -> list[str]:
    """Actions of a workflow that are not named by a commit with its version beside it."""
    used = re.findall(r"^ *(?:- )?uses: (.*)$", text, re.MULTILINE)
    return [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\S*", each)]


def test_each_action_is_named_by_a_commit_the_same_everywhere() -> None:
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    assert [each for text in texts for each in unpinned(text)] == []
    pins = set(re.findall(r"uses: (\S+)@(\S+)", "\n".join(texts)))
    assert len(pins) == len({name for name, _ in pins}) >= 5


@pytest.mark.parametrize("ref", ["v4", "0123abc # v4", "0" * 40, f"{'0' * 40} # main"])
def test_an_action_that_can_be_moved_is_noticed(ref: str) -> None:
    assert unpinned(f"steps:\n  - uses: actions/checkout@{ref}\n") != []


def test_one_version_everywhere() -> None:
    assert of(ROOT / "CITATION.cff")["version"] == PROJECT["version"]
    assert of(ROOT / "CITATION.cff")["license"] == PROJECT["license"]


def test_what_it_is_tested_on_is_said_and_no_more() -> None:
    said = "Tested on Linux x86-64, Python 3.11"
    assert not any("OS Independent" in each for each in PROJECT["classifiers"])
    minors = [c for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", c)]
    assert minors == ["Programming Language :: Python :: 3.11"]
    for page in ("README.md", "docs/stability.md"):
        assert said in (ROOT / page).read_text(encoding="utf-8")


def test_the_promises_name_the_versions_that_are_written() -> None:
    from ldp_verified.app.report.output import SCHEMA
    from ldp_verified.check.audit.results.findings import SCHEMA as FINDING

    text = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    assert f"`{SCHEMA}`" in text
    assert f"`{FINDING}`" in text
