"""Planted-wrong classes for a declared protocol, each of which `conform` must reject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ldp_verified.protocols.declared import StatePlace

Twin = Callable[[type[Any]], type[Any]]


def other_input(run: type[Any]) -> type[Any]:
    """The last bit of what a report is about is turned."""

    class Turned(run):  # type: ignore[misc]  # the class is only known when it runs
        def input_of(self, place: StatePlace, x: int, draw: int) -> Any:
            return super().input_of(place, x, draw) ^ 1

    return Turned


def other_groups(run: type[Any]) -> type[Any]:
    """The second coin gives the group of the first."""

    class First(run):  # type: ignore[misc]  # as above
        def group_of(self, coin: int) -> Any:
            return super().group_of(0 if coin == 1 else coin)

    return First


def other_price(run: type[Any]) -> type[Any]:
    """Every report spends twice its price."""

    class Dear(run):  # type: ignore[misc]  # as above
        def randomizer(self, place: StatePlace) -> Any:
            own = super().randomizer(place)
            return type(own)(**own.arguments | {"epsilon": 2 * own.epsilon})

    return Dear


def other_counts(run: type[Any]) -> type[Any]:
    """The reports of all groups count values."""

    class All(run):  # type: ignore[misc]  # as above
        def counts_in(self, group: int) -> bool:
            return group >= 0

    return All


def no_coin(run: type[Any]) -> type[Any]:
    """A user's own coin always falls alike: the first item of a set is the one reported on."""

    class Fixed(run):  # type: ignore[misc]  # as above
        def input_of(self, place: StatePlace, x: int, draw: int) -> Any:
            return super().input_of(place, x, 0 * draw)

    return Fixed


def one_place(run: type[Any]) -> type[Any]:
    """Users are taken to report on all that they hold."""

    class One(run):  # type: ignore[misc]  # as above
        @property
        def places(self) -> int:
            return 1

    return One


TWINS: Mapping[str, tuple[Twin, str]] = {
    "a bit of the input turned": (other_input, "support of values of 0"),
    "a group that nobody is in": (other_groups, "groups of many users"),
    "twice the price": (other_price, "support of values of 0"),
    "all groups count": (other_counts, "estimates of 200 users"),
}
"""What is wrong -> the twin of a class, and the start of the name of a look that shows it."""
