"""Declaring protocols: what may look at the value, and what may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import catalogue_folder, load_protocol, real
from ldp_verified.language.protocol import Protocol, Round, Sends, prefix, x
from tests.broken.protocols import UNDECLARABLE, UNDERPRICED, eps, protocol, sends


@pytest.mark.parametrize("make", UNDECLARABLE.values(), ids=UNDECLARABLE)
def test_what_may_not_be_declared_is_refused(make: Callable[[], Protocol]) -> None:
    with pytest.raises(SpecError):
        make()


def test_the_message_says_that_the_value_is_private() -> None:
    with pytest.raises(SpecError, match=r"groups\.of: must not look at the value"):
        UNDECLARABLE["the group is chosen by the value"]()


def test_the_price_is_that_of_the_claim_at_the_parameters() -> None:
    assert sends(price=eps / 2).price == eps / 2
    assert UNDERPRICED["two reports at the price of one"].epsilon == eps


def test_other_mistakes_are_named() -> None:
    with pytest.raises(SpecError, match="rounds"):
        protocol([])
    with pytest.raises(SpecError, match="at: must name parameters of grr"):
        protocol([Round([Sends(sends().randomizer, x, {real("other", above=0): 1})])])


def test_a_prefix_is_that_of_the_binary_digits() -> None:
    values = [int(prefix(x, 3, 7).subs(x, number)) for number in range(128)]
    assert values == [number >> 4 for number in range(128)]


def test_the_file_of_the_catalogue_is_found_by_name() -> None:
    found = load_protocol("prefix_extending")
    assert found.name == "prefix_extending"
    assert [sent.randomizer.name for each in found.rounds for sent in each.sends] == ["olh"]
    with pytest.raises(SpecError, match="no such spec file"):
        load_protocol("prefix_extendin")
    with pytest.raises(SpecError, match="must declare one Protocol"):
        load_protocol(catalogue_folder() / "olh.py")
