"""A user's report counts once in a period, whatever crashes between writing and answering."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.deploy import registry as module
from ldp_verified.deploy.registry import PeriodRegistry, Sent
from ldp_verified.errors import LdpError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import ChangeTree, PrefixExtending, SignMatrix
from ldp_verified.run.mechanisms import GRR, Duchi
from tests.deploy.crashing import DEPLOYMENT, KEY, PERIOD, sent
from tests.deploy.deployed import name_of, reports_of

ROOT = Path(__file__).resolve().parents[2]
KEEPING = Deployment(PrefixExtending(4.0, bits=8, step=4, g=16))


NO_NAMES: list[Any] = ["", "x" * 257, 3, "ann\ud800"]


def drawn(users: int, deployment: Deployment = DEPLOYMENT) -> list[bytes]:
    found: list[bytes] = []
    while len(found) < users:
        found += deployment.to_bytes(reports_of(deployment.mechanism))
    return found[:users]


def opened(folder: Path, **more: Any) -> PeriodRegistry:
    arguments: dict[str, Any] = {"deployment": DEPLOYMENT, "key": KEY, "new": True, **more}
    return PeriodRegistry(folder / "registry.db", **arguments)


def test_a_report_counts_once(tmp_path: Path) -> None:
    registry, (first, second) = opened(tmp_path), drawn(2)
    assert registry.accept("ann", "day 1", first) is True
    assert registry.accept("ann", "day 1", first) is False
    with pytest.raises(ReplayError, match="has reported in this period already"):
        registry.accept("ann", "day 1", changed(first))
    assert registry.accept("ann", "day 2", second) is True
    assert registry.accept("bob", "day 1", first) is True
    assert [registry.collector(day).n for day in ("day 1", "day 2", "day 3")] == [2, 1, 0]


def changed(report: bytes) -> bytes:
    """Return another report of the deployment."""
    return next(each for each in drawn(1000) if each != report)


def test_a_batch_answers_for_each(tmp_path: Path) -> None:
    registry, (first, second, third) = opened(tmp_path), drawn(3)
    damaged = bytes([first[0] ^ 1]) + first[1:]
    batch = [
        Sent("ann", "1", first),
        Sent("ann", "1", changed(first)),
        Sent("ann", "1", first),
        Sent("bob", "1", damaged),
        Sent("bob", "1", second),
        Sent("cid", "1", third[:-1]),
    ]
    answers = registry.accept_all(batch)
    assert [answers[i] for i in (0, 2, 4)] == [True, False, True]
    assert [type(answers[i]) for i in (1, 3, 5)] == [ReplayError, ReportError, ReportError]
    assert registry.collector("1").n == 2
    assert registry.accept_all([]) == []


@pytest.mark.parametrize("argument", ["user", "period"])
@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_is_none_is_refused_alone(argument: str, name: Any, tmp_path: Path) -> None:
    registry, (first, second) = opened(tmp_path), drawn(2)
    wrong = Sent("ann", "1", first)._replace(**{argument: name})
    answers = registry.accept_all([wrong, Sent("bob", "1", second)])
    refused = answers[0]
    assert isinstance(refused, ReportError)
    assert refused.argument == argument
    assert answers[1] is True
    # No error may hold a user's name, nor may the one that it was raised for.
    assert refused.__context__ is None or not hasattr(refused.__context__, "object")
    assert registry.collector("1").n == 1


@pytest.mark.parametrize("deployment", [DEPLOYMENT, Deployment(Duchi(1.0)), KEEPING], ids=name_of)
def test_the_state_is_that_of_a_collector(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    registry, reports = opened(tmp_path, deployment=deployment), drawn(20, deployment)
    wanted = deployment.collector()
    for number, report in enumerate(reports):
        assert registry.accept(str(number), "1", report)
        wanted.add(report)
        if number == 10:
            registry.close()
            registry = opened(tmp_path, deployment=deployment, new=False)
    assert registry.collector("1").to_bytes() == wanted.in_order().to_bytes()


def test_a_period_ends(tmp_path: Path) -> None:
    registry, (first, second) = opened(tmp_path), drawn(2)
    registry.accept("ann", "1", first)
    assert registry.end("1").n == 1
    assert registry.accept("ann", "1", first) is False
    with pytest.raises(ReplayError, match="is over, got '1'"):
        registry.accept("bob", "1", second)
    assert registry.end("2").n == 0
    with pytest.raises(ReplayError, match="is over"):
        registry.accept("bob", "2", second)
    assert [registry.end("1").n, registry.collector("2").n] == [1, 0]


def test_threads_and_processes_count_once(tmp_path: Path) -> None:
    """Two registries of one file, as two processes have; every report is sent four times."""
    one = opened(tmp_path)
    other = opened(tmp_path, new=False)
    reports = [Sent(str(i), "1", report) for i, report in enumerate(drawn(60))]
    tasks = [(which, reports[i : i + 5]) for which in (one, other) * 2 for i in range(0, 60, 5)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda task: task[0].accept_all(task[1]), tasks))
    assert sum(answer is True for each in answers for answer in each) == 60
    assert sum(answer is False for each in answers for answer in each) == 180
    assert one.collector("1").n == other.collector("1").n == 60


@pytest.mark.parametrize("kind", ["PeriodRegistry", "UserFirst", "ReportFirst"])
def test_what_was_acknowledged_survives_and_nothing_counts_twice(kind: str, tmp_path: Path) -> None:
    """A child is killed at each statement of SQL, and after each transaction before its answer.

    Planted: registries that take two transactions for what must be one.
    """
    reports = drawn(4)
    (tmp_path / "reports").write_text("\n".join(each.hex() for each in reports))
    command = [sys.executable, "-m", "tests.deploy.crashing", str(tmp_path), kind]
    subprocess.run(command, cwd=ROOT, check=True)
    crashed = sorted(tmp_path.glob("*.db"))
    assert len(crashed) > 25
    assert sum(each.name.startswith("answer") for each in crashed) == 3
    found = [after_the_crash(path, tmp_path, reports) for path in crashed]
    right = [unheard for unheard in found if unheard is not None]
    if kind == "PeriodRegistry":
        assert len(right) == len(crashed)
        # Some reports were written, and their users did not hear of it.
        assert sum(right) >= 3
    else:
        assert len(right) < len(crashed)


def after_the_crash(path: Path, folder: Path, reports: list[bytes]) -> int | None:
    """Count the reports that were written and not answered; None if one is lost or counts twice."""
    wanted = DEPLOYMENT.collector()
    for report in reports:
        wanted.add(report)
    registry = PeriodRegistry(path, DEPLOYMENT, KEY)
    heard = path.with_suffix(".heard").read_text().splitlines()
    users = [each.user for each in sent(folder)]
    answers = dict(zip(users, again(registry, folder), strict=True))
    state = registry.collector(PERIOD).in_order().to_bytes()
    registry.close()
    if state != wanted.to_bytes() or any(answers[user] is not False for user in heard):
        return None
    return sum(answer is False for answer in answers.values()) - len(heard)


def again(registry: PeriodRegistry, folder: Path) -> list[bool | ReportError]:
    """Send everything again, as clients do that heard nothing."""
    return registry.accept_all(sent(folder))


@pytest.mark.parametrize("call", ["accept", "collector", "end"])
def test_an_interrupt_while_another_writes_leaves_no_transaction(call: str, tmp_path: Path) -> None:
    """Ctrl-C while SQLite waits is raised when it has begun: others, and the next call, go on."""
    registry, (first, second) = opened(tmp_path), drawn(2)
    other = sqlite3.connect(
        tmp_path / "registry.db", timeout=5, isolation_level=None, check_same_thread=False
    )
    other.execute("begin immediate")
    ended = threading.Timer(1.0, lambda: other.execute("rollback"))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    ended.start()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            registry.accept("ann", "1", first) if call == "accept" else getattr(registry, call)("1")
    finally:
        ended.join()
        signal.signal(signal.SIGALRM, before)
    other.execute("begin immediate")
    other.execute("rollback")
    assert registry.accept("bob", "1", second) is True
    assert registry.collector("1").n == 1


def test_an_interrupt_at_a_commit_leaves_what_is_written(tmp_path: Path) -> None:
    """Planted: the interrupt comes just before the statement, or just after it."""
    for at, counted in (("begin immediate", False), ("commit", False), ("commit", True)):
        (tmp_path / f"{at} {counted}").mkdir()
        registry, (report,) = opened(tmp_path / f"{at} {counted}"), drawn(1)
        interrupting: Any = Interrupting(registry._base, at, counted)
        registry._base = interrupting
        with pytest.raises(KeyboardInterrupt):
            registry.accept("ann", "1", report)
        assert registry.accept("ann", "1", report) is not counted
        assert registry.collector("1").n == 1


class Interrupting:
    """A connection whose first such statement is interrupted before or after it is done."""

    def __init__(self, base: sqlite3.Connection, statement: str, done: bool) -> None:
        self._base, self._statement, self._done = base, statement, done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def execute(self, statement: str, *values: Any) -> Any:
        if statement != self._statement:
            return self._base.execute(statement, *values)
        self._statement = ""
        if self._done:
            self._base.execute(statement, *values)
        raise KeyboardInterrupt


def test_the_file_names_no_user(tmp_path: Path) -> None:
    registry = opened(tmp_path)
    registry.accept("ann.of.oslo@example.org", "day 1", drawn(1)[0])
    registry.collector("day 1")
    registry.close()
    for path in tmp_path.iterdir():
        assert b"ann.of.oslo" not in path.read_bytes()


def test_another_registry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="new=True"):
        opened(tmp_path, new=False)
    opened(tmp_path).close()
    with pytest.raises(ParameterError, match="no file"):
        opened(tmp_path)
    for more in ({"deployment": Deployment(GRR(1.0, 6))}, {"simulated": True}):
        with pytest.raises(ReportError, match="of this deployment"):
            opened(tmp_path, new=False, **more)
    (tmp_path / "registry.db").unlink()
    (tmp_path / "registry.db").touch()
    with pytest.raises(ReportError, match="of this deployment"):
        opened(tmp_path, new=False)


def test_another_key_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with pytest.raises(ParameterError, match="key: must be the one that the registry was made"):
        opened(tmp_path, new=False, key=bytes(32))
    opened(tmp_path, new=False).close()


def test_a_file_with_two_names_is_refused(tmp_path: Path) -> None:
    """SQLite has a log for each name, and what is in one is not seen through the other."""
    opened(tmp_path).close()
    path, other = tmp_path / "registry.db", tmp_path / "other"
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(ParameterError, match="path: must lead to a file with one name"):
            PeriodRegistry(name, DEPLOYMENT, KEY)
    other.unlink()
    opened(tmp_path, new=False).close()


def test_an_older_file_takes_its_first_key(tmp_path: Path) -> None:
    registry, (report,) = opened(tmp_path), drawn(1)
    registry.accept("ann", "1", report)
    registry._base.execute("alter table meta drop column key")
    registry.close()
    registry = opened(tmp_path, new=False)
    assert registry.accept("ann", "1", report) is False
    registry.close()
    with pytest.raises(ParameterError, match="key: must be the one"):
        opened(tmp_path, new=False, key=bytes(32))


@pytest.mark.parametrize("size", [0, 4096, 16384])
def test_a_registry_that_could_not_be_made_leaves_no_file(size: int, tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk, in a child that has it for good."""
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from tests.deploy.test_registry import opened\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
        "opened(Path(sys.argv[1]))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(size)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "sqlite3.OperationalError" in done.stderr
    assert list(tmp_path.iterdir()) == []
    opened(tmp_path).close()


def test_bad_arguments_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    numbered, several = Deployment(SignMatrix(1.0)), Deployment(ChangeTree(1.0, 5, 2))
    wrong: list[dict[str, Any]] = [
        {"key": b"short"},
        {"key": "0" * 32},
        {"simulated": 1},
        {"deployment": numbered},
        {"deployment": several},
    ]
    for more in wrong:
        with pytest.raises(ParameterError):
            opened(tmp_path, **more)
    assert list(tmp_path.iterdir()) == []
    registry, (report,) = opened(tmp_path), drawn(1)
    with pytest.raises(ParameterError, match="key: must be 32 bytes, got 5"):
        opened(tmp_path / "other", key=b"short")
    for name in NO_NAMES:
        with pytest.raises(ParameterError, match="user"):
            registry.accept(name, "1", report)
        for read in (registry.end, registry.collector):
            with pytest.raises(ParameterError, match="period"):
                read(name)
    with pytest.raises(LdpError, match="simulated"):
        registry.accept("ann", "1", DEPLOYMENT.client().report(1, rng=1))
    assert registry.collector("1").n == 0
