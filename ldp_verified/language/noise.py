"""The table form of additive noise: the output is the input plus noise of one law for all inputs.

The law is symmetric about 0 and does not increase away from it. All but `Normal` repeat themselves:
some period further out they are what they were before, times a factor. Which inputs can be told
apart how well is then a matter of how many periods they are apart. A normal law falls ever faster:
no epsilon is enough, and a curve of deltas takes its place (`GaussianLDP`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.density import Piece
from ldp_verified.language.expressions import expression
from ldp_verified.language.pair_table import PairTable
from ldp_verified.language.parameters import Parameter
from ldp_verified.language.privacy import LDP
from ldp_verified.language.structures import OneHot


@dataclass(frozen=True)
class Lattice:
    """Noise on the integers: z has probability mass * decay^|z|.

    Attributes:
        mass: of z = 0. decay: between 0 and 1. Both expressions in the parameters.
    """

    mass: Any
    decay: Any

    def __post_init__(self) -> None:
        """Sympify the cells.

        Raises:
            SpecError: something that is no exact expression.
        """
        for each in fields(self):
            value = expression(f"Lattice.{each.name}", getattr(self, each.name))
            object.__setattr__(self, each.name, value)


@dataclass(frozen=True)
class Steps:
    """Noise with a stepwise density: at |z| = t + j period it is that at t times decay^j.

    Attributes:
        pieces: the density for 0 <= t < period, from left to right.
        period: an expression > 0. decay: an expression between 0 and 1.
    """

    pieces: tuple[Piece, ...]
    period: Any
    decay: Any

    def __init__(self, pieces: Sequence[Piece], period: Any, decay: Any) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: no pieces, or something that is no exact expression.
        """
        if not pieces or not all(isinstance(piece, Piece) for piece in pieces):
            raise SpecError("Steps.pieces", "must be a list of Piece, at least one", pieces)
        object.__setattr__(self, "pieces", tuple(pieces))
        object.__setattr__(self, "period", expression("Steps.period", period))
        object.__setattr__(self, "decay", expression("Steps.decay", decay))


@dataclass(frozen=True)
class _Scaled:
    """A law of one shape.

    Attributes:
        level, scale: expressions > 0 in the parameters.
    """

    level: Any
    scale: Any

    def __post_init__(self) -> None:
        """Sympify the level and the scale.

        Raises:
            SpecError: something that is no exact expression.
        """
        for name in ("level", "scale"):
            value = expression(f"{type(self).__name__}.{name}", getattr(self, name))
            object.__setattr__(self, name, value)


class Exponential(_Scaled):
    """Noise with density level * e^(-|z|/scale); a law has level = 1/(2 scale).

    Attributes:
        level: the density at 0. scale: in the unit of the numbers.
    """


class Normal(_Scaled):
    """Noise with density level * e^(-z^2/(2 scale^2)) / sqrt(2 pi); a law has level = 1/scale.

    Attributes:
        level: the density at 0, times sqrt(2 pi). scale: in the unit of the numbers.
    """


@dataclass(frozen=True)
class Ends:
    """Outputs below `low` are reported as `low`, those above `high` as `high` (a `Lattice`).

    Attributes:
        low, high: expressions; every input lies between them.
        low_report, high_report: what these two reports stand for; the others stand for themselves.
        low_tail, high_tail: parameters in (0, 1] that stand for decay^(x - low), decay^(high - x).
            No polynomial holds these powers: what is proved is proved for any two numbers in
            (0, 1].
    """

    low: Any
    high: Any
    low_report: Any
    high_report: Any
    low_tail: Parameter
    high_tail: Parameter

    def __post_init__(self) -> None:
        """Check the kinds.

        Raises:
            SpecError: something that is no exact expression, tails with another domain, or one
                symbol for both.
        """
        for name in ("low", "high", "low_report", "high_report"):
            object.__setattr__(self, name, expression(f"Ends.{name}", getattr(self, name)))
        for name in ("low_tail", "high_tail"):
            tail = getattr(self, name)
            domain = tail.domain if isinstance(tail, Parameter) else None
            if domain is None or (
                (domain.lower, domain.lower_open, domain.upper, domain.upper_open, domain.integer)
                != (0, True, 1, False, False)
            ):
                rule = f'must be real("{name}", above=0, at_most=1)'
                raise SpecError(f"Ends.{name}", rule, tail)
        if self.low_tail == self.high_tail:
            rule = "must be another parameter than low_tail: the two powers differ"
            raise SpecError("Ends.high_tail", rule, self.high_tail)


