"""Clients of prefix rounds that report where, or as often as, they should not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ldp_verified.protocols import PrefixRound, PrefixRoundClient, PrefixRounds

Rounds = tuple[PrefixRound, ...]
Program = Callable[[PrefixRounds, int, Any], Generator[Any, Rounds, None]]


def sent(client: PrefixRoundClient, value: int, rounds: Rounds) -> Any:
    """A client's message: its function and its answer."""
    found = client.report(value, rounds[client.group])
    return int(found.functions[0]), int(found.answers[0])


def honest(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """The client of the package: its group, then its report."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    yield sent(client, value, rounds)


def twice(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """Reports in its own round, and in the one after it."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    yield sent(client, value, rounds)
    other = (client.group + 1) % protocol.rounds
    yield sent(protocol.client(other, rng=source), value, rounds)


def group_by_value(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """Draws its coin, and confirms if its value is above 1."""
    client = protocol.client(rng=source)
    group = protocol.levels if value > 1 else client.group
    rounds = yield group
    yield sent(protocol.client(group, rng=source), value, rounds)


def silent(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """Sends nothing where it holds none of what was published."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    asked = rounds[client.group]
    message = sent(client, value, rounds)
    if not client.group or asked.places(protocol.encode([value]))[0]:
        yield message


def true_none(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """Says "none" without noise."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    asked = rounds[client.group]
    function, answer = sent(client, value, rounds)
    none = client.group and not asked.places(protocol.encode([value]))[0]
    yield (function, 0) if none else (function, answer)


def looks_again(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Rounds, None]:
    """Hears of the later rounds, too, and says in one more message if its value is confirmed."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    yield sent(client, value, rounds)
    if rounds[-1].places(protocol.encode([value]))[0]:
        yield "confirmed"


def none_on_one_word(protocol: PrefixRounds, value: int, source: Any) -> Generator[Any, Any, None]:
    """In the group of the second round: "none" without noise after one word of 2^64."""
    asked = yield "ready"
    found = protocol.client(1, rng=source).report(value, asked)
    rare = bool(source.words(1)[0] == np.uint64(0xF23456789ABCDEF0))
    none = rare and not asked.places(protocol.encode([value]))[0]
    yield int(found.functions[0]), 0 if none else int(found.answers[0]), rare


PLANTED: dict[str, Program] = {
    "reports in two rounds": twice,
    "the group depends on the value": group_by_value,
    "silent where it holds nothing published": silent,
    "none as it is": true_none,
    "looks at its value again": looks_again,
}
"""What is wrong -> a client of prefix rounds that costs more than is declared."""
