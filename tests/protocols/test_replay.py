"""Old copies and repeated reports, where they can be seen."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.protocols import LGRR, CounterFile, MemoClient, Rappor, RapporClient, Registry
from ldp_verified.run.aggregate.serial import wrap

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
    assert Registry.from_bytes(registry.to_bytes()).users == registry.users


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


USERS = {"u": (3, (1, 2)), "v": (1, ()), "\ud800 \u00e4": (2**63 - 1, (0,))}


def test_a_registry_travels(tmp_path: Path) -> None:
    registry = Registry(USERS)
    data = registry.to_bytes()
    assert data.startswith(b"LDPSTATE")
    assert Registry.from_bytes(data).users == USERS
    registry.save(tmp_path / "users")
    assert Registry.load(tmp_path / "users").users == USERS
    for place in range(len(data)):
        for changed in (data[:place], data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]):
            with pytest.raises(ReportError):
                Registry.from_bytes(changed)


@pytest.mark.parametrize(
    "users",
    [
        None,
        [],
        {"u": []},
        {"u": [0]},
        {"u": [-1, 2]},
        {"u": [1, -2]},
        {"u": [2**63]},
        {"u": [True]},
        {"u": [1.0]},
        {"u": ["1"]},
        {"u": [1, None]},
        {"u": 1},
    ],
    ids=str,
)
def test_registries_that_no_reports_make_are_refused(users: Any) -> None:
    with pytest.raises(ReportError, match="data: is no saved registry"):
        Registry.from_bytes(wrap("registry", {"users": users}))
    with pytest.raises(ReportError):
        Registry.from_bytes(wrap("counts", {"users": {}}))
    with pytest.raises(ReportError, match="end after"):
        Registry.from_bytes(wrap("registry", {"users": {}}, b"0"))


def test_a_user_twice_in_one_registry_is_refused() -> None:
    text = b'{"kind": "registry", "users": {"u": [3], "u": [1]}}'
    whole = struct.pack("<8sHI", b"LDPSTATE", 2, len(text)) + text
    with pytest.raises(ReportError, match="header"):
        Registry.from_bytes(whole + hashlib.sha256(whole).digest())


def test_registries_of_other_users_merge() -> None:
    one, other = Registry({"u": (3, (1,))}), Registry({"v": (1, ())})
    assert one.merge(other).users == {"u": (3, (1,)), "v": (1, ())}
    with pytest.raises(ReplayError, match="accepted in both"):
        one.merge(Registry({"u": (9, (1,))}))
    with pytest.raises(ReportError, match="must be a Registry"):
        one.merge({"u": (9, (1,))})  # type: ignore[arg-type]  # what is wrong


@pytest.mark.parametrize("reports", [-1, 2**63, True, 1.0, "1", None, [1]], ids=str)
def test_counts_that_no_client_has_are_refused(reports: Any, tmp_path: Path) -> None:
    path = tmp_path / "count"
    CounterFile(path).advance(3)
    assert path.read_bytes() == wrap("counter", {"reports": 3})
    for data in (
        wrap("counter", {"reports": reports}),
        wrap("registry", {"reports": 3}),
        wrap("counter", {"reports": 3}, b"0"),
        wrap("counter", {}),
    ):
        path.write_bytes(data)
        with pytest.raises(ReportError, match="no count"):
            CounterFile(path).seen()


def test_what_version_0_1_0_wrote_is_read_if_asked_for(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("17")
    assert CounterFile(tmp_path / "count", unsealed=True).seen() == 17
    with pytest.raises(ReportError, match="unsealed=True"):
        CounterFile(tmp_path / "count").seen()
    assert Registry.from_json('{"u": [3, 1]}', unsealed=True).users == {"u": (3, (1,))}
    with pytest.raises(ReportError, match="unsealed=True"):
        Registry.from_json('{"u": [3, 1]}')


def test_a_rolled_back_device_draws_the_same_permanent_answers() -> None:
    for client, deployment, value in clients():
        backup = client.save()
        client.report(value)
        old = type(client).restore(backup, deployment)
        assert old.permanent(value).tolist() == client.permanent(value).tolist()
        assert (old.answers, client.answers) == (0, 1)
        assert client.epsilon_spent > old.epsilon_spent == 0


def test_a_counter_file_with_two_names_is_refused(tmp_path: Path) -> None:
    """It would count up under one name only, and a state that is set back would not be seen."""
    counter = CounterFile(tmp_path / "counter")
    counter.advance(3)
    (tmp_path / "other").hardlink_to(tmp_path / "counter")
    for use in (counter.seen, lambda: counter.advance(4), CounterFile(tmp_path / "other").seen):
        with pytest.raises(ParameterError, match="path: must lead to a file with one name"):
            use()
    (tmp_path / "other").unlink()
    counter.advance(4)
    assert counter.seen() == 4


def test_a_user_that_utf8_cannot_hold_is_refused_and_still_read() -> None:
    """Such users were taken once, and JSON holds them."""
    old, report = Registry({"a\ud800": (1, (2,))}), clients()[0][0].report(3)
    assert Registry.from_bytes(old.to_bytes()).seen("a\ud800") == 1
    with pytest.raises(ParameterError, match="user: must be a string that UTF-8 can hold"):
        Registry().accept("a\ud800", report)
