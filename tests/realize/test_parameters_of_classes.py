"""Every class of the catalogue over the whole range of its parameters, corners included.

An object is either made, and then keeps its claim, writes reports that its server accepts and
estimates finite numbers; or it is refused with the argument, the rule and the value.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize import RoundedTable
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.geometric import GeometricRandomizer
from ldp_verified.run.realize.tables import balls
from tests.mechanisms.parameters import CLASSES, ODD, arguments, is_numeric, kind, usual
from tests.registry import RANGE, covers

USERS = 3


def refusal_of(made: type[Any], given_: dict[str, Any]) -> ParameterError | None:
    """Why an object is refused; None where it is made."""
    try:
        made(**given_)
    except ParameterError as error:
        return error
    return None


def check_refusal(made: type[Any], error: ParameterError) -> None:
    """The error names parameters of the class, or the epsilon they give; a rule and a value."""
    named = {part.strip() for part in error.argument.split(",")}
    assert named & {*inspect.signature(made).parameters, "epsilon"}, error
    assert error.rule.startswith("must "), error
    assert ", got " in str(error), error


def loss(made: Any) -> Any:
    """ln of the largest ratio, as a ball."""
    if isinstance(made, GeometricRandomizer):
        # The ratio itself has millions of digits on a fine grid; others compare both on coarse.
        return -made.steps * balls.ball(made.alpha).log()
    numeric = is_numeric(type(made))
    return balls.ball(made.worst_ratio if numeric else made._realization.worst_ratio).log()


def check_object(made: Any) -> None:
    """Check the properties of every object that could be made."""
    assert made.realized_epsilon <= made.epsilon
    assert balls.decide(lambda: balls.at_most(loss(made), made.epsilon))
    assert 0 <= made.gap < made.epsilon
    if isinstance(made, RoundedTable):
        assert 0 < made.q < made.p < 1
        assert 0 <= made.q_star < made.p_star <= 1
        assert all(0 < made.variance(USERS, f) < float("inf") for f in (0, 0.5, 1))
    values = made.bounds if is_numeric(type(made)) else made.labels[:: max(1, made.k - 1)]
    reports = made.privatize([*values][:USERS], rng=1)
    assert reports.simulated
    cuts = made._sampler.cuts if hasattr(made, "_sampler") else ()
    assert all(0 <= cut < 1 << 64 for cut in cuts)  # machine code has no larger constants
    again = made.reports(
        np.array(reports.data), simulated=False
    )  # checked against the layout once more
    assert again.identity == reports.identity
    if is_numeric(type(made)):
        estimate = made.mean_estimate(again)
        assert np.isfinite([estimate.mean, estimate.std_error]).all()
        return
    counts = made.aggregate(again).estimate().counts
    assert counts.shape == (made.k,)
    assert np.isfinite(counts).all()


@covers(RANGE, *CLASSES)
@pytest.mark.parametrize("name", CLASSES)
@given(data=st.data())
@settings(max_examples=25)
def test_an_object_keeps_its_claim_or_is_refused(name: str, data: st.DataObject) -> None:
    made = CLASSES[name]
    drawn = data.draw(arguments(made))
    error = refusal_of(made, drawn)
    if error is None:
        check_object(made(**drawn))
    else:
        check_refusal(made, error)


EXTREMES = [1e-6, 0.1, 1.0, 5.0, 44.0, 700.0]
NUMBERS = [2, 3, 1000]


def takes(name: str) -> list[str]:
    """The classes that have a parameter of that name."""
    return [each for each, made in CLASSES.items() if name in inspect.signature(made).parameters]


@pytest.mark.parametrize("name", CLASSES)
def test_the_corners_of_epsilon_and_k_are_made(name: str) -> None:
    """Every class can be made at the corners; else the test above would see nothing."""
    made = CLASSES[name]
    epsilons: list[Any] = EXTREMES if name in takes("epsilon") else [None]
    sizes: list[Any] = NUMBERS if name in takes("k") else [None]
    for epsilon in epsilons:
        for k in sizes:
            corner = {"epsilon": epsilon, "k": k}
            check_object(made(**usual(made) | {a: v for a, v in corner.items() if v is not None}))


@pytest.mark.parametrize("name", takes("k"))
def test_a_million_values_are_taken(name: str) -> None:
    check_object(CLASSES[name](**usual(CLASSES[name]) | {"k": (1 << 20) + 1}))


ARGUMENTS = [
    (name, argument)
    for name, made in CLASSES.items()
    for argument in inspect.signature(made).parameters
    if argument != "categories"
]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_values_of_the_wrong_kind_are_refused(name: str, argument: str) -> None:
    made = CLASSES[name]
    for value in ODD:
        if argument == "seed" and value == 0:
            continue  # the seed that is taken where none is given
        error = refusal_of(made, usual(made) | {argument: value})
        assert error is not None, value
        check_refusal(made, error)
        assert error.argument == argument, error
        assert repr(value) in str(error), error


@pytest.mark.parametrize("name", takes("k"))
@pytest.mark.parametrize("k", [1, 0, -3, 2.5, 1 << 40])
def test_numbers_of_values_that_mean_nothing_are_refused(name: str, k: float) -> None:
    """One value is no secret: k = 1 is an error too, and says what k may be."""
    error = refusal_of(CLASSES[name], usual(CLASSES[name]) | {"k": k})
    assert error is not None
    assert error.argument == "k"
    assert "must be an integer in 2.." in error.rule
    assert str(k) in str(error)


@pytest.mark.parametrize("name", takes("omega"))
def test_a_set_of_reports_of_every_size_is_made_and_no_other(name: str) -> None:
    made = CLASSES[name]
    for omega in range(1, 7):
        check_object(made(**usual(made) | {"k": 7, "omega": omega}))
    for omega in (0, 7, 8):
        error = refusal_of(made, usual(made) | {"k": 7, "omega": omega})
        assert error is not None
        assert error.argument == "omega"


def test_a_parameter_of_an_unknown_kind_is_noticed() -> None:
    class Odd:
        def __init__(self, breadth: int) -> None:
            self.breadth = breadth

    with pytest.raises(LookupError, match=r"Odd\.breadth"):
        kind(Odd, "breadth")


def test_an_object_that_breaks_its_claim_is_noticed() -> None:
    for name in ("GRR", "OUE", "Grades", "Duchi"):
        broken = CLASSES[name](**usual(CLASSES[name]))
        object.__setattr__(broken, "epsilon", 0.99 * broken.epsilon)
        with pytest.raises(AssertionError):
            check_object(broken)


def test_an_error_that_names_nothing_is_noticed() -> None:
    made = CLASSES["GRR"]
    for argument, rule, got in (
        ("breadth", "must be 1", (2,)),
        ("k", "no", (2,)),
        ("k", "must", ()),
    ):
        with pytest.raises(AssertionError):
            check_refusal(made, ParameterError(argument, rule, *got))


@pytest.mark.parametrize("name", CLASSES)
def test_values_that_are_accepted_are_those_that_the_kernel_takes(name: str) -> None:
    """`privatize` checks the range once, by k; the kernel relies on it."""
    made = usual(CLASSES[name])
    if isinstance(made, Randomizer):
        assert made._sampler.inputs == made.k
