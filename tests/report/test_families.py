"""The catalogue's page begins with what most people look for, and loses nothing."""

from __future__ import annotations

import pytest

from ldp_verified.app.report.entries import Section
from ldp_verified.app.report.families import FAMILIES, OTHERS, PROTOCOLS, families
from ldp_verified.spec_files import catalogue


def section(module: str) -> Section:
    """A section of a spec file that says nothing."""
    return Section(module, "", (), "", ())


def test_each_listed_file_is_there_and_in_one_family() -> None:
    listed = [module for modules in FAMILIES.values() for module in modules]
    assert len(listed) == len(set(listed))
    assert set(listed) <= {path.stem for path in catalogue().values()}


def test_the_common_ones_come_first_whatever_the_order() -> None:
    given = ["attributes", "mine", "sue", "laplace", "warner", "grr"]
    found = families([section(each) for each in given], [section("prefix_extending")])
    assert [(family.name, [each.module for each in family.sections]) for family in found] == [
        ("Categories", ["grr", "sue"]),
        ("Two answers", ["warner"]),
        ("Numbers, vectors and grades", ["laplace"]),
        ("Several attributes", ["attributes"]),
        (OTHERS, ["mine"]),
        (PROTOCOLS, ["prefix_extending"]),
    ]


@pytest.mark.parametrize("lost", [[], [section("mine")]])
def test_a_spec_of_ones_own_is_shown(lost: list[Section]) -> None:
    assert [each for family in families(lost) for each in family.sections] == lost
