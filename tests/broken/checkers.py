"""Checkers that lie, each as a module of `prove/added` would register it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.addition import Answer, Asked, Says, add

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SHARES = "looks at nothing"


def _everything(name: str, group: str, rule: Callable[[Asked], Answer]) -> None:
    add(name, SHARES, group).rule(tuple(Kind), tuple(TableForm))(rule)


def accepts_everything(group: str = "liars") -> None:
    """It proves whatever it is asked."""
    _everything("liar", group, lambda _: Answer(Says.PROVED))


def refuses_everything(group: str = "") -> None:
    """It refuses whatever it is asked, and names no place."""
    _everything("grumbler", group, lambda _: Answer(Says.REFUSED, "it does not like it"))


def refuses_at(place: Mapping[str, Any]) -> None:
    """It refuses whatever it is asked, at a place where nothing is wrong."""
    _everything("grumbler", "", lambda _: Answer(Says.REFUSED, "it does not like it", place))


def takes_the_name(name: str) -> None:
    """It registers as a checker that there is already, or as one that looks like it."""
    _everything(name, "", lambda _: Answer(Says.PROVED))


def copies_the_algebra() -> None:
    """It says that it is a group of its own, and reads what the algebra derived."""

    def check(asked: Asked) -> Answer:
        return Answer(Says.PROVED if asked.statement else Says.OPEN)

    _everything("copy", "copies", check)


def says_yes() -> None:
    """It answers with a truth value."""
    _everything("yes", "yes sayers", lambda _: cast("Answer", True))
