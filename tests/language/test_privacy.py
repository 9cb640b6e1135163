from __future__ import annotations

from typing import Any, cast

import pytest
from sympy import Rational, exp, log

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, GaussianLDP, MetricLDP, PersonalisedLDP, real

eps = real("eps", above=0)


def test_bounds_between_pairs() -> None:
    assert LDP(eps).ratio_between(0, 1) == exp(eps)
    metric = MetricLDP(eps, lambda a, b: abs(a - b))
    assert metric.ratio_between(0, 3) == exp(3 * eps)
    table = MetricLDP(eps, {("a", "b"): Rational(1, 2), ("a", "c"): None})
    assert table.ratio_between("b", "a") == exp(eps / 2)
    assert table.ratio_between("a", "c") is None
    personal = PersonalisedLDP(log(2), ["a", "b"])
    assert personal.ratio_between("a", "b") == 2
    assert personal.ratio_between("a", "c") is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LDP(0.5), "not a float"),
        (lambda: LDP(eps == 1), "Eq"),
        (lambda: GaussianLDP(0.5), "GaussianLDP.mu"),
        (lambda: LDP(eps, delta=1e-6), "not a float"),
        (lambda: PersonalisedLDP(eps, ["a"]), "at least two"),
        (lambda: PersonalisedLDP(eps, cast("Any", 5)), "must be a collection of inputs"),
        (lambda: PersonalisedLDP(eps, "ab"), "must be a collection of inputs"),
        (lambda: MetricLDP(eps, {("a", "b"): 1}).ratio_between("a", "c"), "every pair"),
        (lambda: MetricLDP(eps, lambda *_: -1).ratio_between("a", "c"), "rational number >= 0"),
        (lambda: MetricLDP(eps, lambda *_: eps).ratio_between("a", "c"), "rational number >= 0"),
        (lambda: MetricLDP(eps, [[0, 1], [1, 0]]), "MetricLDP.distance: must be a mapping"),
        (lambda: MetricLDP(eps, 1), "MetricLDP.distance: must be a mapping"),
        (lambda: MetricLDP(eps, lambda a: a).ratio_between("a", "c"), "every pair of inputs, and"),
        (lambda: MetricLDP(eps, lambda a, b: a - b).ratio_between("a", "c"), "every pair of"),
    ],
)
def test_what_bounds_nothing_is_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make()
