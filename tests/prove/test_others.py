"""A comparison is never stronger than what is known of the table that it compares with."""

from __future__ import annotations

import pytest

from ldp_verified.language import BetterThan, Design, Mechanism, Singletons, integer, load
from ldp_verified.prove import Status, Verdict, verify
from ldp_verified.prove.others import NEEDED, others
from ldp_verified.prove.prepared import Prepared
from ldp_verified.prove.verify import _verdicts
from tests.broken.comparisons import RESTS_ON, k, u


@pytest.mark.parametrize("name", RESTS_ON)
def test_a_comparison_rests_on_the_laws_of_the_other_table(name: str) -> None:
    mechanism, base = RESTS_ON[name]
    (verdict,) = [
        v for v in verify(mechanism, 4, coq=False, derived=False).verdicts if v.claim == 0
    ]
    if base:
        # A witness of its own, at a drawn point, is the other honest answer.
        assert verdict.status in (Status.OPEN, Status.REFUTED)
        assert verdict.status is Status.REFUTED or base in verdict.capped_by
    else:
        assert any("no structure is given" in text for text in verdict.assumptions)


def test_equal_tables_are_decided_once_and_all_their_laws_are_proved() -> None:
    (grr,) = load("grr")
    asked: list[str] = []

    def decide(case: Prepared) -> tuple[Verdict, ...]:
        asked.append(case.mechanism.name)
        return _verdicts(case, 4, False, False, lambda _: None)[0]

    found = others(grr, decide)
    assert len(found) == 2
    assert asked == ["grr_beside0"]
    for laws in found.values():
        assert {v.obligation for v in laws} == {f"{kind} of oue" for kind in NEEDED}
        assert {v.status for v in laws} == {Status.ONE_GROUP}


def test_what_compares_with_nothing_asks_nobody() -> None:
    (mechanism,) = load("warner")
    assert isinstance(mechanism, Mechanism)
    assert others(mechanism, lambda _: pytest.fail("nobody is compared with")) == {}


def test_of_a_table_that_cannot_be_declared_here_nothing_is_known() -> None:
    """The number of functions is bounded here, where the other mechanism leaves it free."""
    g, size = integer("g", at_least=2), integer("M", at_least=1, at_most=4)
    (olh,) = [m for m in load("olh") if m.name == "olh"]
    this = Mechanism(
        "this",
        parameters=[olh.parameters[0], integer("k", at_least=2), g, size],
        table=Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k)),
        claims=[BetterThan(olh)],
    )
    ((law,),) = others(this, lambda _: pytest.fail("it is declared")).values()
    assert law.status is Status.OPEN
    assert "without further bounds" in law.detail
