"""Whatever takes a seed: values in, and how far its estimates lie from them, in standard errors.

A case takes which of two values, 0 or 1, each of n users holds: mechanisms with more values use the
first and the last, numbers the ends of their bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from ldp_verified.errors import ParameterError
from ldp_verified.protocols.attribute_scheme import Attributes
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.protocols.grouped_state import GroupState
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.protocols.rappor import Rappor
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer
from tests.mechanisms.parameters import CLASSES
from tests.repository.seeded_rounds import rounds
from tests.repository.seeded_runs import errors, held, of_counts, seeds_of_devices
from tests.repository.seeded_sets import PADDED, mining, padded, pairs, sizes
from tests.repository.test_corners import USUAL

if TYPE_CHECKING:
    from tests.repository.seeded_runs import Bits, Floats, Run


def finite(made: Randomizer, how: str) -> Run:
    """A mechanism with finitely many values; `how` is the method that draws."""

    def run(bits: Bits, rng: Any) -> Floats:
        values = held(bits, made.k)
        own = np.asarray(made.labels)[values]
        if how == "privatize":
            state = made.aggregate(made.privatize(own, rng), simulated=True)
        elif how == "privatize_stream":
            state = made.aggregate(
                made.privatize_stream(np.array_split(own, 3), rng), simulated=True
            )
        elif how == "privatize_in_threads":
            state = made.aggregate(made.privatize_in_threads(own, 2, rng), simulated=True)
        else:
            counts = np.bincount(values, minlength=made.k)
            state = made.simulate_counts(counts, rng, how == "report_by_report")
        return of_counts(state.estimate(), bits)

    return run


def number(made: BoundedRandomizer, how: str) -> Run:
    """A mechanism for numbers within bounds."""

    def run(bits: Bits, rng: Any) -> Floats:
        low, high = made.bounds
        values = np.where(bits == 1, high, low)
        batches: Any = made.privatize(values, rng)
        if how == "privatize_stream":
            batches = made.privatize_stream(np.array_split(values, 3), rng)
        estimate = made.mean_estimate(batches, simulated=True)
        return errors([estimate.mean], values.mean(), estimate.std_error)

    return run


def vector(made: protocols.DuchiVector) -> Run:
    """Vectors of numbers: all coordinates alike."""

    def run(bits: Bits, rng: Any) -> Floats:
        low, high = made.bounds
        values = np.where(bits == 1, high, low)
        rows = np.repeat(values[:, np.newaxis], made.d, axis=1)
        estimate = made.mean_estimate(made.privatize(rows, rng), simulated=True)
        return errors(estimate.means, values.mean(), estimate.std_errors)

    return run


def ball(made: protocols.SphereVector) -> Run:
    """Vectors as long as the radius: all one way, or all the other."""

    def run(bits: Bits, rng: Any) -> Floats:
        row = np.full(made.d, made.radius / made.d**0.5)
        rows = np.where(bits == 1, 1.0, -1.0)[:, np.newaxis] * row
        estimate = made.mean_estimate(made.privatize(rows, rng), simulated=True)
        return errors(estimate.means, rows.mean(axis=0), estimate.std_errors)

    return run


def sums(made: protocols.SHE) -> Run:
    """Counts by noise on each of them."""

    def run(bits: Bits, rng: Any) -> Floats:
        reports = made.privatize(held(bits, made.k), rng)
        return of_counts(made.empty(simulated=True).update(reports).estimate(), bits)

    return run


def attributes(made: Attributes) -> Run:
    """Several attributes, all held alike."""

    def run(bits: Bits, rng: Any) -> Floats:
        tuples = np.stack([held(bits, k) for k in made.ks], axis=1)
        sent: Any = made.privatize(tuples, rng)
        state: Any = made.empty(simulated=True)
        if isinstance(made, protocols.SampleOne):
            counted = state.update(sent)
            return np.concatenate(
                [
                    errors(
                        counted.counts(j),
                        np.bincount(held(bits, k), minlength=k),
                        [
                            made.variance(j, len(bits), float((held(bits, k) == v).mean())) ** 0.5
                            for v in range(k)
                        ],
                    )
                    for j, k in enumerate(made.ks)
                ]
            )
        return np.concatenate(
            [
                of_counts(each.update(reports).estimate(), bits)
                for each, reports, k in zip(state, sent, made.sizes, strict=True)
            ]
        )

    return run


PREFIXES = PrefixExtending(4.0, bits=8, step=4, g=16)
COHORTS = protocols.PrefixCohorts(4.0, bits=8, first=4, step=4, cohorts=64, g=16)
TREES = protocols.TreeHist(4.0, bits=8, rows=4, columns=64)
# With these public rows the two values share no cell, which would be a bias, and not an error.
CODED = protocols.Bitstogram(4.0, bits=8, cells=256, rows=4, columns=1 << 12)
SKETCHED = protocols.PrivateExpanderSketch(4.0, bits=8, parts=2, cells=4, rows=4, columns=1 << 12)
HASHED = protocols.Hashtogram(4.0, bits=8, rows=4, columns=1 << 12)
SUCCINCT = protocols.SuccinctHistogram(8.0, bits=8, cells=256)
FRAGMENTS = protocols.SequenceFragments(8.0, bits=8, piece=4, marks=16, g=16)
BIT_GROUPS = protocols.BitGroups(4.0, bits=8, cells=256, g=16)
ALL_BITS = protocols.BitReduction(32.0, bits=8, cells=256, g=16)
ENOUGH = 10_000
"""Users, so that heavy hitters can be found."""


def grouped(made: GroupedHashing, how: str) -> Run:
    """Two of 256 values, counted by the confirming group, in which every device is."""
    confirms = made.levels if made.reports_per_user == 1 else None

    def run(bits: Bits, rng: Any) -> Floats:
        ends, n = [0, 255], len(bits)
        state = GroupState(made, simulated=True)
        truth = np.bincount(bits, minlength=2)
        if how == "privatize":
            state.update(made.privatize(held(bits, 256), rng))
        elif how == "simulate":
            truth *= max(1, ENOUGH // n)
            state.update(made.simulate(ends, truth, rng))
        else:
            for value, own in zip(held(bits, 256).tolist(), seeds_of_devices(rng), strict=False):
                state.update(made.client(confirms, own).report(value))
        if confirms is not None and not np.any(state.columns[0] == confirms):
            return np.zeros(2)  # Of a handful of users none may be in the confirming group.
        estimate = state.estimate(ends)
        return errors(estimate.counts, truth, estimate.std_error)

    return run


SIGNS = protocols.SignMatrix(4.0, bits=8)


def signs(how: str) -> Run:
    """Two of 256 values, one sign a user."""

    def run(bits: Bits, rng: Any) -> Floats:
        ends, state = [0, 255], protocols.SignState(SIGNS, simulated=True)
        truth = np.bincount(bits, minlength=2)
        if how == "privatize":
            state.update(SIGNS.privatize(held(bits, 256), rng))
        elif how == "simulate":
            state.update(SIGNS.simulate(ends, truth, rng))
        else:
            users = zip(held(bits, 256).tolist(), seeds_of_devices(rng), strict=False)
            for number, (value, own) in enumerate(users):
                state.update(SIGNS.client(number, own).report(value))
        return of_counts(state.estimate(ends), bits)

    return run


TREE = protocols.ChangeTree(4.0, 4, 1)
VOTES = protocols.VotedMean(8.0, epochs=2, days=1, updates=1, votes=1)


def tree(how: str) -> Run:
    """Bits that stay as they are for all days."""

    def run(bits: Bits, rng: Any) -> Floats:
        state = TREE.empty(simulated=True)
        if how == "privatize":
            histories = np.repeat(bits[:, np.newaxis], TREE.days, axis=1)
            state = state.update(TREE.privatize(histories, rng))
        else:
            for bit, own in zip(bits.tolist(), seeds_of_devices(rng), strict=False):
                client = protocols.TreeClient(TREE, new_user=True, rng=own)
                for day in range(TREE.days):
                    state = state.update(client.report(bit))
                    if how == "restore" and day == 0:
                        client = protocols.TreeClient.restore(client.save(), TREE, own)
        found = state.estimate()
        return errors(found.counts, bits.sum(), found.std_error)

    return run


def voting(how: str) -> Run:
    """The same bits in each epoch."""

    def run(bits: Bits, rng: Any) -> Floats:
        state = VOTES.empty(simulated=True)
        if how == "simulate":
            state = VOTES.simulate(np.repeat(bits[:, np.newaxis], VOTES.epochs, axis=1), rng)
        else:
            made, own = protocols.VotingClient, seeds_of_devices(rng)
            clients = [made(VOTES, new_user=True, rng=next(own)) for _ in bits]
            if how == "restore":
                own = seeds_of_devices(rng)
                clients = [made.restore(client.save(), VOTES, next(own)) for client in clients]
            for epoch in range(VOTES.epochs):
                mean = state.published(epoch)
                for client, bit in zip(clients, bits.tolist(), strict=True):
                    state = state.update(client.vote(bit, None if np.isnan(mean) else mean))
                for client in clients if state.wanted(epoch) else ():
                    state = state.update(client.answer())
        found = state.estimate()
        asked = found.updated
        if not asked.any():
            return np.zeros(1)  # Of a handful of users too few may have voted for a mean.
        return errors(found.means[asked], bits.mean(), found.std_error[asked])

    return run


def population(made: Any) -> Run:
    """One report of each of many clients with memoised answers."""

    def run(bits: Bits, rng: Any) -> Floats:
        clients = protocols.MemoPopulation(made, len(bits), rng)
        reports = clients.report(held(bits, made.k))
        return of_counts(made.empty(simulated=True).update(reports).estimate(), bits)

    return run


OF_VALUES = ("LGRR", "LOLOHA", "LSUE", "DBitFlip")
STRINGS = ("zero", "one")
RAPPOR = Rappor(0.75, 0.0625, 0.9375, bits=16, hashes=2)
DEVICES = ("report", "restore")


def rappor(how: str) -> Run:
    """Strings of two kinds; devices have the seeds s, s + 1, s + 2, ..."""

    def run(bits: Bits, rng: Any) -> Floats:
        population = protocols.RapporPopulation(RAPPOR, STRINGS)
        truth = np.bincount(bits, minlength=2)
        if how == "first_reports":
            state = population.count(population.first_reports(bits, rng))
        elif how == "simulate_counts":
            state = population.simulate_counts(truth, rng)
        elif how == "days":
            people = protocols.RapporMemoPopulation(population, len(bits), rng)
            state = population.count(people.report(bits))
        else:
            state = protocols.RapporState(RAPPOR, simulated=True)
            for bit, own in zip(bits.tolist(), seeds_of_devices(rng), strict=False):
                client = protocols.RapporClient(RAPPOR, new_user=True, rng=own)
                if how == "restore":
                    client = protocols.RapporClient.restore(client.save(), RAPPOR, own)
                state.update([client.report(STRINGS[bit])])
        decoded = protocols.KnownDomain(RAPPOR, STRINGS).decode(state)
        return errors(decoded.counts, truth, decoded.std_error)

    return run


def memoised(made: Any, how: str) -> Run:
    """Devices with memoised answers, one report each, with the seeds s, s + 1, s + 2, ..."""

    def run(bits: Bits, rng: Any) -> Floats:
        batch = []
        for value, own in zip(held(bits, made.k).tolist(), seeds_of_devices(rng), strict=False):
            client = protocols.MemoClient(made, new_user=True, rng=own)
            if how == "restore":
                client = protocols.MemoClient.restore(client.save(), made, own)
            batch.append(client.report(value).reports.data[0])
        reports = Reports(np.array(batch), made.identity, simulated=True)
        return of_counts(made.empty(simulated=True).update(reports).estimate(), bits)

    return run


def short_cut(made: Randomizer) -> bool:
    """Return whether a state can be drawn without its reports."""
    try:
        made.simulate_counts([1] * made.k, 1)
    except ParameterError:
        return False
    return True


def bulk() -> dict[str, Run]:
    """Return runs that draw for many users in one call, by "class.method", of all classes."""
    found: dict[str, Run] = {}
    for name, arguments in USUAL.items():
        made: Any = {**CLASSES, **vars(protocols)}[name](**arguments)
        if isinstance(made, Randomizer):
            ways = ["privatize", "privatize_stream", "privatize_in_threads", "report_by_report"]
            ways += ["simulate_counts"] * short_cut(made)
            found |= {f"{name}.{how}": finite(made, how) for how in ways}
        elif isinstance(made, BoundedRandomizer):
            ways = ["privatize", "privatize_stream"]
            found |= {f"{name}.{how}": number(made, how) for how in ways}
        elif isinstance(made, Attributes):
            found[f"{name}.privatize"] = attributes(made)
        elif isinstance(made, protocols.SetMining):
            found |= {f"{name}.{how}": mining(made, how) for how in ("mine", "simulate")}
        elif isinstance(made, protocols.CandidateSizes):
            found |= {f"{name}.{how}": sizes(made, how) for how in ("privatize", "simulate")}
        elif isinstance(made, protocols.PaddedSampling):
            found |= {f"{name}.{how}": padded(made, how) for how in ("privatize", "simulate")}
        elif isinstance(made, protocols.KeyValues):
            found[f"{name}.privatize"] = pairs(made, "privatize")
        elif isinstance(made, protocols.DuchiVector):
            found[f"{name}.privatize"] = vector(made)
        elif isinstance(made, protocols.SphereVector):
            found[f"{name}.privatize"] = ball(made)
        elif isinstance(made, protocols.SHE):
            found[f"{name}.privatize"] = sums(made)
        elif isinstance(made, Rappor):
            ways = ["first_reports", "simulate_counts"]
            found |= {f"RapporPopulation.{how}": rappor(how) for how in ways}
            found["RapporMemoPopulation.report"] = rappor("days")
        elif isinstance(made, protocols.Longitudinal) and name in OF_VALUES:
            found[f"MemoPopulation of {name}"] = population(made)
    found |= {f"PrefixRounds.{how}": rounds(how) for how in ("mine", "simulate")}
    found |= {"PrefixRound.privatize": rounds("privatize")}
    found |= {"ChangeTree.privatize": tree("privatize"), "VotedMean.simulate": voting("simulate")}
    for how in ("privatize", "simulate"):
        found[f"SignMatrix.{how}"] = signs(how)
        every = (
            *(PREFIXES, COHORTS, TREES, CODED, HASHED),
            *(SUCCINCT, FRAGMENTS, BIT_GROUPS, ALL_BITS, SKETCHED),
        )
        for each in every:
            found[f"{type(each).__name__}.{how}"] = grouped(each, how)
    return found


def devices() -> dict[str, Run]:
    """Return runs that draw for one user at a time, new and restored, of every deployment."""
    found = {f"RapporClient.{how}": rappor(how) for how in DEVICES}
    found |= {f"TreeClient.{how}": tree(how) for how in DEVICES}
    found |= {f"VotingClient.{how}": voting(how) for how in DEVICES}
    found |= {
        "GroupClient.report": grouped(PREFIXES, "report"),
        "KeyValueClient.report": pairs(protocols.KeyValueResponse(2.0, 3, 2), "report"),
        "PaddedClient.report": padded(PADDED, "report"),
        "PrefixRoundClient.report": rounds("report"),
        "SetClient.report": mining(protocols.SVIM(8.0, 5, 2), "report"),
        "SignClient.report": signs("report"),
    }
    for name, arguments in USUAL.items():
        made: Any = {**CLASSES, **vars(protocols)}[name](**arguments)
        if isinstance(made, protocols.Longitudinal):
            ways = DEVICES if name == "LGRR" else DEVICES[:1]
            found |= {f"MemoClient of {name}.{how}": memoised(made, how) for how in ways}
    return found