Law = Lattice | Steps | Exponential | Normal


@dataclass(frozen=True)
class Noise:
    """The output is x + z, with z drawn by `law` whatever the input x, the `value`.

    Attributes:
        value: x, made by `real` or, for a `Lattice`, `integer`, with its domain.
        law: of z. ends: where outputs are cut off; None for nowhere.
        encoder: None for one number. With `OneHot(k)` the input is a value of k, written as k
            numbers: the upper end of the domain of `value` for its own, the lower end for others.
            Each number gets noise of its own, and the output is all of them; moments are those of
            one number.
    """

    value: Parameter
    law: Law
    ends: Ends | None = None
    encoder: OneHot | None = None

    structure = None  # nothing combinatorial stands behind it

    def __post_init__(self) -> None:
        """Check the kinds of the arguments.

        Raises:
            SpecError: an input without two closed bounds or of the wrong kind, a law that is none,
                ends on something else than a `Lattice`, bounds or ends of a `Lattice` that need
                not be integers, or an encoder that is no `OneHot` or on `Steps` or `Normal`.
        """
        lattice = isinstance(self.law, Lattice)
        if not isinstance(self.law, Law):
            raise SpecError("law", "must be a Lattice, Steps, Exponential or Normal", self.law)
        if not isinstance(self.value, Parameter) or self.value.domain.integer != lattice:
            kind = "integer" if lattice else "real"
            raise SpecError("value", f'must be {kind}("x", at_least=..., at_most=...)', self.value)
        domain = self.value.domain
        if domain.lower is None or domain.upper is None or domain.lower_open or domain.upper_open:
            rule = "must have two bounds that belong to its domain"
            raise SpecError("value", rule, domain.describe(self.value.name))
        if self.ends is not None and not (isinstance(self.ends, Ends) and lattice):
            raise SpecError("ends", "must be Ends, on a Lattice", self.ends)
        if lattice:
            bounds = {"value": domain.lower, "value's end": domain.upper}
            if self.ends is not None:
                bounds |= {"Ends.low": self.ends.low, "Ends.high": self.ends.high}
            for name, bound in bounds.items():
                if not _is_whole(bound):
                    rule = "must be a sum of products of integers and integer parameters"
                    raise SpecError(name, rule, bound)
        if self.encoder is not None and (
            not isinstance(self.encoder, OneHot) or isinstance(self.law, Steps | Normal)
        ):
            rule = "must be OneHot, with the law a Lattice or Exponential"
            raise SpecError("encoder", rule, self.encoder)

    @property
    def tails(self) -> tuple[Parameter, ...]:
        """The two parameters that follow from the input; none without ends."""
        return () if self.ends is None else (self.ends.low_tail, self.ends.high_tail)

    @property
    def values(self) -> None:
        """Return None: no reader of the class needs the number of input values."""
        return

    @property
    def reach(self) -> Any:
        """How far inputs are apart at most."""
        return sympy.sympify(self.value.domain.upper) - self.value.domain.lower

    def cells(self) -> dict[str, Any]:
        """Every expression by name: mass, decay, low0, high0, level0, ..., end_low, ..."""
        found: dict[str, Any] = {}
        match self.law:
            case Steps() as law:
                for i, piece in enumerate(law.pieces):
                    found |= {f"low{i}": piece.low, f"high{i}": piece.high}
                    found |= {f"level{i}": piece.level}
                found |= {"period": law.period, "decay": law.decay}
            case _:
                found |= {each.name: getattr(self.law, each.name) for each in fields(self.law)}
        for name in () if self.ends is None else ("low", "high", "low_report", "high_report"):
            found[f"end_{name}"] = getattr(self.ends, name)
        return found

    def with_cells(self, cells: Mapping[str, Any]) -> Noise:
        """This noise with other expressions in its cells."""
        match self.law:
            case Steps() as law:
                parts = range(len(law.pieces))
                pieces = [
                    Piece(cells[f"low{i}"], cells[f"high{i}"], cells[f"level{i}"]) for i in parts
                ]
                made: Law = Steps(pieces, cells["period"], cells["decay"])
            case _:
                made = type(self.law)(*(cells[each.name] for each in fields(self.law)))
        names = ("low", "high", "low_report", "high_report")
        ends = self.ends and replace(self.ends, **{name: cells[f"end_{name}"] for name in names})
        return Noise(self.value, made, ends, self.encoder)

    def map(self, function: Callable[[Any], Any]) -> Noise:
        """The form with `function` applied to every expression, the input left as it is."""
        made = self.with_cells({name: function(cell) for name, cell in self.cells().items()})
        return replace(made, encoder=self.encoder and self.encoder.map(function))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for all cells, the tails and the input's bounds too."""
        for name, value in self.cells().items():
            yield f"table.{name}", value
        for name, tail in zip(("low_tail", "high_tail"), self.tails, strict=False):
            yield f"table.ends.{name}", tail
        yield "table.value", self.reach
        if self.encoder is not None:
            yield "table.OneHot.values", self.encoder.values

    def claim_expressions(self, claim: Any) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs of a claim; epsilon as `privacy_parts` has it."""
        if isinstance(claim, LDP):
            parts = self.privacy_parts(claim.epsilon)
            yield from ((f"LDP.epsilon, {name}", value) for name, value in parts.items())
            yield "LDP.delta", claim.delta
        else:
            yield from claim.expressions()

    def privacy_parts(self, epsilon: Any) -> dict[str, Any]:
        """An epsilon in parts without powers that no polynomial holds.

        `exponent`: epsilon itself (`Exponential`, `Normal`). `times` and `ratio`: epsilon is times
        ln(ratio); both may be expressions.

        Raises:
            SpecError: epsilon is no multiple of one logarithm though it has one.
        """
        if isinstance(self.law, Exponential | Normal):
            return {"exponent": epsilon}
        logarithms = sorted(epsilon.atoms(sympy.log), key=str)
        if not logarithms:
            return {"times": sympy.S.One, "ratio": sympy.exp(epsilon)}
        # With log=True the logarithm of 16 is four of 2, and not the one that is looked for.
        times = sympy.expand(epsilon, log=False).coeff(logarithms[0], 1)
        rest = sympy.expand(epsilon - times * logarithms[0], log=False)
        if len(logarithms) > 1 or rest != 0:
            raise SpecError("LDP.epsilon", "must be a multiple of one logarithm", epsilon)
        argument = logarithms[0].args[0]
        if times.could_extract_minus_sign():
            return {"times": -times, "ratio": 1 / argument}
        return {"times": times, "ratio": argument}

    def pair_tables(self) -> tuple[PairTable, ...]:
        """Refuse, as noise has no pair tables.

        Raises:
            SpecError: always; noise is derived and proved by functions of its own.
        """
        raise SpecError("table", "is Noise, which has no pair tables: `verify` knows it")


def _is_whole(bound: Any) -> bool:
    """Return whether a bound is a polynomial over the integers in integer parameters."""
    made = sympy.sympify(bound)
    symbols = sorted(made.free_symbols, key=str)
    if not symbols:
        return bool(made.is_Integer)
    if not all(isinstance(s, Parameter) and s.domain.integer for s in symbols):
        return False
    if not made.is_polynomial(*symbols):
        return False
    return all(c.is_Integer for c in sympy.Poly(made, *symbols).coeffs())
