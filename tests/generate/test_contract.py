"""The docstring of a generated class begins with the meaning of its arguments."""

from __future__ import annotations

import inspect
import re

import pytest

import ldp_verified

CLASSES = [getattr(ldp_verified, name) for name in ldp_verified.__all__ if name != "verify"]


@pytest.mark.parametrize("mechanism", CLASSES, ids=lambda each: str(each.__name__))
def test_every_argument_of_a_public_class_is_explained(mechanism: type) -> None:
    text = inspect.getdoc(mechanism) or ""
    section = re.search(r"^Args:\n((?: +.*\n)+)", text, flags=re.MULTILINE)
    assert section is not None
    explained = re.findall(r"^    (\w+): \S", section[1], flags=re.MULTILINE)
    assert explained == [*inspect.signature(mechanism).parameters]
    # Nothing but the title stands before it.
    assert text[: section.start()].strip().count("\n") == 0
