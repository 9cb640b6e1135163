"""PCKV-UE against `spec/key_value_symbols.py`: whole reports of all kinds of users, and estimates.

The law of a report is written out here from its definition: a symbol for each key and each dummy,
independent given what was sampled.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.protocols import KeyValueSymbols

ONE = Fraction(1)


def key_value_symbols_subject(made: KeyValueSymbols) -> ProtocolSubject:
    """Whole reports of users with a key, with two keys and without any, and what is estimated."""
    return ProtocolSubject(repr(made), (_reports(made),))


def symbol_laws(made: KeyValueSymbols, place: int, sign: int) -> list[dict[str, Fraction]]:
    """P(symbol) at each key and dummy, if this place was sampled with this sign (0 of a dummy)."""
    a, b, p = made.inner.p_star, made.inner.q_star, made.p
    found: list[dict[str, Fraction]] = []
    for j in range(made.k + made.length):
        if j < made.k:
            right = {1: "+", -1: "-"}.get(sign, "")
            other = {"+": b / 2, "-": b / 2, "0": 1 - b}
            own = {s: a * p if s == right else a * (1 - p) for s in "+-"}
            own["0"] = 1 - a
        else:
            other, own = {"1": b, "0": 1 - b}, {"1": a, "0": 1 - a}
        found.append(own if j == place else other)
    return found


def report_masses(made: KeyValueSymbols, pairs: dict[int, int]) -> dict[str, Fraction]:
    """P(report) of a user with these keys and signs, as a text of symbols, keys first."""
    places = [*pairs.items()]
    places += [(made.k + i, 0) for i in range(made.length - len(pairs))]
    found: dict[str, Fraction] = {}
    for place, sign in places:
        laws = symbol_laws(made, place, sign)
        for symbols in product(*laws):
            chance = math.prod((law[s] for law, s in zip(laws, symbols, strict=True)), start=ONE)
            text = "".join(symbols)
            found[text] = found.get(text, Fraction(0)) + chance / len(places)
    return found


def _reports(made: KeyValueSymbols) -> Scene:
    low, high = made.bounds
    held: list[dict[int, int]] = [{0: 1}, {0: -1}, {made.k - 1: 1}, {}]
    held += [{0: -1, made.k - 1: 1}] * (made.length > 1)
    looks = [law(f"reports of {pairs}", report_masses(made, pairs)) for pairs in held]
    names = [f"{what} of key {j}" for what in ("count", "sum") for j in range(made.k)]
    estimates = estimates_look(names)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found, batches = [], []
        for look, pairs in zip(looks, held, strict=True):
            own = {key: high if sign > 0 else low for key, sign in pairs.items()}
            batches.append(made.privatize([own] * users, rng))
            numbers = {text: number for number, text in enumerate(look.labels)}
            codes = [numbers.get(text, -1) for text in _texts(batches[-1].data, made)]
            found.append(tallied(np.array(codes, dtype=np.int64), look))
        reports = batches[0]
        texts = _texts(reports.data, made)
        u = math.exp(made.epsilon)
        b, p, right = 2 / (u + 3), u / (u + 1), []
        for j in range(made.k):
            marks = sum(text[j] != "0" for text in texts)
            right.append(made.length * (marks - users * b) / (0.5 - b))
        for j in range(made.k):
            signs = sum((text[j] == "+") - (text[j] == "-") for text in texts)
            right.append(made.length * signs / (0.5 * (2 * p - 1)))
        estimate = made.estimate(made.empty(reports.simulated).update(reports))
        return [*found, differing([*estimate.counts, *estimate.sums], right, users)]

    return Scene("symbols", (*looks, estimates), run, BULK_SHARE, BULK_LIMIT)


def _texts(data: NDArray[Any], made: KeyValueSymbols) -> list[str]:
    """Each report as a text: bits of symbols first, then those of signs."""
    found = []
    values = made.k + made.length
    for row in data.tolist():
        bits = sum(word << 64 * i for i, word in enumerate(row))
        text = ""
        for j in range(values):
            mark, sign = bits >> j & 1, bits >> values + j & 1 if j < made.k else 0
            text += ("+" if sign else "-") if mark and j < made.k else str(mark)
            text += "?" if sign and not mark else ""
        found.append(text)
    return found
