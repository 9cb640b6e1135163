"""A kernel with one step of its text replaced: flaws that a programmer could have left in it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Fill


def spoiled(fill: Fill, step: str, other: str) -> Fill:
    """The kernel with `other` in the place of `step`, which is in its text once."""
    text = inspect.getsource(fill)
    if text.count(step) != 1:
        raise AssertionError(f"the kernel has not exactly one step {step!r}")
    space: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + text.replace(step, other), space)
    (made,) = (value for name, value in space.items() if name.endswith("_fill"))
    wrong: Fill = made
    return wrong
