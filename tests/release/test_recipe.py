"""The recipe for conda says what the package says; `make test-env` renders it."""

from __future__ import annotations

import pytest

from release.recipe import conda, project, recipe


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("numpy>=2.0", "numpy >=2.0"),
        ("matplotlib>=3.9", "matplotlib-base >=3.9"),
        ("duckdb", "python-duckdb"),
        ("a-b>=1,<2", "a-b >=1,<2"),
    ],
)
def test_a_requirement_is_written_as_conda_does(requirement: str, said: str) -> None:
    assert conda(requirement) == said


@pytest.mark.parametrize("requirement", ["ours[extra]", "a>=1; python_version<'3.12'", "", "a @ b"])
def test_what_conda_cannot_state_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match="no plain requirement"):
        conda(requirement)


def test_all_that_the_package_needs_is_there() -> None:
    own, text = project()["project"], recipe("ab" * 32)
    required, _, optional = text.partition("  run_constraints:\n")
    for each in own["dependencies"]:
        assert f"    - {conda(each)}\n" in required.partition("  run:\n")[2]
    for name, extra in own["optional-dependencies"].items():
        for each in extra:
            if "[" not in each and name != "demo":
                assert f"    - {conda(each)}\n" in optional
    assert f'version: "{own["version"]}"' in text
    assert "sha256: " + "ab" * 32 in text
    assert f"license: {own['license']}\n" in text
