"""The verifier accepts genuine certificates and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sympy import Eq, Rational, exp

from ldp_verified.derive import NoEstimator
from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Holds,
    Mechanism,
    OneHot,
    Optimal,
    Singletons,
    Unbiased,
    Variance,
    f,
    integer,
    n,
    real,
)
from ldp_verified.prove.certificates.checker import CheckerOutcome, check
from ldp_verified.prove.prepared import case
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.statements.statement import statement
from tests.broken.certificates import FORGERIES, Certificate, forged
from tests.broken.mechanisms import BROKEN, Broken
from tests.finite import FINITE

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)
CATALOGUE = {m.name: m for m in FINITE}
KINDS = {LDP: "ratio", Unbiased: "unbiased", Variance: "variance", Holds: "holds"}
ELEMENTARY = ["grr", "olh", "oue", "sue", "warner"]


@cache
def certified(name: str) -> tuple[dict[str, Any], Certificate]:
    """Statement and genuine certificate of a mechanism of the catalogue."""
    text = statement(CATALOGUE[name])
    return text, find(text, name, "")


def kary(*claims: Any, **cells: Any) -> Mechanism:
    fields = {"blocks": k, "containing": 1, "together": 0}
    fields |= {"inside": u / (u + k - 1), "outside": 1 / (u + k - 1)} | cells
    table = Design(**fields, structure=Singletons(k))
    return Mechanism("kary", parameters=[eps, k], table=table, claims=claims)


def decide(mechanism: Mechanism) -> list[CheckerOutcome]:
    text = statement(mechanism)
    return check(text, find(text, mechanism.name, mechanism.spec_hash))


def shown(outcomes: list[CheckerOutcome], kind: str) -> bool:
    return all(o.shown for o in outcomes if o.obligation.kind == kind)


@pytest.mark.evidence(of="name")
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue_is_certified_completely(name: str) -> None:
    this = case(CATALOGUE[name])
    outcomes = check(this.statement, this.certificate)
    assert [o.obligation.name for o in outcomes if not o.shown] == []
    kinds = {o.obligation.kind for o in outcomes}
    claims = CATALOGUE[name].claims
    expected = {"nonnegative", "sums_to_one", "equal_support"}
    expected |= {KINDS[type(claim)] for claim in claims if type(claim) in KINDS}
    expected |= {"tight" for claim in claims if isinstance(claim, LDP) and claim.tight}
    assert kinds >= expected
    # What two coins estimate varies with everybody's values, not with the share alone.
    assert not (name == "two_coins" and "variance" in kinds)


@pytest.mark.parametrize("name", ELEMENTARY)
@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda g: g.__name__)
def test_a_forged_certificate_shows_less(name: str, forgery: Callable[[Certificate], None]) -> None:
    text, certificate = certified(name)
    outcomes = check(text, forged(certificate, forgery))
    assert not all(o.shown for o in outcomes)


@pytest.mark.parametrize("name", ELEMENTARY)
def test_a_certificate_for_another_table_is_rejected(name: str) -> None:
    _, other = certified("grr" if name != "grr" else "oue")
    outcomes = check(certified(name)[0], other)
    assert not any(o.shown for o in outcomes)


def test_a_genuine_proof_moved_under_another_statement_is_rejected() -> None:
    """The proofs of a true claim, with the statement of a false one pasted over."""
    true, false = statement(kary(LDP(eps))), statement(kary(LDP(eps / 2)))
    certificate = find(true, "kary", "") | {"statement": false}
    assert not shown(check(false, certificate), "ratio")


FALSE: list[tuple[str, Mechanism, str]] = [
    ("eps/2 claimed", kary(LDP(eps / 2)), "ratio"),
    ("not tight", kary(LDP(2 * eps, tight=True)), "tight"),
    ("wrong sum", kary(inside=u / (u + k)), "sums_to_one"),
    (
        "p and q swapped",
        kary(LDP(eps), inside=1 / (u + k - 1), outside=u / (u + k - 1)),
        "sums_to_one",
    ),
    ("zero cell", kary(inside=1 / (k - 1), outside=0), "equal_support"),
    ("negative cell", kary(outside=(3 - u) / (u + k - 1)), "nonnegative"),
    (
        "k for k - 1 in the variance",
        kary(Variance(n * (k - 1 + u) / (u - 1) ** 2, at_f=0)),
        "variance",
    ),
    ("no f in the variance", kary(Variance(n * (k - 2 + u) / (u - 1) ** 2)), "variance"),
    ("variance of a share", kary(Variance((k - 2 + u) / (n * (u - 1) ** 2), at_f=0)), "variance"),
    ("wrong estimator", kary(Unbiased(supported=(u + k - 1) / (u - 1), otherwise=0)), "unbiased"),
    (
        "wrong equation",
        kary(Holds(Eq(u / (u + k - 1) + k / (u + k - 1), 1, evaluate=False))),
        "holds",
    ),
    ("wrong inequality", kary(Holds(u / (u + k - 1) >= Rational(1, 2))), "holds"),
    (
        "SUE's cells called optimal",
        Mechanism(
            "sue",
            parameters=[eps],
            table=Bits(exp(eps / 2) / (exp(eps / 2) + 1), 1 / (exp(eps / 2) + 1), OneHot(4)),
            claims=[
                Optimal({"one": exp(eps / 2) / (exp(eps / 2) + 1), "zero": 1 / (exp(eps / 2) + 1)})
            ],
        ),
        "optimal",
    ),
    (
        "OUE's cells called optimal at f = 1/2",
        Mechanism(
            "oue",
            parameters=[eps],
            table=Bits(Rational(1, 2), 1 / (u + 1), OneHot(4)),
            claims=[Optimal({"one": Rational(1, 2), "zero": 1 / (u + 1)}, at_f=Rational(1, 2))],
        ),
        "optimal",
    ),
    (
        "the optimum of other cells than the table's",
        Mechanism(
            "sue",
            parameters=[eps],
            table=Bits(exp(eps / 2) / (exp(eps / 2) + 1), 1 / (exp(eps / 2) + 1), OneHot(4)),
            claims=[Optimal({"one": Rational(1, 2), "zero": 1 / (u + 1)})],
        ),
        "optimal",
    ),
]


@pytest.mark.parametrize(
    ("mechanism", "kind"), [pytest.param(*row[1:], id=row[0]) for row in FALSE]
)
def test_a_false_claim_finds_no_certificate(mechanism: Mechanism, kind: str) -> None:
    outcomes = decide(mechanism)
    assert any(o.obligation.kind == kind for o in outcomes)
    assert not shown(outcomes, kind)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.mechanism.name)
def test_certificates_fail_exactly_where_the_rows_do(broken: Broken) -> None:
    """Wrong rows or claims have no certificate.

    What is right beside it has one.
    """
    this = case(broken.mechanism)
    found = this.facts.estimator
    text = statement(broken.mechanism, None if isinstance(found, NoEstimator) else found.matrix)
    outcomes = check(text, find(text, broken.mechanism.name, ""))
    missing = {(o.obligation.claim, o.obligation.kind) for o in outcomes if not o.shown}
    assert missing == broken.by_rows


@pytest.mark.parametrize("value", [u, u + 2, 2 * u, u + Rational(1, 1000)])
def test_a_wrong_optimal_g_finds_no_certificate(value: Any) -> None:
    olh = CATALOGUE["olh"]
    g = next(p for p in olh.parameters if p.name == "g")
    wrong = Mechanism(
        "olh", parameters=olh.parameters, table=olh.table, claims=[Optimal({g: value})]
    )
    assert not shown(decide(wrong), "optimal")


def test_a_claim_that_cannot_be_stated_is_not_shown() -> None:
    """p* = q*: the estimator divides by zero; the laws are still decided."""
    flat = Mechanism(
        "flat",
        parameters=[],
        table=Bits(Rational(1, 3), Rational(1, 3), OneHot(4)),
        claims=[Unbiased(), LDP(0, tight=True)],
    )
    outcomes = decide(flat)
    assert not shown(outcomes, "unbiased")
    assert shown(outcomes, "ratio")
    assert shown(outcomes, "nonnegative")


def test_true_relations_between_parameters_are_certified() -> None:
    mechanism = kary(
        Holds(Eq(u / (u + k - 1) + (k - 1) / (u + k - 1), 1, evaluate=False)),
        Holds(u / (u + k - 1) > 1 / (u + k - 1)),
        Holds(1 / k <= u / (u + k - 1)),
    )
    assert shown(decide(mechanism), "holds")


def test_variance_at_every_share_needs_the_term_in_f() -> None:
    right = Variance(n * (k - 2 + u) / (u - 1) ** 2 + n * f * (k - 2) / (u - 1))
    assert shown(decide(kary(right)), "variance")


def test_the_verifier_runs_without_sympy() -> None:
    code = (
        "import sys, types\n"
        "package = types.ModuleType('ldp_verified.prove'); package.__path__ = [sys.argv[1]]\n"
        "sys.modules['ldp_verified.prove'] = package\n"
        "import ldp_verified.prove.certificates.checker\n"
        "assert 'sympy' not in sys.modules\n"
    )
    folder = str(Path(check.__code__.co_filename).parents[1])
    subprocess.run([sys.executable, "-c", code, folder], check=True)
