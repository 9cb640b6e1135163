"""Protocols whose groups report hashes of parts of a value, against what their boxes say.

What a report is about is worked out here, in Python integers and without the protocol's code. It is
the part of the value that a group asks about, and its bucket under the function that the report
names. Only the code of values, where there is one, is the package's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.estimate_laws import USERS, Masses, binomial, estimates_law
from ldp_verified.check.conformance.frequencies import FrequencyTally
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    CLIENT_LIMIT,
    Look,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
)
from ldp_verified.protocols import (
    Hashtogram,
    PrefixCohorts,
    PrivateExpanderSketch,
    SequenceFragments,
    TreeHist,
)
from ldp_verified.protocols.bit_reduction import BitHashing
from ldp_verified.protocols.coded_bits import CodedHashing
from ldp_verified.protocols.grouped_hashing import GroupedHashing, GroupReports
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.protocols.prefix_extending import PrefixHashing
from ldp_verified.protocols.private_expander_sketch import SYMBOL_BITS
from ldp_verified.protocols.sketch_counts import Sketched
from ldp_verified.run.mechanisms import GRR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes

Send = Callable[[Any, int, np.random.Generator], GroupReports]

WIDTH = 128
CONFIRMS = Fraction(3, 20)
"""The share of users who confirm, where a group does."""

POPULATION_SHARE = 4


def grouped_subject(made: GroupedHashing, state: Callable[..., Any]) -> ProtocolSubject:
    """Groups, functions, buckets and estimates of a protocol.

    Args:
        made: the protocol, with few groups and short public lists. state: the class of its states.
    """
    own = reports_scene(made, state, lambda v, users, rng: made.privatize([v] * users, rng))
    return ProtocolSubject(repr(made), (own, populations_scene(made, state)))


def truth(made: HashedValues) -> Fraction:
    """The chance of the true bucket where a user's reports share epsilon evenly."""
    each = made.reports_per_user
    share = made.epsilon if each == 1 else math.nextafter(made.epsilon / each, 0)
    return GRR(share, made.buckets).p


# --- what a report is about ---------------------------------------------------------------------


def whole(words: NDArray[np.uint64]) -> int:
    """An encoded value, or the lower halves of a seed, as one number: the upper half first."""
    return int(words[0]) << 64 | int(words[1])


def bucket(seed: int, value: int, bits: int) -> int:
    """The bucket of a value: bit j is the parity of the value under bits j..j+127 of the seed."""
    mask = (1 << WIDTH) - 1
    return sum(((seed >> j & mask & value).bit_count() & 1) << j for j in range(bits))


def seeds_of(reports: GroupReports) -> list[int]:
    """The seeds of reports, each as one number."""
    words = reports.seeds.astype(object)
    found: list[int] = (words[:, 2] << 128 | words[:, 1] << 64 | words[:, 0]).tolist()
    return found


def about(made: GroupedHashing, value: int, group: int) -> int:
    """Return the number that a group's functions are applied to, for an encoded value.

    Raises:
        TypeError: nothing is known of the protocol.
    """
    if group == made.levels:
        return value
    if isinstance(made, PrefixHashing):
        end = made.lengths[group]
        return value >> (WIDTH - end) << (WIDTH - end)
    if isinstance(made, SequenceFragments):
        last = WIDTH - made.piece * (group + 1)
        fragment = value >> last & ((1 << made.piece) - 1)
        mark = bucket(_seed(made._function), value, made.mark_bits)
        return (fragment << made.mark_bits | mark) << (WIDTH - made.pair_bits)
    if isinstance(made, PrivateExpanderSketch):
        return _entry(made, value, group) << (WIDTH - made.entry_bits)
    if isinstance(made, BitHashing):
        bit = value >> (WIDTH - 1 - group) & 1
        if isinstance(made, CodedHashing):
            halves = np.array([[value >> 64, value & ((1 << 64) - 1)]], dtype=np.uint64)
            bit = int(made.code.codewords(halves)[0, group])
        cell = bucket(_seed(made._function), value, made.cell_bits)
        return (cell << 1 | bit) << (WIDTH - 1 - made.cell_bits)
    raise TypeError(f"no reading of the reports of {type(made).__name__}")


def _entry(made: PrivateExpanderSketch, value: int, place: int) -> int:
    """The part of a value, its cells at a place and the partners, and the symbol there."""
    functions = [_seed(words) for words in made._functions]
    found = bucket(functions[made.levels], value, made.part_bits)
    for at in (place, *(int(partner[place]) for partner in made.partners)):
        found = found << made.cell_bits | bucket(functions[at], value, made.cell_bits)
    halves = np.array([[value >> 64, value & ((1 << 64) - 1)]], dtype=np.uint64)
    word = "".join(str(bit) for bit in made.code.codewords(halves)[0])
    symbol = word[place * SYMBOL_BITS : (place + 1) * SYMBOL_BITS].ljust(SYMBOL_BITS, "0")
    return found << SYMBOL_BITS | int(symbol, 2)


