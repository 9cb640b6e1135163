"""Python's operators build expressions."""

from __future__ import annotations

from ldp_verified.run.program.form import Constant, Operation, Operator, Private


def test_each_operator_builds_its_operation() -> None:
    value, two = Private(), Constant(2)
    built = (
        *(value + 2, value * 2, value // 2, value % 2),
        *(value & 2, value | 2, value ^ 2, value << 2, value >> 2),
    )
    assert built == tuple(Operation(operator, value, two) for operator in Operator)
