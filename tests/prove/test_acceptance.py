"""Acceptances by name are honoured, refused where they cannot be, and stale if not needed."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.prove import Status, Verdict, Verification
from ldp_verified.prove.acceptance import accept, read_acceptances

NAMES = ("grr", "pgr", "gaussian")


def verified(name: str, *statuses: Status, assumptions: tuple[str, ...] = ()) -> Verification:
    verdicts = (Verdict(0, "", "ratio", s, (), assumptions=assumptions) for s in statuses)
    return Verification(name, "", "", tuple(verdicts))


RESULTS = (
    verified("grr", Status.PROVED, Status.ONE_GROUP),
    verified("pgr", Status.ENUMERATED, Status.ONE_GROUP),
    verified("gaussian", Status.PROVED, assumptions=("an integral",)),
)


def test_everything_short_has_to_be_accepted_by_name() -> None:
    texts = ["one-group", "enumerated:pgr", "assumed:gaussian"]
    given = read_acceptances(texts, NAMES)
    assert [str(one) for one in given] == texts
    assert accept(RESULTS, given).lacking == ()
    for left_out in given:
        found = accept(RESULTS, [one for one in given if one is not left_out])
        assert {status for _, status in found.lacking} == {left_out.status}


def test_an_acceptance_is_of_one_mechanism() -> None:
    found = accept(RESULTS, read_acceptances(["one-group:pgr", "enumerated:pgr"], NAMES))
    assert found.lacking == (("grr", Status.ONE_GROUP), ("gaussian", Status.ASSUMED))
    assert found.stale == ()


def test_what_nothing_needs_is_stale() -> None:
    given = read_acceptances(["enumerated:grr", "one-group"], NAMES)
    assert [str(one) for one in accept(RESULTS, given).stale] == ["enumerated:grr"]


@pytest.mark.parametrize("status", [Status.OPEN, Status.REFUTED])
def test_nothing_makes_open_or_refuted_pass(status: Status) -> None:
    every = read_acceptances(
        ["one-group", *(f"{kind}:grr" for kind in ("one-group", "enumerated", "assumed"))], NAMES
    )
    assert accept([verified("grr", status)], every).lacking == (("grr", status),)


@pytest.mark.parametrize(
    "text, rule",
    [
        ("open:grr", "must be KIND:NAME with a KIND of one-group, enumerated, assumed, sampled"),
        ("refuted:grr", "nothing else is accepted"),
        ("everything", "nothing else is accepted"),
        ("", "nothing else is accepted"),
        ("enumerated", "must name a mechanism, enumerated:NAME"),
        ("assumed", "must name a mechanism, assumed:NAME"),
        ("one-group:", "must name what is verified here"),
        ("enumerated:olh", "must name what is verified here"),
    ],
)
def test_other_words_are_refused(text: str, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        read_acceptances([text], NAMES)
