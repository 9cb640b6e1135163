"""A spec file's mechanisms -> the text of one Python module."""

from __future__ import annotations

import importlib.metadata
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.generate.claimed import claimed
from ldp_verified.generate.contract import contract, exponent
from ldp_verified.generate.density import base_of, density_body
from ldp_verified.generate.explicit import TableSide
from ldp_verified.generate.inputs import labels_lines, own_labels
from ldp_verified.generate.numeric import numeric_side
from ldp_verified.generate.solved import constructor
from ldp_verified.language import Bits, Bloom, Line, Noise, catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.generate.formulas import Function
    from ldp_verified.generate.numeric import NumericSide
    from ldp_verified.language import Mechanism

TOOLS = "# Tools: "
"""How the one line begins in which two current files may differ."""

ACCEPTED = "# Accepted, though not proved: "
"""How a line begins that says what somebody accepted of a spec of his own."""

PROTOCOLS = "protocols."
"""How a sampler begins that is a module whose clients run the table.

A class that draws one report from such a table would not keep the permanent answer, would take
tuples of a few sizes only, would be about one number of a report, or would draw real numbers.
"""

OF_VECTORS = "a report is a vector of numbers"
NO_CLASS = {
    **dict.fromkeys(("duchi_vector", "sphere_vector", "key_value_symbols"), OF_VECTORS),
    "hpgr": "its rows are of a few values, whichever they are",
}
"""Protocols whose finite tables are about parts of a report, or some values, and which."""

WIDTH = 100


def class_name(name: str) -> str:
    """Return the class of a mechanism: `binary_rr` -> `BinaryRR`, `grr` -> `GRR`.

    A part without vowels is an acronym, and so is a whole name of at most three letters.

    Args:
        name: of the mechanism, lower case with underscores.
    """
    parts = name.split("_")
    short = len(parts) == 1 and len(name) <= 3
    return "".join(
        part.upper() if short or not set(part) & set("aeiou") else part.capitalize()
        for part in parts
    )


def has_class(mechanism: Mechanism) -> bool:
    """Return whether a class is generated for a mechanism."""
    return not no_class(mechanism)


def no_class(mechanism: Mechanism) -> str:
    """Why no class is generated for a mechanism; empty where one is."""
    if not mechanism.runs:
        return "it is declared for what it says of another one"
    if mechanism.sampler.startswith(PROTOCOLS):
        where = f"`ldp_verified.{mechanism.sampler}`"
        if isinstance(mechanism.table, Noise) and mechanism.table.encoder is None:
            return f"real numbers cannot be drawn: {where} runs integer weights close to it"
        why = NO_CLASS.get(mechanism.sampler.removeprefix(PROTOCOLS), "its clients keep state")
        return f"{OF_VECTORS if isinstance(mechanism.table, Line) else why}: {where} runs it"
    if isinstance(mechanism.table, Line) and base_of(mechanism) is None:
        return "it is declared to be compared with"
    if isinstance(mechanism.table, Bits) and isinstance(mechanism.table.encoder, Bloom):
        return "its clients keep state: `ldp_verified.protocols.rappor` runs it"
    return ""


