"""Make the reference pages of the site: public names, commands, rules, errors, documents.

Nothing here is written by hand: names come from the packages' `__all__`, what is said of them
from their docstrings (mkdocstrings reads those when the site is built), commands and options from
the command line itself, rules from the auditor.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import TYPE_CHECKING, Any

import typer

from ldp_verified.app.cli import app
from ldp_verified.app.explained import codes, title
from ldp_verified.app.report.audit_schema import schema_text
from ldp_verified.check.audit.rules.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "docs/reference"

WINGS = {
    "Randomizers, reports and estimates": {
        "run.mechanisms": "Randomizers that draw reports",
        "run.aggregate": "States and estimates",
        "run.realize": "Tables as integers",
        "run.program": "Programs of single reports",
    },
    "Several reports, rounds and users": {
        "protocols": "Protocols of several reports, rounds or users",
    },
    "Deployments": {
        "deploy": "Descriptors, clients and collectors",
        "deploy.engines": "Spark, Beam, DuckDB, Polars and pandas",
    },
    "What follows for a survey": {
        "analysis.utility": "Errors and numbers of users",
        "analysis.account": "Privacy losses of several mechanisms together",
        "analysis.central": "The trusted curator, shuffling",
        "analysis.interaction": "Interactive randomizers and several parties",
        "analysis.curves": "Errors against epsilon and values",
    },
    "Checks of what exists": {
        "check.audit": "Audits of anybody's randomizer",
        "check.conformance": "Tests of an implementation against its table",
        "check.claims": "Claims of documents",
        "check.recheck": "Proofs, checked again",
    },
    "From a spec to a verdict and to code": {
        "language": "The vocabulary of specs",
        "derive": "What follows from a table",
        "prove": "Verification",
        "generate": "Generated classes",
    },
    "For people at a terminal": {
        "app.explained": "Errors, explained",
    },
}
"""Purpose -> the packages with public names, in the order in which a newcomer meets them."""

PACKAGES = {package: words for wing in WINGS.values() for package, words in wing.items()}


def names(package: str) -> list[str]:
    """The public names of a package, classes before functions, with the modules that hold them.

    Args:
        package: below `ldp_verified`.
    """
    module = importlib.import_module(f"ldp_verified.{package}")
    found = []
    for name in sorted(module.__all__):
        made: Any = getattr(module, name)
        if inspect.isclass(made) or inspect.isfunction(made):
            found.append((not inspect.isclass(made), f"{made.__module__}.{made.__qualname__}"))
    return [path for _, path in sorted(found) if path.startswith("ldp_verified.")]


def api(package: str) -> str:
    """The page of a package, as Markdown for mkdocstrings.

    Args:
        package: below `ldp_verified`.
    """
    lines = [f"# ldp_verified.{package}", "", f"{PACKAGES[package]}.", ""]
    return "\n".join(lines + [f"::: {path}\n" for path in names(package)])


def commands() -> str:
    """The page of all commands and their options, as Markdown."""
    group: Any = typer.main.get_command(app)
    lines = ["# Commands", "", "`ldp-verified COMMAND --help` says the same.", ""]
    for name, command in sorted(group.commands.items()):
        lines += [f"## ldp-verified {name}", "", *_paragraphs(command.help or ""), ""]
        rows = [row for each in command.params for row in _row(each)]
        if rows:
            lines += ["| argument | means |", "| --- | --- |", *rows, ""]
    return "\n".join(lines)


def _paragraphs(text: str) -> Iterator[str]:
    """The help of a command: lines that are set in are commands to type."""
    plain = re.sub(r"\[/?(?:bold|dim|cyan|green|red|yellow)\]", "", inspect.cleandoc(text))
    for block in plain.replace("\b", "").replace("\f", "").split("\n\n"):
        code = block.startswith("  ")
        yield from (["```sh", inspect.cleandoc(block), "```"] if code else [block])
        yield ""


def _row(parameter: Any) -> Iterator[str]:
    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return
    shown = ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        shown = f"`{parameter.metavar or parameter.name.upper()}`"
    words = " ".join((getattr(parameter, "help", "") or "").split())
    yield f"| {shown} | {words.replace('|', ' or ')} |"


def rules() -> str:
    """The page of the auditor's rules, as Markdown."""
    lines = ["# Rules of an audit", "", "`ldp-verified explain LDP001` says the same.", ""]
    for rule in RULES.values():
        broken = "makes the claim false" if rule.violates else "is a reason to doubt it"
        words = (f"**{rule.title}.** {rule.why}", rule.how, f"What breaks it {broken}.")
        lines += [f"## {rule.id}", "", *(line for each in words for line in (each, ""))]
    return "\n".join(lines)


def errors() -> str:
    """The page that leads to the page of each error, as Markdown."""
    lines = ["# Errors", "", "`ldp-verified explain CODE` prints the page of a code.", ""]
    lines += ["| code | means |", "| --- | --- |"]
    rows = [f"| [{c}](../../ldp_verified/app/explained/{c}.md) | {title(c)} |" for c in codes()]
    return "\n".join([*lines, *rows, ""])


def documents() -> str:
    """The page of what `--json` prints, as Markdown."""
    about = "What `audit`, `replay` and `explain` print with `--json`, as a JSON Schema."
    return f"# JSON documents\n\n{about}\n\n```json\n{schema_text()}```\n"


def write(folder: Path) -> None:
    """Write all of them.

    Args:
        folder: where they go; made anew.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"commands": commands(), "rules": rules(), "documents": documents()}
    pages["errors"] = errors()
    pages |= {package: api(package) for package in PACKAGES}
    head = ["# Reference", "", "[Commands](commands.md) · [Rules of an audit](rules.md) · "]
    head += ["[Errors](errors.md) · [JSON documents](documents.md)"]
    for purpose, packages in WINGS.items():
        head += ["", f"## {purpose}", "", "| package | holds |", "| --- | --- |"]
        head += [f"| [{name}]({name}.md) | {words} |" for name, words in packages.items()]
    pages["index"] = "\n".join(head) + "\n"
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
