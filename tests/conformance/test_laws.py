"""Expected laws on nodes against tables, and wrong twins of a density of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.check.conformance.laws import laws
from ldp_verified.check.conformance.numeric import NumericSubject, numeric_subject
from ldp_verified.check.conformance.results import ConformanceOutcome
from ldp_verified.check.conformance.run import conform
from tests.generate.own_lines import example, renamed

if TYPE_CHECKING:
    from numpy.typing import NDArray

B = Fraction(1, 4)


@pytest.mark.parametrize(
    "source, name, more",
    [(example, "two_steps", (B,)), (example, "tilted", ()), (renamed, "duchi", ())],
)
def test_the_law_on_nodes_is_the_table(
    source: Callable[[str], Any], name: str, more: tuple[Fraction, ...]
) -> None:
    """Integrated piece by piece in doubles here, second differences of integers there."""
    cls, spec = source(name)
    made = cls(1.0, *more, grid=5, cells=12)
    subject = numeric_subject(made, spec)
    d, half = made.decoding, made.decoding.step / 2
    for i in range(6):
        ((weight, law),) = subject.laws(Fraction(i, 5))
        assert weight == 1
        for y in range(made.outputs):
            at = d.value(y)
            found = law.at(at) if d.atoms else law.between(at - half, at + half)
            assert found == pytest.approx(float(made.pmf(y, i)), abs=1e-12)
        exact = [float(made.pmf(y, i) * d.value(y) ** 2) for y in range(made.outputs)]
        assert law.square == pytest.approx(sum(exact), rel=1e-9)
        assert law.mean == pytest.approx(float(made._table.moments(i)[0]), abs=1e-12)
    assert subject.form is not None
    between = laws(subject.form, subject.point, d, 5, Fraction(3, 10))
    assert [weight for weight, _ in between] == [Fraction(1, 2), Fraction(1, 2)]


def wrong(what: str) -> NumericSubject:
    """A density of one's own that is drawn or read in another way than it says."""
    cls, spec = example("two_steps")
    right = numeric_subject(cls(1.0, B, grid=16, cells=96), spec)

    def drawn_by(other: Any, change: Callable[[NDArray[Any]], NDArray[Any]] = lambda d: d) -> Any:
        draw = numeric_subject(other, spec).draw
        return lambda shares, rng: change(draw(shares, rng))

    same = cls(1.0, B, grid=16, cells=96)
    match what:
        case "the levels of 2 eps":
            return replace(right, draw=drawn_by(cls(2.0, B, grid=16, cells=96)))
        case "another b":
            return replace(right, draw=drawn_by(cls(1.0, B / 2, grid=16, cells=96)))
        case "the line turned round":
            return replace(right, draw=drawn_by(same, lambda d: 96 - d))
        case _:
            step = right.decoding.step
            return replace(right, decoding=replace(right.decoding, step=step * Fraction(11, 10)))


@pytest.mark.parametrize(
    "what", ["the levels of 2 eps", "another b", "the line turned round", "a wider step"]
)
def test_a_wrong_twin_is_rejected(what: str) -> None:
    assert conform(wrong(what), n=400_000).outcome is ConformanceOutcome.REJECTED
