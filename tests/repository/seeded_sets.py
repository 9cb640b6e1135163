"""Protocols on sets of items that take a seed: sets in, and errors of their estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import protocols
from tests.repository.seeded_runs import errors, held, of_counts, seeds_of_devices

if TYPE_CHECKING:
    from tests.repository.seeded_runs import Bits, Floats, Run


def padded(made: protocols.PaddedSampling, how: str) -> Run:
    """Sets of one item, the first or the last of k."""

    def run(bits: Bits, rng: Any) -> Floats:
        ends, state = [[0], [made.k - 1]], made.empty(simulated=True)
        sets = [[item] for item in held(bits, made.k).tolist()]
        if how == "privatize":
            state.update(made.privatize(sets, rng))
        elif how == "simulate":
            state.update(made.simulate(ends, np.bincount(bits, minlength=2), rng))
        else:
            for items, own in zip(sets, seeds_of_devices(rng), strict=False):
                state.update(made.client(own).report(items))
        return of_counts(made.estimate(state), bits)

    return run


def sizes(made: protocols.CandidateSizes, how: str) -> Run:
    """Sets of no item, and of all."""

    def run(bits: Bits, rng: Any) -> Floats:
        ends, state = [[], list(range(made.items))], made.empty(simulated=True)
        if how == "privatize":
            state.update(made.privatize([ends[bit] for bit in bits.tolist()], rng))
        else:
            state.update(made.simulate(ends, np.bincount(bits, minlength=2), rng))
        return of_counts(made.estimate(state), bits)

    return run


def mining(made: protocols.SetMining, how: str) -> Run:
    """Sets of one item, the first or the last of k; nobody holds two of them."""

    def run(bits: Bits, rng: Any) -> Floats:
        sets = [[item] for item in held(bits, made.k).tolist()]
        if how == "mine":
            found = made.mine(sets, rng)
        elif how == "simulate":
            ends = [[0], [made.k - 1]]
            found = made.simulate(ends, np.bincount(bits, minlength=2), rng)
        else:
            own = seeds_of_devices(rng)
            clients = [made.client(None, next(own)) for _ in sets]
            states: list[Any] = []
            for number in range(made.groups):
                asked = made.round(*states)
                states.append(asked.empty(simulated=True))
                for client, items in zip(clients, sets, strict=True):
                    if client.group in (None, number):
                        states[-1].update(client.report(items, asked))
            found = made.found(*states)
        holders = np.bincount(held(bits, made.k), minlength=made.k)
        truth = [holders[each[0]] if len(each) == 1 else 0 for each in found.sets]
        return errors(found.counts, truth, found.std_error)

    return run


def pairs(made: protocols.KeyValues, how: str) -> Run:
    """One pair a user, of the first or the last of k keys, with the number 1/2."""

    def run(bits: Bits, rng: Any) -> Floats:
        state = made.empty(simulated=True)
        each = [{key: 0.5} for key in held(bits, made.k).tolist()]
        if how == "privatize":
            state.update(made.privatize(each, rng))
        else:
            for own, seed in zip(each, seeds_of_devices(rng), strict=False):
                state.update(made.client(seed).report(own))
        return of_counts(made.estimate(state), bits)

    return run


PADDED = protocols.PaddedResponse(1.0, 3, 2)
