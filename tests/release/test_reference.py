"""The reference names every public thing, every command and option, and every rule."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import typer

import ldp_verified
from ldp_verified.app.cli import app
from ldp_verified.app.explained import codes, title
from ldp_verified.check.audit.rules.rules import RULES
from release import reference

if TYPE_CHECKING:
    from pathlib import Path


def test_every_package_with_public_names_has_a_page() -> None:
    found = set()
    for each in pkgutil.walk_packages(ldp_verified.__path__, "ldp_verified."):
        if each.ispkg and vars(importlib.import_module(each.name)).get("__all__"):
            found.add(each.name.removeprefix("ldp_verified."))
    # Files of the wheel, commands, which have a page of their own, and a checker's own parts.
    assert found - {"run.carried", "app.cli", "prove.coq"} == reference.PACKAGES.keys()


def test_every_public_class_and_function_is_named_once() -> None:
    for package in reference.PACKAGES:
        page = reference.api(package)
        paths = [line.removeprefix("::: ") for line in page.splitlines() if line[:3] == ":::"]
        assert paths
        assert len(set(paths)) == len(paths), package
        for path in paths:
            module, _, name = path.rpartition(".")
            assert getattr(importlib.import_module(module), name).__doc__, path


def test_every_command_and_option_is_there() -> None:
    page = reference.commands()
    group: Any = typer.main.get_command(app)
    assert len(group.commands) >= 15
    for name, command in group.commands.items():
        _, _, rest = page.partition(f"## ldp-verified {name}\n")
        own = rest.partition("\n## ")[0]
        assert own, name
        for parameter in command.params:
            if parameter.name != "help" and not getattr(parameter, "hidden", False):
                shown = parameter.opts[0] if parameter.param_type_name == "option" else "`"
                assert shown in own, (name, parameter.name)
    assert "[bold]" not in page


def test_every_error_is_linked() -> None:
    page = reference.errors()
    for code in codes():
        assert f"[{code}](../../ldp_verified/app/explained/{code}.md)" in page
        assert title(code) in page


def test_every_rule_is_there(tmp_path: Path) -> None:
    reference.write(tmp_path)
    text = (tmp_path / "rules.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        assert f"## {rule.id}\n" in text
        assert rule.title in text
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    for path in tmp_path.glob("*.md"):
        assert path.name == "index.md" or f"({path.name})" in index
