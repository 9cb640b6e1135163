"""Errors that name the argument, the rule it broke and the value that was given.

Messages end up in logs, so none holds a private value, nor anything that depends on one. They are
one line, and hold nothing that a terminal would obey: file names and texts of others stand in them.
"""

from __future__ import annotations

from typing import Any, ClassVar


class LdpError(Exception):
    """Base of every error raised on purpose by this package.

    Args:
        argument: the name of the offending argument, field or file.
        rule: what holds for valid input, as a phrase ("must be an integer >= 2").
        got: the offending value; shown by `repr`, cut at 200 characters. Leave it out where there
            is none.

    Attributes:
        code: of the class; `ldp-verified explain CODE` prints its page. A code never gets another
            meaning.
    """

    code: ClassVar[str] = "LDPE-ERROR"

    _MISSING: ClassVar[object] = object()

    def __init__(self, argument: str, rule: str, got: object = _MISSING) -> None:
        self.argument = argument
        self.rule = rule
        self.got = got
        message = f"{argument}: {rule}"
        if got is not LdpError._MISSING:
            try:
                shown = repr(got)
            except ValueError:
                shown = "an integer of more digits than Python writes"
            if len(shown) > 200:
                shown = shown[:197] + "..."
            message += f", got {shown}"
        super().__init__(printable(message))

    def __reduce__(self) -> tuple[object, ...]:
        """Return what goes to another process: a value that is not plain goes as text."""
        state = dict(vars(self))
        if self.got is LdpError._MISSING:
            del state["got"]
        elif not isinstance(self.got, bool | int | float | str | bytes | type | None):
            state["got"] = repr(self.got)
        return _received, (type(self), self.args, state)


def _received(cls: type[LdpError], args: tuple[object, ...], state: dict[str, object]) -> LdpError:
    error = cls.__new__(cls, *args)
    error.got = LdpError._MISSING
    vars(error).update(state)
    return error


class ParameterError(LdpError, ValueError):
    """A parameter of a mechanism or function is outside its domain."""

    code = "LDPE-PARAMETER"


class UndecidedError(ParameterError, ArithmeticError):
    """Numbers that no precision in use tells apart: parameters beyond what can be computed with."""

    code = "LDPE-UNDECIDED"


class BudgetError(ParameterError):
    """A price above what is left of a user's budget: nothing was entered, and nothing drawn."""

    code = "LDPE-BUDGET"


class DomainError(LdpError, ValueError):
    """A private value is not in the mechanism's input domain."""

    code = "LDPE-DOMAIN"


class ReportError(LdpError, ValueError):
    """Reports are malformed, or belong to another mechanism, other parameters or another law."""

    code = "LDPE-REPORT"


class ReplayError(ReportError):
    """A report, or a client's saved state, that is older than one that was seen."""

    code = "LDPE-REPLAY"


class InternalError(LdpError, ArithmeticError):
    """This package is wrong, no input is."""

    code = "LDPE-INTERNAL"


class SpecError(LdpError):
    """A spec file, or a mechanism declared in it, cannot be read as a table of probabilities."""

    code = "LDPE-SPEC"


class ContradictionError(InternalError):
    """Two checkers say the opposite of one statement: this package is wrong, no input is.

    Args:
        statement: what they differ about. details: what helps to report it, line by line.
        what: what happened to the statement.
    """

    code = "LDPE-CONTRADICTION"

    def __init__(
        self, statement: str, details: str, what: str = "is both proved and refuted"
    ) -> None:
        super().__init__(statement, f"{what}, so this package is wrong")
        self.details = details


def printable(text: str) -> str:
    """The text with what a terminal would obey, or a document may not hold, written out."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def chained(error: BaseException) -> list[BaseException]:
    """List an exception and all that it came from, each once.

    Args:
        error: that was raised.
    """
    found: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is not None and not any(each is other for other in found):
            found.append(each)
            left += [each.__cause__, each.__context__]
    return found


def size_or_type(value: object, kind: type[str] | type[bytes]) -> object:
    """What a message says that it got: the length of what has the right class, else the class."""
    return len(value) if isinstance(value, kind) else type(value)


def type_name(values: Any) -> str:
    """Name the type of an array's values for a message, without its size: of the longest text.

    Args:
        values: an array of NumPy's.
    """
    return str(values.dtype.type.__name__)


def check_kind(
    argument: str, value: object, kind: type, error: type[LdpError] = ParameterError
) -> None:
    """Refuse what is no object of a class.

    Raises:
        LdpError: of the class that is asked for. The message says the type, not the value.
    """
    if not isinstance(value, kind):
        raise error(argument, f"must be of the class {kind.__name__}", type(value))