def module_text(mechanisms: Sequence[Mechanism], accepted: Sequence[str] = ()) -> str:
    """The module for the mechanisms of one spec file.

    Args:
        mechanisms: all that the file declares.
        accepted: what somebody accepted of them although it is not proved, for the header.

    Raises:
        SpecError: one of them has no numeric side, or they come from no file or from several.
    """
    origins = {mechanism.origin for mechanism in mechanisms}
    origin = next(iter(origins), None)
    if origin is None or len(origins) != 1:
        raise SpecError("mechanisms", "must come from one spec file", sorted(map(str, origins)))
    for mechanism in mechanisms:
        if not mechanism.title.isprintable() or '"""' in mechanism.title or "\\" in mechanism.title:
            rule = "must be one line without triple quotes and backslashes"
            raise SpecError(f"{mechanism.name}.title", rule, mechanism.title)
    inside = catalogue().get(origin.module)
    known = inside is not None and Path(origin.path).resolve() == inside.resolve()
    spec = f"spec/{origin.module}.py" if known else Path(origin.path).name
    command = origin.module if known else spec
    on_the_line = any(isinstance(mechanism.table, Line) for mechanism in mechanisms)
    in_protocols = mechanisms[0].sampler == PROTOCOLS + origin.module
    if not any(map(has_class, mechanisms)) and (in_protocols or not on_the_line):
        rule = f"has no class of its own: ldp_verified.protocols runs {mechanisms[0].name}"
        raise SpecError("spec", rule, spec)
    if on_the_line:
        return _density_text(mechanisms, spec, command, accepted)
    classes, names = written([each for each in mechanisms if has_class(each)], command)
    fields = ", field" if any("field(" in text for text in classes) else ""
    typing = ["ClassVar", *(["Self"] if "at_epsilon" in names else [])]
    fractions = any("Fraction" in text for text in classes)
    title = mechanisms[0].title
    head = [
        f"# Command: ldp-verified generate {command}",
        f"# Input: {spec}",
        f"# sha256 of the input: {origin.sha256}",
        f"{TOOLS}{_tools()}",
        *(f"{ACCEPTED}{text}" for text in accepted),
        f'"""{title}: generated from {spec}, not to be edited."""',
        "",
        "from __future__ import annotations",
        "",
        f"from dataclasses import dataclass{fields}",
        *(["from fractions import Fraction"] if fractions else []),
        f"from typing import {', '.join(typing)}",
        "",
        _import("ldp_verified.run.realize", names),
    ]
    return "\n".join(head) + "\n" + "".join(f"\n\n{text}" for text in classes)


def written(mechanisms: Sequence[Mechanism], command: str) -> tuple[list[str], list[str]]:
    """The texts of classes, and the names that they need of `ldp_verified.run.realize`, in order.

    Args:
        mechanisms: that have classes. command: the spec as the command line names it.

    Raises:
        SpecError: one of them has no numeric side.
    """
    sides = list(map(numeric_side, mechanisms))
    # The side may look at the table in another form: its law is that of what was declared.
    classes = [_class(s, m, command) for s, m in zip(sides, mechanisms, strict=True)]
    names = sorted(
        {"Categories", "Number"}
        | {side.base for side in sides}
        | {"RationalParameter" for text in classes if "RationalParameter(" in text}
        | {"rational" for text in classes if "rational(" in text}
        | {"at_epsilon" for side in sides if side.solved is not None},
        key=_import_order,
    )
    return classes, names


def _density_text(
    mechanisms: Sequence[Mechanism], spec: str, command: str, accepted: Sequence[str]
) -> str:
    """The module for mechanisms over a `Density` or `Noise`."""
    imports, bodies = density_body(mechanisms, command)
    classes = []
    for mechanism, base, body in bodies:
        head = f"@dataclass(frozen=True, repr=False)\nclass {class_name(mechanism)}({base}):"
        classes.append(f"\n\n{head}\n{body}\n")
    fractions = any("Fraction" in text for text in classes)
    lines = [
        f"# Command: ldp-verified generate {command}",
        *_input(spec, mechanisms[0].spec_hash),
        f"{TOOLS}{_tools()}",
        *(f"{ACCEPTED}{text}" for text in accepted),
        f'"""{mechanisms[0].title}: generated from {spec}, not to be edited."""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        *(["from fractions import Fraction"] if fractions else []),
        "from typing import ClassVar",
        "",
        *imports,
    ]
    return "\n".join(lines) + "\n" + "".join(classes)


def tools_line() -> str:
    """The line of a header that names the tools, in which two current files may differ."""
    return f"{TOOLS}{_tools()}"


def _input(spec: str, sha256: str) -> list[str]:
    """Return the comment that names the input spec, on two lines if one is too long."""
    line = f"# Input: {spec}, sha256 {sha256}"
    return [line] if len(line) <= WIDTH else [f"# Input: {spec},", f"# sha256 {sha256}"]


