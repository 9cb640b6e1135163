"""Added checkers: what they may do, and what becomes of those that lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.app.report import checks_page
from ldp_verified.errors import ContradictionError, InternalError
from ldp_verified.kinds import Kind
from ldp_verified.language import LDP, Matrix, Mechanism, Rational, Unbiased, load, log
from ldp_verified.prove import Status, verify
from ldp_verified.prove.addition import Answer, Says, add
from ldp_verified.prove.mutation.mutate import matrix
from ldp_verified.prove.registry import ADDED, RULES, Rules, everyone, proving
from ldp_verified.prove.routes import Opinion, RouteSubject, checkers
from ldp_verified.prove.verdict_algebra import Evidence
from tests.broken import checkers as liars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.prove import Verdict

keep = Rational(3, 4)
COINS = Matrix([[keep, 1 - keep], [1 - keep, keep]])
TRUE = Mechanism("coins", parameters=[], table=COINS, claims=[LDP(log(3), tight=True), Unbiased()])
FALSE = Mechanism("coins", parameters=[], table=COINS, claims=[LDP(log(2))])


@pytest.fixture(autouse=True)
def _added() -> Iterator[None]:
    """What a test registers is gone after it."""
    everyone()
    before = dict(ADDED), dict(RULES)
    yield
    for table, kept in zip((ADDED, RULES), before, strict=True):
        table.clear()  # type: ignore[attr-defined]  # zip forgets that both are dictionaries
        table.update(kept)  # type: ignore[attr-defined]  # the same


def said(mechanism: Mechanism) -> dict[str, Verdict]:
    found = verify(mechanism, 3, smt=False, coq=False, draw_points=False)
    return {v.obligation: v for v in found.verdicts}


def test_the_tree_has_no_added_checker() -> None:
    assert not ADDED


def test_who_accepts_everything_proves_no_more_than_one_group() -> None:
    before = said(TRUE)
    liars.accepts_everything()
    after = said(TRUE)
    assert {kind: v.status for kind, v in after.items()} == {k: v.status for k, v in before.items()}
    assert all("liar" in verdict.checkers for verdict in after.values())
    assert after[Kind.RATIO].status is Status.ONE_GROUP


@pytest.mark.parametrize("group", ["liars", "algebra"])
def test_no_added_proof_takes_the_place_of_a_group(group: str) -> None:
    liars.accepts_everything(group)
    assert Evidence(("liar",)).status is Status.ONE_GROUP
    assert Evidence(("coq", "liar")).status is Status.ONE_GROUP
    assert Evidence(("certificate", "liar")).status is Status.ONE_GROUP
    assert Evidence(("certificate", "coq", "liar")).status is Status.PROVED


@pytest.mark.parametrize("group", ["liars", "algebra"])
def test_who_accepts_what_is_refuted_is_named(group: str) -> None:
    liars.accepts_everything(group)
    with pytest.raises(ContradictionError, match="coins: ratio") as caught:
        said(FALSE)
    assert "proved by: liar" in caught.value.details


def test_without_a_group_consent_changes_nothing() -> None:
    before, false = said(TRUE), said(FALSE)
    liars.accepts_everything("")
    after = said(TRUE)
    assert {kind: v.status for kind, v in after.items()} == {k: v.status for k, v in before.items()}
    assert {k: v.status for k, v in said(FALSE).items()} == {k: v.status for k, v in false.items()}
    assert Evidence((), ("liar",)).status is Status.OPEN
    assert Evidence((), ("liar", "enumeration")).status is Status.ENUMERATED
    with pytest.raises(ValueError, match="must all be in groups that prove"):
        _ = Evidence(("liar",)).status
    with pytest.raises(ValueError, match="liar: not a checker, or in no group that proves"):
        proving({"liar": True})


@pytest.mark.parametrize("group", ["", "grumblers", "algebra"])
def test_who_refuses_everything_caps_everything_and_is_named(group: str) -> None:
    liars.refuses_everything(group)
    after = said(TRUE)
    assert after
    for verdict in after.values():
        assert verdict.status is Status.OPEN
        assert verdict.refusals["grumbler"] == "it does not like it"
    assert "grumbler refuses what certificate proves" in after[Kind.RATIO].detail
    assert "grumbler refuses what counting proves" in after[Kind.CLASS_COUNTS].detail
    assert said(FALSE)[Kind.RATIO].status is Status.REFUTED


def test_a_place_is_looked_at_before_it_is_believed() -> None:
    (mechanism,) = load("binary_rr")
    liars.refuses_at({"u": 3})
    after = said(mechanism)
    assert after[Kind.RATIO].status is Status.OPEN
    assert "refuses it at u = 3, where enumeration finds nothing" in after[Kind.RATIO].detail


@pytest.mark.parametrize("place", [{"u": -1}, {"w": 3}])
def test_a_place_outside_the_domain_is_named(place: dict[str, int]) -> None:
    (mechanism,) = load("binary_rr")
    liars.refuses_at(place)
    found = said(mechanism)[Kind.RATIO]
    assert found.status is Status.OPEN
    assert "grumbler names a place outside the domain" in found.detail


TAKEN = ["certificate", "smt", "counting", "kernel checker", "coq", "enumeration", "identities"]


@pytest.mark.parametrize("name", [*TAKEN, "Coq", "coq ", "\u0441oq", "", "a  b"])
def test_nobody_registers_under_another_name(name: str) -> None:
    with pytest.raises(InternalError, match="name of an added checker"):
        liars.takes_the_name(name)
    assert not ADDED


def test_nobody_registers_twice() -> None:
    liars.accepts_everything()
    with pytest.raises(InternalError, match="must not be another checker's, got 'liar'"):
        liars.accepts_everything()


@pytest.mark.parametrize("group", ["coq", "smt", "Algebra", "enumeration"])
def test_nobody_joins_a_group_that_is_not_open(group: str) -> None:
    with pytest.raises(InternalError, match="group of the added checker liar"):
        liars.accepts_everything(group)


def test_nobody_takes_cells_that_another_checker_borrows() -> None:
    """SMT has the cells of the certificate: nobody else registers rules in its name."""
    with pytest.raises(ValueError, match="smt: not a checker, or its cells are kept elsewhere"):
        Rules("smt")


def test_a_checker_says_what_it_shares() -> None:
    with pytest.raises(InternalError, match="must say what it shares with whom"):
        add("silent", " ")


def test_a_refusal_says_why() -> None:
    with pytest.raises(InternalError, match="must say why"):
        Answer(Says.REFUSED)


def test_a_group_of_its_own_reads_nothing_derived() -> None:
    liars.copies_the_algebra()
    with pytest.raises(InternalError, match="by checkers of the group algebra only, got 'copies'"):
        said(TRUE)


def test_an_answer_is_an_answer() -> None:
    liars.says_yes()
    with pytest.raises(InternalError, match="added checker yes: must answer with an Answer"):
        said(TRUE)


def test_the_page_and_the_routes_know_it() -> None:
    liars.refuses_everything()
    assert "| grumbler | refutes only | looks at nothing |" in checks_page.markdown()
    opinion = checkers(3)["grumbler"](RouteSubject(TRUE))
    assert isinstance(opinion, Opinion)
    assert opinion.accepts is False


def test_planted_errors_show_who_lies() -> None:
    """Whoever accepts all rejects no variant; whoever refuses all refuses the true one as well."""
    liars.accepts_everything()
    liars.refuses_everything()
    asked = {name: checkers(3)[name] for name in ("certificate", "liar", "grumbler")}
    report = matrix(load("warner"), asked, each=1, kinds={"epsilon", "variance"})
    assert report.rejections["certificate"] > 0
    assert report.rejections["liar"] == report.rejections["grumbler"] == 0
    assert {name for _, name, _ in report.unaccepted} == {"grumbler"}
