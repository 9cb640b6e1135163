"""Generated objects whose table has another epsilon than the spec claims: refused, or exact."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.conformance.own_specs import loaded
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate.module import module_text
from ldp_verified.language import load, load_catalogue

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """import sympy
from ldp_verified.language import LDP, Design, Matrix, Mechanism, Singletons, exp, integer, real

eps = real("eps", above=0)
u = exp(eps)
k = integer("k", at_least=2)
"""
SINGLETONS = """q = 1 / ({weight} + k - 1)
mine = Mechanism(
    "mine",
    parameters=[eps, k],
    table=Design(k, 1, 0, 1 - (k - 1) * q, q, Singletons(k)),
    claims=[LDP({claim})],
)
"""
WARNER = """half = sympy.Rational(1, 2)
g = real("g", above=0, below=half)
mine = Mechanism(
    "mine",
    parameters=[g],
    table=Matrix([[half + g, half - g], [half - g, half + g]]),
    claims=[LDP({claim})],
)
"""
LATE = "u + sympy.prod([k - i for i in range(2, 9)]) / sympy.Integer(10) ** 9"


def generated(folder: Path, text: str) -> type:
    path = folder / "mine.py"
    path.write_text(HEAD + text)
    mechanisms = load(str(path))
    made = loaded(module_text(mechanisms), mechanisms[0].spec_hash).Mine
    assert isinstance(made, type)
    return made


def test_an_epsilon_above_the_claim_is_refused_at_construction(tmp_path: Path) -> None:
    """Claimed: 1 at every k. The table has it up to k = 8, and 11.15 at k = 100."""
    mine = generated(tmp_path, SINGLETONS.format(weight=LATE, claim="eps, tight=True"))
    for size in (2, 4, 8):  # ties: ln(e^1) = 1 is decided exactly
        made = mine(eps=1.0, k=size)
        assert made.realized_epsilon <= made.epsilon == 1.0
    with pytest.raises(ParameterError, match=r"claims, 1, got 'eps = 1, k = 100: epsilon 11.15"):
        mine(eps=1.0, k=100)
    with pytest.raises(ParameterError, match="eps: must not give more than the epsilon"):
        mine(eps=1.0, k=9)


def test_of_several_claims_the_least_counts(tmp_path: Path) -> None:
    claims = "3 * eps), LDP(2 * eps"
    mine = generated(tmp_path, SINGLETONS.format(weight="u**2 + k - 2", claim=claims))
    assert mine(eps=0.5, k=2).realized_epsilon <= 1.0
    with pytest.raises(ParameterError, match="must not give more"):
        mine(eps=0.5, k=5)


@pytest.mark.parametrize(
    ("claim", "kept", "broken"),
    [
        # Each is true at the points that enumeration looks at, and false where a lie is rare.
        ("20 * g", Fraction(49, 100), Fraction(499_999, 1_000_000)),
        ("sympy.log(1 + 20 * g)", Fraction(1, 4), Fraction(49, 100)),
        ("3 * g + sympy.log(1 + 3 * g)", Fraction(1, 4), Fraction(49, 100)),
    ],
)
def test_a_claim_in_the_parameters_of_the_table_is_kept(
    tmp_path: Path, claim: str, kept: Fraction, broken: Fraction
) -> None:
    mine = generated(tmp_path, WARNER.format(claim=claim))
    assert mine(g_=kept).realized_epsilon <= mine(g_=kept).epsilon
    with pytest.raises(ParameterError, match=r"g_: must not give more than the epsilon that the"):
        mine(g_=broken)


def test_a_claim_that_is_no_multiple_of_epsilon_is_kept(tmp_path: Path) -> None:
    mine = generated(tmp_path, SINGLETONS.format(weight=LATE, claim="sympy.log(u + 1)"))
    assert mine(eps=1.0, k=9).epsilon > 1
    with pytest.raises(ParameterError, match=r"claims, 1.31326, got 'eps = 1, k = 100: epsilon"):
        mine(eps=1.0, k=100)


def test_a_claim_below_the_argument_epsilon_is_kept(tmp_path: Path) -> None:
    claims = "eps), LDP(sympy.log(u - (k - 2) / (1000 * (u + k)))"
    mine = generated(tmp_path, SINGLETONS.format(weight="u", claim=claims))
    assert mine(epsilon=1.0, k=2).epsilon == 1
    with pytest.raises(
        ParameterError, match=r"claims, 0.99\d*, got 'epsilon = 1, k = 3: epsilon 1'"
    ):
        mine(epsilon=1.0, k=3)


def test_a_claim_that_the_class_cannot_keep_is_refused(tmp_path: Path) -> None:
    """No object has a b, so none could be compared with the claim."""
    claim = "sympy.log(u + b)"
    text = 'b = real("b", above=0)\n' + SINGLETONS.format(weight="u", claim=claim)
    with pytest.raises(SpecError, match="parameters that its table is not made of"):
        generated(tmp_path, text.replace("[eps, k]", "[eps, k, b]"))


def test_no_module_of_the_catalogue_needs_it() -> None:
    mechanisms = [m for m in load_catalogue() if m.name in ("warner", "grr", "ue", "sue")]
    assert mechanisms
    for mechanism in mechanisms:
        (found,) = (m for m in load(mechanism.name) if m.name == mechanism.name)
        assert "claimed_" not in module_text((found,))