def _seed(words: NDArray[np.uint64]) -> int:
    return int(words[2]) << 128 | int(words[1]) << 64 | int(words[0])


def shares(made: GroupedHashing) -> list[Fraction]:
    """The chance that one of a user's reports is in each group, as the boxes print it."""
    if not made.in_group or isinstance(made, Hashtogram):
        return [Fraction(1)] * made.groups
    if made.reports_per_user == 2:
        return [*[Fraction(1, made.levels)] * made.levels, Fraction(1)]
    return [*[(1 - CONFIRMS) / made.levels] * made.levels, CONFIRMS]


def lists(made: GroupedHashing) -> list[list[int] | None]:
    """The public list of each group's functions, as seeds; None where a function is any."""
    found: list[list[int] | None] = [None] * made.groups
    if isinstance(made, PrefixCohorts):
        found[: made.levels] = [[_seed(s) for s in level] for level in made.functions]
    elif isinstance(made, TreeHist):
        found[: made.levels] = [[whole(m) for m in rows.masks()] for rows in made.sketches]
    elif isinstance(made, Sketched):
        found[made.levels] = [whole(m) for m in made.hashtogram.masks()]
    return found


# --- single reports -----------------------------------------------------------------------------


def held_values(made: GroupedHashing) -> list[Any]:
    """Two values that are looked at: all bits alike, and a mixture; or two strings.

    Args:
        made: the protocol.
    """
    if made.bits is None:
        return ["", "caffè"]
    top = 1 << made.width
    return [0, (top - 1) // 3 * 2 + 1]


def reports_scene(
    made: GroupedHashing, state: Callable[..., Any], send: Send, share_of: int = BULK_SHARE
) -> Scene:
    """Groups, functions, buckets and an estimate; `send` gives reports of users with one value.

    Args:
        made: the protocol. state: the class of its states. send: what so many users send.
        share_of: one user for so many of the run's reports.
    """
    public = lists(made)
    held = held_values(made)
    encoded = [whole(words) for words in made.encode(held)]
    asked = [[about(made, value, i) for i in range(made.groups)] for value in encoded]
    looks = []
    for value in held:
        looks.append(_look(f"groups and buckets, of {value!r}", *_bucket_classes(made)))
        labels, chances = _function_classes(made, shares(made), public)
        looks.append(_look(f"functions, of {value!r}", labels, chances))
    looks.append(estimates_look(["estimate of what is held", "its standard error"]))
    looks.append(estimates_look(["estimate of what nobody holds", "its standard error"]))

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found: list[Codes] = []
        batches = [send(value, users, rng) for value in held]
        reports, seeds = batches[-1], seeds_of(batches[-1])
        for batch, inputs in zip(batches, asked, strict=True):
            own = seeds_of(batch)
            found.append(_buckets(made, batch, own, inputs))
            found.append(_functions(made, batch, own, public))
        counted = state(made, simulated=reports.simulated).update(reports)
        stated = counted.estimate([held[1], held[0]])
        for place, each in enumerate((1, 0)):
            right = _estimate(made, reports, seeds, encoded[each], users)
            both = stated.counts[place], stated.std_error[place]
            found.append(differing([float(x) for x in both], right, users))
        return found

    return Scene("reports", tuple(looks), run, share_of, BULK_LIMIT)


def classes_of_encoded(made: GroupedHashing, value: int) -> FrequencyTally:
    """The groups and the buckets of what users send who hold one value.

    Args:
        made: the protocol. value: as it is encoded.
    """
    inputs = [about(made, value, i) for i in range(made.groups)]
    look = _look("groups and buckets", *_bucket_classes(made))

    def count(rows: NDArray[np.uint64]) -> Codes:
        reports = made.reports_of(rows)
        return _buckets(made, reports, seeds_of(reports), inputs)

    return FrequencyTally(look.name, [*look.labels], look.probabilities, count)


def _bucket_classes(made: GroupedHashing) -> tuple[list[str], list[Fraction]]:
    """The bucket of the value, or another one, in each group."""
    p, share = truth(made), shares(made)
    cells = {(i, d): each * (1 - p if d else p) for i, each in enumerate(share) for d in (0, 1)}
    labels = [f"group {i}, {'one that lies' if d else 'the own'} bucket" for i, d in cells]
    return labels, [*cells.values()]


def _look(name: str, labels: list[str], chances: list[Fraction]) -> Look:
    """Classes of which a user may be in several, and one of what is no report."""
    return Look(name, (*labels, "nothing valid"), (*chances, Fraction(0)))


def _function_classes(
    made: GroupedHashing, share: list[Fraction], public: list[list[int] | None]
) -> tuple[list[str], list[Fraction]]:
    """The places of public lists, and the bits of functions that are any."""
    labels, chances = [], []
    for group, functions in enumerate(public):
        if functions is not None:
            labels += [f"group {group}, function {place}" for place in range(len(functions))]
            chances += [share[group] / len(functions)] * len(functions)
    free = sum((share[group] for group in _free(made)), Fraction(0))
    if free:
        labels += [f"bit {j} of a function is 1" for j in range(127 + made.hash_bits)]
        chances += [free / 2] * (127 + made.hash_bits)
    return labels, chances


def _free(made: GroupedHashing) -> list[int]:
    """The groups whose functions are any, of which a user has at most one report."""
    every = np.arange(made.groups, dtype=np.uint8)
    found: list[int] = every[made.drawn_afresh(every)].tolist()
    return found if made.reports_per_user == 1 else found[-1:]


def _functions(
    made: GroupedHashing,
    reports: GroupReports,
    seeds: list[int],
    public: list[list[int] | None],
) -> Codes:
    counts: list[int] = []
    invalid = 0
    groups = reports.groups.tolist()
    for group, functions in enumerate(public):
        if functions is None:
            continue
        places = {seed: place for place, seed in enumerate(functions)}
        tally = [0] * len(functions)
        for own, seed in zip(groups, seeds, strict=True):
            if own == group:
                place = places.get(seed)
                invalid += place is None
                if place is not None:
                    tally[place] += 1
        counts += tally
    bits = 127 + made.hash_bits
    invalid += sum(seed >> bits > 0 for seed in seeds)
    if _free(made):
        chosen = np.isin(reports.groups, _free(made))
        packed = np.ascontiguousarray(reports.seeds[chosen]).view(np.uint8)
        ones = np.unpackbits(packed, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
        counts += ones[:bits].tolist()
    return np.array([*counts, invalid], dtype=np.int64)


def _buckets(
    made: GroupedHashing, reports: GroupReports, seeds: list[int], inputs: list[int]
) -> Codes:
    """Count each group's reports that say the bucket of the value, and those that say another."""
    tally = [0] * (2 * made.groups)
    invalid = 0
    said = zip(reports.groups.tolist(), seeds, reports.buckets.tolist(), strict=True)
    for group, seed, drawn in said:
        if group >= made.groups or not 0 <= drawn < made.buckets:
            invalid += 1
            continue
        tally[2 * group + (bucket(seed, inputs[group], made.hash_bits) != drawn)] += 1
    return np.array([*tally, invalid], dtype=np.int64)


def counting_groups(made: GroupedHashing) -> range:
    """The groups whose reports count values: the last one, or all where every user is in all."""
    return range(made.levels, made.groups) if made.groups > made.levels else range(made.groups)


def _estimate(
    made: GroupedHashing, reports: GroupReports, seeds: list[int], value: int, users: int
) -> list[float]:
    """(n/m) (c - m q*)/(p* - q*), and its standard error, from the reports."""
    counting = counting_groups(made)
    inputs = {group: about(made, value, group) for group in counting}
    m = c = 0
    said = zip(reports.groups.tolist(), seeds, reports.buckets.tolist(), strict=True)
    for group, seed, drawn in said:
        if group in inputs:
            m += 1
            c += bucket(seed, inputs[group], made.hash_bits) == drawn
    p, q = float(truth(made)), 1 / made.buckets
    scale = users / m
    count = scale * (c - m * q) / (p - q)
    f = min(1.0, max(0.0, count / users))
    spread = scale * ((1 - f) * q * (1 - q) + f * p * (1 - p)) / (p - q) ** 2
    if isinstance(made, Sketched):
        spread += users / (made.rows * made.columns)
    spread += scale * f * (1 - f) * max(users - m, 0) / max(users - 1, 1)
    return [count, (users * spread) ** 0.5]


# --- estimates of populations -------------------------------------------------------------------


def populations_scene(made: GroupedHashing, state: Callable[..., Any]) -> Scene:
    """The law of estimates, and so their bias and variance: of a value that all users hold."""
    p, g = truth(made), made.buckets
    value = held_values(made)[1]
    each = made.reports_per_user
    look, edges = estimates_law(counting_law(made), p, Fraction(1, g), f"{value!r}, held by all")

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        reports = made.privatize([value] * users, rng)
        tally = np.zeros(len(look.labels), dtype=np.int64)
        for first in range(0, users // USERS * USERS, USERS):
            part = slice(first * each, (first + USERS) * each)
            some = GroupReports(
                reports.identity,
                reports.groups[part],
                reports.seeds[part],
                reports.buckets[part],
                reports.simulated,
            )
            count = state(made, simulated=True).update(some).estimate([value]).counts[0]
            tally[int(np.searchsorted(edges, count))] += 1
        return [tally]

    return Scene("populations", (look,), run, POPULATION_SHARE, CLIENT_LIMIT)


def counting_law(made: GroupedHashing) -> Masses:
    """Compute how many of a population's reports count values, with the chance of each number."""
    each = made.reports_per_user
    if made.groups == made.levels:
        return {USERS * each: Fraction(1)}
    if each == 2 or isinstance(made, Hashtogram):
        return {USERS: Fraction(1)}
    return binomial(USERS, CONFIRMS)
