"""Protocols of several attributes against the tables of `spec/attributes.py` and its sibling.

The specs have two attributes of two values: there whole reports are compared, all attributes
jointly. For other sizes each attribute's reports are, and the estimates made of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.kept_answers import (
    Point,
    joined_codes,
    response,
    spec_at,
)
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    Look,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.language import Matrix
from ldp_verified.protocols import (
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampledReports,
    SampledState,
    SampleOne,
    Split,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols.attribute_scheme import Attributes

PAIRS = tuple(product((0, 1), repeat=2))
SIZES = (2, 2)
"""The sizes of the two attributes in those specs whose whole reports are compared."""

Whole = Callable[[Any], "Codes"]
"""A function from a batch to the number of each user's output in the spec's table; -1 for none."""


def tuples_subject(made: Attributes, name: str | None = None) -> ProtocolSubject:
    """A protocol of several attributes; of two attributes of two values, or of others."""
    scenes = [_whole(made)] if made.sizes == SIZES else [_marginals(made)]
    return ProtocolSubject(name or _name(made), tuple(scenes))


def _name(made: Attributes) -> str:
    fakes = f", fakes={made.fakes!r}" if isinstance(made, SampleAmongFakeBits) else ""
    return f"{type(made).__name__}(epsilon={made.epsilon}, sizes={made.sizes}{fakes})"


# --- whole reports, of two attributes of two values ---------------------------------------------


def _whole(made: Attributes) -> Scene:
    read, spec, point = _whole_table(made)
    module = "attribute_bits" if isinstance(made, SampleAmongFakeBits) else "attributes"
    expected = spec_at(module, spec, point, len(PAIRS))
    assert isinstance(expected.form, Matrix)
    outputs = expected.form.outputs
    looks = []
    for x, pair in enumerate(PAIRS):
        rows = expected.pair_masses(x, int(x == 0))
        masses = {f"{outputs[y]}": mass for y, (_, mass) in enumerate(rows)}
        looks.append(law(f"whole reports of {pair}", masses))

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        return [
            tallied(read(made.privatize(np.tile(pair, (users, 1)), rng)), look)
            for pair, look in zip(PAIRS, looks, strict=True)
        ]

    return Scene("whole reports", tuple(looks), run, 2 * BULK_SHARE, BULK_LIMIT)


def _whole_table(made: Attributes) -> tuple[Whole, str, Point]:
    """Return how whole reports are read, the name of the spec's table, and its symbols' values."""
    if isinstance(made, Split):
        p, q = made.parts[0].p, made.parts[0].q
        return _values, "split", {"s": p / q}
    if isinstance(made, SampleOne):
        p, q = made.parts[0].p, made.parts[0].q
        return _asked, "sample_one", {"u": p / q}
    if isinstance(made, SampleAmongFakes):
        p, q = made.parts[0].p, made.parts[0].q
        return _values, "fake", {"u": p / q}
    assert isinstance(made, SampleAmongFakeBits)
    spec = "fake_zeros" if made.fakes == "zeros" else "fake_values"
    return _bits, spec, {"zero": made.parts[0].q, "one": made.parts[0].p}


def _values(batch: Any) -> Codes:
    return joined_codes([each.data.astype(np.int64) for each in batch], SIZES)


def _asked(batch: Any) -> Codes:
    """Attribute and value; a user who reports on none, or on both, would change how many."""
    found = [2 * j + each.data.astype(np.int64) for j, each in enumerate(batch.reports)]
    together = np.concatenate(
        [
            np.where(each.data < 2, codes, -1)
            for each, codes in zip(batch.reports, found, strict=True)
        ]
    )
    if len(together) != batch.users:
        return np.full(batch.users, -1, dtype=np.int64)
    return together


def _bits(batch: Any) -> Codes:
    """Outputs of the spec are pairs of vectors, the bit of value 0 first."""
    words = [each.data[:, 0].astype(np.int64) for each in batch]
    bits = [word >> v & 1 for word in words for v in (0, 1)]
    valid = (words[0] < 4) & (words[1] < 4)
    return np.where(valid, joined_codes(bits, (2,) * 4), -1)


# --- any attributes: the reports on each, and estimates -----------------------------------------


def _marginals(made: Attributes) -> Scene:
    """Every user holds value 0 of each attribute but the last, and its last value of that."""
    d = len(made.ks)
    held = [*([0] * (d - 1)), made.ks[-1] - 1]
    looks: list[Look] = []
    supports: list[tuple[Fraction, Fraction]] = []
    for j, k in enumerate(made.ks):
        look, support = _look(made, j, k, held[j])
        looks.append(look)
        supports.append(support)
    cells = [(j, v) for j, k in enumerate(made.ks) for v in range(k)]
    looks.append(estimates_look([f"estimate, attribute {j}, value {v}" for j, v in cells]))
    of_bits = isinstance(made, SampleAmongFakeBits)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        batch = made.privatize(np.tile(held, (users, 1)), rng)
        reports = batch.reports if isinstance(batch, SampledReports) else batch
        found, stated, right = [], [], []
        for j, k in enumerate(made.ks):
            data = reports[j].data
            counts = _counts(data, k, of_bits)
            found.append(_tally(data, counts, k, users, of_bits))
            p_star, q_star = map(float, supports[j])
            right += ((counts - len(data) * q_star) / (p_star - q_star)).tolist()
        empty = made.empty(simulated=reports[0].simulated)
        if isinstance(empty, SampledState):
            assert isinstance(batch, SampledReports)
            asked = empty.update(batch)
            stated = [x for j in range(d) for x in asked.counts(j)]
            right = [d * value for value in right]
        else:
            for state, each in zip(empty, reports, strict=True):
                stated += state.update(each).estimate().counts.tolist()
        return [*found, differing(stated, right, users)]

    return Scene("attributes", tuple(looks), run, BULK_SHARE, BULK_LIMIT)


def _look(made: Attributes, j: int, k: int, x: int) -> tuple[Look, tuple[Fraction, Fraction]]:
    """The law of the reports on attribute j of a user who holds x; and p*, q* of its estimates."""
    d = len(made.sizes)
    name = f"reports on attribute {j}"
    part = made.parts[j]
    if isinstance(made, SampleAmongFakeBits):
        one, zero = part.p, part.q
        fake = zero if made.fakes == "zeros" else (one + (k - 1) * zero) / k
        point: Point = {"k": k, "d": d, "zero": zero, "one": one, "fake": fake}
        own, other = spec_at("attribute_bits", "fake_bit_marginal", point, k).cells
        labels = tuple(f"bit {v}" for v in range(k))
        masses = tuple(own if v == x else other for v in range(k))
        return Look(name, (*labels, "nothing valid"), (*masses, Fraction(0))), (own, other)
    row = response(part.q, k)[x]
    support = (row[x], row[x - 1])
    if isinstance(made, SampleOne):
        masses = tuple(mass / d for mass in row)
        rest = {"not asked": 1 - Fraction(1, d)}
        return law(name, {f"value {v}": m for v, m in enumerate(masses)} | rest), support
    if isinstance(made, SampleAmongFakes):
        point = {"k": k, "d": d, "keep": 1 - k * part.q}
        support = spec_at("attributes", "fake_marginal", point, k).cells
        row = tuple(support[0] if v == x else support[1] for v in range(k))
    return law(name, {f"value {v}": mass for v, mass in enumerate(row)}), support


def _counts(data: NDArray[Any], k: int, of_bits: bool) -> Codes:
    """Count the reports that support each value."""
    if of_bits:
        bits = data[:, np.arange(k) // 64] >> (np.arange(k, dtype=np.uint64) % 64) & np.uint64(1)
        return np.asarray(bits.sum(axis=0, dtype=np.int64))
    return np.bincount(np.minimum(data, k).astype(np.int64), minlength=k + 1)[:k]


def _tally(data: NDArray[Any], counts: Codes, k: int, users: int, of_bits: bool) -> Codes:
    """The counts, how many were not asked where some are not, and how many are no report."""
    if of_bits:
        unused = data[:, -1] >> np.uint64(k - 64 * (data.shape[1] - 1))
        return np.array([*counts, np.count_nonzero(unused)])
    invalid = len(data) - int(counts.sum())
    return np.array([*counts, *([users - len(data)] if len(data) != users else []), invalid])
