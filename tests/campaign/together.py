"""Threads, forks and processes that are killed: nothing is counted twice, half or never."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from ldp_verified.deploy import Deployment
from ldp_verified.errors import ReplayError
from ldp_verified.run.aggregate.kept import KeptReports
from ldp_verified.run.mechanisms import CMS, GRR, OLH, OUE, SubsetSelection, TwoCoins
from tests.campaign.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS = 8
ROOT = Path(__file__).resolve().parents[2]


def together(run: Callable[[int], object], threads: int = THREADS) -> None:
    """Run in several threads that start at once; the first error is raised."""
    barrier = threading.Barrier(threads)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        barrier.wait()
        try:
            run(number)
        except BaseException as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(before)
    if failures:
        raise failures[0]


def updated() -> list[tuple[str, Any, Any, Callable[[Any], int]]]:
    """(name, an empty state, a batch, how many reports a state has seen)."""
    found: list[tuple[str, Any, Any, Callable[[Any], int]]] = []
    many = (GRR(1.0, 5), OUE(1.0, 70), OLH(1.0, 9), SubsetSelection(1.0, 8), CMS(1.0, 4, 4))
    for made in (*many, TwoCoins(0.5, 0.25), protocols.LGRR(2.0, 1.0, 4)):
        if isinstance(made, protocols.LGRR):
            client = protocols.MemoClient(made, new_user=True)
            batch: Any = client.report(1).reports
        else:
            batch = made.privatize(np.zeros(7, dtype=np.int64))
        found.append((type(made).__name__, made.empty(), batch, lambda state: state.n))
    for wide in (protocols.PrefixExtending(4.0), protocols.BitReduction(4.0, bits=2)):
        empty = Deployment(wide).format.empty()
        found.append((type(wide).__name__, empty, wide.privatize(_some(wide)), lambda s: s.rows))
    sampled = protocols.SampleOne(1.0, (2, 3))
    drawn = sampled.privatize(np.zeros((7, 2), dtype=np.int64))
    found.append(("SampleOne", sampled.empty(), drawn, lambda state: state.users))
    rappor = protocols.Rappor(0.5, 0.25, 0.75, 32, 2, 4)
    sent = [protocols.RapporClient(rappor, new_user=True).report("a") for _ in range(7)]
    state = protocols.RapporState(rappor)
    found.append(("Rappor", state, sent, lambda state: int(state.reports.sum())))
    return found


def threads(rounds: int) -> Outcome:
    """Every state is updated by 8 threads; clients, registries and counters are shared."""
    outcome = Outcome("threads")
    for name, state, batch, seen in updated():
        once = seen(_emptied(state).update(batch))

        def update(_: int, state: Any = state, batch: Any = batch) -> None:
            for _round in range(rounds):
                state.update(batch)

        outcome.call(partial(str, name), partial(together, update))
        if seen(state) != once * rounds * THREADS:
            outcome.fail("lost", f"{name}: {seen(state)} of {once * rounds * THREADS}")
        fresh = _emptied(state)

        def only_once(_: int, fresh: Any = fresh, batch: Any = batch) -> None:
            for turn in range(rounds):
                fresh.update(batch, batch=f"batch {turn}", repeated="ignore")

        outcome.call(partial(str, f"{name}, batches"), partial(together, only_once))
        if seen(fresh) != once * rounds or len(fresh.batches) != rounds:
            outcome.fail("lost", f"{name}: batches counted {seen(fresh)} of {once * rounds}")
    _reporting(outcome, rounds)
    return outcome


def _some(wide: Any) -> list[Any]:
    return ["a", "b"] if wide.bits is None else [0, 1]


def _emptied(state: Any) -> Any:
    if isinstance(state, KeptReports):
        fresh: Any = state
        return type(state)(fresh.protocol)
    scheme = getattr(state, "scheme", None)
    if scheme is not None:
        return scheme.empty()
    deployment = getattr(state, "deployment", None)
    return type(state)(deployment if deployment is not None else state.oracle)


def _reporting(outcome: Outcome, rounds: int) -> None:
    client = protocols.MemoClient(protocols.LGRR(2.0, 1.0, 4), new_user=True)
    sent: list[protocols.MemoReport] = []
    outcome.call(
        lambda: "reports of a client",
        lambda: together(lambda i: sent.extend(client.report(i % 4) for _ in range(rounds))),
    )
    numbers = sorted(report.number for report in sent)
    if numbers != list(range(1, rounds * THREADS + 1)) or client.reports != len(numbers):
        outcome.fail("lost", "numbers of a client's reports")
    registry = protocols.Registry()
    taken: list[int] = []

    def accept(_: int) -> None:
        for report in sent[:rounds]:
            try:
                registry.accept(f"user {report.number}", report)
            except ReplayError:
                continue
            taken.append(report.number)
            registry.to_bytes()

    outcome.call(lambda: "a registry", lambda: together(accept))
    if sorted(taken) != sorted(report.number for report in sent[:rounds]):
        outcome.fail("lost", "reports that a registry accepted, once each")


def counted(folder: Path, rounds: int) -> Outcome:
    """Threads count in one file: it never falls."""
    outcome = Outcome("counters in threads")
    path = folder / "shared"

    def count(number: int) -> None:
        counter = protocols.CounterFile(path)
        for i in range(rounds):
            try:
                counter.advance(THREADS * i + number + 1)
            except ReplayError:
                continue

    outcome.call(lambda: "a counter", lambda: together(count))
    if protocols.CounterFile(path).seen() != THREADS * rounds:
        outcome.fail("lost", f"{protocols.CounterFile(path).seen()} of {THREADS * rounds}")
    if sorted(each.name for each in folder.iterdir()) != ["shared"]:
        outcome.fail("lost", f"stray files: {sorted(each.name for each in folder.iterdir())}")
    return outcome


FORKS = """
import os, sys, threading
import numpy as np
from ldp_verified.run.mechanisms import GRR
from ldp_verified import protocols

