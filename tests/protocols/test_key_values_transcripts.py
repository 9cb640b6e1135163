"""The running client of key-value pairs over its words, at two keys: its exact law.

Over all words of 64 bits; planted clients and biases are run on classes that are given: for signs
and places the four words that differ in the first and the last bit (numbers are -1, 0 and 1, and
two places are a parity), and both ends of each interval between the thresholds of the response.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    Alphabet,
    TranscriptCheck,
    between_cuts,
    transcript_law,
)
from ldp_verified.protocols import (
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    key_value_symbols,
)
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.aggregate.symbols import unpacked
from ldp_verified.run.mechanisms import OUE
from tests.broken.key_values import LEAKY, honest, plain_signs
from tests.broken.symbols import SureSigns
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from tests.broken.key_values import Client, Pairs

MADE = KeyValueResponse(math.log(4), k=2, length=2)
P, Q = MADE.inner.p, MADE.inner.q
BOUND = 1 + (P / Q - 1) / 2
USERS: list[dict[int, float]] = [
    {key: float(v) for key, v in enumerate(values) if v is not None}
    for values in product((None, -1, 0, 1), repeat=2)
]
OUTCOMES = 6


def words(pairs: Pairs) -> Callable[[int], Alphabet]:
    """A word for each sign and one for the place; then the response's."""
    quarter = Fraction(1, 4)
    ends = Alphabet(tuple((word, quarter) for word in (0, 1, 1 << 63, (1 << 63) + 1)))
    lie = MADE.inner.thresholds[0]
    last = between_cuts([number * lie for number in range(1, OUTCOMES + 1)])
    return lambda index: ends if index <= len(pairs) else last


def law_of(client: Client, pairs: Pairs) -> dict[int, Fraction]:
    """Report -> its chance."""

    def messages(own: Pairs, source: Any) -> Any:
        yield client(MADE, own, source)

    found = transcript_law(messages, pairs, (), words(pairs), len(pairs) + 2)
    assert found.unresolved == 0
    return {int(str(report)): chance for (report,), chance in found.probabilities.items()}


def sampled(pairs: Pairs) -> dict[int, Fraction]:
    """The chance of each signed key and dummy to be sampled."""
    chance = dict.fromkeys(range(OUTCOMES), Fraction(0))
    for key, number in pairs.items():
        chance[2 * key + 1] += (1 + Fraction(number)) / 4
        chance[2 * key] += (1 - Fraction(number)) / 4
    for dummy in range(2 - len(pairs)):
        chance[4 + dummy] += Fraction(1, 2)
    return chance


def declared(pairs: Pairs) -> dict[int, Fraction]:
    """Every outcome at q, and more by its chance to be sampled."""
    return {report: Q + share * (P - Q) for report, share in sampled(pairs).items()}


def largest(client: Client) -> Fraction:
    """The largest ratio of a report's chances, over all pairs of users."""
    laws = [law_of(client, pairs) for pairs in USERS]
    worst = Fraction(0)
    for one, other in permutations(laws, 2):
        for report, chance in one.items():
            if not other.get(report):
                return Fraction(1 << 64)
            worst = max(worst, chance / other[report])
    return worst


@covers(SAMPLER, "KeyValueResponse")
def test_the_client_has_exactly_the_law_that_is_declared() -> None:
    """Of all pairs of sixteen users with no, one or two keys: enumerated."""

    def messages(pairs: Pairs, source: Any) -> Any:
        yield honest(MADE, pairs, source)

    def chance(pairs: Pairs, _: object, sent: Any) -> Fraction:
        return declared(pairs)[sent[0]]

    found = check_every_word(messages, USERS, [], BOUND, 4, chance)
    assert (found.status, found.largest) == (Status.ENUMERATED, BOUND), str(found)
    assert found.unresolved == 0
    for pairs in USERS:
        assert law_of(honest, pairs) == declared(pairs)
    assert math.log(BOUND) <= MADE.realized_epsilon <= MADE.epsilon


@pytest.mark.parametrize("name", LEAKY)
def test_clients_that_tell_too_much_are_refuted(name: str) -> None:
    assert largest(LEAKY[name]) > BOUND * Fraction(9, 8)


def test_signs_without_a_coin_are_private_and_another_law() -> None:
    assert largest(plain_signs) == BOUND
    assert any(law_of(plain_signs, pairs) != declared(pairs) for pairs in USERS)


