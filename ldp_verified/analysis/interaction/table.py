"""Tables of exact probabilities, small enough to look at every cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.aggregate.layouts import OutputLayout
from ldp_verified.run.realize.randomizer import Randomizer

if TYPE_CHECKING:
    from collections.abc import Hashable

    Input = Hashable
    Output = Hashable

MOST_CELLS = 1 << 20


@dataclass(frozen=True)
class WorstAnswer:
    """The largest ratio of two probabilities of one output.

    Attributes:
        ratio: exact; None where it is infinite.
        x, other: the two inputs. y: the output.
    """

    ratio: Fraction | None
    x: Any
    other: Any
    y: Any

    def above(self, level: Fraction) -> bool:
        """Return whether the ratio is larger than e^eps = `level`."""
        return self.ratio is None or self.ratio > level


@dataclass(frozen=True)
class FiniteTable:
    """A table of P(y | x) for all inputs and outputs, exactly.

    Attributes:
        inputs, outputs: different hashable values, one or more of each.
        rows: the probabilities of the outputs under each input, in these orders.

    Raises:
        ParameterError: a row that is no distribution, values that are not different, or more than
            2^20 cells.
    """

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        """Check that every row is a distribution."""
        for name, values in (("inputs", self.inputs), ("outputs", self.outputs)):
            if not values or len(set(values)) < len(values):
                raise ParameterError(name, "must be one or more, and different", values)
        if len(self.inputs) * len(self.outputs) > MOST_CELLS:
            raise ParameterError("outputs", f"must give at most {MOST_CELLS} cells")
        if len(self.rows) != len(self.inputs):
            raise ParameterError("rows", "must be one for each input", len(self.rows))
        for x, row in zip(self.inputs, self.rows, strict=True):
            if len(row) != len(self.outputs):
                raise ParameterError(f"row of {x!r}", "must have a cell for each output", len(row))
            if not all(isinstance(each, Fraction) and each >= 0 for each in row):
                raise ParameterError(f"row of {x!r}", "must be fractions >= 0", row)
            if sum(row) != 1:
                raise ParameterError(f"row of {x!r}", "must sum to 1", str(sum(row)))

    @classmethod
    def of_laws(cls, laws: Mapping[Any, Mapping[Any, Fraction | int | str]]) -> FiniteTable:
        """Make a table of laws, input -> output -> probability; what is missing has 0.

        Raises:
            ParameterError: as the class.
        """
        outputs = tuple(dict.fromkeys(y for law in laws.values() for y in law))
        rows = tuple(tuple(_exact(law.get(y, 0), x) for y in outputs) for x, law in laws.items())
        return cls(tuple(laws), outputs, rows)

    @classmethod
    def of_randomizer(cls, made: Randomizer) -> FiniteTable:
        """Make the realized table of a mechanism whose reports are single values.

        Raises:
            ParameterError: another mechanism, or more than 2^20 cells.
        """
        layout = made.layout if isinstance(made, Randomizer) else None
        if not isinstance(layout, OutputLayout) or layout.outputs != made.k:
            rule = "must report one of its values: BinaryRR, GRR and the like"
            raise ParameterError("made", rule, type(made).__name__)
        if made.k**2 > MOST_CELLS:
            raise ParameterError("made", f"must have at most {MOST_CELLS} cells", made.k**2)
        labels = tuple(made.labels)
        rows = tuple(tuple(made.pmf(y, x) for y in range(made.k)) for x in labels)
        return cls(labels, labels, rows)

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {x: i for i, x in enumerate(self.inputs)}

    def row(self, x: Any) -> tuple[Fraction, ...]:
        """The probabilities of all outputs under an input.

        Raises:
            DomainError: it is none; the message does not contain it.
        """
        try:
            place = self._places.get(x)
        except TypeError:
            place = None  # it has no hash
        if place is None:  # a KeyError would hold the input
            raise DomainError("x", "must be one of the inputs of the table")
        return self.rows[place]

    def law(self, weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """The probabilities of the outputs where the input is drawn with these weights."""
        return tuple(
            sum((w * p for w, p in zip(weights, column, strict=True)), Fraction(0))
            for column in zip(*self.rows, strict=True)
        )

    @property
    def largest(self) -> tuple[Fraction, ...]:
        """The largest probability of each output, over all inputs."""
        return tuple(max(column) for column in zip(*self.rows, strict=True))

    def worst(self, near: Callable[[Any, Any], bool] | None = None) -> WorstAnswer:
        """Find the largest P(y | x)/P(y | x') over pairs of different inputs.

        Args:
            near: which pairs count; None for all.
        """
        return worst_of(
            WorstAnswer(_ratio(p, q), x, other, y)
            for x, row in zip(self.inputs, self.rows, strict=True)
            for other, under in zip(self.inputs, self.rows, strict=True)
            if x != other and (near is None or near(x, other))
            for y, p, q in zip(self.outputs, row, under, strict=True)
            if p or q
        )


def _exact(probability: Any, x: Any) -> Fraction:
    try:
        return Fraction(probability)
    except (TypeError, ValueError, ArithmeticError):
        raise ParameterError(f"row of {x!r}", "must be fractions >= 0", probability) from None


def worst_of(found: Iterable[WorstAnswer]) -> WorstAnswer:
    """Find the largest ratio; it is 1 where there is none."""
    largest = WorstAnswer(Fraction(1), None, None, None)
    for each in found:
        if each.ratio is None:
            return each
        assert largest.ratio is not None
        if largest.y is None or each.above(largest.ratio):
            largest = each
    return largest


def _ratio(p: Fraction, q: Fraction) -> Fraction | None:
    return p / q if q else None
