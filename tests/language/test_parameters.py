from __future__ import annotations

import copy
import pickle

import pytest
from sympy import Rational

from ldp_verified.errors import SpecError
from ldp_verified.language import Parameter, integer, real


def test_a_parameter_carries_its_domain_and_is_equal_only_with_it() -> None:
    k = integer("k", at_least=2)
    assert k == integer("k", at_least=2)
    assert hash(k) == hash(integer("k", at_least=2))
    assert k != integer("k", at_least=1)
    assert k.domain.describe("k") == "integer k >= 2"


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_the_same_parameter(clone: object) -> None:
    gamma = real("gamma", above=0, below=Rational(1, 2))
    assert callable(clone)
    assert clone(gamma) == gamma
    assert clone(gamma).domain == gamma.domain


@pytest.mark.parametrize(
    ("parameter", "inside", "outside"),
    [
        (real("gamma", above=0, below=Rational(1, 2)), [Rational(1, 4)], [0, Rational(1, 2), -1]),
        (integer("k", at_least=2), [2, 3, 10**9], [1, Rational(5, 2), -2]),
        (real("x", at_least=0, at_most=1), [0, 1], [Rational(-1, 10**9), Rational(11, 10)]),
    ],
)
def test_domains_hold_what_they_say(
    parameter: Parameter, inside: list[object], outside: list[object]
) -> None:
    assert all(parameter.domain.contains(value) for value in inside)
    assert not any(parameter.domain.contains(value) for value in outside)


def test_a_bound_may_mention_an_earlier_parameter() -> None:
    k = integer("k", at_least=2)
    omega = integer("omega", at_least=1, at_most=k - 1)
    assert omega.domain.contains(3, {k: 4})
    assert not omega.domain.contains(4, {k: 4})
    with pytest.raises(SpecError, match="without a value"):
        omega.domain.contains(3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: real("gamma", above=0.0), "not a float"),
        (lambda: real("gamma", above=True), "must be a number"),
        (lambda: real("gamma", above=1, below=1), "must not be empty"),
        (lambda: real("gamma", above=0, at_least=0), "not both"),
        (lambda: real("1x"), "identifier"),
        (lambda: integer("k", at_least=3, at_most=2), "must not be empty"),
    ],
)
def test_bad_domains_are_refused_with_the_value(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(SpecError, match=message):
        make()