made = GRR(1.0, 5)
state, batch = made.empty(), made.privatize(np.zeros(7, dtype=np.int64))
client = protocols.MemoClient(protocols.LGRR(2.0, 1.0, 4), new_user=True)
going = True

def work():
    while going:
        state.update(batch)
        client.report(1)

workers = [threading.Thread(target=work, daemon=True) for _ in range(4)]
for worker in workers:
    worker.start()
sys.setswitchinterval(1e-6)
lost = 0
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        import signal
        signal.alarm(20)
        before = state.n, client.reports
        state.update(batch)
        client.report(2)
        right = (state.n, client.reports) == (before[0] + 7, before[1] + 1)
        right = right and state.n == int(state.counts.sum())
        os._exit(0 if right else 1)
    lost += os.waitpid(child, 0)[1] != 0
going = False
for worker in workers:
    worker.join()
sys.exit(lost != 0)
"""

KILLS = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.arrow import read_reports, write_reports
from ldp_verified.deploy import Deployment
from ldp_verified.run.mechanisms import GRR
from ldp_verified.protocols import CounterFile, Registry
from ldp_verified.protocols.spending import SpendingBook

folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
made = GRR(1.0, 2000)
one, other = (made.privatize(np.full(n, 1)) for n in (1000, 2000))
known = [made.aggregate(batch) for batch in (one, other)]
known[0].save(folder / "state")
write_reports(folder / "reports", one)
deployment = Deployment(made)
collectors = [deployment.collector() for _ in known]
for collector, batch in zip(collectors, (one, other)):
    collector.add(deployment.to_batch(batch))
    collector.save(folder / "collector")
registries = [Registry({str(user): (1, ()) for user in range(n)}) for n in (100, 200)]
registries[0].save(folder / "registry")
counter, book = CounterFile(folder / "counter"), SpendingBook(folder / "book", 1, new=True)
counter.advance(1)
spent, counts = 0, 1
for turn in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            for state, batch in zip(known, (one, other)):
                state.save(folder / "state")
                write_reports(folder / "reports", [batch])
                collectors[batch is other].save(folder / "collector")
                registries[batch is other].save(folder / "registry")
                counter.advance(counter.seen() + 1)
                book.spend("1/1000000", "a report")
    time.sleep(random.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert made.load(folder / "state") in known, "state"
    assert list(read_reports(folder / "reports")) in ([one], [other]), "reports"
    read = deployment.load_collector(folder / "collector").to_bytes()
    assert read in [each.to_bytes() for each in collectors], "collector"
    users = Registry.load(folder / "registry").users
    assert users in [each.users for each in registries], "registry"
    before, spent = spent, len(book.entries())
    fallen, counts = counts, counter.seen()
    assert spent >= before and counts >= fallen, "a count fell"
registries[0].save(folder / "registry")
collectors[0].save(folder / "collector")
counter.advance(counts + 1)
book.spend("1/1000000", "a report")
known[0].save(folder / "state")
write_reports(folder / "reports", one)
left = sorted(each.name for each in folder.iterdir())
assert left == ["book", "collector", "counter", "registry", "reports", "state"], left
"""


def _script(outcome: Outcome, what: str, text: str, arguments: list[str], tried: int) -> Outcome:
    """Run in a process of its own, which forks: one with other threads must not."""
    outcome.tried += tried
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        outcome.fail("lost", f"{what}: exit {done.returncode}: {done.stderr[-400:]}")
    return outcome


def forks(count: int) -> Outcome:
    """Children forked while threads update: they wait for nobody, and count on."""
    return _script(Outcome("forks"), "a forked child", FORKS, [str(count)], count)


def kills(folder: Path, count: int, seed: int) -> Outcome:
    """Processes killed while they save: the file is an old one or a new one, and no stray stays."""
    if not hasattr(signal, "SIGKILL"):
        return Outcome("kills")
    arguments = [str(folder), str(count), str(seed)]
    return _script(Outcome("kills"), "a killed process", KILLS, arguments, count)
