"""Collect the conditions on parameters under which everything in a spec has a value.

sympy cancels as soon as it can: (a - 1/7)/(a - 1/7) is 1, and 0/a is 0, before a mechanism is there
to look. So division itself is watched. Whenever a power or a function of parameters is made, what
it needs (a divisor that is not 0, a logarithm's argument above 0) is noted. It does not matter who
made it: the spec, a function of its own, or sympy on the spec's behalf. A mechanism collects what
was noted of its parameters, and what its own expressions show. The checkers decide each of them.
"""

from __future__ import annotations

import itertools
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import sympy
from sympy.core.cache import clear_cache

from ldp_verified.language.symbols import f, n

NONZERO, POSITIVE, NONNEGATIVE = "!=", ">", ">="

TOTAL = frozenset(
    """
    exp Abs floor ceiling sign sin cos atan sinh cosh tanh asinh erf erfc re im conjugate
    """.split()  # noqa: SIM905  a table of words reads better
)
"""Functions with a value for every real number."""

ARITHMETIC = frozenset(
    """
    __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ _pow
    binary_op_wrapper _func __sympifyit_wrapper sqrt root cbrt
    """.split()  # noqa: SIM905  a table of words reads better
)
"""sympy's functions behind `/`, `**`, `//`, `%` and the roots."""

PROBING = frozenset({"_ask", "extract_multiplicatively", "could_extract_minus_sign"})
"""sympy's functions that compute with what never becomes part of a result."""

_HERE = __file__
_PACKAGE = str(Path(__file__).parent.parent) + "/"
_DECLARING = f"{_PACKAGE}language/mechanism.py"
_SYMPY = str(Path(sympy.__file__).parent) + "/"
_OTHERS = tuple(
    str(Path(sysconfig.get_path(name))) + "/" for name in ("stdlib", "platstdlib", "purelib")
)

_RUNNERS = ("_pytest.", "execnet.")

_serials = itertools.count(1)


def moment() -> int:
    """A number that grows from call to call."""
    return next(_serials)


@dataclass(frozen=True)
class Requirement:
    """`value` relation 0, wherever the mechanism is defined.

    Attributes:
        value: an expression. relation: "!=", ">", ">="; or the name of a function, `value` being
            its arguments, where no relation says what it needs.
        certain: whether the mechanism itself needs it. What sympy did on the way, and what may
            belong to a mechanism that was declared earlier, must hold too for a proof, but where it
            fails nothing is refuted.
    """

    value: Any
    relation: str
    certain: bool = True

    def map(self, function: Callable[[Any], Any]) -> Requirement:
        """This requirement with `function` applied to its value."""
        return Requirement(function(self.value), self.relation, self.certain)


@dataclass(frozen=True)
class _Note:
    """When and where something was noted."""

    serial: int
    direct: bool
    places: frozenset[Any]


@dataclass
class _Scope:
    """The requirements noted while reading one file, or (`file` false) in the running program."""

    file: bool
    notes: dict[tuple[Any, str], list[_Note]] = field(default_factory=dict)
    declared: int = 0


_scopes = [_Scope(file=False)]
_ever: dict[Any, dict[tuple[Any, str], int]] = {}
"""Module -> what was noted while it was run, in any scope -> when last."""


@contextmanager
def reading_file() -> Iterator[None]:
    """Assign the requirements noted meanwhile to the mechanisms that are declared meanwhile."""
    clear_cache()  # what sympy remembers is not computed again, so nothing would be noted
    _scopes.append(_Scope(file=True))
    try:
        yield
    finally:
        _scopes.pop()


