"""Objects of a wanted epsilon."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldp_verified import UE, HalfPlus, TwoCoins, Warner
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize import Randomizer

MAKERS: dict[str, Callable[[float, float], Randomizer]] = {
    "warner": lambda epsilon, _: Warner.for_epsilon(epsilon),
    "half_plus": lambda epsilon, _: HalfPlus.for_epsilon(epsilon),
    "two_coins": lambda epsilon, share: TwoCoins.for_epsilon(epsilon, yes=share / 2),
    "ue": lambda epsilon, share: UE.for_epsilon(epsilon, one=share, k=5),
}


@pytest.mark.parametrize("name", MAKERS)
@example(epsilon=1e-6, share=0.5)
@example(epsilon=700.0, share=0.5)
@example(epsilon=1.0, share=1e-9)
@example(epsilon=1.0, share=1 - 2**-40)
@given(epsilon=st.floats(1e-6, 700), share=st.floats(2**-10, 1 - 2**-10))
@settings(max_examples=25, deadline=None)
def test_never_above_and_nearly_at_the_wanted_epsilon(
    name: str, epsilon: float, share: float
) -> None:
    made = MAKERS[name](epsilon, share)
    assert made.realized_epsilon <= made.epsilon <= epsilon
    assert made.epsilon >= epsilon * (1 - 2**-20)


def test_the_parameter_is_the_formula_rounded() -> None:
    made = TwoCoins.for_epsilon(1.0, yes=Fraction(1, 4))
    e = 2.718281828459045
    assert float(made.heads) == pytest.approx((e - 1) / (e + 3), rel=1e-15)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Warner.for_epsilon(0.0), "epsilon: must be a number > 0"),
        (lambda: Warner.for_epsilon(True), "epsilon: must be a number > 0"),
        (lambda: TwoCoins.for_epsilon(1.0, yes=0.75), "yes: must be a number with 0 < yes <= 1/2"),
        (lambda: UE.for_epsilon(1.0, one=2, k=5), "one: must leave room for 0 < zero < 1"),
        (lambda: UE.for_epsilon(1.0, one=float("nan"), k=5), "one: must be a number with"),
        (lambda: UE.for_epsilon(1.0, one=0.5, k=1), "k: must be an integer in 2"),
    ],
)
def test_what_is_refused(make: Callable[[], Randomizer], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        make()


def test_what_64_bit_words_cannot_draw_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be realizable with 64-bit words"):
        UE.for_epsilon(1e-6, one=1e-9, k=5)
