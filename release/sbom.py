"""The bill of materials that the wheel carries (PEP 770), as CycloneDX 1.6.

Nothing of another project is packed into our wheel. Its components are what it requires to run,
directly or not, at the versions that it was tested with: those of `constraints.txt`.
"""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from release.licences import ROOT, licence, locked

FILE = ROOT / "release" / "ldp-verified.cdx.json"
OWN = "ldp-verified"


def required() -> dict[str, list[str]]:
    """Distribution -> what it requires here, for everything that the package needs to run."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {OWN: _names(project["dependencies"])}
    todo = list(found[OWN])
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = _names(distribution(name).requires or [])
            todo += found[name]
    return found


def _names(texts: list[str]) -> list[str]:
    """The distributions that are required on this machine without any extra."""
    asked = [Requirement(text) for text in texts]
    here = [each for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})]
    return sorted({each.name.lower().replace("_", "-") for each in here})


def document() -> dict[str, Any]:
    """The bill of materials: the same for the same `pyproject.toml` and `constraints.txt`.

    Raises:
        KeyError: something that is required is not in `constraints.txt`.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs, versions = required(), locked()
    own = _component(OWN, project["version"], project["license"])
    others = [
        _component(name, versions[name], licence(distribution(name)))
        for name in sorted(needs)
        if name != OWN
    ]
    versions = {**versions, OWN: project["version"]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": [{**each, "scope": "required"} for each in others],
        "dependencies": [
            {"ref": _purl(name, versions[name]), "dependsOn": [_purl(n, versions[n]) for n in asks]}
            for name, asks in sorted(needs.items())
        ],
    }


def text() -> str:
    """The bill of materials as it is written."""
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


def _component(name: str, number: str, expression: str | None) -> dict[str, Any]:
    purl = _purl(name, number)
    found: dict[str, Any] = {"type": "library", "name": name, "version": number, "purl": purl}
    licences = [{"expression": expression}] if expression else []
    return {**found, "bom-ref": purl, "licenses": licences}


def _purl(name: str, number: str) -> str:
    return f"pkg:pypi/{name}@{number}"


def drift(path: Path = FILE) -> list[str]:
    """Why the file is not the bill of materials of this tree; empty where it is."""
    if path.is_file() and path.read_text(encoding="utf-8") == text():
        return []
    return [f"{path.name}: is not what pyproject.toml and constraints.txt give: make sbom"]


def main() -> None:
    """Write the file."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
