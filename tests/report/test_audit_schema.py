"""What `audit`, `replay` and `explain` print is what the shipped schema says, and nothing else."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.app.report.audit_schema import schema, schema_text
from ldp_verified.app.report.output import SCHEMA
from ldp_verified.check.audit.rules.rules import RULES
from tests.cli.running import document, run
from tests.report.json_schema import problems

CLIENT = "tests.broken.audit.targets:Client(1.0, 4).privatise"
AUDIT = ["audit", CLIENT, "--epsilon", 1, "--inputs", "0..3", "--json", "--level", "1e-9"]
ONE_EVENT = {
    *("bound", "claim", "command", "events", "exit_code", "findings", "headline", "level", "mode"),
    *("schema", "seed", "skipped", "status", "target", "verdict", "witnesses"),
}
"""Fields that programs of others read: they stay."""


def wrong(found: Any) -> list[str]:
    rules = schema()
    kind = "error" if "error" in found else "sampled"
    kind = "explain" if found["command"] == "explain" else "exact" if "kind" in found else kind
    return problems(found, {"$ref": f"#/$defs/{kind}", "$defs": rules["$defs"]}, closed=True) + (
        problems(found, rules)
    )


def test_every_kind_of_document_has_the_shape(tmp_path: Path) -> None:
    saved, table = tmp_path / "leak.json", tmp_path / "table.csv"
    table.write_text("input,a,b\nx,3/4,1/4\ny,1/4,3/4\n")
    documents = [
        document(run(*AUDIT, "-n", 400, "--no-checks")),
        document(run(*AUDIT, "-n", 4000, "--outputs", "0..3")),
        document(run(*AUDIT[:2], *AUDIT[4:], "-n", 400, "--no-checks")),
        document(run(*AUDIT, "-n", 4000, "--anytime", "--no-checks")),
        document(run(*AUDIT[:3], 0.1, *AUDIT[4:], "-n", 4000, "--no-checks", "--save", saved)),
        document(run("replay", saved, "-n", 2000, "--json")),
        document(run("audit", "--table", table, "--epsilon", 1, "--json")),
        document(run("audit", "--table", table, "--json")),
        document(run(*AUDIT, "-n", 1)),
        document(run("explain", "--json")),
        document(run("explain", "LDP001", "--json")),
    ]
    assert [wrong(found) for found in documents] == [[]] * len(documents)
    codes = {found["exit_code"] for found in documents}
    assert codes == {0, 1, 2, 3}


@pytest.fixture(scope="module")
def audited() -> dict[str, Any]:
    return document(run(*AUDIT, "-n", 400, "--no-checks"))


@pytest.mark.parametrize("field", sorted(ONE_EVENT))
def test_a_document_without_a_field_is_refused(audited: dict[str, Any], field: str) -> None:
    assert wrong(audited) == []
    less = {name: value for name, value in audited.items() if name != field}
    assert problems(less, schema()) != []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", "ldp-verified/2"),
        ("verdict", "passed"),
        ("status", "proved"),
        ("exit_code", 2),
        ("bound", "1.0"),
        ("seed", 7),
        ("findings", [{"rule": "X1", "title": "", "violates": True, "message": ""}]),
        ("events", [{}]),
        ("infinite", 1),
    ],
)
def test_a_document_with_another_value_is_refused(
    audited: dict[str, Any], field: str, value: Any
) -> None:
    other = deepcopy(audited) | {field: value}
    assert problems(other, schema()) != []


def test_a_new_field_is_allowed_and_must_be_described(audited: dict[str, Any]) -> None:
    more = audited | {"colour": "red"}
    assert problems(more, schema()) == []
    assert wrong(more) != []


def test_versions_codes_and_ids() -> None:
    rules = schema()
    assert rules["$defs"]["sampled"]["properties"]["schema"]["const"] == SCHEMA
    explained = document(run("explain", "--json"))
    assert explained["exit_codes"].keys() == {str(int(code)) for code in Outcome}
    assert [rule["id"] for rule in explained["rules"]] == list(RULES)
    printed = run("explain", "--schema")
    assert (printed.exit_code, printed.stdout) == (0, schema_text())
    assert json.loads(printed.stdout) == rules


def test_a_keyword_that_the_validator_does_not_know_is_an_error() -> None:
    with pytest.raises(ValueError, match="oneOf"):
        problems(1, {"oneOf": []})
