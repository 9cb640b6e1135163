"""The client: what it keeps, what it draws, what it refuses."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import LGRR, LOLOHA, LOSUE, LOUE, LSOUE, LSUE, DBitFlip, MemoClient
from ldp_verified.protocols.keepsake import MOST_HELD
from ldp_verified.run.aggregate.sealed import seal
from ldp_verified.run.kernels.seeds import word_source

DEPLOYMENTS: list[Any] = [made(4.0, 1.0, 70) for made in (LGRR, LSUE, LOSUE, LOUE, LSOUE)]
SMALL: list[Any] = [
    *(made(4.0, 1.0, 3) for made in (LGRR, LSUE, LOSUE, LOUE, LSOUE)),
    *(LOLOHA(4.0, 1.0, 9, g=3), DBitFlip(2.0, 6, 3, 2)),
]


@pytest.mark.parametrize("deployment", DEPLOYMENTS, ids=lambda d: type(d).__name__)
def test_the_permanent_answer_is_the_same_forever(deployment: Any) -> None:
    client = MemoClient(deployment, new_user=True)
    answers = [client.permanent(value).tolist() for value in range(70)]
    numbers = [client.report(value).number for value in (3, 3, 4, 3)]
    assert numbers == [1, 2, 3, 4]
    assert client.answers == 2
    assert client.epsilon_spent == 2 * deployment.realized_permanent
    again = MemoClient.restore(client.save(), deployment, seen=4)
    assert [again.permanent(value).tolist() for value in range(70)] == answers
    assert (again.reports, again.answers) == (4, 2)
    assert again.report(5).number == 5
    other = MemoClient(deployment, new_user=True)
    assert [other.permanent(value).tolist() for value in range(70)] != answers


def test_answers_that_were_counted_are_not_counted_again() -> None:
    client = MemoClient(DEPLOYMENTS[0], new_user=True)
    client.report(1)
    again = MemoClient.restore(client.save(), DEPLOYMENTS[0])
    again.report(1)
    assert again.answers == 1
    again.report(2)
    assert again.answers == 2


def test_starting_without_a_state_has_to_be_said() -> None:
    with pytest.raises(ParameterError, match="new_user"):
        MemoClient(DEPLOYMENTS[0], new_user=False)
    with pytest.raises(TypeError, match="new_user"):
        MemoClient(DEPLOYMENTS[0])  # type: ignore[call-arg]  # leaving it out is the point


def test_an_older_copy_is_refused_where_the_count_is_known() -> None:
    client = MemoClient(DEPLOYMENTS[0], new_user=True)
    old = client.save()
    client.report(1)
    with pytest.raises(ReplayError, match="old copy: 1 reports are known"):
        MemoClient.restore(old, DEPLOYMENTS[0], seen=client.reports)
    assert MemoClient.restore(client.save(), DEPLOYMENTS[0], seen=1).reports == 1


def test_simulations_are_marked() -> None:
    assert not MemoClient(DEPLOYMENTS[1], new_user=True).report(0).reports.simulated
    client = MemoClient(DEPLOYMENTS[1], new_user=True, rng=1)
    assert client.report(0).reports.simulated
    assert MemoClient.restore(client.save(), DEPLOYMENTS[1]).report(0).reports.simulated
    secure = MemoClient(DEPLOYMENTS[1], new_user=True)
    assert MemoClient.restore(secure.save(), DEPLOYMENTS[1], rng=1).report(0).reports.simulated


def test_foreign_or_broken_states_are_refused() -> None:
    deployment = DEPLOYMENTS[0]
    client = MemoClient(deployment, new_user=True)
    for other in (*DEPLOYMENTS[1:], LGRR(4.0, 1.5, 70), LGRR(4.0, 1.0, 71)):
        with pytest.raises(ReportError, match="deployment"):
            MemoClient.restore(client.save(), other)
    state = json.loads(client.save())["state"]
    assert MemoClient.restore(seal("client", state), deployment).save() == client.save()
    wrong: list[tuple[str, Any]] = [
        ("secret", "AAAA"),
        ("secret", "?"),
        ("reports", -1),
        ("reports", 5),
        ("reports", 2**63),
        ("secret", state["secret"][:-2] + "B="),
        ("answered", [1]),
        ("answered", ["AB" * 16]),
        ("reports", True),
        ("reports", None),
        ("answered", ["00" * 16]),
        ("answered", None),
        ("simulated", 0),
        ("choice", [1]),
        ("choice", None),
        ("thresholds", [1, 2]),
    ]
    for key, value in wrong:
        with pytest.raises(ReportError):
            MemoClient.restore(seal("client", {**state, key: value}), deployment)
        lacking = {name: kept for name, kept in state.items() if name != key}
        with pytest.raises(ReportError):
            MemoClient.restore(seal("client", lacking), deployment)
    for text in ("", "{}", "[]", "null", '"a"'):
        with pytest.raises(ReportError, match="no saved client"):
            MemoClient.restore(text, deployment)


def test_values_out_of_the_domain_are_refused_and_not_shown() -> None:
    client = MemoClient(DEPLOYMENTS[0], new_user=True)
    for value in (12345, -1, 1.5, True, "a"):
        with pytest.raises(DomainError) as raised:
            client.report(value)  # type: ignore[arg-type]  # wrong types are the point
        assert "12345" not in str(raised.value)
    assert client.reports == client.answers == 0
    with pytest.raises(ParameterError, match="choice"):
        MemoClient(DEPLOYMENTS[0], new_user=True, choice=(1,))
    assert "LGRR after 0 reports" in repr(client)


def test_reports_of_one_deployment_are_foreign_to_another() -> None:
    report = MemoClient(DEPLOYMENTS[1], new_user=True).report(0)
    DEPLOYMENTS[1].empty().update(report.reports)
    with pytest.raises(ReportError, match="foreign"):
        DEPLOYMENTS[2].empty().update(report.reports)


@pytest.mark.parametrize("program", [0, 4, "1", True, None])
def test_another_program_is_refused(program: Any) -> None:
    """The same secret would give other permanent answers, which costs another epsilon."""
    deployment = DEPLOYMENTS[0]
    state = json.loads(MemoClient(deployment, new_user=True).save())["state"]
    assert state["program"] == 3
    with pytest.raises(ReportError, match="program version 4, not 3" if program == 4 else "saved"):
        MemoClient.restore(seal("client", state | {"program": program}), deployment)


def test_version_0_1_0_was_the_first_program() -> None:
    deployment = DEPLOYMENTS[0]
    client = MemoClient(deployment, new_user=True)
    state = json.loads(client.save())["state"]
    del state["program"]
    old = MemoClient.restore(json.dumps(state), deployment, unsealed=True)
    assert old.permanent(3).tolist() == client.permanent(3).tolist()


@pytest.mark.parametrize("deployment", SMALL, ids=repr)
def test_secure_reports_have_the_law_of_simulated_ones(deployment: Any) -> None:
    """Null: both have one law; level 1e-9; 3,000 reports each of one permanent answer.

    Only seeded clients are compared with the spec; secure ones draw words ahead.
    """
    choice = deployment.draw_choice(word_source(None, "test"))
    answer = deployment.permanent(1, choice, word_source(None, "test"))
    answering, source = deployment.answering(choice), word_source(None, "test")
    drawn = [answering(answer) for _ in range(3000)]
    alike = [deployment.instantaneous(answer, choice, source) for _ in range(3000)]
    assert {(a.shape, a.dtype) for a in drawn} == {(a.shape, a.dtype) for a in alike}
    seen = Counter(str(each.tolist()) for each in drawn)
    expected = Counter(str(each.tolist()) for each in alike)
    kinds = sorted(seen | expected)
    if len(kinds) > 1:
        table = np.array([[each[kind] for kind in kinds] for each in (seen, expected)])
        assert stats.chi2_contingency(table).pvalue > 1e-9


def test_more_answers_than_are_held_are_the_same_again() -> None:
    client = MemoClient(LGRR(8.0, 7.0, 4 * MOST_HELD), new_user=True)
    every = range(4 * MOST_HELD)
    assert [client.report(value).number for value in every] == [value + 1 for value in every]
    assert client.answers == len(every)
    before = [client.permanent(value).tolist() for value in every]
    for value in every:
        client.report(value)
    assert client.answers == len(every)
    assert [client.permanent(value).tolist() for value in every] == before


def test_a_copy_draws_reports_of_its_own_from_the_same_answers() -> None:
    client = MemoClient(LGRR(2.0, 1.0, 1 << 20), new_user=True)
    client.report(5)
    for again in (copy.deepcopy(client), pickle.loads(pickle.dumps(client))):
        assert again.permanent(5).tolist() == client.permanent(5).tolist()
        assert again.report(5).number == 2
