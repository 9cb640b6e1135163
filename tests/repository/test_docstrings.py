"""The docstrings of public names begin with a sentence, and say what is taken and what is raised.

Public is what the reference names: classes, with their methods, and functions. Of methods it is not
asked that they say again what their names say of their arguments.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from release import reference

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAGMENT = re.compile(
    r"(?:Of|What|That|Whether|Which|Where|Who|Why|How many|How much|As|By|From|To|None)\b|\S+$"
)
"""How a first sentence begins that is none; a word alone is none either."""

RAISES = re.compile(r"\bRaises\b|\b[Ss]ee `|\berrors as\b|`ParameterError`")
"""A word on what is raised, also that it stands with another name."""


def documented(made: Any) -> Iterator[tuple[str, Any]]:
    """(name, what it is) of a class or function, and of the public methods that a class defines."""
    yield made.__qualname__, made
    for name, held in vars(made).items() if inspect.isclass(made) else ():
        plain = getattr(held, "fget", None) or getattr(held, "__func__", held)
        if not name.startswith("_") and inspect.isfunction(plain) and plain.__name__ == name:
            yield f"{made.__qualname__}.{name}", plain


def faults(name: str, made: Any) -> list[str]:
    """What is wrong with the docstring of a class, a function or a method."""
    text = inspect.cleandoc(made.__doc__ or "")
    if not text:
        return [f"{name}: has no docstring"]
    found = [f"{name}: begins with a fragment: {text[:40]}"] if FRAGMENT.match(text) else []
    if inspect.isclass(made):
        return found
    taken = [each for each in inspect.signature(made).parameters if each not in ("self", "cls")]
    _, _, said = text.partition("Args:")
    unsaid = [each for each in taken if not re.search(rf"\b{each}\b", said)]
    if unsaid and "." not in name:
        found.append(f"{name}: does not say what it takes: {', '.join(unsaid)}")
    if raises(made) and not RAISES.search(text):
        found.append(f"{name}: does not say what it raises")
    return found


def raises(made: Any) -> bool:
    """Whether a function's own text raises something, other than that it is left to others."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(made))).body
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    return any("NotImplementedError" not in ast.unparse(each) for each in raised)


@pytest.mark.parametrize("package", reference.PACKAGES)
def test_public_names_say_what_they_are_take_and_raise(package: str) -> None:
    found = []
    for path in reference.names(package):
        module, _, name = path.rpartition(".")
        for each, made in documented(getattr(importlib.import_module(module), name)):
            found += faults(each, made)
    assert found == []


def test_what_is_missing_is_noticed() -> None:
    class Silent:
        pass

    class Holder:
        """Of something."""

        def first(self, n: int) -> int:
            """Return the first of n."""
            if n < 0:
                raise ValueError(n)
            return n

        @property
        def gain(self) -> int:
            """What one that is held has more."""
            return 1

        @property
        def bits(self) -> int:
            """d."""
            return 1

    def bare(n: int) -> int:
        """Return n."""
        return n

    assert faults("Silent", Silent) == ["Silent: has no docstring"]
    assert faults("bare", bare) == ["bare: does not say what it takes: n"]
    (whole, first, gain, bits) = [made for _, made in documented(Holder)]
    assert "fragment" in faults("Holder", whole)[0]
    assert faults("Holder.first", first) == ["Holder.first: does not say what it raises"]
    assert "fragment" in faults("Holder.gain", gain)[0]
    assert "fragment" in faults("Holder.bits", bits)[0]
