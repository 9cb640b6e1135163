from __future__ import annotations

import re

import pytest

from ldp_verified.language import Density, Matrix, Mechanism, Rational, real
from tests.finite import FINITE, LINES


@pytest.mark.parametrize("mechanism", FINITE, ids=lambda m: m.name)
def test_a_notebook_shows_the_table_with_the_worst_case_marked(mechanism: Mechanism) -> None:
    html = mechanism._repr_html_()
    assert html.count("worst case") == len(re.findall('font-weight:bold"', html)) >= 1
    assert r"\boxed" in mechanism._repr_latex_()


DENSITIES = [m for m in LINES if isinstance(m.table, Density)]
NOISES = {"gaussian": 1, "geometric": 1, "laplace": 1, "staircase": 2, "truncated_geometric": 1}


@pytest.mark.parametrize("mechanism", DENSITIES, ids=lambda m: m.name)
def test_a_density_shows_every_piece_and_atom(mechanism: Mechanism) -> None:
    assert isinstance(mechanism.table, Density)
    parts = len(mechanism.table.pieces) + len(mechanism.table.atoms)
    assert mechanism._repr_html_().count("<tr>") == 1 + parts
    assert mechanism._repr_latex_().count(r"\\") == 2 + parts


@pytest.mark.parametrize("name", NOISES)
def test_noise_shows_its_law(name: str) -> None:
    (mechanism,) = (m for m in LINES if m.name == name)
    assert mechanism._repr_html_().count("<tr>") == 1 + NOISES[name]
    assert "|y - x|" in mechanism._repr_latex_()


def test_the_mark_is_at_the_largest_ratio() -> None:
    p = real("p", above=Rational(1, 2), below=1)
    m = Mechanism("m", parameters=[p], table=Matrix([[p, 1 - p], [Rational(1, 2)] * 2]))
    marked = [row for row in m._repr_html_().split("<tr") if "worst case" in row]
    assert len(marked) == 1
    assert "y = 1" in marked[0]


def test_many_pairs_are_cut_and_counted() -> None:
    size = 4
    rows = [[Rational(1, 4)] * size for _ in range(size)]
    html = Mechanism("uniform", parameters=[], table=Matrix(rows))._repr_html_()
    assert "8 more pairs not shown" in html
