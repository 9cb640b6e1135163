"""Bounds on eps and conditions on several parameters as hypotheses of the theorems."""

from __future__ import annotations

import pytest

from ldp_verified.language import Mechanism
from ldp_verified.prove import Status, verify
from ldp_verified.prove.coq.printer import Printed, coq_print
from tests.broken.domains import FAILS, FALSE_REGIONS, HOLDS, REGIONS
from tests.prove.coq.test_kernel import missing

EVERY = {b.name: b.mechanism for b in (*HOLDS, *FAILS, *REGIONS, *FALSE_REGIONS)}
UNPRINTED = {"a_root_of_an_even_power": "the printer draws no root of an even power"}
"""True claims that the kernel is not asked about, so that one group of checkers proves them."""

ACCEPTED = ("up_to_three", "a_square_root", "through_another", "comparable", "much")


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_kernel_accepts_what_holds_in_the_domain(name: str) -> None:
    mechanism = EVERY[name]
    if missing(mechanism):
        return
    result = verify(mechanism, smt=False, coq=True, derived=False)
    (of_claim,) = [v for v in result.verdicts if v.claim == 0]
    assert of_claim.status is Status.PROVED
    assert "coq" in of_claim.checkers


@pytest.mark.parametrize("mechanism", EVERY.values(), ids=EVERY.keys())
def test_what_holds_is_printed_and_what_fails_is_not(mechanism: Mechanism) -> None:
    printed = coq_print(mechanism)
    assert isinstance(printed, Printed)
    true = mechanism.name in {m.name for m in (*HOLDS, *REGIONS)} - UNPRINTED.keys()
    assert (not any(key[0] == 0 for key in printed.refused)) == true


def test_the_domain_stands_in_the_theorem() -> None:
    printed = coq_print(EVERY["up_to_three"])
    assert isinstance(printed, Printed)
    assert "(exp eps) < 8158208 / 3001237 ->" in printed.text
    printed = coq_print(EVERY["comparable"])
    assert isinstance(printed, Printed)
    assert "0 <= 3 * a - b ->" in printed.text
