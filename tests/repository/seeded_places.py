"""Runs of what counts or reports places, from one seed for data and reports: see `seeded`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import GRR, HashCohorts, protocols
from ldp_verified.analysis.central import MessageShuffler, Shuffler
from ldp_verified.analysis.interaction import (
    LocalQueries,
    QueryClient,
    QuerySession,
    count_by_parties,
    local_queries,
)
from ldp_verified.deploy import Deployment
from tests.generate.declarations import HIERARCHY
from tests.protocols.test_declared import of_text
from tests.repository.seeded_runs import errors, of_counts, seeds_of_devices

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.repository.seeded_runs import Bits, Floats, Run

PLACES = protocols.SafeRegions({"all": ["inner", "x"], "inner": ["a", "b"]}, (4.0,))


def places(how: str) -> Run:
    """Two places of a region, one sign a user."""

    def run(bits: Bits, rng: Any) -> Floats:
        ends, state = ["a", "b"], protocols.SafeRegionState(PLACES, simulated=True)
        choice: dict[str, Any] = {"region": "inner", "epsilon": 4.0}
        if how == "privatize":
            state.update(PLACES.privatize([ends[bit] for bit in bits], rng, **choice))
        elif how == "simulate":
            state.update(PLACES.simulate(ends, np.bincount(bits, minlength=2), rng, **choice))
        else:
            for number, (bit, own) in enumerate(zip(bits, seeds_of_devices(rng), strict=False)):
                client = PLACES.client(number=number, rng=own, **choice)
                state.update(client.report(ends[bit]))
        return of_counts(state.estimate(ends), bits)

    return run


TREE = protocols.RangeTree(2.0, 4)


def tree(how: str, made: protocols.RangeProtocol = TREE) -> Run:
    """The first and the last of four values."""

    def run(bits: Bits, rng: Any) -> Floats:
        values, state = bits * 3, made.empty(simulated=True)
        if how == "privatize":
            state.update(made.privatize(values, rng))
        else:
            for value, own in zip(values.tolist(), seeds_of_devices(rng), strict=False):
                state.update(made.client(own).report(value))
        return of_counts(made.estimate(state), bits)

    return run


WORDS = protocols.TextSketch(HashCohorts(2.0, 1 << 16, 2))


def texts(bits: Bits, rng: Any) -> Floats:
    """Two strings."""
    held = ["no", "yes"]
    reports = WORDS.privatize([held[bit] for bit in bits.tolist()], rng)
    return of_counts(WORDS.estimate(WORDS.empty(simulated=True).update(reports), held), bits)


TABLES = protocols.JointTables(2.0, {"a": 2, "b": 2}, (("a", "b"), ("b",)))


def tables(bits: Bits, rng: Any) -> Floats:
    """Two attributes of the same bits, and the counts of one of them."""
    state = TABLES.empty(simulated=True).update(TABLES.privatize({"a": bits, "b": bits}, rng))
    return of_counts(TABLES.estimate(state).table("b"), bits)


PARITIES = protocols.ParityTables(2.0, ("a", "b"))


def parities(bits: Bits, rng: Any) -> Floats:
    """Two attributes of the same bits, and the counts of one of them."""
    reports = PARITIES.privatize({"a": bits, "b": bits}, rng)
    found = PARITIES.estimate(PARITIES.empty(simulated=True).update(reports))
    return of_counts(found.table("b"), bits)


WAVELET = protocols.BoxWavelet(2.0, (2, 2))


def pairs(bits: Bits, rng: Any) -> Floats:
    """Two values of the same bits, and the counts of one of them."""
    both = np.stack([bits, bits], axis=1)
    state = WAVELET.empty(simulated=True).update(WAVELET.privatize(both, rng))
    rows = [WAVELET.estimate(state).count((0, 1), (value, value)) for value in (0, 1)]
    true = np.bincount(bits, minlength=2)
    return errors([r.value for r in rows], true, [r.std_error for r in rows])


GRID = protocols.RangeGrid(2.0, {"a": 2, "b": 2})


def boxes(bits: Bits, rng: Any) -> Floats:
    """Two attributes of the same bits, and the counts of one of them."""
    state = GRID.empty(simulated=True).update(GRID.privatize({"a": bits, "b": bits}, rng))
    rows = [GRID.estimate(state).count({"a": (value, value)}) for value in (0, 1)]
    true = np.bincount(bits, minlength=2)
    return errors([r.value for r in rows], true, [r.std_error for r in rows])


CLIPPED = protocols.ClippedMean(2.0, 2.0, percent=50, per_double=1)


def clipped(bits: Bits, rng: Any) -> Floats:
    """The mean of the bits, cut to the bounds that are found."""
    found = CLIPPED.simulate(bits, rng)
    true = CLIPPED.clipped(bits, found.bounds).mean()
    return errors([found.mean.value], true, [found.mean.std_error])


@cache
def declared() -> Any:
    """The class that a protocol file is run by, with one level."""
    with TemporaryDirectory() as folder:
        return of_text(Path(folder), HIERARCHY)(2.0, 1)


def hierarchy(how: str) -> Run:
    """Both nodes of one level, by the class of a declaration."""

    def run(bits: Bits, rng: Any) -> Floats:
        made = declared()
        state = made.empty(simulated=True)
        if how == "privatize":
            state = state.update(made.privatize(bits, rng))
        else:
            for bit, own in zip(bits.tolist(), seeds_of_devices(rng), strict=False):
                state = state.update(made.client(0, rng=own).report(bit))
        return of_counts(state.estimate([0, 1]), bits)

    return run


PLANE = protocols.PlaneNoise(2.0, 2, 2)


def plane(bits: Bits, rng: Any) -> Floats:
    """Two corners of four cells, by the sum of each coordinate."""
    data = PLANE.privatize(np.stack([bits, bits], axis=1), rng).data
    moved = float(sum(PLANE.pmf((1, row), (0, 0)) for row in (0, 1)))
    mean = np.where(bits == 1, 1 - moved, moved).sum()
    return errors(data.sum(axis=0), mean, (len(bits) * moved * (1 - moved)) ** 0.5)


def asks() -> Generator[Any, float, float]:
    """Ask for the mean of the bits."""
    return (yield lambda bit: bit)


def asked(bits: Bits, rng: Any) -> Floats:
    """One query, which all users answer."""
    plan = LocalQueries.of_users(len(bits), 2.0, 1, bounds=(0.0, 1.0))
    found = local_queries(asks, bits, plan, many_at_once=True, rng=rng)
    error = (plan.randomizer.worst_variance / len(bits)) ** 0.5
    return errors([found.result], bits.mean(), error)


def answers(bits: Bits, rng: Any) -> Floats:
    """One query, answered device by device."""
    plan = LocalQueries.of_users(len(bits), 2.0, 1, bounds=(0.0, 1.0))
    session = QuerySession(asks, plan)
    sent = [
        QueryClient(plan, 0, bit, own).answer(0, lambda own_bit: own_bit).data[0]
        for bit, own in zip(bits.tolist(), seeds_of_devices(rng), strict=False)
    ]
    session.take(plan.randomizer.reports(np.array(sent), simulated=True))
    error = (plan.randomizer.worst_variance / len(bits)) ** 0.5
    return errors([session.result], bits.mean(), error)


def by_parties(bits: Bits, rng: Any) -> Floats:
    """Each user is a party that releases its own count."""
    total = count_by_parties(bits, np.arange(len(bits)), 1.0, rng)
    return errors([total.value], bits.sum(), total.std_error)


SHUFFLED = GRR(2.0, 2)
DEPLOYED = Deployment(SHUFFLED)


def places_of_ones(order: Bits) -> Floats:
    """Return the sum of the places of the ones, against that of a random order of them."""
    n, ones = len(order), int(order.sum())
    error = (ones * (n - ones) * (n + 1) / 12) ** 0.5
    return errors([np.flatnonzero(order).sum()], ones * (n - 1) / 2, error)


def shuffled(bits: Bits, rng: Any) -> Floats:
    """Reports that are the bits themselves, given out in a random order."""
    shuffler = Shuffler(SHUFFLED, 2, rng=rng)
    shuffler.add(SHUFFLED.reports(bits, simulated=True))
    return places_of_ones(shuffler.release().reports.data.astype(np.int64))


LEVELS = protocols.RangeHierarchy(2.0, 4, (2, 2))


def levels(bits: Bits, rng: Any) -> Floats:
    """The lowest and the highest of four values, for a bit."""
    found = LEVELS.estimate(LEVELS.empty(simulated=True).update(LEVELS.privatize(3 * bits, rng)))
    true = np.bincount(3 * bits, minlength=4)
    return errors(found.counts, true, found.std_error)


def messages(bits: Bits, rng: Any) -> Floats:
    """The same as messages of a deployment."""
    shuffler = MessageShuffler(DEPLOYED, 2, rng=rng)
    shuffler.add_rows(DEPLOYED.to_rows(SHUFFLED.reports(bits, simulated=True)))
    (batch,) = shuffler.release()
    return places_of_ones(DEPLOYED.read(batch.data)[0].data.astype(np.int64))


def bulk() -> dict[str, Run]:
    """Return runs that draw for many users in one call, by "class.method"."""
    found = {f"SafeRegions.{how}": places(how) for how in ("privatize", "simulate")}
    found["RangeTree.privatize"] = tree("privatize")
    found["RangeWavelet.privatize"] = tree("privatize", protocols.RangeWavelet(2.0, 4))
    found["JointTables.privatize"] = tables
    found["TextSketch.privatize"] = texts
    found["RangeGrid.privatize"] = boxes
    found["RangeHierarchy.privatize"] = levels
    found["BoxWavelet.privatize"] = pairs
    found["ParityTables.privatize"] = parities
    found["DeclaredProtocol.privatize"] = hierarchy("privatize")
    found["ClippedMean.simulate"] = clipped
    found |= {"PlaneNoise.privatize": plane, "local_queries": asked}
    found |= {"Shuffler.release": shuffled, "MessageShuffler.release": messages}
    return found | {"count_by_parties": by_parties}


def devices() -> dict[str, Run]:
    """Return runs that draw for one user at a time."""
    return {
        "DeclaredClient.report": hierarchy("report"),
        "QueryClient.answer": answers,
        "RangeClient.report": tree("report"),
        "SafeRegionClient.report": places("report"),
    }
