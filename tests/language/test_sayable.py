"""What says something else than it seems to is refused when it is declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import Design, HashBlocks, Mechanism, Rational, load_file
from ldp_verified.prove import Status, verify
from ldp_verified.prove.designs.counting import compare
from ldp_verified.prove.statements.statement import statement
from tests.broken.unsayable import REFUSED, SAID, text


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_the_rule(name: str, tmp_path: Path) -> None:
    declaration, rule = REFUSED[name]
    path = tmp_path / "planted.py"
    path.write_text(text(declaration))
    with pytest.raises(SpecError, match=rule):
        load_file(path)


@pytest.mark.parametrize("name", SAID)
def test_what_says_what_it_seems_to_stands(name: str, tmp_path: Path) -> None:
    path = tmp_path / "planted.py"
    path.write_text(text(SAID[name]))
    (planted,) = load_file(path)
    assert planted.name == "m"


@pytest.mark.parametrize(("functions", "status"), [(4, Status.ONE_GROUP), (8, Status.REFUTED)])
def test_a_number_of_functions_must_be_the_one_that_there_is(
    functions: int, status: Status
) -> None:
    m, two = functions, Rational(1, 2)
    inside, outside = Rational(2, 3) / m, Rational(1, 3) / m
    table = Design(2 * m, m, m * two, inside, outside, HashBlocks(4, 2, m))
    mechanism = Mechanism("m", parameters=[], table=table)
    assert compare(mechanism.algebraic_table, statement(mechanism)).shown is (functions == 4)
    (counts,) = [v for v in verify(mechanism, coq=False).verdicts if v.obligation == "class_counts"]
    assert counts.status is status
