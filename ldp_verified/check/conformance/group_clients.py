"""Clients of protocols of groups, tuples and sets: what they should send, group by group.

What a user of a group holds is worked out here from the declarations' boxes, in integers, and the
tables are those of the mechanisms that report. Nothing is asked of the program of a client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.analysis.expectation import Expectation, expectation, spec_of
from ldp_verified.check.conformance.frequencies import together
from ldp_verified.check.conformance.mixed_reports import DrawnPart, mixed_tallies
from ldp_verified.check.conformance.restarts import best
from ldp_verified.check.conformance.sent_reports import (
    SaidGroup,
    SignGroup,
    reports_at,
    said_tallies,
    sign_tallies,
)
from ldp_verified.check.conformance.stateful_clients import BULK_LIMIT, Look, Scene
from ldp_verified.errors import ParameterError
from ldp_verified.language.forms import Bits
from ldp_verified.protocols import (
    BoxWavelet,
    CandidateRound,
    CandidateSizes,
    JointTables,
    PaddedSampling,
    ParityTables,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)
from ldp_verified.run.kernels.seeds import numpy_generator
from ldp_verified.run.program.sets import MOST_PACKED
from ldp_verified.run.realize.report_rows import columns_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.check.conformance.frequencies import FrequencyTally
    from ldp_verified.check.conformance.mixed_reports import Mixture

OnePart = RangeHierarchy | RangeGrid | JointTables
Signed = RangeWavelet | BoxWavelet | ParityTables
OnEach = Split | SampleAmongFakes | SampleAmongFakeBits
GroupProtocol = RangeTree | Signed | SampleOne | OnePart | OnEach | PaddedSampling

Send = Callable[[int, int], "NDArray[np.uint64]"]
"""(value, users) -> the numbers of their reports, a row each; all are reports of the protocol."""


def group_scene(made: GroupProtocol, send: Send) -> tuple[Scene, list[int]]:
    """Users who hold each of a few values, and the classes of their reports; and these values.

    Args:
        made: the protocol. send: asks its client.

    Raises:
        ParameterError: its values do not fit 64 bits; the argument that says so is named.
    """
    rng = numpy_generator(0, "conformance", repr(made))
    values = asked_values(made, rng)
    counted = [_tallies(made, value, rng) for value in values]
    looks = []
    for kind in zip(*counted, strict=True):
        pairs = [*zip(values, kind, strict=True)]
        labels = tuple(f"x = {x}, {label}" for x, tally in pairs for label in tally.labels)
        masses = tuple(mass for _, tally in pairs for mass in tally.probabilities)
        looks.append(Look(kind[0].kind, labels, masses))

    def run(users: int, _: np.random.Generator) -> list[Codes]:
        sent = [send(value, users) for value in values]
        return [
            np.concatenate([t.count(rows) for t, rows in zip(kind, sent, strict=True)])
            for kind in zip(*counted, strict=True)
        ]

    return Scene("reports", tuple(looks), run, len(values), BULK_LIMIT), values


def classes_of_value(made: GroupProtocol, value: int) -> FrequencyTally:
    """All classes of the reports of users who hold one value.

    Args:
        made: the protocol. value: what they hold.
    """
    return together(_tallies(made, value, numpy_generator(0, "conformance", repr(made))))


def agreement_of_value(made: GroupProtocol, value: int) -> Fraction:
    """The chance, at most, that two reports on a value are equal.

    Args:
        made: the protocol. value: what is held.
    """
    return best(classes_of_value(made, value).probabilities)


def columns_sent(made: GroupProtocol) -> int:
    """Count the numbers of a report of a client.

    Args:
        made: the protocol.
    """
    match made:
        case RangeHierarchy() | RangeGrid() | JointTables():
            return columns_sent(made.scheme)
        case SampleOne():
            return 1 + max(columns_of(part.layout) for part in made.parts)
        case Split() | SampleAmongFakes() | SampleAmongFakeBits():
            return sum(columns_of(oracle.layout) for oracle in made.attribute_oracles)
    return columns_of(made.oracle.layout)


# --- the values that are asked for --------------------------------------------------------------


def asked_values(made: GroupProtocol, rng: np.random.Generator) -> list[int]:
    """The first and the last value, and two that change where digits, items or halves do.

    Args:
        made: the protocol. rng: of the sets.
    """
    match made:
        case PaddedSampling():
            items = items_of(made)
            some = rng.choice(items, max(1, items // 2), replace=False)
            found = [0, (1 << items) - 1, sum(1 << int(i) for i in some), 2]
        case ParityTables():
            d = len(made.attributes)
            turns = [sum((i >> b & 1) << i for i in range(d)) for b in range(2)]
            found = [0, made.k - 1, *turns]
        case RangeTree() | RangeWavelet() | RangeHierarchy():
            found = [0, made.k - 1, made.k // 2, made.k * 2 // 3]
        case _:
            sizes = sizes_of(made)
            found = [0, prod(sizes) - 1]
            for b in range(2):
                found.append(number_of([(i >> b) % k for i, k in enumerate(sizes)], sizes))
            if len(sizes) == 2:
                found[-1] = number_of([k // 2 for k in sizes], sizes)
    return list(dict.fromkeys(found))


def items_of(made: PaddedSampling) -> int:
    """Return how many items a set has.

    Args:
        made: the protocol.

    Raises:
        ParameterError: they are more than the bits of a value.
    """
    name = "items" if hasattr(made, "items") else "k"
    items = int(getattr(made, name))
    if items > MOST_PACKED:
        rule = f"must be at most {MOST_PACKED}, where a client's value is a set"
        raise ParameterError(name, rule, items)
    return items


def sizes_of(made: OnePart | OnEach | SampleOne | BoxWavelet) -> tuple[int, ...]:
    """The numbers of values of the attributes of a tuple.

    Args:
        made: the protocol.

    Raises:
        ParameterError: there are more tuples than a value has.
    """
    match made:
        case JointTables():
            name, sizes = "attributes", made.shape(tuple(made.labels))
        case RangeGrid():
            name, sizes = "attributes", tuple(made.attributes.values())
        case BoxWavelet():
            name, sizes = "sizes", made.sizes
        case RangeHierarchy():
            name, sizes = "k", (made.k,)
        case _:
            name, sizes = "sizes", made.ks
    if prod(sizes) > 1 << 64:
        rule = "must have at most 2^64 tuples together, which are a client's values"
        raise ParameterError(name, rule, prod(sizes))
    return sizes


def number_of(digits: Sequence[int], sizes: Sequence[int]) -> int:
    """The value of a tuple: its last number is the lowest digit.

    Args:
        digits: the tuple. sizes: the numbers of values of each.
    """
    found = 0
    for digit, size in zip(digits, sizes, strict=True):
        found = found * size + digit
    return found


def digits_of(value: int, sizes: Sequence[int]) -> list[int]:
    """The tuple of a value.

    Args:
        value: the number. sizes: the numbers of values of each attribute.
    """
    found = []
    for size in reversed(sizes):
        value, digit = divmod(value, size)
        found.append(digit)
    return found[::-1]


# --- the classes of what is sent ----------------------------------------------------------------


def _tallies(made: GroupProtocol, value: int, rng: np.random.Generator) -> list[FrequencyTally]:
    match made:
        case RangeTree():
            return _tree(made, value, rng)
        case RangeWavelet() | BoxWavelet() | ParityTables():
            groups = _sign_groups(made, value)
            response = made.response
            return sign_tallies(groups, expectation(response, spec_of(response)).support[0])
        case SampleOne():
            return _said(made, digits_of(value, made.ks), rng)
        case RangeHierarchy() | RangeGrid() | JointTables():
            return _said(made.scheme, _held_in_groups(made, value), rng)
        case PaddedSampling():
            return _padded(made, value)
    return _on_each(made, value)


def _tree(made: RangeTree, value: int, rng: np.random.Generator) -> list[FrequencyTally]:
    """A level, then the prefix of the value: numbers of nodes before a level begin its codes."""
    bits, whole = made.layout.bits, made.layout.bits[-1]
    starts = np.cumsum([0, *(1 << own for own in bits)]) * 2
    groups = []
    for level, (own, response) in enumerate(zip(bits, made.responses, strict=True)):
        start = int(starts[level])

        def read(rows: NDArray[np.uint64], start: int = start) -> NDArray[np.uint64]:
            return rows[:, 0] - np.uint64(start)

        groups.append(SaidGroup(f"level {level}", response, value >> (whole - own), read))

    def group_of(rows: NDArray[np.uint64]) -> Codes:
        return np.searchsorted(starts, rows[:, 0].astype(np.int64), side="right") - 1

    return said_tallies(groups, group_of, rng)


def _said(made: SampleOne, held: Sequence[int], rng: np.random.Generator) -> list[FrequencyTally]:
    groups = [
        SaidGroup(f"group {j}", part, own, reports_at(part.layout, 1))
        for j, (part, own) in enumerate(zip(made.parts, held, strict=True))
    ]
    return said_tallies(groups, lambda rows: rows[:, 0].astype(np.int64), rng)


def _held_in_groups(made: OnePart, value: int) -> list[int]:
    """Return the node, or the cell, of each group that holds a value."""
    digits = digits_of(value, sizes_of(made))
    if isinstance(made, RangeHierarchy):
        return [value // (made.nodes[-1] // count) for count in made.nodes]
    if isinstance(made, RangeGrid):
        found = []
        for group in made.groups:
            each = zip(digits, made.trees, group, strict=True)
            nodes = [digit // tree.widths[level] for digit, tree, level in each]
            found.append(number_of(nodes, made.shape(group)))
        return found
    own = dict(zip(made.labels, digits, strict=True))
    return [number_of([own[name] for name in view], made.shape(view)) for view in made.listed]


def _sign_groups(made: Signed, value: int) -> list[SignGroup]:
    """Return the groups whose bits are the parity of a node's bits at a column."""
    if isinstance(made, ParityTables):
        masks = [int(mask) for mask in made.masks]
        return [SignGroup(f"set {s}", 1, _at(0, value & mask)) for s, mask in enumerate(masks)]
    if isinstance(made, RangeWavelet):
        whole = made.levels
        return [
            SignGroup(f"level {h}", 1 << h, _at(value >> (whole - h), value >> (whole - 1 - h) & 1))
            for h in range(whole)
        ]
    first, second = made.bits
    (one, other), found = digits_of(value, made.sizes), []
    for i in range(first + 1):
        for j in range(second + 1):
            # Which node it is, and which half of it: without a level there is one node, no half.
            upper, lower = one >> (first - i), other >> (second - j)
            node = (upper >> 1) << (second - 1) | lower >> 1
            sign = (upper & 1) + (lower & 1)
            found.append(
                SignGroup(f"levels {i}, {j}", 1 << first + second - 2, _at(node, sign & 1))
            )
    return found[1:]


