"""Generated objects whose table has another epsilon than the spec claims: refused, or exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.conformance.own import loaded
from ldp_verified.errors import ParameterError
from ldp_verified.generate.module import module_text
from ldp_verified.language import load, load_catalogue

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """import sympy
from ldp_verified.language import LDP, Design, Mechanism, Singletons, exp, integer, real

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
    with pytest.raises(ParameterError, match=r"spec claims, 1, got '1.0, k = 100: epsilon 11.15"):
        mine(eps=1.0, k=100)
    with pytest.raises(ParameterError, match="eps: must not give more than the epsilon"):
        mine(eps=1.0, k=9)


def test_of_several_claims_the_least_counts(tmp_path: Path) -> None:
    claims = "3 * eps), LDP(2 * eps"
    mine = generated(tmp_path, SINGLETONS.format(weight="u**2 + k - 2", claim=claims))
    assert mine(eps=0.5, k=2).realized_epsilon <= 1.0
    with pytest.raises(ParameterError, match="must not give more"):
        mine(eps=0.5, k=5)


def test_no_module_of_the_catalogue_needs_it() -> None:
    mechanisms = [m for m in load_catalogue() if m.name in ("warner", "grr", "ue", "sue")]
    assert mechanisms
    for mechanism in mechanisms:
        (found,) = (m for m in load(mechanism.name) if m.name == mechanism.name)
        assert "claimed:" not in module_text((found,))
