"""Finds out whether only the last digits of a target's numbers leak, and rounds them away.

The last digits of a float are its low-order bits, and its decimals where it has many. Noise that is
added in floating point leaves a trace of the true value in the low-order bits (Mironov 2012, On
significance of the least significant bits for differential privacy). If the noise has fewer
decimals than the true value, the report even shows the other decimals of that value unchanged.

`low_order` tells whether an event reads the last digits alone, so that an audit can say where the
leak is. `rounding` gives the target's reports rounded, so that an audit can judge the rest of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events.events import DuelEvent, PairEvent, PooledEvent
from ldp_verified.check.audit.targets.forms import Formed
from ldp_verified.check.audit.targets.things import Consumed, Thing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.targets.batch import Outputs

LOW_ORDER = ("zeros", "low", "fraction", "item-zeros", "item-low", "item-fraction")
"""Features of a float that rounding to few decimals takes away."""

LOW_BYTES = ("0", "1", "2", "3", "4")
"""Bytes of a float, from the lowest, of which the same is true."""

MOST_DECIMALS = 15


def low_order(event: Event) -> bool:
    """Return whether an event reads nothing but the last digits of a number.

    Args:
        event: that was tested.
    """
    if isinstance(event, PairEvent):
        return _low(event.feature)
    if isinstance(event, PooledEvent | DuelEvent) and event.reading.name.startswith("learnt:"):
        feature = str(json.loads(event.reading.name.partition(":")[2])["feature"])
        return _low(feature)
    return False


def _low(feature: str) -> bool:
    head, _, rest = feature.partition(":")
    if head in ("byte", "item-byte"):
        return rest.rpartition(";")[2] in LOW_BYTES
    return head in LOW_ORDER


def rounded(output: Any, decimals: int) -> Any:
    """Return an output whose floats are rounded, those inside of it too.

    Of complex numbers both parts are rounded; of lists, tuples, mappings, iterators and objects
    what they hold.

    Args:
        output: of the target.
        decimals: digits after the point that stay. Minus zero becomes zero.
    """
    if isinstance(output, Formed):
        return Formed(rounded(output.value, decimals), output.form)
    if isinstance(output, np.ndarray):
        return np.round(output, decimals) + 0.0 if output.dtype.kind in "fc" else output
    if isinstance(output, np.inexact):
        return type(output)(np.round(output, decimals) + output.dtype.type(0))
    if type(output) is float:
        return round(output, decimals) + 0.0
    if type(output) is complex:
        return complex(rounded(output.real, decimals), rounded(output.imag, decimals))
    if type(output) in (list, tuple):
        return type(output)(rounded(item, decimals) for item in output)
    if type(output) is dict:
        return {name: rounded(item, decimals) for name, item in output.items()}
    if type(output) is Consumed:
        return Consumed(output.type, rounded(output.items, decimals))
    if type(output) is Thing:
        return Thing(output.type, output.names, rounded(output.values, decimals))
    return output


def rounding(
    ask: Callable[[NDArray[np.int64]], Outputs], decimals: int
) -> Callable[[NDArray[np.int64]], Outputs]:
    """Return `ask` with every output rounded, those of calls before a budget ran out too."""
    from ldp_verified.check.audit.budget import SpentError

    def asked(indices: NDArray[np.int64]) -> Outputs:
        try:
            found: Outputs = rounded(ask(indices), decimals)
        except SpentError as spent:
            raise SpentError(rounded(spent.outputs, decimals), spent.why) from None
        return found

    return asked
