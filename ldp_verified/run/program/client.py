"""One report at a time, as a person's device draws it: the Python printing of a program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import LdpError
from ldp_verified.run.program.python import python_function
from ldp_verified.run.program.words import WordBuffer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from ldp_verified.run.program.form import PrivateValue, Program
    from ldp_verified.run.program.python import Payload


class ProgramClient:
    """Draws single reports from secure words, which are buffered and never shared with a child.

    Threads may share it. It cannot be pickled: make one in each process.

    Args:
        program: what draws a report.
        check: what the program reads of a private value, or a `DomainError`.
        plain: whether an int in 0..inputs-1 is that already.

    Attributes:
        program: what draws a report.
        report: the report of one private value as plain numbers: an int, or a tuple of them where
            a report has several. It raises a `DomainError` that does not say the value, before
            a word is taken.
    """

    def __init__(
        self, program: Program, check: Callable[[object], PrivateValue], plain: bool = True
    ) -> None:
        if program.width != 64:
            raise LdpError("program", "must read words of 64 bits", program.width)
        self.program = program
        self.report: Callable[[object], Payload] = self._drawing(check, plain)

    def _drawing(self, check: Callable[[object], Any], plain: bool) -> Callable[[object], Payload]:
        """The function that draws a report."""
        return python_function(self.program, WordBuffer(), os.getpid, check, plain)

    def __repr__(self) -> str:
        return f"Client({self.program.name}, inputs={self.program.inputs})"

    def __reduce__(self) -> NoReturn:
        raise LdpError("client", "must be made in each process, it cannot be pickled")
