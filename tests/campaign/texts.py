"""Saved things with a flipped bit, or cut: none is read as something else than was saved."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from ldp_verified.aggregate.arrow import read_reports, write_reports
from ldp_verified.aggregate.state import State
from ldp_verified.mechanisms import CMS, GRR, OUE
from tests.campaign.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
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


def states(rng: np.random.Generator, count: int) -> Outcome:
    """States as bytes, registries and counters: all damage is seen."""
    outcome = Outcome("states, registries, counters")
    saved: list[tuple[bytes, Read]] = []
    for made in (GRR(1.0, 5), OUE(1.0, 70), CMS(1.0, 4, 4)):
        state = made.aggregate(made.privatize(rng.integers(0, 4, 300), 1))
        saved.append((state.to_bytes(), partial(State.from_bytes, oracle=made.oracle)))
    registry = protocols.Registry({"u": (3, (1, 2)), "v": (1, ())})
    saved.append((registry.to_bytes(), protocols.Registry.from_bytes))
    for _ in range(count):
        whole, read = saved[int(rng.integers(len(saved)))]
        what, text = damaged(rng, whole)
        good, _found = outcome.call(partial(str, what), partial(read, text))
        if good:
            outcome.fail("accepted", f"{what} of {whole!r}")
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
