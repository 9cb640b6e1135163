"""Old copies and repeated reports, where they can be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import ReplayError, ReportError
from ldp_verified.protocols import LGRR, CounterFile, MemoClient, Rappor, RapporClient, Registry

DEPLOYMENT = LGRR(4.0, 1.0, 5)
RAPPOR = Rappor(0.5, 0.25, 0.75, 64, 2, cohorts=8)


def clients() -> list[tuple[Any, Any, Any]]:
    """(client, deployment, a value) of both kinds."""
    return [
        (MemoClient(DEPLOYMENT, new_user=True), DEPLOYMENT, 3),
        (RapporClient(RAPPOR, new_user=True, cohort=2), RAPPOR, "a"),
    ]


@pytest.mark.parametrize("kind", [0, 1])
def test_a_counter_file_catches_a_restored_backup(kind: int, tmp_path: Path) -> None:
    client, deployment, value = clients()[kind]
    counter = CounterFile(tmp_path / "count")
    assert counter.seen() == 0
    backup = client.save()
    for _ in range(3):
        client.report(value)
        counter.advance(client.reports)
    restored = type(client).restore(client.save(), deployment, seen=counter.seen())
    assert restored.reports == 3
    with pytest.raises(ReplayError, match="3 reports are known"):
        type(client).restore(backup, deployment, seen=counter.seen())
    with pytest.raises(ReplayError, match="must not fall"):
        counter.advance(2)
    assert counter.seen() == 3


@pytest.mark.parametrize("text", ["", "-1", "x", "1.5", "\xb2"])
def test_a_broken_counter_file_is_no_zero(text: str, tmp_path: Path) -> None:
    path = tmp_path / "count"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError, match="no count"):
        CounterFile(path).seen()


@pytest.mark.parametrize("kind", [0, 1])
def test_the_server_sees_repeated_reports_and_devices_set_back(kind: int) -> None:
    client, deployment, value = clients()[kind]
    registry = Registry()
    first = client.report(value)
    backup = client.save()
    second = client.report(value)
    for report in (first, second):
        registry.accept("u", report)
    for report in (first, second):
        with pytest.raises(ReplayError, match="sent twice, or a device set back"):
            registry.accept("u", report)
    rolled_back = type(client).restore(backup, deployment)
    with pytest.raises(ReplayError, match="above 2"):
        registry.accept("u", rolled_back.report(value))
    registry.accept("u", rolled_back.report(value))  # it has caught up: nothing is to be seen
    assert registry.seen("u") == 3
    registry.accept("v", first)
    assert Registry.from_json(registry.to_json()).users == registry.users


def test_the_server_sees_another_public_choice() -> None:
    registry = Registry()
    registry.accept("u", RapporClient(RAPPOR, new_user=True, cohort=2).report("a"))
    fresh = RapporClient(RAPPOR, new_user=True, cohort=3)
    fresh.report("a")
    with pytest.raises(ReplayError, match="started afresh"):
        registry.accept("u", fresh.report("a"))
    assert registry.seen("u") == 1


@pytest.mark.parametrize("text", ["", "[]", "1", '{"u": []}', '{"u": ["1"]}', '{"u": [1, null]}'])
def test_broken_registries_are_refused(text: str) -> None:
    for unsealed in (False, True):
        with pytest.raises(ReportError, match="no saved registry"):
            Registry.from_json(text, unsealed=unsealed)


def test_a_rolled_back_device_draws_the_same_permanent_answers() -> None:
    for client, deployment, value in clients():
        backup = client.save()
        client.report(value)
        old = type(client).restore(backup, deployment)
        assert old.permanent(value).tolist() == client.permanent(value).tolist()
        assert (old.answers, client.answers) == (0, 1)
        assert client.epsilon_spent > old.epsilon_spent == 0
