from __future__ import annotations

import pytest
from sympy import Rational

from ldp_verified.derive import Facts, free_cells, simple
from ldp_verified.language import Matrix, Mechanism, Variance, load
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