def package_text(modules: Sequence[tuple[str, Sequence[str]]]) -> str:
    """`run/mechanisms/__init__.py` for (module, mechanism names) pairs."""
    imports, exported = [], []
    for module, mechanisms in sorted(modules):
        classes = sorted((class_name(name) for name in mechanisms), key=_import_order)
        imports.append(f"from ldp_verified.run.mechanisms.{module} import {', '.join(classes)}")
        exported += classes
    exported.sort(key=_import_order)
    listed = f"__all__ = [{', '.join(_quoted(name) for name in exported)}]"
    if len(listed) > WIDTH:
        listed = "\n".join(["__all__ = [", *(f"    {_quoted(name)}," for name in exported), "]"])
    return "\n".join(
        [
            "# Command: ldp-verified generate",
            '"""The catalogue as typed classes: one module per spec file, generated from it."""',
            "",
            *imports,
            "",
            listed,
            "",
        ]
    )


def without_tools(text: str) -> list[str]:
    """The lines of a generated file, less the one that names tool versions."""
    return [line for line in text.splitlines() if not line.startswith(TOOLS)]


def _quoted(name: str) -> str:
    return f'"{name}"'


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: the order in which ruff sorts names."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _import(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _tools() -> str:
    try:
        own = importlib.metadata.version("ldp-verified")
    except importlib.metadata.PackageNotFoundError:
        own = "not installed"
    return f"ldp-verified {own}, sympy {sympy.__version__}"


