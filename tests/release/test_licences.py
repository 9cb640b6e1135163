"""Every distribution that is locked has a licence that may be, and another one is refused."""

from __future__ import annotations

from email.message import Message
from typing import TYPE_CHECKING, cast

import pytest

from release.licences import BY_CLASSIFIER, EXCEPTIONS, READ, licence, locked, problem, problems

if TYPE_CHECKING:
    from importlib.metadata import Distribution


class Made:
    """A distribution whose metadata says this."""

    def __init__(self, name: str, *classifiers: str, expression: str = "") -> None:
        self.metadata = Message()
        self.metadata["Name"] = name
        if expression:
            self.metadata["License-Expression"] = expression
        for text in classifiers:
            self.metadata["Classifier"] = f"License :: OSI Approved :: {text}"


def of(made: Made) -> str | None:
    return licence(cast("Distribution", made))


def test_everything_locked_may_be_used() -> None:
    assert problems() == []


def test_nothing_is_listed_without_need() -> None:
    assert set(READ) | set(EXCEPTIONS) <= set(locked())


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("a", "GPL-3.0-only"),
        ("a", "MIT AND GPL-3.0-or-later"),
        ("a", "LGPL-3.0-or-later"),
        ("python-flint", "MIT AND GPL-3.0-or-later"),
        ("a", ""),
        ("a", None),
    ],
)
def test_another_licence_is_refused(name: str, expression: str | None) -> None:
    assert (problem(name, expression) or "").startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("a", "Apache-2.0 WITH LLVM-exception"),
        ("a", "MIT OR (BSD-2-Clause AND Zlib)"),
        ("python-flint", "MIT AND LGPL-3.0-or-later"),
    ],
)
def test_these_may_be(name: str, expression: str) -> None:
    assert problem(name, expression) is None


def test_what_says_the_licence() -> None:
    assert of(Made("a", "BSD License", expression="MIT")) == "MIT"
    assert of(Made("a", "MIT License")) == BY_CLASSIFIER["MIT License"]
    assert of(Made("a", "BSD License")) is None  # two clauses or three
    assert of(Made("a", "MIT License", "ISC License (ISCL)")) is None
    assert of(Made("Sympy")) == READ["sympy"]
    assert of(Made("a")) is None
