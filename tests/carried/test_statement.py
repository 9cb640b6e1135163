"""The statement has the shape of in-toto's Statement v1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ldp_verified.run.carried.statement import statement_text
from tests.report.json_schema import problems

SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SUBJECT = {
    "type": "object",
    "required": ["name", "digest"],
    "properties": {
        "name": {"type": "string"},
        "digest": {"type": "object", "required": ["sha256"], "properties": {"sha256": SHA256}},
    },
}
STATEMENT: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["_type", "subject", "predicateType", "predicate"],
    "properties": {
        "_type": {"const": "https://in-toto.io/Statement/v1"},
        "subject": {"type": "array", "items": SUBJECT},
        "predicateType": {"type": "string", "pattern": r"^[a-z][a-z0-9+.-]*:\S+$"},
        "predicate": {"type": "object"},
    },
}


def test_the_shape() -> None:
    found = json.loads(statement_text({"b": "1" * 64, "a": "0" * 64}, {"exit_code": 0}))
    assert problems(found, STATEMENT) == []
    assert [each["name"] for each in found["subject"]] == ["a", "b"]
    assert found["predicate"] == {"exit_code": 0}


@pytest.mark.parametrize("field", ["_type", "subject", "predicateType"])
def test_another_shape_is_seen(field: str) -> None:
    found = json.loads(statement_text({"a": "0" * 64}, {}))
    found[field] = [{}]
    assert problems(found, STATEMENT) != []