def test_counts_and_sums_are_unbiased_by_the_exact_law() -> None:
    for pairs, client in product(USERS, (honest, plain_signs)):
        law = law_of(client, pairs)
        for key in (0, 1):
            minus, plus = law[2 * key], law[2 * key + 1]
            scale = 2 / (P - Q)
            assert scale * (plus + minus - 2 * Q) == (key in pairs)
            right = scale * (plus - minus) == Fraction(pairs.get(key, 0))
            assert right == (client is honest or pairs.get(key) != 0)


class Said:
    """In the place of a mechanism: what it is given is what is reported."""

    def sampler(self) -> Said:
        """Itself."""
        return self

    def draw(self, items: Any, _: object) -> Any:
        """The items."""
        return items


@covers(SAMPLER, "KeyValueBits")
def test_what_the_bits_report_on_is_drawn_as_declared() -> None:
    """The signed key or dummy, exactly. What `OUE` makes of it is checked at its own sampler."""
    made = KeyValueBits(math.log(4), k=2, length=2)
    assert made.inner == OUE(math.log(4), 6)
    assert made.identity.mechanism == "KeyValueBits"  # before what it names is replaced
    made.__dict__["inner"] = Said()

    def client(_: object, pairs: Pairs, source: Any) -> int:
        return int(made.drawn(made.held([pairs]), source).data[0])

    def messages(pairs: Pairs, source: Any) -> Any:
        yield client(made, pairs, source)

    def reported_on(pairs: Pairs, _: object, sent: Any) -> Fraction:
        return sampled(pairs)[sent[0]]

    for pairs in USERS:
        # The user beside themselves: what is reported on is not private, and has no bound.
        found = check_every_word(
            messages,
            [pairs] * 2,
            [],
            Fraction(1),
            4,
            reported_on,
        )
        assert (found.status, found.unresolved) == (Status.ENUMERATED, Fraction(0)), str(found)


class Marks(Said):
    """In the place of unary encoding: it notes what it is given, and there is a symbol everywhere.

    So the signs of all keys are seen.
    """

    def draw(self, items: Any, _: object) -> Any:
        """All bits are 1."""
        (self.given,) = items.tolist()
        return np.array([[0b1111]], dtype=np.uint64)


def asked_for_bits(data: Any, bits: int) -> Any:
    """The package's `unpacked`; words that note what they are asked are asked for each bit."""
    if data.dtype != object:
        return unpacked(data, bits)
    return np.array([[int(word >> j & 1) for j in range(bits)] for (word,) in data], dtype=bool)


def signs_of(made: KeyValueSymbols, pairs: Pairs) -> TranscriptCheck:
    """Hold what is sampled, and the signs of both keys, to their declared law over all words."""
    p = KeyValueSymbols(made.epsilon, made.k, made.length).p
    assert made.identity.mechanism == type(made).__name__  # before what it names is replaced
    marks = Marks()
    made.__dict__["inner"] = marks

    def messages(own: Pairs, source: Any) -> Any:
        data = made.drawn(made.held([own]), source).data
        yield marks.given, int(data[0, 0]) >> made.layout.k

    def chance(own: Pairs, _: object, sent: Any) -> Fraction:
        ((given, signs),) = sent
        shares = sampled(own)
        if given >= made.k:
            return shares[given + made.k] / 4
        sign = signs >> given & 1
        right, wrong = shares[2 * given + sign], shares[2 * given + 1 - sign]
        return (right * p + wrong * (1 - p)) / 2

    # The user beside themselves: what is sampled is not private, and has no bound.
    return check_every_word(messages, [pairs] * 2, [], Fraction(1), 6, chance)


@covers(SAMPLER, "KeyValueSymbols")
def test_signs_of_symbols_are_drawn_as_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is sampled, exactly. Which keys have a symbol is checked at the sampler of `UE`."""
    monkeypatch.setattr(key_value_symbols, "unpacked", asked_for_bits)
    for pairs in USERS:
        found = signs_of(KeyValueSymbols(math.log(4), 2, 2), pairs)
        assert (found.status, found.unresolved) == (Status.ENUMERATED, Fraction(0)), str(found)
    planted = signs_of(SureSigns(math.log(4), 2, 2), {0: 1.0})
    assert planted.status is Status.REFUTED
    assert planted.differs is not None
