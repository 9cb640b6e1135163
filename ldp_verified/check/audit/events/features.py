"""Features reduce each output of a target to a value that an audit can count, such as its length.

Most outputs come only once, so an audit counts how often a feature has some value. Each feature has
a name, by which a finding can be saved and replayed: `features.values(name, batch)` reads the
feature in every output of a batch. The names, and what each feature reads:

    type            class, dtype, classes of the items
    length          number of items
    value           the whole output
    plain           the whole output as a label: 3, numpy's 3 and "3" are the same
    item:I          item I, counted from the end where negative
    items:I,J       two items
    ones            how many items are true
    order           the order of up to six items, by size
    has:KEY         whether the output holds what has this key, at any depth, as a key or name too
    below:A,B,...   in which interval a number lies; item-below:I;A,B,... for an item
    zeros           trailing zero bits of a float's mantissa, with its exponent
    form            how an array lies in memory, in which order a set is (see `forms`)
    formed          the whole output with its form
    low             the last four bits of a float's mantissa
    byte:B          byte B of a float's 64 bits, from the lowest
    digit:D         digit D to base 16 of a whole number, from the lowest
    fraction        how many decimals the shortest text of a float needs
    item-...        such a feature of one leaf, name... of a key, name or member (see `inside`)
    score:...       the sign of a linear classifier (see `classifier`)
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events import inside
from ldp_verified.check.audit.events.inside import MISSING, MOST_FLOATS, MOST_ITEMS
from ldp_verified.check.audit.targets.batch import Batch, Coded, coded, coded_column
from ldp_verified.check.audit.targets.keys import items, key, kind, length, plain
from ldp_verified.errors import ParameterError, printable
from ldp_verified.scalars import is_number, nearest_float

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

FEWEST = 4
"""A member that is expected less often than this is not asked for."""

MOST_PAIRS = 64
MOST_MEMBERS = 256
SAMPLE = inside.SAMPLE
BINS = 32


def values(name: str, batch: Batch) -> Coded:
    """Read a feature in every output of a batch.

    Args:
        name: of the feature, as in the list above.
        batch: the samples.

    Returns:
        The feature's value for each sample, as codes with their labels.

    Raises:
        ParameterError: no feature has this name.
    """
    head, _, rest = name.partition(":")
    if head in _WHOLE:
        return coded(map(_WHOLE[head], _listed(batch)))
    if head == "value":
        return _whole(batch)
    if head == "form":
        return coded(batch.forms or [""] * len(batch))
    if head == "formed":
        return _product(values("form", batch), _whole(batch))
    if head == "item":
        return _item(batch, int(rest))
    if head == "items":
        first, second = (_item(batch, int(i)) for i in rest.split(","))
        return _product(first, second)
    if head == "ones":
        return _ones(batch)
    if head == "has":
        return coded(str(rest in keys) for keys in batch.keys)
    if head == "below":
        return _below(_numbers(batch), _edges(rest))
    if head == "item-below":
        at, _, edges = rest.partition(";")
        return _below(_item_numbers(batch, int(at)), _edges(edges))
    if head == "digit":
        return coded(inside.digit(output, rest) for output in _listed(batch))
    if head == "byte":
        return coded(inside.byte(output, rest) for output in _listed(batch))
    if head in inside.HEADS:
        return inside.values(head, rest, batch)
    if head == "score":
        from ldp_verified.check.audit.events.classifier import scored

        return scored(rest, batch)
    raise ParameterError("feature", "must be a known feature", name)


def _listed(batch: Batch) -> Iterator[Any]:
    return iter(batch.outputs)


def _whole(batch: Batch) -> Coded:
    outputs = batch.outputs
    if isinstance(outputs, np.ndarray):
        if outputs.ndim == 1:
            return coded_column(outputs, None)
        return coded(row.tobytes().hex() for row in np.ascontiguousarray(outputs))
    return coded(map(key, outputs))


def _item(batch: Batch, at: int) -> Coded:
    if batch.matrix is not None:
        matrix, plain = batch.matrix
        if -matrix.shape[1] <= at < matrix.shape[1]:
            return coded_column(matrix[:, at], plain)

    def one(parts: list[Any] | None) -> str:
        return MISSING if parts is None or not -len(parts) <= at < len(parts) else key(parts[at])

    return coded(map(one, batch.parts))


def _product(first: Coded, second: Coded) -> Coded:
    both = first.codes * len(second.labels) + second.codes
    found, codes = np.unique(both, return_inverse=True)
    labels = [
        f"{first.labels[c // len(second.labels)]} & {second.labels[c % len(second.labels)]}"
        for c in found.tolist()
    ]
    return Coded(codes.astype(np.int64).ravel(), tuple(labels))


def _ones(batch: Batch) -> Coded:
    if batch.matrix is not None:
        return coded_column(np.count_nonzero(batch.matrix[0], axis=1), int)

    def one(parts: list[Any] | None) -> str:
        return MISSING if parts is None else f"int {sum(1 for part in parts if _true(part))}"

    return coded(map(one, batch.parts))


def _true(part: Any) -> bool:
    if isinstance(part, str):
        return part not in ("", "0")
    try:
        return bool(part)
    except ValueError:
        return True


def _edges(text: str) -> NDArray[np.float64]:
    return np.array([float.fromhex(edge) for edge in text.split(",")])


def _number(value: Any) -> float:
    return nearest_float(value) if is_number(value) else math.nan


def _numbers(batch: Batch) -> NDArray[np.float64]:
    if batch.numbers is not None:
        return batch.numbers
    return np.array([_number(output) for output in _listed(batch)])


def _item_numbers(batch: Batch, at: int) -> NDArray[np.float64]:
    if batch.matrix is not None and at < batch.matrix[0].shape[1]:
        return np.asarray(batch.matrix[0][:, at], dtype=np.float64)
    found = []
    for parts in batch.parts:
        inside = parts is not None and at < len(parts)
        found.append(_number(parts[at]) if parts and inside else math.nan)
    return np.array(found)


def _below(numbers: NDArray[np.float64], edges: NDArray[np.float64]) -> Coded:
    """Intervals [edge, next edge); NaN is one of its own."""
    codes = np.where(
        np.isnan(numbers), len(edges) + 1, np.searchsorted(edges, numbers, side="right")
    )
    labels = [f"interval {i}" for i in range(len(edges) + 1)] + ["nan"]
    return Coded(codes.astype(np.int64), tuple(labels))


def _order(output: Any) -> str:
    parts = items(output)
    if parts is None or not 2 <= len(parts) <= 6:
        return MISSING
    if any(isinstance(part, np.ndarray) for part in parts):  # several answers to "is it less?"
        return MISSING
    try:
        return str(sorted(range(len(parts)), key=lambda i: parts[i]))
    except (TypeError, ValueError):
        return MISSING


_WHOLE: dict[str, Callable[[Any], str]] = {
    "type": kind,
    "length": lambda output: str(length(output)),
    "order": _order,
    "plain": plain,
    "zeros": inside.zeros,
    "low": inside.low,
    "fraction": inside.decimals,
}


def _quantiles(numbers: NDArray[np.float64]) -> str | None:
    finite = numbers[np.isfinite(numbers)]
    if len(finite) < 2 * BINS:
        return None
    edges = np.unique(np.quantile(finite, np.linspace(0, 1, BINS + 1)[1:-1]))
    return ",".join(edge.hex() for edge in edges.tolist())


LONGEST = 32


def described(name: str, chosen: Iterable[str]) -> list[str]:
    """Values of a feature in words: intervals by their ends, neighbours joined; long ones cut."""
    head, _, rest = name.partition(":")
    if head not in ("below", "item-below"):
        words = [printable(value) for value in sorted(chosen)]
        return [v if len(v) <= LONGEST else v[: LONGEST - 3] + "..." for v in words]
    edges = [-math.inf, *_edges(rest.rpartition(";")[2]).tolist(), math.inf]
    spans: list[list[int]] = []
    for at in sorted(int(v.partition(" ")[2]) for v in chosen if v != "nan"):
        if spans and spans[-1][1] == at:
            spans[-1][1] = at + 1
        else:
            spans.append([at, at + 1])
    words = []
    for first, last in spans:
        low, high = edges[first], edges[last]
        many = f"{low:.6g} <= y < {high:.6g}" if high < math.inf else f"y >= {low:.6g}"
        words.append(many if low > -math.inf else f"y < {high:.6g}")
    return words + ["nan"] * ("nan" in chosen)


def candidates(batch: Batch) -> list[str]:
    """Name the features that are worth a look.

    Args:
        batch: samples that are not used to test them.
    """
    found = ["type", "length", "value", *(["form", "formed"] if batch.forms else [])]
    numbers = batch.numbers
    if numbers is not None:
        edges = _quantiles(numbers)
        found += [f"below:{edges}"] if edges else []
    sample = [batch.outputs[i] for i in range(min(len(batch), SAMPLE))]
    if any(isinstance(output, float | np.floating) for output in sample):
        found += ["zeros", "low", "fraction", *(f"byte:{b}" for b in inside.bytes_of(sample))]
    found += [f"digit:{i}" for i in inside.digits_of(sample)]
    if batch.matrix is not None:
        return found + _of_matrix(batch.matrix[0])
    parts = [each for each in batch.parts[: len(sample)] if each is not None]
    if parts:
        shared = inside.shared(parts)
        found += [f"item:{i}" for i in range(min(shared, MOST_ITEMS))]
        found += [f"item:{i}" for i in inside.from_the_end(parts)]
        found += ["ones", "order"]
        for at in inside.places(parts):
            column = [inside.part(each, at) for each in parts]
            found += inside.candidates("item", at, column)
            if any(isinstance(part, float | np.floating) for part in column):
                edges = _quantiles(np.array([_number(part) for part in column]))
                found += [f"item-below:{at};{edges}"] if edges else []
        found += [f"items:{i},{j}" for i, j in _pairs(shared)]
    found += inside.of_names(batch)
    if parts or any(batch.names[: len(sample)]):
        found += [f"has:{each}" for each in _common_members(batch.keys[: len(sample)], len(batch))]
    return found


def _common_members(sample: list[frozenset[str]], whole: int) -> list[str]:
    """Return what outputs hold most often; what all of them hold comes last: it seldom tells.

    Args:
        sample: what some of the outputs hold.
        whole: how many outputs there are; what few of them hold is left out.
    """
    counts = Counter(each for held in sample for each in held)
    often = [each for each, count in counts.items() if count * whole >= FEWEST * len(sample)]
    often.sort(key=lambda each: (counts[each] == len(sample), -counts[each]))
    return often[:MOST_MEMBERS]


def _pairs(size: int) -> list[tuple[int, int]]:
    """Neighbours first, then the first item with others, then any; not more than `MOST_PAIRS`."""
    near = [(i, i + 1) for i in range(size - 1)]
    far = [(i, j) for i in range(size) for j in range(i + 2, size)] if size <= 64 else []
    return [*near[:MOST_PAIRS], *far][:MOST_PAIRS]


def _of_matrix(matrix: NDArray[Any]) -> list[str]:
    width = matrix.shape[1]
    found = []
    for i in range(min(width, MOST_ITEMS)):
        column = matrix[:, i]
        if column.dtype.kind == "f" and len(np.unique(column)) > 4 * BINS:
            edges = _quantiles(column)
            found += [f"item-below:{i};{edges}"] if edges else []
            some = column[:SAMPLE].tolist()
            found += inside.of_float("item", i, some) if i < MOST_FLOATS else []
        if column.dtype.kind in "iu" and i < MOST_FLOATS:
            some = column[:SAMPLE].tolist()
            found += [f"item-digit:{i};{d}" for d in inside.digits_of(some)]
        found.append(f"item:{i}")
    if width > MOST_ITEMS:
        found.append("item:-1")
    found += [f"items:{i},{j}" for i, j in _pairs(width)]
    return [*found, "ones", *(["order"] if 2 <= width <= 6 else [])]