def collected(
    parameters: Sequence[Any], inputs: Iterable[Any], more: Iterable[Any] = ()
) -> list[Requirement]:
    """Return the requirements noted so far for these parameters, when a mechanism is declared.

    What was divided by something with a parameter that is not the mechanism's is no part of it,
    whatever else stands in it. A symbol that is nobody's parameter may be a part of it.

    Args:
        parameters: the mechanism's. inputs, more: other symbols of its own, `more` being those
            that were not made for it.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in (_HERE, _DECLARING):
        frame = frame.f_back
    if frame is not None and kind_of_code(frame) == "package":
        return []  # derived by this package from a declaration that has its own
    scope = _scopes[-1]
    made = {p: p.made for p in (*parameters, *inputs)}
    known = {*made, n, f}
    own = {*known, *more}
    places = frozenset() if scope.file else _places(sys._getframe(1), modules=True)
    if places:
        places = places.union(*(p.places for p in (*parameters, *inputs)))
    found = []
    for (value, relation), notes in scope.notes.items():
        symbols = value.free_symbols
        if _others(symbols - own) or not (symbols & made.keys() or symbols <= known):
            continue  # of the numbers of users n and frequencies f, and another's parameters
        since = 0 if scope.file else max((made.get(s, 0) for s in symbols), default=0)
        here = [
            note
            for note in notes
            if note.serial > since
            and (scope.file or not note.places or not places or note.places & places)
        ]
        if here:
            certain = symbols <= known and any(
                note.direct and note.serial > scope.declared for note in here
            )
            found.append(Requirement(value, relation, certain))
    # Of a parameter from a module that was imported earlier: what was done with it there.
    found += [
        Requirement(value, relation, certain=False)
        for each in made
        for place in each.places
        for (value, relation), when in _ever.get(place, {}).items()
        if when > each.made and each in value.free_symbols
        if not _others(value.free_symbols - own)
    ]
    scope.declared = moment()
    return found


def _others(symbols: Iterable[Any]) -> bool:
    """Return whether a symbol is a parameter; what nobody declared is a symbol of sympy."""
    return any(hasattr(symbol, "made") for symbol in symbols)


def birthplace() -> frozenset[Any]:
    """The module that is being run, for a parameter that is being made."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if kind_of_code(frame) == "user" and frame.f_code.co_name == "<module>":
            return frozenset({_module(frame)})
        frame = frame.f_back
    return frozenset()


def _modules(frame: FrameType | None) -> frozenset[Any]:
    return frozenset(place for place in _places(frame) if place[0] == "module")


def merged(found: Iterable[Requirement]) -> tuple[Requirement, ...]:
    """The requirements, each once, certain where one of several equal ones is."""
    certain: dict[tuple[Any, str], bool] = {}
    for each in found:
        if each.value.free_symbols:
            key = each.value, each.relation
            certain[key] = certain.get(key, False) or each.certain
    return tuple(Requirement(*key, sure) for key, sure in certain.items())


def written(value: Any, skip: Any) -> Iterator[Requirement]:
    """Yield the requirements of the expressions in a form or claim, as they are written.

    Args:
        value: see `expressions_in`. skip: classes into which is not looked.
    """
    for expression in expressions_in(value, skip):
        for part in sympy.preorder_traversal(expression):
            needed = None
            if isinstance(part, sympy.Pow):
                needed = of_power(*part.args)
            elif isinstance(part, sympy.Function):
                needed = of_function(type(part), part.args)
            if needed is not None:
                yield Requirement(*needed)


def expressions_in(value: Any, skip: Any) -> Iterator[Any]:
    """Every sympy expression anywhere in a form, a claim, or a sequence or mapping of such."""
    if isinstance(value, sympy.Basic):
        yield value
    elif isinstance(value, sympy.MatrixBase):
        yield from value
    elif isinstance(value, skip | str | type):
        return
    elif hasattr(value, "layout"):  # a matrix, whose distinct cells may be few
        yield from expressions_in(value.layout.cells, skip)
    elif is_dataclass(value):
        for each in fields(value):
            yield from expressions_in(getattr(value, each.name), skip)
    elif isinstance(value, Mapping):
        yield from expressions_in([*value.keys(), *value.values()], skip)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from expressions_in(each, skip)


def of_power(base: Any, exponent: Any) -> tuple[Any, str] | None:
    """Return what `base ** exponent` requires; None if it requires nothing of any parameter."""
    if getattr(exponent, "is_Integer", False):
        if exponent >= 0:
            return None
        relation = NONZERO
    elif exponent.is_number:
        relation = NONNEGATIVE if exponent.is_positive else POSITIVE
    elif exponent.is_integer:
        relation = NONZERO
    else:
        relation = POSITIVE
    return (base, relation) if _depends(base) else None


