"""Read what Python's own syntax makes: functions, methods, properties, classes, modules.

Their text is an address, and they hold what they were made with: what a function has closed over,
what a method is bound to, what stands in the body of a class. A module or class that is found
under its name is no part of an output, and is read as that name.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import re
import sys
import types
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ldp_verified.check.audit.targets.classes import lineage, local, own

_EMPTY = "empty cell"
_MACHINERY = (types.MemberDescriptorType, types.GetSetDescriptorType)
"""What gives the slots of an object: these are read of the object itself."""


def of_python(value: Any) -> dict[str, Any] | None:
    """Names and parts; None where it is none of these.

    Args:
        value: any object.
    """
    for kind in lineage(type(value)):
        reader = _READERS.get(kind)
        if reader is not None:
            return reader(value)
    return None


def _function(value: Any) -> dict[str, Any]:
    names = [value.__name__, value.__qualname__, value.__module__]
    return {
        "names": names,
        "closure": [_contents(cell) for cell in value.__closure__ or ()],
        "defaults": (value.__defaults__, value.__kwdefaults__),
        "code": value.__code__,
        "told": (value.__doc__, value.__annotations__),
        "globals": _globals(value),
    }


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _globals(value: Any) -> dict[str, Any]:
    """Return what a function uses of names that are those of no module."""
    held = value.__globals__
    module = sys.modules.get(held.get("__name__", ""))
    if module is not None and vars(module) is held:
        return {}
    return {name: held[name] for name in value.__code__.co_names if name in held}


def _code(value: Any) -> dict[str, Any]:
    names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    place = (value.co_qualname, value.co_filename, value.co_firstlineno, value.co_linetable)
    return {"code": value.co_code, "constants": value.co_consts, "names": names, "place": place}


def _method(value: Any) -> dict[str, Any]:
    return {"function": value.__func__, "self": value.__self__}


def _builtin(value: Any) -> dict[str, Any]:
    owner = value.__self__
    return {"name": value.__qualname__, "self": None if type(owner) is type(sys) else owner}


def _property(value: Any) -> dict[str, Any]:
    ways = {"get": value.fget, "set": value.fset, "delete": value.fdel, "doc": value.__doc__}
    return {name: way for name, way in ways.items() if way is not None}


def _cached(value: Any) -> dict[str, Any]:
    return {"get": value.func, "name": value.attrname}  # and in Python 3.11 a lock


def _wrapped(value: Any) -> dict[str, Any]:
    return {"function": value.__func__}


def _module(value: Any) -> dict[str, Any]:
    found = sys.modules.get(value.__name__) is value
    return {"name": value.__name__} | ({} if found else {"holds": vars(value)})


def _reference(value: Any) -> dict[str, Any]:
    return {"to": weakref.ref.__call__(value)}


def _match(value: Any) -> dict[str, Any]:
    return {"text": value.string, "regs": value.regs, "pattern": value.re}


def class_parts(kind: type) -> dict[str, Any]:
    """All that stands in a class, but for what gives its objects their slots.

    Args:
        kind: a class that was made in a call.
    """
    bases = [each if local(each) else _name(each) for each in kind.__bases__]
    held: dict[str, Any] = {"its bases": bases}
    for name, part in own(kind).items():
        cache = name == "__slotnames__" or type(part).__module__ == "_abc"
        if not isinstance(part, _MACHINERY) and not cache:
            held[str(name)] = part
    return held


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


_READERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    types.FunctionType: _function,
    types.CodeType: _code,
    types.MethodType: _method,
    types.BuiltinFunctionType: _builtin,
    types.ModuleType: _module,
    types.CellType: lambda cell: {"contents": _contents(cell)},
    property: _property,
    cached_property: _cached,
    classmethod: _wrapped,
    staticmethod: _wrapped,
    weakref.ref: _reference,
    re.Match: _match,
}