def _class(side: NumericSide | TableSide, declared: Mechanism, command: str) -> str:
    fields, labels = _fields(side), own_labels(declared.table)
    lines = [
        "@dataclass(frozen=True, repr=False)",
        f"class {class_name(side.mechanism.name)}({side.base}):",
        *_indented(contract(side, command, fields, labels)),
        "",
        *_indented(fields),
        "",
        *_indented(labels_lines(labels) + _constants(side, declared.law_hash)),
    ]
    for made, returns, summary in _methods(side):
        lines += ["", *_indented(_method(made, returns, summary))]
    if side.solved is not None:
        lines += ["", *_indented(constructor(side.solved, side.arguments))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _methods(side: NumericSide | TableSide) -> list[tuple[Function, str, str]]:
    given = side.arguments
    used = [each.name for each in given.own]
    at = f" at {', '.join(used)}" if used else ""
    if given.exponent is not None:
        at = f" at {', '.join(['t', *used])}, t = e^{exponent(f'-{given.exponent}', given.root)}"
        if not used:
            at = f" at t = e^{exponent(f'-{given.exponent}', given.root)}"
    solution = []
    if side.solved is not None:
        summary = f"{side.solved.name} where the largest P(y|x)/P(y|x') is u."
        solution = [(side.solved.at, "Number", summary)]
    bounds = claimed(side.mechanism, given, side.ratio)
    if bounds is not None:
        said = "Bounds that are claimed of the largest P(y|x)/P(y|x')"
        rest = "" if bounds.exponents is None else ", less what stands in an exponent"
        solution.append((bounds.factors, _number(bounds.factors), f"{said}{rest}."))
        if bounds.exponents is not None:
            said = "What of these bounds stands in an exponent."
            solution.append((bounds.exponents, _number(bounds.exponents), said))
    if isinstance(side, TableSide):
        return [(side.cells, "tuple[Number, ...]", f"The distinct probabilities{at}."), *solution]
    truth, lie = side.shape.cells
    pair = "tuple[Number, Number]"
    return [
        (side.cells, pair, f"({truth}, {lie}){at}."),
        (side.support, pair, "(p*, q*)."),
        (side.worst_ratio, "Number", "The largest P(y|x)/P(y|x')."),
        *solution,
    ]


def _number(made: Function) -> str:
    return "Number" if made.count == 1 else "tuple[Number, ...]"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _method(made: Function, returns: str, summary: str) -> list[str]:
    head = [f"def {made.name}({made.parameters}) -> {returns}:"]
    if len(head[0]) > WIDTH - 4:
        head = [f"def {made.name}(", f"    {made.parameters}", f") -> {returns}:"]
    else:
        head[0] += made.remark
    return ["@staticmethod", *head, f'    """{summary}"""', *(f"    {line}" for line in made.body)]


def _fields(side: NumericSide | TableSide) -> list[str]:
    given = side.arguments
    lines = [] if given.exponent is None else [f"{given.exponent}: float"]
    lines += [
        f"{rule.name}: {'int' if rule.domain.integer else 'float | Fraction'}" for rule in given.own
    ]
    fixed = [] if given.exponent == "epsilon" else ["epsilon: float = field(init=False)"]
    for name, size in given.sizes.items():
        if size.is_Integer:
            fixed.append(f"{name}: int = field(default={size}, init=False)")
        elif name not in ("k", "buckets") and given.exponent == "epsilon" and not given.own:
            lines.append(f"{name}: int | None = None")  # the class picks the best one
        else:
            lines.append(f"{name}: int")
    if not isinstance(side, TableSide):
        lines += side.shape.settings
    lines.append("categories: Categories | None = None")
    return lines + fixed


def _constants(side: NumericSide | TableSide, law: str) -> list[str]:
    given = side.arguments
    lines = [
        f'name: ClassVar[str] = "{side.mechanism.name}"',
        f'law_sha256: ClassVar[str] = "{law}"',
    ]
    if given.exponent is None:
        lines.append("exponent: ClassVar[str | None] = None")
    elif given.exponent != "epsilon":
        lines.append(f'exponent: ClassVar[str | None] = "{given.exponent}"')
    bounds = claimed(side.mechanism, given, side.ratio)
    if bounds is not None and bounds.sizes:
        lines.append(f"claim_sizes: ClassVar[tuple[str, ...]] = {_tuple(bounds.sizes)}")
    if given.root != 1:
        lines.append(f"root: ClassVar[int] = {given.root}")
    for name, rules in (("domains", given.rules), ("parameters", given.own)):
        if rules:
            head = f"{name}: ClassVar[tuple[RationalParameter, ...]] = ("
            lines += [head, *(line for rule in rules for line in rule.lines), ")"]
    if isinstance(side, TableSide):
        if side.no_estimator is not None:
            head, reason = "no_estimator: ClassVar[str | None]", _quoted(side.no_estimator)
            lines += _broken(f"{head} = ", "(", [reason], ")")
        lines += _grid("pattern", side.pattern)
    else:
        if side.cell_sizes != side.shape.in_cells:
            lines.append(f"cell_sizes: ClassVar[tuple[str, ...]] = {_tuple(side.cell_sizes)}")
        if side.shape.blocks:
            lines += _grid("blocks", side.shape.blocks)
    return lines


def _grid(name: str, rows: Sequence[Sequence[int]]) -> list[str]:
    """A tuple of tuples, one row to a line where it fits."""
    lines = [f"{name}: ClassVar[tuple[tuple[int, ...], ...]] = ("]
    for row in rows:
        line = f"    {_tuple(row)},"
        if len(line) <= WIDTH - 4:
            lines.append(line)
        else:
            # The formatter would give each number a line of its own.
            inner = textwrap.wrap(", ".join(map(str, row)), WIDTH - 12)
            lines += ["    (  # fmt: skip", *(f"        {part}" for part in inner), "    ),"]
    return [*lines, ")"]


def _tuple(items: Sequence[object]) -> str:
    shown = ", ".join(_quoted(item) if isinstance(item, str) else str(item) for item in items)
    return f"({shown},)" if len(items) == 1 else f"({shown})"


def _broken(head: str, opening: str, parts: Sequence[str], closing: str) -> list[str]:
    line = f"{head}{', '.join(parts)}"
    if len(line) <= WIDTH - 4:
        return [line]
    return [f"{head}{opening}", *(f"    {part}" for part in parts), closing]
