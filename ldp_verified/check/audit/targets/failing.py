"""A target that cannot be called at all, such as a class in place of a method of its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

FIRST_CALLS: Final = 100
"""Calls after which a target that always fails alike is given up, once each input was asked for."""

LONGEST_REASON: Final = 200
"""Characters of an exception's text that are shown."""


class FirstCalls:
    """Asks a target, and gives up where its first calls fail alike, whatever the input.

    An exception is an output like any other. So whatever differs between two calls, such as its
    text or its place in the code, is left to the audit, and so is one answer among the calls.

    Args:
        ask: from indices of inputs to outputs. inputs: how many there are, at least 2.
    """

    def __init__(self, ask: Callable[[NDArray[np.int64]], Any], inputs: int) -> None:
        self._ask = ask
        self._left = set(range(inputs))
        self._made = 0
        self._raised: Raised | None = None
        self._over = False

    def __call__(self, indices: NDArray[np.int64]) -> Any:
        """Ask for the outputs of inputs, and look whether all have failed so far.

        Args:
            indices: of the inputs.

        Raises:
            ParameterError: all calls so far raised one exception with one text.
        """
        outputs = self._ask(indices)
        if not self._over:
            self._look(indices, outputs)
        return outputs

    def _look(self, indices: NDArray[np.int64], outputs: Any) -> None:
        for index, output in zip(indices.tolist(), outputs, strict=False):
            first = self._raised or output
            # What a process says that ended is no exception of the target.
            alike = isinstance(output, Raised) and output.place and output == first
            if not alike:
                self._over = True
                return
            self._raised = output
            self._left.discard(index)
            self._made += 1
            if self._made >= FIRST_CALLS and not self._left:
                raise _refusal(output)


def _refusal(output: Raised) -> ParameterError:
    """The error about a target; its reason is the same for all inputs, so it tells none."""
    reason = output.message.partition("\n")[0][:LONGEST_REASON]
    meant = "; did you mean a method of it?" if output.type == "TypeError" else ""
    rule = f"must answer some call: every call raised {output.type}: {reason}{meant}"
    return ParameterError("TARGET", rule)
