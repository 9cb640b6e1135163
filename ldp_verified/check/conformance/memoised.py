"""Memoised clients against their spec: one report, two on one value, on two values, of two users.

Each user is a new client: it reports on value 0, is saved and restored, reports on value 0 again,
and then on the last value. That the permanent answer is kept shows in the joint law of the first
two reports, which is the mixture over permanent answers of independent second steps. Tables are
written out from the two steps of the spec and the integers that words are compared with; that they
are the spec's one-report table is checked in fractions before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.frequencies import FrequencyTally
from ldp_verified.check.conformance.kept_answers import (
    ONE,
    Point,
    Row,
    TwoSteps,
    agree,
    bit_rows,
    joined_codes,
    response,
    spec_at,
)
from ldp_verified.check.conformance.stateful_clients import (
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, LOLOHA, LOSUE, LOUE, LSOUE, LSUE, DBitFlip, MemoClient
from ldp_verified.prove.enumeration.expand import digits_of_family
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols.longitudinal import Longitudinal

Send = Callable[[int, "np.random.Generator"], "list[NDArray[Any]]"]
"""(users, rng) -> the first, second and third reports of so many new users, a row for each."""

UNARY = {LSUE: "l_sue", LOSUE: "l_osue", LOUE: "l_oue", LSOUE: "l_soue"}


@dataclass(frozen=True, eq=False)
class MemoReader:
    """How reports of one protocol are read, from its documented layout.

    Attributes:
        tables: of its reports.
        last: the last value.
        symbols: raw reports of shape (n, ...) and choices of shape (n, c) -> choice and symbol as
            numbers, below 0 where there is none such.
        estimates: raw reports -> estimated counts, as the spec makes them.
        variance: (estimated counts, n) -> variance of each, as the spec has it.
    """

    tables: TwoSteps
    last: int
    symbols: Callable[[NDArray[Any], NDArray[np.int64]], tuple[Codes, Codes]]
    estimates: Callable[[NDArray[Any]], NDArray[np.float64]]
    variance: Callable[[NDArray[np.float64], int], NDArray[np.float64]]


def memoised_subject(
    deployment: Longitudinal, client: Any = MemoClient, name: str | None = None
) -> ProtocolSubject:
    """A memoised protocol and its clients.

    Args:
        deployment: what clients and the server agree on.
        client: the class of the clients.
        name: shown in the report; None for that of the deployment.
    """
    last = deployment.k - 1

    def send(users: int, rng: np.random.Generator) -> list[NDArray[Any]]:
        source = word_source(rng, "conformance", *deployment.identity.named)
        rows: list[list[Any]] = [[], [], []]
        for _ in range(users):
            mine = client(deployment, new_user=True, rng=source)
            sent = [mine.report(0)]
            mine = client.restore(mine.save(), deployment, rng=source)
            sent += [mine.report(0), mine.report(last)]
            for row, report in zip(rows, sent, strict=True):
                row.append(report.reports.data[0])
        return [np.array(row) for row in rows]

    return ProtocolSubject(name or repr(deployment), (memoised_scene(deployment, send),))


def first_reports(deployment: Longitudinal) -> Callable[[int], FrequencyTally]:
    """Return a function of the classes of a new user's first report, by the value.

    Args:
        deployment: what clients and the server agree on.
    """
    read = reader(deployment)
    size = (read.tables.choices, read.tables.symbols)

    def classes(value: int) -> FrequencyTally:
        look = law("one report", read.tables.one(value))

        def count(rows: NDArray[Any]) -> Codes:
            found = read.symbols(rows, _choices(deployment, rows))
            return tallied(joined_codes(found, size), look)

        return FrequencyTally(look.name, [*look.labels], look.probabilities, count)

    return classes


def _choices(deployment: Longitudinal, rows: NDArray[Any]) -> NDArray[np.int64]:
    """The public choice in each report, a row each."""
    said = [deployment.choice_in(np.atleast_1d(row).tolist()) for row in rows]
    return np.array(said, dtype=np.int64).reshape(len(rows), -1)


def memoised_scene(deployment: Longitudinal, send: Send, **sizes: Any) -> Scene:
    """New users, each of whom reports on value 0, on 0 again and on the last value.

    Args:
        deployment: what clients and the server agree on.
        send: lets users do it.
        sizes: of the scene: `share` and `limit`.
    """
    read = reader(deployment)
    tables, last = read.tables, read.last
    values = deployment.empty().oracle.k
    looks = (
        law("one report, x = 0", tables.one(0)),
        law(f"one report, x = {last}", tables.one(last)),
        law("two reports on one value, the client restored between them", tables.two(0, 0)),
        law(f"two reports, on 0 and {last}", tables.two(0, last)),
        law("reports of two users", tables.users(0), users=2),
        estimates_look([f"{what} of {v}" for what in ("estimate", "error") for v in range(values)]),
    )

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        data = send(users, rng)
        chosen = _choices(deployment, data[0])
        read_all = [read.symbols(rows, chosen) for rows in data]
        size = tables.symbols
        single = [joined_codes((c, y), (tables.choices, size)) for c, y in read_all]
        (c, y), (_, again), (_, other) = read_all
        # A client's choice is the same in all its reports, or there is nothing valid.
        kept = (read_all[1][0] == c) & (read_all[2][0] == c)
        pair = [
            np.where(kept, joined_codes((c, y, z), (tables.choices, size, size)), -1)
            for z in (again, other)
        ]
        first = single[0][: users // 2 * 2]
        both = joined_codes((first[::2], first[1::2]), (tables.choices * size,) * 2)
        estimate = deployment.empty(simulated=True).update(_batch(deployment, data[0])).estimate()
        counts = read.estimates(data[0])
        spread = np.sqrt(read.variance(counts, users))
        return [
            *(
                tallied(codes, look)
                for codes, look in zip([single[0], single[2], *pair, both], looks, strict=False)
            ),
            differing(
                [*estimate.counts, *np.broadcast_to(estimate.std_error, values)],
                [*counts, *np.broadcast_to(spread, values)],
                users,
            ),
        ]

    return Scene("clients", looks, run, **sizes)


def _batch(deployment: Longitudinal, data: NDArray[Any]) -> Reports:
    """Reports of many clients as one batch."""
    return Reports(data, deployment.identity, simulated=True)


def reader(deployment: Longitudinal) -> MemoReader:
    """Return the reader of a protocol's reports.

    Raises:
        ParameterError: it is of no kind known here, or its two steps are not the spec's table.
    """
    if isinstance(deployment, LGRR):
        return _grr(deployment)
    if isinstance(deployment, LOLOHA):
        return _loloha(deployment)
    if isinstance(deployment, DBitFlip):
        return _dbitflip(deployment)
    for made, name in UNARY.items():
        if isinstance(deployment, made):
            return _unary(deployment, name)
    raise ParameterError("deployment", "must be a memoised protocol", type(deployment))


def _variance(p_star: float, q_star: float) -> Callable[[Any, int], NDArray[np.float64]]:
    """n (q*(1 - q*) + f (p* - q*)(1 - p* - q*))/(p* - q*)^2, f estimated and clipped."""

    def variance(counts: NDArray[np.float64], n: int) -> NDArray[np.float64]:
        f = np.clip(counts / n, 0, 1)
        line = q_star * (1 - q_star) + f * (p_star - q_star) * (1 - p_star - q_star)
        return np.asarray(n * line / (p_star - q_star) ** 2)

    return variance


def _from_supports(supports: Codes, n: int, support: tuple[Fraction, Fraction]) -> Any:
    p_star, q_star = map(float, support)
    return (supports - n * q_star) / (p_star - q_star)


def _grr(made: LGRR) -> MemoReader:
    lies = [Fraction(lie, ONE) for lie in made.thresholds]
    first, second = (response(lie, made.k) for lie in lies)
    tables = TwoSteps(1, lambda _, x: x, lambda _, x: first[x], second)
    keep = [1 - made.k * lie for lie in lies]
    point: Point = {"k": made.k, "keep_1": keep[0], "keep_2": keep[1]}
    expected = spec_at("longitudinal", "l_grr", point, made.k)
    one = list(tables.one(0).values())
    agree("LGRR", *zip(one[:2], expected.cells, strict=True))

    def symbols(data: NDArray[Any], _: NDArray[np.int64]) -> tuple[Codes, Codes]:
        return np.zeros(len(data), dtype=np.int64), data.astype(np.int64)

    def estimates(data: NDArray[Any]) -> NDArray[np.float64]:
        counts = np.bincount(data.astype(np.int64), minlength=made.k)
        return np.asarray(_from_supports(counts, len(data), expected.support))

    return MemoReader(
        tables, made.k - 1, symbols, estimates, _variance(*map(float, expected.support))
    )


def _unary(made: Any, name: str) -> MemoReader:
    one_1, zero_1, one_2, zero_2 = (Fraction(threshold, ONE) for threshold in made.thresholds)
    k = made.k
    first = bit_rows([one_1] * k, [zero_1] * k, k)
    second = bit_rows([one_2] * k, [zero_2] * k, k)
    tables = TwoSteps(1, lambda _, x: x, lambda _, x: first[1 << x], second)
    point: Point = {"k": k, "zero_1": zero_1, "zero_2": zero_2}
    expected = spec_at("longitudinal_bits", name, point, k)
    one = list(tables.one(0).values())
    stars = [sum(one[y] for y in range(1 << k) if y >> v & 1) for v in (0, k - 1)]
    agree(name, *zip(map(Fraction, stars), expected.support, strict=True))

    def symbols(data: NDArray[Any], _: NDArray[np.int64]) -> tuple[Codes, Codes]:
        return np.zeros(len(data), dtype=np.int64), data[:, 0].astype(np.int64)

    def estimates(data: NDArray[Any]) -> NDArray[np.float64]:
        bits = data[:, :1] >> np.arange(k, dtype=np.uint64) & np.uint64(1)
        supports = bits.sum(axis=0, dtype=np.int64)
        return np.asarray(_from_supports(supports, len(data), expected.support))

    return MemoReader(tables, k - 1, symbols, estimates, _variance(*map(float, expected.support)))


def _loloha(made: LOLOHA) -> MemoReader:
    base, digits = digits_of_family(made.k, made.g)
    functions = list(product(range(made.g), repeat=digits))
    written = [[x // base**i % base for i in range(digits)] for x in range(made.k)]
    buckets = np.array(functions) @ np.array(written).T % made.g
    lies = [Fraction(lie, ONE) for lie in made.thresholds]
    first, second = (response(lie, made.g) for lie in lies)
    tables = TwoSteps(
        len(functions),
        lambda c, x: int(buckets[c, x]),
        lambda c, x: first[int(buckets[c, x])],
        second,
    )
    keep = [1 - made.g * lie for lie in lies]
    point: Point = {
        "k": made.k,
        "g": made.g,
        "M": len(functions),
        "keep_1": keep[0],
        "keep_2": keep[1],
    }
    expected = spec_at("longitudinal", "loloha", point, made.k)
    one = list(tables.one(0).values())
    masses = [one[c * made.g + int(buckets[c, 0])] for c in range(len(functions))]
    agree("LOLOHA", (sum(masses, Fraction(0)), expected.support[0]))

    def symbols(data: NDArray[Any], chosen: NDArray[np.int64]) -> tuple[Codes, Codes]:
        given = data.astype(np.int64)
        number = joined_codes([given[:, i] for i in range(digits)], [made.g] * digits)
        said = np.all(given[:, :-1] == chosen, axis=1)
        return np.where(said, number, -1), given[:, -1]

    def estimates(data: NDArray[Any]) -> NDArray[np.float64]:
        given = data.astype(np.int64)
        hashed = given[:, :-1] @ np.array(written).T % made.g
        supports = (hashed == given[:, -1:]).sum(axis=0)
        return np.asarray(_from_supports(supports, len(data), expected.support))

    return MemoReader(
        tables, made.k - 1, symbols, estimates, _variance(*map(float, expected.support))
    )


def _dbitflip(made: DBitFlip) -> MemoReader:
    chosen_sets = list(combinations(range(made.b), made.d))
    one, zero = (Fraction(threshold, ONE) for threshold in made.thresholds)
    rows = bit_rows([one] * made.d, [zero] * made.d, made.d)
    kept = bit_rows([Fraction(1)] * made.d, [Fraction(0)] * made.d, made.d)

    def place(c: int, x: int) -> int:
        bucket = x * made.b // made.k
        return chosen_sets[c].index(bucket) if bucket in chosen_sets[c] else made.d

    def permanent(c: int, x: int) -> Row:
        at = place(c, x)
        return rows[1 << at if at < made.d else 0]

    tables = TwoSteps(len(chosen_sets), place, permanent, kept)
    share = Fraction(made.d, made.b)
    expected = spec_at("dbitflip", "sampled_bit", {"share": share, "zero": zero, "one": one}, 2)
    said = list(tables.one(0).values())
    own = [Fraction(0)] * 2
    for c, buckets in enumerate(chosen_sets):
        for y in range(1 << made.d):
            if 0 in buckets:
                own[y >> buckets.index(0) & 1] += said[(c << made.d) + y]
    agree("DBitFlip", *zip(own, [mass for _, mass in expected.pair_masses(0, 1)][1:], strict=True))

    def symbols(data: NDArray[Any], chosen: NDArray[np.int64]) -> tuple[Codes, Codes]:
        given = data.astype(np.int64)
        known = {buckets: c for c, buckets in enumerate(chosen_sets)}
        number = [known.get(tuple(row), -1) for row in (given // 2).tolist()]
        said = np.all(given // 2 == chosen, axis=1)
        bits = (given % 2 << np.arange(made.d)).sum(axis=1)
        return np.where(said, np.array(number, dtype=np.int64), -1), bits

    scale = float(1 / share / (one - zero))
    # Second moments of what a user adds, less 1 for a holder, whose mean is 1 (`sampled_bit`).
    size = (one - zero) ** 2 * share
    held = float((one * (1 - zero) ** 2 + (1 - one) * zero**2) / size - 1)
    absent = float(zero * (1 - zero) / size)

    def estimates(data: NDArray[Any]) -> NDArray[np.float64]:
        entries = np.bincount(data.reshape(-1).astype(np.int64), minlength=2 * made.b)
        ones, asked = entries[1::2], entries[0::2] + entries[1::2]
        return np.asarray((ones - asked * float(zero)) * scale)

    def variance(counts: NDArray[np.float64], n: int) -> NDArray[np.float64]:
        f = np.clip(counts / n, 0, 1)
        return np.asarray(n * (f * held + (1 - f) * absent))

    return MemoReader(tables, made.k - 1, symbols, estimates, variance)
