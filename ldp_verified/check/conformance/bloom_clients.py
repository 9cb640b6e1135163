"""RAPPOR's clients, and many first reports at once, against `spec/rappor.py`.

Of each report one bit that the value's encoding has and one that it has not are looked at, with the
cohort: their joint law is the same for every value. Encodings are worked out here, from what
`BloomFilter` documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.frequencies import FrequencyTally
from ldp_verified.check.conformance.kept_answers import (
    ONE,
    Point,
    TwoSteps,
    agree,
    bit_rows,
    joined_codes,
    spec_at,
)
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.protocols import RapporClient, RapporPopulation
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols import Rappor

STRINGS = ("amber", "brown", "coral")
"""What users report: the first one, twice, and the last one."""

Sent = tuple["NDArray[np.int64]", "NDArray[np.uint64]"]
"""Cohorts and bits of reports, a row for each."""

Send = Callable[[int, "np.random.Generator"], "list[Sent]"]
"""(users, rng) -> the first, second and third reports of so many new users."""


def rappor_subject(
    deployment: Rappor, client: Any = RapporClient, population: Any = RapporPopulation
) -> ProtocolSubject:
    """RAPPOR's clients and its population; the classes are those to be looked at."""

    def send(users: int, rng: np.random.Generator) -> list[Sent]:
        source = word_source(rng, "conformance", *deployment.named)
        rows: list[tuple[Any, Any, Any]] = []
        for _ in range(users):
            mine = client(deployment, new_user=True, rng=source)
            one = mine.report(STRINGS[0])
            mine = client.restore(mine.save(), deployment, rng=source)
            rows.append((one, mine.report(STRINGS[0]), mine.report(STRINGS[-1])))
        return [
            (
                np.array([row[i].cohort for row in rows], dtype=np.int64),
                np.array([row[i].bits for row in rows]),
            )
            for i in range(3)
        ]

    scenes = (rappor_scene(deployment, send), _population(deployment, population))
    return ProtocolSubject(repr(deployment), scenes)


def encoded(deployment: Rappor, text: str, cohort: int) -> frozenset[int]:
    """The bits of a string: the 64-bit numbers of SHA-512("cohort:string"), mod m."""
    digest = hashlib.sha512(f"{cohort}:{text}".encode()).digest()
    numbers = [int.from_bytes(digest[8 * i : 8 * i + 8], "little") for i in range(8)]
    return frozenset(number % deployment.bits for number in numbers[: deployment.hashes])


def tables_of(deployment: Rappor) -> TwoSteps:
    """Return the tables of an encoded bit and of one that is not; the choice is the cohort."""
    lie, low, high = (Fraction(threshold, ONE) for threshold in deployment.thresholds)
    first = bit_rows([1 - lie] * 2, [lie] * 2, 2)
    second = bit_rows([high] * 2, [low] * 2, 2)
    tables = TwoSteps(deployment.cohorts, lambda _, x: x, lambda *_: first[1], second)
    one, zero = _cells(deployment)
    own = [mass * deployment.cohorts for mass in list(tables.one(0).values())[:4]]
    agree("Rappor", (own[1] + own[3], one), (own[2] + own[3], zero))
    return tables


def _bit_alone(tables: TwoSteps) -> dict[str, Fraction]:
    """Return the law of the encoded bit in two reports: few classes, so memory shows best."""
    found = dict.fromkeys(("0 then 0", "0 then 1", "1 then 0", "1 then 1"), Fraction(0))
    for label, mass in tables.two(0, 0).items():
        y, again = (int(each) & 1 for each in label.split(", ")[1].split(" then "))
        found[f"{y} then {again}"] += mass
    return found


