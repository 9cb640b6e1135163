"""A pure law near an approximate one: the kernel takes the statement, and no better one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ldp_verified.check.claims import PURE_NEARBY
from ldp_verified.check.claims import theorems as module
from ldp_verified.prove.coq.coqc import coqc_available

WRONG = {
    # At eps = 0 one law has to stand for two that are delta apart, so one is off by delta/2.
    "a third of delta": ("<= delta /\\ Rabs", "<= delta / 3 /\\ Rabs", "q) <= delta", "delta / 3"),
    # Of such laws an event may be e^eps times as likely, and delta besides.
    "half of epsilon": ("0 <= p' y <= exp eps *", "0 <= p' y <= exp (eps / 2) *", "", ""),
}


def twin(name: str) -> str:
    """The statement with its conclusion made too strong."""
    said, other, last, end = WRONG[name]
    assert said in PURE_NEARBY.statement
    wrong = PURE_NEARBY.statement.replace(said, other)
    if last:
        assert wrong.endswith(last)
        wrong = wrong.removesuffix("delta") + end
    return wrong


def test_the_kernel_takes_the_statement() -> None:
    found = module.accepted_statements([PURE_NEARBY])
    expected = module.ACCEPTED if coqc_available() else module.NO_COQ
    assert found == {PURE_NEARBY: expected}


@pytest.mark.parametrize("name", WRONG)
def test_the_kernel_does_not_take_a_stronger_one(name: str) -> None:
    wrong = replace(PURE_NEARBY, statement=twin(name))
    assert module.accepted_statements([wrong])[wrong] != module.ACCEPTED
