"""Refuse options of `audit` that its kind of target has no use for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    import typer

KINDS = {
    "callable": "a Python callable",
    "protocol": "a protocol",
    "program": "a program (--command)",
    "http": "a service (--http)",
    "file": "a file of reports",
    "fit": "reports that are compared (--fit)",
    "counts": "counts that are compared (--fit --users)",
    "table": "a table of probabilities (--table)",
    "configuration": "a configuration (--configuration)",
}
"""The kinds of targets, in the words of errors."""

OPENED = {"protocol": "callable", "fit": "file", "counts": "file"}
"""The kinds that are opened as another one, by which `Target` knows them."""

ALL = tuple(KINDS)
CALLED = ("callable", "protocol")
ASKED = (*CALLED, "program", "http")
SAMPLED = (*ASKED, "file")
COMPARED = ("fit", "counts")
UNDECLARED = tuple(kind for kind in (*SAMPLED, *COMPARED) if kind != "protocol")
"""Kinds that do not say themselves what they are and what they claim, as a protocol does."""

CLAIMED = {"epsilon": UNDECLARED}


@dataclass(frozen=True)
class OptionUse:
    """The use that one option of `audit` has.

    Attributes:
        kinds: the targets that take it.
        needs: options that have to be given with it, each with the kinds for which that is so.
        excludes: options that leave it without a use.
    """

    kinds: tuple[str, ...] = ALL
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excludes: tuple[str, ...] = ()


USES: Mapping[str, OptionUse] = {
    **dict.fromkeys(("target", "command", "http", "table", "configuration"), OptionUse()),
    **dict.fromkeys(("epsilon", "junit", "sarif", "html", "as_json"), OptionUse()),
    "delta": OptionUse(needs={"epsilon": ("table",)}),
    "inputs": OptionUse(tuple(kind for kind in ALL if kind != "table")),
    "period": OptionUse(("configuration",), {"epsilon": ("configuration",)}),
    "per_day": OptionUse(("configuration",)),
    "body": OptionUse(("http",)),
    "concurrency": OptionUse(("http",)),
    "bare": OptionUse(("program",)),
    "echo": OptionUse(("program",)),
    "column": OptionUse(("file", "counts")),
    "output": OptionUse(("file", *COMPARED)),
    "as_": OptionUse((*SAMPLED, *COMPARED), CLAIMED),
    "set_": OptionUse((*SAMPLED, *COMPARED), {"as_": UNDECLARED}),
    "reading": OptionUse((*SAMPLED, *COMPARED)),
    "level": OptionUse((*SAMPLED, *COMPARED)),
    "fit": OptionUse(COMPARED, {"as_": COMPARED, "epsilon": COMPARED}),
    "users": OptionUse(("counts",)),
    **dict.fromkeys(("outputs", "n", "checks", "seed"), OptionUse(SAMPLED)),
    "save": OptionUse(SAMPLED, CLAIMED),
    **dict.fromkeys(("calls", "seconds", "decimals", "timing", "beside"), OptionUse(ASKED)),
    "anytime": OptionUse(ASKED, CLAIMED),
    "timeout": OptionUse(ASKED, excludes=("in_process",)),
    **dict.fromkeys(("bulk", "rows", "repeat", "fresh", "questions"), OptionUse(CALLED)),
    **dict.fromkeys(("in_process", "interval"), OptionUse(CALLED)),
    **dict.fromkeys(("estimator", "variance", "outside"), OptionUse(CALLED, CLAIMED)),
    "confidence": OptionUse(CALLED, {"interval": CALLED}),
}
"""Every parameter of the command, by its name there."""


def kind_of(named: Mapping[str, object], *, fit: bool, users: int | None) -> str:
    """Find the kind of an audit's target.

    Args:
        named: the one of TARGET and the options in its place that is given, by its name.
        fit: whether a file is to be compared with a mechanism.
        users: behind the counts that a file holds; None where none are said.

    Returns:
        One of `KINDS`.
    """
    from ldp_verified.app.cli.audit_steps import is_file
    from ldp_verified.app.cli.running_protocols import is_declaration

    ((name, value),) = named.items()
    if name != "target":
        return "program" if name == "command" else name
    target = str(value)
    if is_declaration(target):
        return "protocol"
    if not is_file(target):
        return "callable"
    return "file" if not fit else "fit" if users is None else "counts"


def refuse_unused(context: typer.Context, kind: str) -> None:
    """Refuse options that were given and have no use, which would be ignored.

    Args:
        context: of the command, which knows what was given.
        kind: of the target, one of `KINDS`.

    Raises:
        ParameterError: an option is for other kinds of targets, stands without one that it is
            about, or beside one that leaves it without a use.
    """
    spelled, given = dict[str, str](), dict[str, object]()
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        value = context.params.get(name)
        off = value is False and parameter.secondary_opts
        spelled[name] = (parameter.secondary_opts if off else parameter.opts)[0]
        if source is not None and source.name != "DEFAULT":
            given[name] = value
    for name, value in given.items():
        use, option = USES[name], spelled[name]
        if kind not in use.kinds:
            others = ", ".join(KINDS[each] for each in use.kinds)
            _refuse(option, f"must be left out for {KINDS[kind]}: it is for {others}", value)
        for needed, kinds in use.needs.items():
            if kind in kinds and needed not in given:
                rule = f"must be given with {option}, which says nothing without it"
                raise ParameterError(spelled[needed], rule)
        for other in use.excludes:
            if other in given:
                _refuse(option, f"must be left out beside {spelled[other]}", value)


def _refuse(option: str, rule: str, value: object) -> None:
    if isinstance(value, bool):
        raise ParameterError(option, rule)
    raise ParameterError(option, rule, str(value) if isinstance(value, Path) else value)