def of_function(kind: type, arguments: Sequence[Any]) -> tuple[Any, str] | None:
    """Return what a function of these arguments requires; None if nothing of any parameter."""
    if kind.__name__ in TOTAL or not any(_depends(argument) for argument in arguments):
        return None
    if kind is sympy.log and len(arguments) == 1:
        return arguments[0], POSITIVE
    return sympy.Tuple(*arguments), kind.__name__


def _depends(value: Any) -> bool:
    return isinstance(value, sympy.Basic) and bool(value.free_symbols)


def _note(needed: tuple[Any, str] | None, frame: FrameType) -> None:
    """Note what is needed, unless this package itself computes; `frame` is who asked for it."""
    if needed is None:
        return
    direct = True
    at: FrameType | None = frame
    while at is not None and kind_of_code(at) in ("sympy", "here", "other"):
        known = kind_of_code(at) == "sympy" and at.f_code.co_name in ARITHMETIC
        direct &= known or kind_of_code(at) == "here"
        if kind_of_code(at) == "sympy" and at.f_code.co_name in PROBING:
            return
        at = at.f_back
    if at is not None and kind_of_code(at) == "package":
        return
    scope = _scopes[-1]
    places = frozenset() if scope.file else _places(at)
    now = moment()
    for place in _modules(at):
        _ever.setdefault(place, {})[needed] = now
    notes = scope.notes.setdefault(needed, [])
    for number, old in enumerate(notes):
        if old.direct == direct and old.places == places:
            del notes[number]
            break
    notes.append(_Note(now, direct, places))


def _places(frame: FrameType | None, *, modules: bool = False) -> frozenset[Any]:
    """The functions and modules of the user's that are being run.

    Args:
        frame: the innermost. modules: the modules of the functions too.
    """
    found: set[Any] = set()
    # Outside of these is the line that starts pytest or one of its processes, for every test.
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith(_RUNNERS):
        if kind_of_code(frame) == "user":
            code = frame.f_code
            whole = code.co_name == "<module>"
            if whole or modules:
                found.add(_module(frame))
            if not whole:
                found.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        frame = frame.f_back
    return frozenset(found)


def _module(frame: FrameType) -> tuple[str, str]:
    main = frame.f_globals.get("__name__") == "__main__"
    return "module", "__main__" if main else frame.f_code.co_filename


def kind_of_code(frame: FrameType) -> str:
    """Whose code a frame runs: "here", "sympy", "package", "other" or "user"."""
    return _kind_of_file(frame.f_code.co_filename)


@lru_cache(maxsize=4096)
def _kind_of_file(name: str) -> str:
    if name == _HERE:
        return "here"
    if name.startswith(_SYMPY):
        return "sympy"
    if name.startswith(_PACKAGE) and not name.startswith(f"{_PACKAGE}_spec/"):
        # Two that write tables on the spec's behalf.
        helpers = ("language/scores.py", "language/combinators.py")
        return "here" if name.removeprefix(_PACKAGE) in helpers else "package"
    if name.startswith(("<frozen", *_OTHERS)) or "/site-packages/" in name:
        return "other"
    return "user"


def _watch() -> None:
    """Have sympy say what powers and functions are made."""
    power = sympy.Pow.__new__

    def new_power(cls: Any, b: Any, e: Any, evaluate: bool | None = None) -> Any:
        exponent = sympy.sympify(e)
        if isinstance(b, sympy.Basic) and not (exponent.is_Integer and exponent >= 0):
            _note(of_power(b, exponent), sys._getframe(1))
        return power(cls, b, e) if evaluate is None else power(cls, b, e, evaluate)

    sympy.Pow.__new__ = staticmethod(new_power)
    for kind in (sympy.Function, sympy.core.function.DefinedFunction):
        kind.__new__ = staticmethod(_watched(kind.__new__))


def _watched(function: Any) -> Any:
    """Wrap the constructor of functions so that it notes what each new function requires."""

    def new_function(cls: Any, *arguments: Any, **options: Any) -> Any:
        if cls.__name__ not in TOTAL:
            _note(of_function(cls, arguments), sys._getframe(1))
        return function(cls, *arguments, **options)

    return new_function


_watch()