def _at(node: int, more: int) -> Callable[[Codes], Codes]:
    """Return the parity of the bits that a node and a column share, and of some more."""
    own = more.bit_count()
    return lambda columns: (np.bitwise_count(columns & node).astype(np.int64) + own) & 1


def _padded(made: PaddedSampling, value: int) -> list[FrequencyTally]:
    """Return the law of a report on one item of the set, or on one of the dummies behind them."""
    inner = made.inner
    inputs = sampled_inputs(made, value)
    values = [*inputs, *range(inner.k)]
    part = DrawnPart(expectation(inner, spec_of(inner)), inputs)
    read = reports_at(inner.layout, 0)
    return mixed_tallies([(Fraction(1), [part])], [read], [values])


def sampled_inputs(made: PaddedSampling, value: int) -> dict[int, Fraction]:
    """Return the probability that a user's report is on each input.

    Args:
        made: the protocol. value: the set, bit i being item i.
    """
    wanted = made.candidates if isinstance(made, CandidateRound) else None
    if wanted is None:
        wanted = tuple((item,) for item in range(items_of(made)))
    held = [j for j, items in enumerate(wanted) if all(value >> item & 1 for item in items)]
    if isinstance(made, CandidateSizes):
        return {len(held): Fraction(1)}
    places = max(len(held), made.length)
    dummies = range(made.k, made.k + places - len(held))
    return dict.fromkeys((*held, *dummies), Fraction(1, places))


