"""Labels of clients, the choice that a report says itself, and errors that hold no value."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ReportError, chained
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LSUE,
    DBitFlip,
    MemoClient,
    Rappor,
    RapporClient,
    Registry,
)
from tests.campaign.outcome import held_in

LABELS = ("red", "green", "blue")
LABELLED: list[Any] = [
    LGRR(2.0, 1.0, 3, LABELS),
    LOLOHA(2.0, 1.0, 3, 2, LABELS),
    LSUE(2.0, 1.0, 3, LABELS),
    DBitFlip(2.0, 3, 3, 2, LABELS),
]


@pytest.mark.parametrize("deployment", LABELLED, ids=lambda d: type(d).__name__)
def test_a_client_takes_labels(deployment: Any) -> None:
    client = MemoClient(deployment, new_user=True)
    plain = replace(deployment, categories=None)
    assert deployment.identity.difference(plain.identity) is not None
    again = MemoClient.restore(client.save(), deployment)
    for place, label in enumerate(LABELS):
        assert again.permanent(label).tolist() == client.permanent(label).tolist()
        assert deployment.value(label) == place
        deployment.empty().update(client.report(label).reports)
    for wrong in (0, "pink", None, ["red"], np.array("red")):
        with pytest.raises(DomainError):
            client.report(wrong)  # type: ignore[arg-type]  # the point
    with pytest.raises(ReportError, match="deployment"):
        MemoClient.restore(client.save(), replace(deployment, categories=LABELS[::-1]))


@pytest.mark.parametrize("deployment", [LABELLED[1], LABELLED[3], LGRR(2.0, 1.0, 3)])
def test_a_choice_that_the_report_contradicts_is_refused(deployment: Any) -> None:
    value = 0 if deployment.categories is None else "red"
    report = MemoClient(deployment, new_user=True).report(value)
    for other in ((7, 7), (), (0,), None, (*report.choice, 1), [*report.choice]):
        if other == report.choice:
            continue
        with pytest.raises(ReportError, match="choice"):
            replace(report, choice=other)  # type: ignore[arg-type]  # wrong types are the point
        forged = SimpleNamespace(reports=report.reports, choice=other, number=1)
        registry = Registry()
        with pytest.raises(ReportError):
            registry.accept("u", forged)
        assert registry.users == {}
    twice = replace(report.reports, data=np.concatenate([report.reports.data] * 2))
    with pytest.raises(ReportError, match="one report"):
        replace(report, reports=twice)


def test_errors_of_clients_hold_no_value() -> None:
    secret = 918273645
    clients: list[Any] = [MemoClient(each, new_user=True) for each in LABELLED]
    clients += [MemoClient(LGRR(2.0, 1.0, 3), new_user=True)]
    clients += [RapporClient(Rappor(0.5, 0.25, 0.75, 32, 2), new_user=True)]
    for client in clients:
        for value in (secret, [str(secret)], np.array([secret]), 10**30 + secret, {secret: 1}):
            with pytest.raises(DomainError) as raised:
                client.report(value)
            errors = chained(raised.value)
            assert errors == [raised.value]
            assert str(secret) not in held_in(raised.value)
