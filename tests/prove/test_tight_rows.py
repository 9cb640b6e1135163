from __future__ import annotations

import pytest

from ldp_verified.language import Design, Mechanism, integer, load
from ldp_verified.prove.enumeration.tight_rows import reached


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("grr", "k = 2, u = 3: x = 0, x' = 1, y = 0, 3/4 against 1/4"),
        ("binary_rr", "u = 3: x = -1, x' = 1, y = -1, 3/4 against 1/4"),
        ("oue", "k = 2, u = 3: x = 0, x' = 1, y = 10, 3/8 against 1/8"),
    ],
)
def test_the_witness_is_concrete(name: str, text: str) -> None:
    assert reached(load(name)[0]) == text


def test_an_abstract_design_has_no_concrete_witness() -> None:
    k = integer("k", at_least=2)
    table = Design(k, 1, 0, 2 / (k + 1), 1 / (k + 1))
    assert reached(Mechanism("abstract", parameters=[k], table=table)) is None