def _on_each(made: OnEach, value: int) -> list[FrequencyTally]:
    """Return the law of reports on all attributes, of which one or all tell what is held."""
    held = digits_of(value, made.ks)
    reads, start = [], 0
    for oracle in made.attribute_oracles:
        reads.append(reports_at(oracle.layout, start))
        start += columns_of(oracle.layout)
    own = [
        DrawnPart(expectation(part, spec_of(part)), {x: Fraction(1)})
        for part, x in zip(made.parts, held, strict=True)
    ]
    looked_at = [[x, *range(k)] for x, k in zip(held, made.ks, strict=True)]
    if isinstance(made, Split):
        return mixed_tallies([(Fraction(1), own)], reads, looked_at)
    fakes = [_fake(made, part) for part in own]
    chance = Fraction(1, len(own))
    mixture: Mixture = [
        (chance, [part if i == j else fakes[i] for i, part in enumerate(own)])
        for j in range(len(own))
    ]
    return mixed_tallies(mixture, reads, looked_at)


def _fake(made: SampleAmongFakes | SampleAmongFakeBits, part: DrawnPart) -> DrawnPart:
    """Return the law of a fake report: on a uniform value, or of bits of values not held."""
    expected = part.expected
    if isinstance(made, SampleAmongFakes) or made.fakes == "values":
        # k-ary response to a uniform value is uniform.
        return DrawnPart(expected, dict.fromkeys(range(expected.k), Fraction(1, expected.k)))
    assert isinstance(expected.form, Bits)
    zero = expected.form.cells()["zero"]
    form = expected.form.with_cells({"one": zero, "zero": zero})
    return DrawnPart(Expectation(form, expected.point, expected.k), part.inputs)
