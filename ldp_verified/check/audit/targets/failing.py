"""Tell which outputs are failures, and refuse a target that cannot be called at all.

An example of the latter is a class in place of a method of its objects, or a report in place of a
client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ldp_verified.check.audit.targets.forms import Formed, bare
from ldp_verified.check.audit.targets.raising import Raised
from ldp_verified.check.audit.targets.sessions import NoClientError, SessionError
from ldp_verified.check.audit.targets.things import REFUSED, Consumed, status_of
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

FIRST_CALLS: Final = 100
"""Calls after which a target that always fails alike is given up, once each input was asked for."""

LONGEST_REASON: Final = 200
"""Characters of an exception's text that are shown."""


FAILING: Final = 0.5
"""An output is a failure where at least this share of it is exceptions, and no audit is
`consistent` where more than this share of all outputs is."""

_COMPOSED: Final = frozenset({Raised, tuple, Consumed, Formed})

_OF_SESSIONS: Final = {
    f"{kind.__module__}.{kind.__qualname__}": kind for kind in (SessionError, NoClientError)
}
"""Errors that refuse an audit at once, by the name that comes first in `Raised.place`."""


def failed(output: Any) -> tuple[float, Raised | None]:
    """The share of an output that is exceptions or missing answers, and the first of these.

    An answer of a server whose status says that it does not answer is one of them.

    Messages of a session, repeated reports and items of an iterator have equal parts of it. Only
    the audit puts exceptions among them, so that a target's own tuple of values is no failure.

    Args:
        output: in the closed vocabulary.
    """
    held = bare(output)
    if isinstance(held, Raised):
        return 1.0, held
    status = status_of(held)
    if status >= REFUSED:
        return 1.0, Raised("NoAnswer", f"HTTP status {status}")
    inside = held.items if type(held) is Consumed else held if type(held) is tuple else ()
    if _COMPOSED.isdisjoint(map(type, inside)):
        return 0.0, None
    parts = [failed(part) for part in inside]
    first = next((raised for _, raised in parts if raised is not None), None)
    return sum(share for share, _ in parts) / len(parts), first


def failure(output: Any) -> Raised | None:
    """Return the first exception of an output that is a failure; None where it is none.

    Args:
        output: in the closed vocabulary.
    """
    share, first = failed(output)
    return first if share >= FAILING else None


class FirstCalls:
    """Asks a target, and gives up where its first calls fail alike, whatever the input.

    An exception is an output like any other. So whatever differs between two calls, such as its
    text or its place in the code, is left to the audit, and so is one answer among the calls.

    Args:
        ask: from indices of inputs to outputs. inputs: how many there are, at least 2.
        sessions: whether the target is asked questions, so that a session can fail to be had.
    """

    def __init__(
        self, ask: Callable[[NDArray[np.int64]], Any], inputs: int, *, sessions: bool = False
    ) -> None:
        self._ask = ask
        self._sessions = sessions
        self._left = set(range(inputs))
        self._made = 0
        self._first: Any = None
        self._over = False

    def __call__(self, indices: NDArray[np.int64]) -> Any:
        """Ask for the outputs of inputs, and look whether all have failed so far.

        Args:
            indices: of the inputs.

        Raises:
            ParameterError: all calls so far raised one exception with one text, or a session cannot
                be had.
        """
        outputs = self._ask(indices)
        for output in outputs if self._sessions and isinstance(outputs, list) else ():
            if isinstance(output, Raised):
                kind = _OF_SESSIONS.get(output.place.partition("<")[0])
                if kind is not None:
                    raise ParameterError(kind.argument, kind.rule)
        if not self._over:
            self._look(indices, outputs)
        return outputs

    def _look(self, indices: NDArray[np.int64], outputs: Any) -> None:
        for index, output in zip(indices.tolist(), outputs, strict=False):
            share, raised = failed(output)
            if self._first is None:
                self._first = output
            # What a process says that ended is no exception of the target.
            if raised is None or share < 1 or not raised.place or output != self._first:
                self._over = True
                return
            self._left.discard(index)
            self._made += 1
            if self._made >= FIRST_CALLS and not self._left:
                raise _refusal(raised)


def _refusal(raised: Raised) -> ParameterError:
    """The error about a target; its reason is the same for all inputs, so it tells none."""
    reason = raised.message.partition("\n")[0][:LONGEST_REASON]
    meant = "; did you mean a method of it?" if raised.type == "TypeError" else ""
    rule = f"must answer some call: every call raised {raised.type}: {reason}{meant}"
    return ParameterError("TARGET", rule)
