"""The verdict algebra: over all combinations, no verdict is stronger than its evidence."""

from __future__ import annotations

from itertools import product

import pytest

from ldp_verified.kinds import Kind
from ldp_verified.prove.verdict_algebra import (
    LADDER,
    RESTS_ON,
    Evidence,
    meet,
    rested,
    weakest,
)
from ldp_verified.prove.verdicts import Status, Verdict, Witness

WITNESS = Witness({}, {}, "it fails here")
PROVERS = [("certificate", "smt", "coq"), ("certificate", "coq"), ("smt", "coq")]
ONE_SIDED = [("certificate",), ("smt",), ("certificate", "smt"), ("counting",), ("coq",)]


def verdict(kind: str, status: Status, claim: int | None = 0, *assumptions: str) -> Verdict:
    return Verdict(claim, "", kind, status, (), assumptions=assumptions)


@pytest.mark.parametrize("proves", PROVERS)
def test_both_groups_prove(proves: tuple[str, ...]) -> None:
    assert Evidence(proves).status is Status.PROVED


@pytest.mark.parametrize("proves", ONE_SIDED)
def test_one_group_alone_does_not(proves: tuple[str, ...]) -> None:
    assert Evidence(proves, ("enumeration", "identities")).status is Status.ONE_GROUP


def test_enumeration_proves_nothing() -> None:
    assert Evidence((), ("enumeration", "identities")).status is Status.ENUMERATED


@pytest.mark.parametrize("proves", [(), *PROVERS, *ONE_SIDED])
@pytest.mark.parametrize("route", ["certificate", "smt", "coq", "counting", "a new one"])
def test_whoever_refuses_is_never_outvoted(proves: tuple[str, ...], route: str) -> None:
    assert Evidence(proves, ("enumeration",), {route: "why"}).status is Status.OPEN
    assert Evidence(proves, (), {route: "why"}, WITNESS).status is Status.REFUTED


def test_nothing_at_all_is_open_and_what_is_granted_is_assumed() -> None:
    assert Evidence().status is Status.OPEN
    assert Evidence(assumes=("it exists",), granted=True).status is Status.ASSUMED


@pytest.mark.parametrize("own, base", list(product(Status, Status)))
def test_a_meet_is_never_stronger_than_either(own: Status, base: Status) -> None:
    found = meet(own, base)
    if own is not Status.ASSUMED:
        assert LADDER.index(found) <= LADDER.index(own)
    if base in (Status.REFUTED, Status.OPEN):
        assert found in (Status.OPEN, Status.REFUTED)
    elif base is Status.ASSUMED:
        assert found is own  # an assumption is carried, it is no level
    elif own not in (Status.ASSUMED, Status.REFUTED):
        assert LADDER.index(found) <= LADDER.index(base)


@pytest.mark.parametrize("kind", [k for k, base in RESTS_ON.items() if Kind.CLASS_COUNTS in base])
@pytest.mark.parametrize("status", Status)
def test_whatever_uses_counts_is_capped_by_them(kind: str, status: Status) -> None:
    claim = None if kind in ("nonnegative", "sums_to_one") else 0
    counts = verdict(
        Kind.CLASS_COUNTS, status, None, *(["blocks"] if status is Status.ASSUMED else [])
    )
    (found, _) = rested([verdict(kind, Status.PROVED, claim), counts])
    expected = {Status.REFUTED: Status.OPEN, Status.ASSUMED: Status.PROVED}.get(status, status)
    assert found.status is expected
    assert found.assumptions == counts.assumptions
    assert (found.alone is Status.PROVED) == (expected is not Status.PROVED)
    assert found.capped_by == ((Kind.CLASS_COUNTS,) if expected is not Status.PROVED else ())


def test_a_new_kind_of_obligation_rests_on_everything_said_of_the_table() -> None:
    for law in (Kind.CLASS_COUNTS, "nonnegative", "sums_to_one"):
        found, _ = rested([verdict("brand_new", Status.PROVED), verdict(law, Status.OPEN, None)])
        assert found.status is Status.OPEN


def test_caps_travel_along_chains_and_within_a_claim_only() -> None:
    said = rested(
        [
            verdict("tight", Status.PROVED, 0),
            verdict("ratio", Status.REFUTED, 0),
            verdict("tight", Status.PROVED, 1),
            verdict("ratio", Status.PROVED, 1),
            verdict("sums_to_one", Status.ONE_GROUP, None),
            verdict("holds", Status.PROVED, 2),
        ]
    )
    assert [v.status for v in said] == [
        Status.OPEN,
        Status.REFUTED,
        Status.ONE_GROUP,
        Status.ONE_GROUP,
        Status.ONE_GROUP,
        Status.PROVED,
    ]


def test_a_witness_stands_whatever_it_rests_on() -> None:
    found, _ = rested(
        [verdict("variance", Status.REFUTED), verdict(Kind.CLASS_COUNTS, Status.REFUTED, None)]
    )
    assert found.status is Status.REFUTED


def test_a_conjunction_is_as_weak_as_its_weakest() -> None:
    assert weakest([]) is Status.OPEN
    assert weakest([Status.PROVED, Status.ONE_GROUP]) is Status.ONE_GROUP
    assert weakest([Status.ASSUMED, Status.PROVED]) is Status.ASSUMED
    assert weakest([Status.ASSUMED, Status.OPEN]) is Status.OPEN
