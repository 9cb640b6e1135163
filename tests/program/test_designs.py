"""What no program of a table or of Sylvester's matrix takes."""

from __future__ import annotations

import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.designs import hadamard_column, hadamard_sign, table_of_cuts


@pytest.mark.parametrize("rows", [[[5, 5]], [[0]], [[16]], [[7, 3]], [[3], [3, 5]], [[]]])
def test_cuts_that_do_not_grow_are_refused(rows: list[list[int]]) -> None:
    with pytest.raises(ParameterError, match="cuts"):
        table_of_cuts("table", rows, 4)


def test_a_table_of_many_outputs_is_refused() -> None:
    with pytest.raises(ParameterError, match="64 outputs"):
        table_of_cuts("table", [range(1, 65), range(2, 66)], 8)


def test_a_matrix_that_is_larger_than_words_is_refused() -> None:
    for make in (hadamard_column, hadamard_sign):
        with pytest.raises(ParameterError):
            make("matrix", 1 << 9, 3, 4)
