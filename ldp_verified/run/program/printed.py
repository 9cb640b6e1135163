"""The printings in C and in Rust have lines, tables, variables and signs in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Block, Comparator, Expression, Program, Variable


def every_value(program: Program) -> bool:
    """Return whether each integer that fits a value's 64 or 128 bits is one."""
    return program.inputs == 1 << 64 * (1 + program.wide)


class FunctionLines:
    """Lines of one function.

    Args:
        program: what is printed.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines: list[str] = []

    def _put(self, depth: int, line: str) -> None:
        self._lines.append("    " * depth + line)


class PrintedFunction(FunctionLines, ABC):
    """Lines of one function whose signs are those of the form, and the tables that it reads.

    Args:
        program: what is printed.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._tables: dict[tuple[int, ...], str] = {}
        self._variables: dict[str, None] = {}

    def tables(self) -> list[str]:
        """Declarations of the tables, each once."""
        lines = [self._declared(name, table) for table, name in self._tables.items()]
        return [*lines, ""] if lines else []

    @abstractmethod
    def _declared(self, name: str, table: tuple[int, ...]) -> str:
        """The declaration of a table."""

    @abstractmethod
    def _integer(self, expression: Expression) -> str:
        """An expression."""

    @abstractmethod
    def _block(self, block: Block, depth: int) -> None:
        """Statements in order."""

    def _variable(self, variable: Variable) -> str:
        self._variables.setdefault(variable.name)
        return f"v_{variable.name}"

    def _comparison(self, condition: Comparator) -> str:
        left, right = self._integer(condition.left), self._integer(condition.right)
        return f"{left} {condition.relation.value} {right}"

    def _when(self, head: str, yes: Block, no: Block, depth: int) -> None:
        """One of two blocks, after a line that asks which."""
        self._put(depth, head)
        self._block(yes, depth + 1)
        if no:
            self._put(depth, "} else {")
            self._block(no, depth + 1)
        self._put(depth, "}")
