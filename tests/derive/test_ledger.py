"""The ledger: what a transcript costs, and by which theorems."""

from __future__ import annotations

import pytest
import sympy

from ldp_verified.derive.ledger import (
    AMPLIFIED,
    COMPOSED,
    PROCESSED,
    SAMPLED,
    SEQUENTIAL,
    SPLIT,
    ledger,
)
from ldp_verified.errors import SpecError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Groups, Protocol, Round, group
from tests.broken.protocols import UNDERPRICED, eps, protocol, sends

COSTS = {
    "two reports at the price of one": (2 * eps, COMPOSED),
    "two rounds at the price of one": (2 * eps, COMPOSED),
    "a repeated round at the price of one": (3 * eps, SEQUENTIAL),
    "a second round that looks at the value again": (2 * eps, COMPOSED),
    "a dear group": (2 * eps, SPLIT),
    "a dear turn": (3 * eps / 2, SEQUENTIAL),
    "a group that speaks in two rounds": (2 * eps, SPLIT),
    "a round of all beside one of a group": (2 * eps, SPLIT),
    "a dear choice": (2 * eps, SPLIT),
}


@pytest.mark.parametrize("name", UNDERPRICED)
def test_what_costs_more_is_found_to(name: str) -> None:
    total, theorem = COSTS[name]
    tree = ledger(UNDERPRICED[name])
    assert sympy.simplify(tree.epsilon - total) == 0
    assert theorem in {step.theorem for step in tree.steps()}


def test_prefix_extending_costs_what_one_report_costs() -> None:
    declared = load_protocol("prefix_extending")
    tree = ledger(declared)
    assert tree.epsilon == declared.epsilon
    assert tree.theorem == PROCESSED
    assert SPLIT in {step.theorem for step in tree.steps()}
    assert "olh on its own input [claim of the mechanism]" in tree.text
    assert len(tree.text.splitlines()) == len(list(tree.steps())) == 4


def test_a_sampled_input_costs_less_with_k_ary_response_alone() -> None:
    response, hashed = (load_protocol(f"padded_{name}") for name in ("response", "hashing"))
    tree = ledger(response)
    assert tree.epsilon == response.epsilon
    (sampled,) = tree.parts
    (alone,) = sampled.parts
    eps_, _, length = response.parameters
    assert (sampled.theorem, sampled.epsilon) == (AMPLIFIED, eps_)
    assert sympy.expand(sympy.exp(alone.epsilon) - length * (sympy.exp(eps_) - 1)) == 1
    tree = ledger(hashed)
    assert tree.epsilon == hashed.epsilon
    assert SAMPLED in {step.theorem for step in tree.steps()}


def test_a_group_pays_for_its_own_rounds_only() -> None:
    """Three and five groups send one report each; both phases of LDPMiner are paid by all."""
    for name, reports in (("svim", 3), ("svsm", 5), ("ldp_miner", 2)):
        declared = load_protocol(name)
        tree = ledger(declared)
        assert tree.epsilon == declared.epsilon
        (inside,) = tree.parts
        assert len(inside.parts) == reports
        assert inside.theorem == (COMPOSED if name == "ldp_miner" else SPLIT)
    silent = protocol([Round([sends()], speaks=1)], groups=Groups(2))
    with pytest.raises(SpecError, match="must have a report of each group, got 0"):
        ledger(silent)


def test_groups_whose_number_is_open_need_one_price() -> None:
    declared = Protocol(
        "made",
        [eps, count := sympy.Symbol("count", integer=True, positive=True)],
        4,
        [Round([sends(price=eps * (1 + group))])],
        eps,
        Groups(count),
    )
    with pytest.raises(SpecError, match="price: must be the same for all groups"):
        ledger(declared)


def test_a_number_of_rounds_may_be_a_parameter() -> None:
    count = sympy.Symbol("count", integer=True, positive=True)
    declared = Protocol(
        "made", [eps, count], 4, [Round([sends(price=eps / count)], times=count)], eps
    )
    assert ledger(declared).epsilon == eps
    assert ledger(protocol([Round([sends()])])).epsilon == eps
