"""Wrong mechanisms, printed without a certificate: the kernel has to stop at the named lemma."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Mechanism,
    Optimal,
    Rational,
    Variance,
    exp,
    f,
    n,
)
from tests.finite import FINITE

CATALOGUE = {m.name: m for m in FINITE}
EPS = next(p for p in CATALOGUE["grr"].parameters if p.name == "eps")
K = next(p for p in CATALOGUE["grr"].parameters if p.name == "k")
G = next(p for p in CATALOGUE["olh"].parameters if p.name == "g")
U = exp(EPS)


def altered(
    name: str,
    table: Callable[[Any], Any] = lambda table: table,
    claims: Callable[[list[Any]], list[Any]] = lambda claims: claims,
) -> Mechanism:
    """A catalogue mechanism with another table or other claims."""
    m = CATALOGUE[name]
    return Mechanism(
        name,
        parameters=m.parameters,
        table=table(m.table),
        claims=claims(list(m.claims)),
        origin=m.origin,
    )


def only(kind: type, change: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """The claims with `change` made to those of one kind."""
    return lambda claims: [change(c) if isinstance(c, kind) else c for c in claims]


def design(**fields: Any) -> Callable[[Any], Any]:
    """A design with other numbers."""

    def change(table: Any) -> Any:
        assert isinstance(table, Design)
        return replace(table, **fields)

    return change


S = exp(EPS / 2)
(BELOW,) = (p for p in CATALOGUE["the_below"].parameters if p.name == "below")
HALF = {BELOW: Rational(1, 2)}
SYMMETRIC = {"one": S / (S + 1), "zero": 1 / (S + 1)}

WRONG: dict[str, tuple[Mechanism, str]] = {
    "multiplicity": (altered("grr", design(containing=2)), "grr_algebra_containing"),
    "number of blocks": (altered("grr", design(blocks=K - 1)), "grr_algebra_blocks"),
    "lambda": (altered("grr", design(together=Rational(1, 2))), "grr_algebra_together"),
    "lambda of hashing": (
        altered("olh", lambda t: replace(t, together=t.containing / (G + 1))),
        "olh_algebra_together",
    ),
    "k for k - 1": (
        altered("grr", design(inside=U / (U + K), outside=1 / (U + K))),
        "grr_algebra_sum",
    ),
    "half the epsilon": (
        altered("grr", claims=only(LDP, lambda c: replace(c, epsilon=EPS / 2))),
        "grr_algebra_ratio",
    ),
    "twice the epsilon is not tight": (
        altered("oue", claims=only(LDP, lambda c: replace(c, epsilon=2 * EPS))),
        "oue_algebra_tight",
    ),
    "variance": (
        altered("oue", claims=only(Variance, lambda c: replace(c, value=c.value + n))),
        "oue_algebra_variance_at_0",
    ),
    "variance for k - 1": (
        altered(
            "grr",
            claims=only(Variance, lambda c: replace(c, value=c.value.subs(K, K - 1))),
        ),
        "grr_algebra_variance_at_0",
    ),
    "optimal parameter": (
        altered("olh", claims=only(Optimal, lambda c: replace(c, values={G: U + 2}))),
        "olh_algebra_optimal",
    ),
    "optimal cells of another table": (
        altered("oue", claims=only(Optimal, lambda c: replace(c, values=SYMMETRIC))),
        "oue_algebra_optimal_one",
    ),
    "optimal cells that are not": (
        altered(
            "oue",
            lambda t: Bits(SYMMETRIC["one"], SYMMETRIC["zero"], t.encoder),
            lambda claims: [
                c if isinstance(c, LDP) else replace(c, values=SYMMETRIC)
                for c in claims
                if isinstance(c, LDP | Optimal)
            ],
        ),
        "oue_algebra_optimal",
    ),
    "lambda of subsets": (
        altered("subset_selection", lambda t: replace(t, together=t.containing / 2)),
        "subset_selection_algebra_together",
    ),
    "columns of a Hadamard matrix": (
        altered("hadamard_response", lambda t: replace(t, containing=3 * t.blocks / 4)),
        "hadamard_response_algebra_containing",
    ),
    "lambda of a Hadamard sketch without collisions": (
        altered("hcms", lambda t: replace(t, together=t.containing / 2)),
        "hcms_algebra_together",
    ),
    "half the epsilon of a sketch": (
        altered("cms", claims=only(LDP, lambda c: replace(c, epsilon=c.epsilon / 2))),
        "cms_algebra_ratio",
    ),
    "variance of a sketch without collisions": (
        altered("cms", claims=only(Variance, lambda c: replace(c, value=c.value.subs(f, 1)))),
        "cms_algebra_variance",
    ),
    "optimal threshold": (
        altered("the_below", claims=only(Optimal, lambda c: replace(c, values=HALF))),
        "the_below_algebra_optimal",
    ),
}
