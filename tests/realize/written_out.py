"""Classes of explicit tables as `generate` writes them, made from numbers instead of a spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import strategies as st

from ldp_verified.run.realize import TableRandomizer, rational

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.realize import Categories

Rows = tuple[tuple[Fraction, ...], ...]


def constant_table(
    rows: Sequence[Sequence[Fraction]], base: Any = TableRandomizer
) -> TableRandomizer:
    """The object of a class whose cells are these numbers."""
    flat = [Fraction(cell) for row in rows for cell in row]
    m = len(rows[0])

    @dataclass(frozen=True, repr=False)
    class Constant(base):  # type: ignore[misc]  # the base is an argument
        categories: Categories | None = None
        epsilon: float = field(init=False)
        k: int = field(default=len(rows), init=False)

        name: ClassVar[str] = "constant"
        law_sha256: ClassVar[str] = ""
        exponent: ClassVar[str | None] = None
        pattern: ClassVar[Any] = tuple(tuple(range(x * m, (x + 1) * m)) for x in range(len(rows)))

        @staticmethod
        def cells(t: Any) -> tuple[Any, ...]:
            return tuple(rational(cell.numerator, cell.denominator, t) for cell in flat)

    made: TableRandomizer = Constant()
    return made


def power_table(
    epsilon: float,
    powers: Sequence[Sequence[int]],
    root: int,
    base: Any = TableRandomizer,
) -> TableRandomizer:
    """P(y|x) = t^powers[x][y] / (their sum in row x), t = e^(-epsilon/root)."""

    @dataclass(frozen=True, repr=False)
    class Powers(base):  # type: ignore[misc]  # the base is an argument
        epsilon: float
        categories: Categories | None = None
        k: int = field(default=len(powers), init=False)

        name: ClassVar[str] = "powers"
        law_sha256: ClassVar[str] = ""
        pattern: ClassVar[Any] = tuple(
            tuple(range(x * len(row), (x + 1) * len(row))) for x, row in enumerate(powers)
        )

        @staticmethod
        def cells(t: Any) -> tuple[Any, ...]:
            found = []
            for row in powers:
                weights = [t**power for power in row]
                total = sum(weights[1:], weights[0])
                found += [weight / total for weight in weights]
            return tuple(found)

    Powers.root = root
    made: TableRandomizer = Powers(epsilon)
    return made


@st.composite
def tables(draw: st.DrawFn, most: int = 5) -> Rows:
    """Rows of positive fractions with sum 1, from equal to very unequal."""
    d, m = draw(st.integers(2, most)), draw(st.integers(2, most))
    weight = st.one_of(st.integers(1, 4), st.integers(1, 10**6))
    rows = []
    for _ in range(d):
        weights = draw(st.lists(weight, min_size=m, max_size=m))
        rows.append(tuple(Fraction(w, sum(weights)) for w in weights))
    return tuple(rows)


@st.composite
def power_grids(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """2..4 rows of 2..5 exponents 0..2, not all rows equal."""
    d, m = draw(st.integers(2, 4)), draw(st.integers(2, 5))
    row = st.lists(st.integers(0, 2), min_size=m, max_size=m).map(tuple)
    return tuple(draw(st.lists(row, min_size=d, max_size=d, unique=True)))
