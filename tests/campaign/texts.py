"""Saved things with a flipped bit, or cut: none is read as something else than was saved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from ldp_verified.deploy import Collector, Deployment
from ldp_verified.protocols import SafeRegionState, SignState
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.aggregate.arrow import read_reports, write_reports
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import GRR, OUE
from tests.campaign.outcome import Outcome
from tests.deploy.deployed import DEPLOYMENTS, reports_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Read = Callable[[bytes], Any]


def damaged(rng: np.random.Generator, whole: bytes) -> tuple[str, bytes]:
    """Return a description of the damage, and the bytes after a flip (mostly) or a cut."""
    place = int(rng.integers(len(whole)))
    if rng.random() < 0.2:
        return f"cut at {place}", whole[:place]
    bit = int(rng.integers(8))
    changed = bytearray(whole)
    changed[place] ^= 1 << bit
    return f"bit {bit} of byte {place}", bytes(changed)


def clients(rng: np.random.Generator, count: int) -> Outcome:
    """Saved clients of every kind: all damage is seen."""
    outcome = Outcome("clients")
    made: list[Any] = [
        protocols.LGRR(2.0, 1.0, 5),
        protocols.LOLOHA(2.0, 1.0, 50, 4),
        protocols.DBitFlip(2.0, 20, 10, 3),
        protocols.LSUE(2.0, 1.0, 3, categories=("a", "b", "c")),
    ]
    saved: list[tuple[bytes, Read]] = []
    restore = protocols.MemoClient.restore
    for deployment in made:
        client = protocols.MemoClient(deployment, new_user=True)
        for value in deployment.categories or (0, 1, 1):
            client.report(value)
        saved.append((client.save().encode(), partial(restore, deployment=deployment)))
    rappor = protocols.Rappor(0.5, 0.25, 0.75, 32, 2, 4)
    bloom = protocols.RapporClient(rappor, new_user=True)
    bloom.report("a")
    saved.append((bloom.save().encode(), lambda text: protocols.RapporClient.restore(text, rappor)))
    for _ in range(count):
        whole, read = saved[int(rng.integers(len(saved)))]
        what, text = damaged(rng, whole)
        good, _found = outcome.call(partial(str, what), partial(read, text))
        if good:
            outcome.fail("accepted", f"{what} of {whole!r}")
    return outcome


def kept(folder: Path) -> dict[str, list[tuple[bytes, Read]]]:
    """Each format by name: whole files or messages, and what reads them."""
    found: dict[str, list[tuple[bytes, Read]]] = {
        name: [] for name in ("report", "text", "batch", "collector", "state")
    }
    for deployment in DEPLOYMENTS:
        reports = reports_of(deployment.mechanism, 1)
        batch = deployment.to_batch(reports)
        single, text = deployment.to_bytes(reports)[0], deployment.to_text(reports)[0]
        found["report"].append((single, deployment.from_bytes))
        found["text"].append((text.encode(), partial(_read_text, deployment)))
        found["batch"].append((batch, deployment.from_bytes))
        collector = deployment.collector(simulated=True)
        collector.add(batch)
        found["collector"].append((collector.to_bytes(), partial(_read_collector, deployment)))
        states = collector.state if isinstance(collector.state, tuple) else (collector.state,)
        for each in states:
            made = each.oracle if isinstance(each, State) else deployment.mechanism
            # A user's number counts once, so that such a state is not merged with itself.
            once = isinstance(each, SignState | SafeRegionState)
            other: Any = type(each)(deployment.mechanism, True) if once else each
            state = each.merge(other, batch="an id")
            found["state"].append((state.to_bytes(), partial(_read_state, type(state), made)))
    registry = protocols.Registry({"u": (3, (1, 2)), "v": (1, ())})
    found["registry"] = [(registry.to_bytes(), protocols.Registry.from_bytes)]
    book = SpendingBook(folder / "book", "3/2", new=True)
    book.spend("1/3", "a report")
    found["book"] = [((folder / "book").read_bytes(), partial(_read_book, folder / "book"))]
    return found


def _read_text(deployment: Deployment, text: bytes) -> Any:
    return deployment.from_bytes(text.decode("latin-1"))


def _read_collector(deployment: Deployment, data: bytes) -> Any:
    return Collector.from_bytes(data, deployment)


def _read_state(cls: Any, made: Any, data: bytes) -> Any:
    return cls.from_bytes(data, made)


def _read_book(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    return SpendingBook(path, "3/2")


def formats(rng: np.random.Generator, count: int, folder: Path) -> Iterator[Outcome]:
    """So often of each format of messages and files: all damage is seen."""
    for name, saved in kept(folder).items():
        outcome = Outcome(f"format: {name}")
        for whole, read in saved[:3]:
            outcome.undamaged(name, partial(read, whole))
        for _ in range(count):
            whole, read = saved[int(rng.integers(len(saved)))]
            what, text = damaged(rng, whole)
            good, _found = outcome.call(partial(str, what), partial(read, text))
            if good:
                outcome.fail("accepted", f"{what} of {whole[:200]!r}")
        yield outcome


def descriptors(rng: np.random.Generator, count: int) -> Outcome:
    """Damage is seen, or gives another deployment, whose reports are not counted as this one's.

    A name for people, a label of a category and the number of a round may be anything.
    """
    outcome = Outcome("format: descriptor")
    small = [each for each in DEPLOYMENTS if len(each.text) < 4000]
    for _ in range(count):
        deployment = small[int(rng.integers(len(small)))]
        what, text = damaged(rng, deployment.text.encode())
        good, found = outcome.call(partial(str, what), partial(Deployment.from_text, text))
        if not good:
            continue
        tables = [identity.thresholds for identity in found.format.identities]
        right = [identity.thresholds for identity in deployment.format.identities]
        if found.tag == deployment.tag or tables != right:
            outcome.fail("accepted", f"{what} of {deployment.text[:300]}")
    return outcome


def counters(rng: np.random.Generator, count: int, folder: Path) -> Outcome:
    """Files of counters: all damage is seen."""
    outcome = Outcome("counters")
    path = folder / "count"
    counter = protocols.CounterFile(path)
    counter.advance(17)
    whole = path.read_bytes()
    for _ in range(count):
        what, text = damaged(rng, whole)
        path.write_bytes(text)
        good, _found = outcome.call(partial(str, what), counter.seen)
        if good:
            outcome.fail("accepted", f"{what} of {whole!r}")
    return outcome


def _read_into(read: list[Any], path: Path) -> None:
    read.extend(read_reports(path))


def report_files(rng: np.random.Generator, count: int, folder: Path) -> Outcome:
    """Parquet files: what is read before an error, or without one, is what was written."""
    outcome = Outcome("report files")
    made: list[Any] = [GRR(1.0, 300), OUE(1.0, 70)]
    path = folder / "reports"
    for each in made:
        batches = [each.privatize(rng.integers(0, 70, 40), 1) for _ in range(2)]
        write_reports(path, batches)
        whole = path.read_bytes()
        written = np.concatenate([batch.data for batch in batches])
        for _ in range(count // len(made)):
            what, text = damaged(rng, whole)
            path.write_bytes(text)
            read: list[Any] = []
            outcome.call(partial(str, what), partial(_read_into, read, path))
            found = np.concatenate([np.empty((0, *written.shape[1:])), *(b.data for b in read)])
            same = all(batch.identity == each.identity and batch.simulated for batch in read)
            if not same or not np.array_equal(found, written[: len(found)]):
                outcome.fail("accepted", what)
    return outcome
