"""Write the recipe of the conda package: `python -m release.recipe`, and `make release` in `dist/`.

It says what `pyproject.toml` says, in the format of rattler-build (schema version 1). What the core
needs is required; what an extra needs is a constraint, which holds where the user installs it.
Nobody has sent it to conda-forge. `make test-env` renders it, and refuses an unknown field.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from release.licences import ROOT

ELSEWHERE = {"matplotlib": "matplotlib-base", "duckdb": "python-duckdb"}
"""Packages that have another name at conda-forge than on PyPI."""

TEXT = """\
schema_version: 1

context:
  version: "{version}"

package:
  name: {name}
  version: ${{{{ version }}}}

source:
  url: https://pypi.org/packages/source/l/{name}/{module}-${{{{ version }}}}.tar.gz
  sha256: {sha256}

build:
  number: 0
  noarch: python
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation
  python:
    entry_points:
{entries}

requirements:
  host:
    - python {python}
    - pip
{host}
  run:
    - python {python}
{run}
  run_constraints:
{constraints}

tests:
  - python:
      imports:
        - {module}
      pip_check: true
  - requirements:
      run:
{cli}
    script:
      - {name} list

about:
  license: {license}
  license_file: {licence_files}
  summary: {summary}
"""


def project() -> dict[str, Any]:
    """Return `pyproject.toml` as a mapping."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def conda(requirement: str) -> str:
    """A requirement of PyPI as conda writes it.

    Args:
        requirement: a name with at most lower and upper bounds, such as "numpy>=2.0".

    Raises:
        ValueError: it has extras, markers or something else.
    """
    found = re.fullmatch(r"([A-Za-z0-9._-]+?)((?:[<>]=?|==)[\w.,<>=]+)?", requirement)
    if found is None:
        raise ValueError(f"no plain requirement: {requirement}")
    name = found[1].lower()
    return f"{ELSEWHERE.get(name, name)} {found[2] or ''}".strip()


def _optional(extras: dict[str, list[str]]) -> list[str]:
    """What extras need, each once; without extras of ours, and without the data of the demo."""
    every = {each for name, needed in extras.items() if name != "demo" for each in needed}
    return sorted({conda(each) for each in every if "[" not in each})


def recipe(sha256: str) -> str:
    """The recipe.

    Args:
        sha256: of the source distribution, in hex.

    Raises:
        ValueError: a requirement that conda cannot state.
    """
    whole = project()
    own = whole["project"]

    def listed(items: Any, indent: int = 4) -> str:
        return "\n".join(f"{' ' * indent}- {each}" for each in items)

    return TEXT.format(
        name=own["name"],
        module=own["name"].replace("-", "_"),
        version=own["version"],
        sha256=sha256,
        entries=listed((f"{name} = {at}" for name, at in own["scripts"].items()), 6),
        python=own["requires-python"],
        host=listed(map(conda, whole["build-system"]["requires"])),
        run=listed(map(conda, own["dependencies"])),
        cli=listed(map(conda, own["optional-dependencies"]["cli"]), 8),
        constraints=listed(_optional(own["optional-dependencies"])),
        license=own["license"],
        licence_files=", ".join(own["license-files"]),
        summary=own["description"],
    )


def main() -> None:
    """Print it, with the hash of a file that is named, or of none."""
    from release.build import digest

    named = sys.argv[1:]
    sys.stdout.write(recipe(digest(Path(named[0])) if named else "0" * 64))


if __name__ == "__main__":
    main()