def _read(deployment: Rappor, text: str, cohorts: Codes, bits: NDArray[np.uint64]) -> Codes:
    """The two bits of each report, the encoded one lowest; -1 where there is no such cohort."""
    shown = np.unpackbits(bits.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    found = np.full(len(cohorts), -1, dtype=np.int64)
    for cohort in range(deployment.cohorts):
        own = encoded(deployment, text, cohort)
        off = min(b for b in range(deployment.bits) if b not in own)
        mine = cohorts == cohort
        found[mine] = shown[mine, min(own)] + 2 * shown[mine, off].astype(np.int64)
    return np.where(shown[:, deployment.bits :].any(axis=1), -1, found)


def rappor_scene(
    deployment: Rappor, send: Send, strings: tuple[str, ...] = STRINGS, **sizes: Any
) -> Scene:
    """New users, each of whom reports on the first string, on it again and on the last one.

    Args:
        deployment: what clients and the server agree on.
        send: lets users do it.
        strings: what users can hold.
        sizes: of the scene: `share` and `limit`.
    """
    tables = tables_of(deployment)
    first, last = strings[0], strings[-1]
    looks = (
        law(f"one report of {first!r}", tables.one(0)),
        law(f"one report of {last!r}", tables.one(1)),
        law("two reports of one string, the client restored between them", tables.two(0, 0)),
        law("the encoded bit alone of two reports of one string", _bit_alone(tables)),
        law("two reports, of two strings", tables.two(0, 1)),
        law("reports of two users", tables.users(0), users=2),
    )

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        sent = send(users, rng)
        cohorts = np.stack([of for of, _ in sent], axis=1)
        y, again, other = (
            _read(deployment, text, *each)
            for text, each in zip((first, first, last), sent, strict=True)
        )
        kept = np.all(cohorts == cohorts[:, :1], axis=1)
        c, size = cohorts[:, 0], deployment.cohorts
        codes = [
            joined_codes((c, y), (size, 4)),
            joined_codes((cohorts[:, 2], other), (size, 4)),
            np.where(kept, joined_codes((c, y, again), (size, 4, 4)), -1),
            np.where(kept & (y >= 0) & (again >= 0), 2 * (y & 1) + (again & 1), -1),
            np.where(kept, joined_codes((c, y, other), (size, 4, 4)), -1),
        ]
        even = codes[0][: users // 2 * 2]
        codes.append(joined_codes((even[::2], even[1::2]), (4 * size, 4 * size)))
        return [tallied(each, look) for each, look in zip(codes, looks, strict=True)]

    return Scene("clients", looks, run, **sizes)


def first_bits(deployment: Rappor, text: str) -> FrequencyTally:
    """The classes of a new user's first report of a string.

    Args:
        deployment: what clients and the server agree on. text: the string.
    """
    look = law("one report", tables_of(deployment).one(0))

    def count(rows: NDArray[np.uint64]) -> Codes:
        cohorts, bits = rows[:, 0].astype(np.int64), np.ascontiguousarray(rows[:, 1:])
        read = _read(deployment, text, cohorts, bits)
        return tallied(joined_codes((cohorts, read), (deployment.cohorts, 4)), look)

    return FrequencyTally(look.name, [*look.labels], look.probabilities, count)


def _population(deployment: Rappor, population: Any) -> Scene:
    """Many users at once, of two strings; and the set bits that the server estimates."""
    tables = tables_of(deployment)
    values = (0, len(STRINGS) - 1)
    one, zero = map(float, _cells(deployment))
    shape = (deployment.cohorts, deployment.bits)
    looks = (
        *(law(f"first reports of many users, {STRINGS[v]!r}", tables.one(0)) for v in values),
        estimates_look([f"set bits, cohort {c}, bit {b}" for c, b in np.ndindex(shape)]),
    )

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        made = population(deployment, STRINGS)
        counts, ones, sent = [], np.zeros(shape), np.zeros(shape[0])
        state = None
        for look, v in zip(looks, values, strict=False):
            batch = made.first_reports(np.full(users, v), rng)
            read = _read(deployment, STRINGS[v], batch.cohorts, batch.bits)
            counts.append(tallied(joined_codes((batch.cohorts, read), (shape[0], 4)), look))
            shown = np.unpackbits(
                batch.bits.astype("<u8").view(np.uint8), axis=1, bitorder="little"
            )[:, : shape[1]]
            for cohort in range(shape[0]):
                mine = batch.cohorts == cohort
                ones[cohort] += shown[mine].sum(axis=0, dtype=np.int64)
                sent[cohort] += np.count_nonzero(mine)
            counted = made.count(batch)
            state = counted if state is None else state.merge(counted)
        right = (ones - sent[:, np.newaxis] * zero) / (one - zero)
        assert state is not None
        return [
            *counts,
            differing(state.set_bits().ravel().tolist(), right.ravel().tolist(), users),
        ]

    return Scene("population", looks, run, BULK_SHARE, BULK_LIMIT)


def _cells(deployment: Rappor) -> tuple[Fraction, Fraction]:
    """P(reported bit is 1) of an encoded bit and of another, as the spec has them."""
    lie, low, high = (Fraction(threshold, ONE) for threshold in deployment.thresholds)
    point: Point = {"noise": 2 * lie, "low": low, "high": high, "k": 2}
    return spec_at("rappor", "basic_rappor", point, 2).cells
