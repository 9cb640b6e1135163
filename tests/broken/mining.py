"""Clients of mining of sets that report where, or as often as, they should not."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from ldp_verified.protocols import CandidateRound, SetMining
from ldp_verified.protocols.set_mining import SetClient

Items = tuple[int, ...]
Rounds = tuple[CandidateRound, ...]
Program = Callable[[SetMining, Items, Any], Generator[Any, Rounds, None]]


def sent(client: SetClient, items: Items, asked: CandidateRound) -> Any:
    """The numbers that a client sends in a round."""
    return tuple(np.ravel(client.report(items, asked).data).tolist())


def honest(protocol: SetMining, items: Items, source: Any) -> Generator[Any, Rounds, None]:
    """The client of the package: its group, then its report."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    assert client.group is not None
    yield sent(client, items, rounds[client.group])


def in_two_groups(protocol: SetMining, items: Items, source: Any) -> Generator[Any, Rounds, None]:
    """Reports in its own group, and in the one after it."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    assert client.group is not None
    yield sent(client, items, rounds[client.group])
    other = (client.group + 1) % protocol.groups
    yield sent(protocol.client(other, rng=source), items, rounds[other])


def group_by_set(protocol: SetMining, items: Items, source: Any) -> Generator[Any, Rounds, None]:
    """Draws its coin, and goes to the group that counts if it holds anything."""
    client = protocol.client(rng=source)
    group = 2 if items else client.group
    rounds = yield group
    assert group is not None
    yield sent(protocol.client(group, rng=source), items, rounds[group])


def silent(protocol: SetMining, items: Items, source: Any) -> Generator[Any, Rounds, None]:
    """Sends nothing if it holds nothing."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    assert client.group is not None
    if items:
        yield sent(client, items, rounds[client.group])


def true_size(protocol: SetMining, items: Items, source: Any) -> Generator[Any, Rounds, None]:
    """Tells the number of its candidates as it is."""
    client = protocol.client(rng=source)
    rounds = yield client.group
    assert client.group is not None
    asked = rounds[client.group]
    answer = sent(client, items, asked)
    yield (len(items),) if client.group == 1 else answer


PLANTED: dict[str, Program] = {
    "reports in two groups": in_two_groups,
    "the group depends on the set": group_by_set,
    "silent without items": silent,
    "the size as it is": true_size,
}
"""What is wrong -> a client of SVIM that costs more than is declared."""
