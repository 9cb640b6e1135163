"""A validator of the part of JSON Schema that our schemas use; any other keyword is an error."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
SAID = {"$schema", "$id", "$defs", "title", "description"}
KNOWN = SAID | {
    *("$ref", "type", "enum", "const", "anyOf", "minimum", "maximum", "pattern"),
    *("properties", "patternProperties", "additionalProperties", "required", "items"),
}


def problems(value: Any, schema: Any, *, closed: bool = False) -> list[str]:
    """Return what is wrong with a value.

    Args:
        value: as JSON gives it.
        schema: of the whole.
        closed: also refuse fields that the schema does not name.
    """
    return _problems(value, schema, schema, "$", closed)


def _problems(value: Any, schema: Any, root: Any, at: str, closed: bool) -> list[str]:
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"{at}: the schema uses {sorted(unknown)}")
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return _problems(value, root["$defs"][name], root, at, closed)
    if "anyOf" in schema:
        each = [_problems(value, one, root, at, closed) for one in schema["anyOf"]]
        return [] if [] in each else [f"{at}: none of {len(each)}", *min(each, key=len)]
    found = []
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(_is(value, name) for name in names):
        return [f"{at}: {value!r} is no {' or '.join(names)}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is none of {schema['enum']}")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{at}: {value!r} is out of range")
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{at}: {value!r} does not match")
    if isinstance(value, list) and "items" in schema:
        for place, item in enumerate(value):
            found += _problems(item, schema["items"], root, f"{at}[{place}]", closed)
    if isinstance(value, dict):
        found += _fields(value, schema, root, at, closed)
    return found


def _fields(value: dict[str, Any], schema: Any, root: Any, at: str, closed: bool) -> list[str]:
    found = [f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    own, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, item in value.items():
        rules = [own[name]] if name in own else []
        rules += [rule for pattern, rule in patterns.items() if re.search(pattern, name)]
        for rule in rules:
            found += _problems(item, rule, root, f"{at}.{name}", closed)
        if not rules and (closed or schema.get("additionalProperties") is False):
            found.append(f"{at}: {name} is not named")
    return found


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])
