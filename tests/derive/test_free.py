from __future__ import annotations

import pytest
from sympy import Rational

from ldp_verified.derive import Facts, free_cells, simple
from ldp_verified.language import (
    LDP,
    Design,
    Matrix,
    Mechanism,
    Subsets,
    Variance,
    exp,
    integer,
    load,
    real,
)
from ldp_verified.prove import verify
from tests.finite import FINITE


def _freed(mechanism: Mechanism) -> bool:
    """Return whether its free cells have a variance, and are not the cells it has."""
    free = free_cells(mechanism)
    return (
        free is not None
        and any(isinstance(claim, Variance) for claim in free.claims)
        and {str(v) for v in mechanism.algebraic_table.cells().values()}
        != {str(v) for v in free.table.cells().values()}
    )


# Unary encoding's cells are its parameters.
FREED = [m for m in FINITE if _freed(m) and m.name != "ue"]


@pytest.mark.parametrize("mechanism", FREED, ids=lambda m: m.name)
def test_the_table_is_an_instance_of_its_free_cells(mechanism: Mechanism) -> None:
    """Putting the declared cells into the free-cell variance gives the derived one."""
    free = free_cells(mechanism)
    assert free is not None
    (claim,) = (c for c in free.claims if isinstance(c, Variance))
    declared = mechanism.algebraic_table.cells()
    names = {"inside": "inside", "one": "one", "zero": "zero", "c0": "c0"}
    # Where these are parameters of the mechanism, free cells are called otherwise.
    names |= {"one_": "one", "zero_": "zero"}
    put = {s: declared[names[s.name]] for s in free.variables if s.name in names}
    assert put
    assert simple(claim.value.subs(put) - Facts(mechanism).variance) == 0


def test_epsilon_is_gone_and_the_order_of_cells_is_kept() -> None:
    free = free_cells(load("oue")[0])
    assert free is not None
    assert free.generator.eps is None
    described = [d.describe(str(s)) for s, d in free.variables.items()]
    assert described == ["integer k >= 2", "0 < zero < 1", "zero < one < 1"]


def test_a_matrix_with_more_than_two_cells_has_no_known_parametrisation() -> None:
    half, third = Rational(1, 2), Rational(1, 3)
    table = Matrix([[half, half], [third, 1 - third]])
    assert free_cells(Mechanism("m", parameters=[], table=table)) is None


@pytest.mark.parametrize(
    ("least", "most", "free"), [(0, 3, False), (1, 4, False), (0, 4, False), (1, 3, True)]
)
def test_no_cell_is_free_where_a_value_may_be_in_none_or_all_of_the_blocks(
    least: int, most: int, free: bool
) -> None:
    eps = real("eps", above=0)
    r = integer("r", at_least=least, at_most=most)
    inside, outside = exp(eps) / (r * exp(eps) + 4 - r), 1 / (r * exp(eps) + 4 - r)
    design = Design(4, r, 0, inside, outside)
    mechanism = Mechanism("m", parameters=[eps, r], table=design, claims=[LDP(eps)])
    assert (free_cells(mechanism) is not None) == free
    verify(mechanism, 3, coq=False, smt=False, draw_points=False)


def test_subsets_may_be_everything() -> None:
    eps, k = real("eps", above=0), integer("k", at_least=2)
    w, m = integer("w", at_least=1, at_most=k), integer("m", at_least=1)
    row = m * (w * exp(eps) + k - w)
    together = m * w * (w - 1) / (k * (k - 1))
    design = Design(m, m * w / k, together, k * exp(eps) / row, k / row, Subsets(k, w, m))
    mechanism = Mechanism("m", parameters=[eps, k, w, m], table=design, claims=[LDP(eps)])
    assert free_cells(mechanism) is None
