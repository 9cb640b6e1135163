"""Declarations on which checkers contradicted each other, or which made one of them fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.language import (
    LDP,
    Ends,
    Exponential,
    Lattice,
    Matrix,
    Mean,
    Mechanism,
    MetricLDP,
    Noise,
    Normal,
    Piece,
    Rational,
    Steps,
    Unbiased,
    Variance,
    exp,
    integer,
    log,
    n,
    real,
)
from ldp_verified.prove import verify
from ldp_verified.prove.routes import RouteSubject, certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

eps = real("eps", above=0)
p = exp(eps) / (exp(eps) + 1)
a = real("a", above=0, below=1)
x = real("x", at_least=-1, at_most=1)
m = integer("m", at_least=0)
z = integer("z", at_least=0, at_most=m)
REFUTED, PROVED = "refuted", "proved by one group"
"""Coq is not asked here."""


def statuses(table: Any, claims: Sequence[Any], *parameters: Any) -> dict[str, str]:
    """Obligation -> status."""
    made = Mechanism("m", parameters=parameters, table=table, claims=claims)
    return {v.obligation: v.status.value for v in verify(made, 4, coq=False).verdicts}


def response(own: Any) -> Matrix:
    return Matrix([[own, 1 - own], [1 - own, own]])


@pytest.mark.parametrize("first", [Rational(1, 3), Rational(2, 3), Rational(1, 6), a / 3])
def test_no_estimator_is_unbiased_where_all_inputs_have_one_law(first: Any) -> None:
    """Each pair of inputs has weights of its own that are, and no estimator has them all."""
    table = Matrix([[first, 1 - first]] * 2)
    used = [a] if first.free_symbols else []
    found = statuses(table, [Unbiased(), Variance(2 * n)], *used)
    assert found["unbiased"] == found["variance"] == REFUTED


def test_the_certificate_alone_does_not_show_it() -> None:
    table = Matrix([[Rational(1, 3), Rational(2, 3)]] * 2)
    made = Mechanism("m", parameters=[], table=table, claims=[Unbiased(), Variance(2 * n)])
    said = certificate(RouteSubject(made))
    assert (said.accepts, said.why) == (False, "unbiased/0/1/p*: the two sides differ")


def test_a_distance_of_a_half_needs_no_such_root_in_the_table() -> None:
    both = [MetricLDP(2 * eps, {(0, 1): Rational(1, 2)}), MetricLDP(eps, {(0, 1): Rational(1, 2)})]
    assert statuses(response(p), both[:1], eps)["ratio"] == PROVED
    assert statuses(response(p), both[1:], eps)["ratio"] == REFUTED


@pytest.mark.parametrize("share", [Rational(49, 50), Rational(63, 64)])
def test_an_epsilon_a_little_too_small_is_refuted(share: Any) -> None:
    assert statuses(response(p), [LDP(share * eps)], eps)["ratio"] == REFUTED


def test_the_mean_of_what_is_no_law_is_not_refuted_by_that_of_a_law() -> None:
    law = Exponential(level=1 / a, scale=a)
    found = statuses(Noise(value=x, law=law), [LDP(2 / a), Mean(2 * x)], a)
    assert (found["sums_to_one"], found["mean"]) == (REFUTED, "open")


low_tail, high_tail = (real(f"{side}_tail", above=0, at_most=1) for side in ("low", "high"))
top = integer("top", at_least=1)
inner = integer("inner", at_least=0, at_most=top)
BEYOND = a / (1 - a)
SLIPPED: dict[str, Callable[[Any], tuple[Any, list[Any]]]] = {
    "exponential": lambda slip: (Noise(x, Exponential((1 / a + slip) / 2, a)), [a]),
    "normal": lambda slip: (Noise(x, Normal(level=1 / a + slip, scale=a)), [a]),
    "lattice": lambda slip: (Noise(z, Lattice((1 - a) / (1 + a) + slip, a)), [a, m]),
    "steps": lambda slip: (Noise(x, Steps([Piece(0, 1, (1 - a) / 2 + slip)], 1, a)), [a]),
    "cut": lambda slip: (
        Noise(
            inner,
            Lattice((1 - a) / (1 + a) + slip, a),
            Ends(0, top, -BEYOND, top + BEYOND, low_tail=low_tail, high_tail=high_tail),
        ),
        [a, top, low_tail, high_tail],
    ),
}
"""Laws whose mass is not 1 by a slip in their level."""


@pytest.mark.parametrize("digits", [5, 9, 30, 60])
@pytest.mark.parametrize("name", SLIPPED)
def test_a_mass_that_is_not_quite_1_contradicts_nobody(name: str, digits: int) -> None:
    """The mass is exact to the certificate, and between bounds to the enumeration."""
    table, parameters = SLIPPED[name](Rational(1, 10**digits))
    found = statuses(table, [], *parameters)
    assert found["sums_to_one"] in {5: [REFUTED], 9: [REFUTED], 60: ["open"]}.get(
        digits, [REFUTED, "open"]
    )
    rest = {status for kind, status in found.items() if kind not in ("defined", "nonnegative")}
    assert rest <= {REFUTED, "open"}
    assert found["mean"] == found["report_variance"] == "open"


@pytest.mark.parametrize("name", SLIPPED)
def test_what_is_claimed_of_a_mass_that_is_not_quite_1_contradicts_nobody(name: str) -> None:
    """What is cut off is written out in full, and has another mean: it is refuted."""
    table, parameters = SLIPPED[name](Rational(1, 10**30))
    found = statuses(table, [Mean(table.value)], *parameters)["mean"]
    assert found == (REFUTED if name == "cut" else "open")


def test_ends_that_may_be_one_place_are_refuted_by_both() -> None:
    """Both ends at 0 are two reports to the certificate, and one to the enumeration."""
    law = Lattice((1 - a) / (1 + a), a)
    ends = Ends(0, m, -BEYOND, m + BEYOND, low_tail=low_tail, high_tail=high_tail)
    found = statuses(Noise(z, law, ends), [Mean(z)], a, m, low_tail, high_tail)
    assert found["nonnegative"] == REFUTED
    assert found["mean"] == "open"


def test_a_domain_that_may_have_one_input_refutes_nothing() -> None:
    table = Noise(value=z, law=Lattice(mass=(1 - a) / (1 + a), decay=a))
    tight = statuses(table, [LDP(-m * log(a), tight=True)], a, m)
    assert {tight["ratio"], tight["tight"]} == {PROVED}
    small = statuses(table, [LDP(-(m - 1) * log(a))], a, m)
    assert small["ratio"] == REFUTED
