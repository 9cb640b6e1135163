"""A Python target by its name: the object, and how the audit calls it.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.targets.many import alone
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.check.audit.targets.sessions import asker, talk
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


IN_PROCESS = (
    "the target ran in the audit's own process, as was asked for: it could end, mute or fake the "
    "audit"
)


class _Names(dict[str, Any]):
    """The names of a module, those that it makes when they are first asked for included."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None


def parted(reference: str, option: str = "TARGET") -> tuple[str, str]:
    """The module and the expression of `package.module:expression`.

    Raises:
        ParameterError: it is not of that form.
    """
    module, colon, expression = reference.partition(":")
    if not colon or not expression.strip():
        raise ParameterError(option, "must be of the form package.module:expression", reference)
    return module, expression


def resolve(reference: str, option: str = "TARGET") -> Any:
    """The object that `package.module:expression` names, evaluated inside that module.

    Raises:
        ParameterError: it is not of that form, the module cannot be imported, the expression fails,
            or either wants to end the process.
    """
    module, expression = parted(reference, option)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = importlib.import_module(module)
        return eval(expression, vars(found), _Names(found))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        problem = f"must be importable and run ({type(error).__name__}: {error})"
        raise ParameterError(option, problem, reference) from error


@dataclass(frozen=True)
class Called:
    """How a Python target is called.

    Attributes:
        reference: `package.module:expression`.
        bulk: the callable takes a sequence of inputs.
        rows: it takes a column; it is given columns of one row.
        repeat: reports of the same input that make one output.
        fresh: evaluate the expression anew for each output, as for a new user.
        questions: `package.module:expression` of what a client is asked, message by message.
    """

    reference: str
    bulk: bool = False
    rows: bool = False
    repeat: int = 1
    fresh: bool = False
    questions: str | None = None

    def function(self) -> Callable[[Any], Any]:
        """One private value in, one output out."""
        made = None if self.fresh else self._made()
        asking = (
            None
            if self.questions is None
            else asker(resolve(self.questions, "--questions"), self.questions)
        )

        def once(value: Any) -> Any:
            own = made or self._made()
            if self.bulk:
                return alone(own, value)
            given = [value] if self.rows else value
            if asking is not None:
                sessions = tuple(talk(own(given), asking) for _ in range(self.repeat))
                return sessions if self.repeat > 1 else sessions[0]
            if self.repeat == 1:
                return own(given)
            return tuple(call(own, given) for _ in range(self.repeat))

        plain = not (self.bulk or self.rows or self.fresh or self.repeat > 1 or asking)
        return made if plain and made is not None else once

    def whole(self) -> Callable[[Any], Any]:
        """The callable as it is, of many values where it is one of those."""
        return _callable(resolve(self.reference), self.reference)

    def _made(self) -> Callable[[Any], Any]:
        """The callable; a mechanism of this package gives one row of its reports."""
        found = resolve(self.reference)
        if not (self.bulk or self.rows) and own_object(found):
            from ldp_verified.check.audit.targets.own_reports import single

            return single(found)
        return _callable(found, self.reference)


def own_object(found: Any) -> bool:
    """Return whether an object is a mechanism of this package; others load nothing."""
    if not any(each.__module__.startswith("ldp_verified.") for each in type(found).__mro__):
        return False
    from ldp_verified.run.realize.randomizer import Randomizer
    from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

    return isinstance(found, Randomizer | NumericRandomizer)


def _callable(found: Any, reference: str) -> Callable[[Any], Any]:
    if not callable(found):
        raise ParameterError("TARGET", "must be callable", reference)
    return found  # type: ignore[no-any-return]  # what the line above has checked


def place(reference: str, function: Any) -> tuple[str, int]:
    """The file and line where a target is written; ("", 0) where nobody can say.

    Args:
        reference: of the target, whose module is second best.
        function: the callable.
    """
    module = sys.modules.get(reference.partition(":")[0])
    while isinstance(function, functools.partial):
        function = function.func
    several: tuple[Any, ...] = (function, type(function), module)
    for found in several:
        try:
            code = inspect.unwrap(found)
            file = inspect.getsourcefile(code)
            line = 1 if inspect.ismodule(code) else inspect.getsourcelines(code)[1]
        except (TypeError, OSError, ValueError):
            continue
        if file is not None and (found is not type(function) or "site-packages" not in file):
            return file, max(line, 1)
    return "", 0
