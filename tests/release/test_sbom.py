"""The bill of materials names what the package needs to run, and is the one in the tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from release import sbom
from release.licences import locked
from tests.report.json_schema import problems

if TYPE_CHECKING:
    from pathlib import Path

TEXT = {"type": "string"}
EXPRESSION = {"type": "object", "required": ["expression"], "properties": {"expression": TEXT}}
COMPONENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type", "name", "version", "purl", "bom-ref", "licenses"],
    "properties": {
        "type": {"const": "library"},
        "name": TEXT,
        "version": TEXT,
        "purl": {"type": "string", "pattern": r"^pkg:pypi/[a-z0-9.-]+@\S+$"},
        "bom-ref": TEXT,
        "licenses": {"type": "array", "items": EXPRESSION},
        "scope": {"const": "required"},
    },
}
BILL: dict[str, Any] = {
    "type": "object",
    "required": ["bomFormat", "specVersion", "version", "metadata", "components", "dependencies"],
    "properties": {
        "bomFormat": {"const": "CycloneDX"},
        "specVersion": {"const": "1.6"},
        "version": {"const": 1},
        "metadata": {"type": "object", "properties": {"component": COMPONENT}},
        "components": {"type": "array", "items": COMPONENT},
    },
}


def test_the_file_is_current() -> None:
    assert sbom.drift() == []


def test_a_stale_file_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "bill.json"
    assert sbom.drift(path) != []
    path.write_text(sbom.text().replace("required", "optional"), encoding="utf-8")
    assert sbom.drift(path) != []


def test_its_shape_and_its_parts() -> None:
    found = json.loads(sbom.text())
    assert problems(found, BILL) == []
    names = {each["name"]: each["version"] for each in found["components"]}
    assert {"numpy", "cryptography", "python-flint", "cffi"} <= set(names)
    assert not {"sympy", "numba", "matplotlib", "hatchling", "ldp-verified"} & set(names)
    assert all(locked()[name] == version for name, version in names.items())
    refs = {each["bom-ref"] for each in [found["metadata"]["component"], *found["components"]]}
    assert {each["ref"] for each in found["dependencies"]} == refs
    assert all(set(each["dependsOn"]) <= refs for each in found["dependencies"])
    assert all(each["licenses"] for each in found["components"])
