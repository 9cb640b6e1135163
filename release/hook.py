"""Puts the printed certificates into a wheel, and all printed texts into a source distribution.

Texts with the hashes of `proofs/manifest.sha256` are taken as they are. Where some are missing, all
are printed from the specs, which needs neither Coq nor z3. A build whose texts come out with other
hashes fails. An editable install carries none.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PRINTERS = ("sympy", "python-flint", "numpy", "scipy", "z3-solver")
"""What the printers import, in the versions of the lock: others may print other texts."""


class CustomBuildHook(BuildHookInterface[Any]):
    """What hatchling calls."""

    @cached_property
    def _texts(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location(
            "release_texts", Path(self.root) / "release" / "texts.py"
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # It imports its neighbours.
        sys.path.insert(0, self.root)
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(self.root)
        return module

    @property
    def _proofs(self) -> Path:
        return Path(self.root) / "proofs"

    def dependencies(self) -> list[str]:
        """What the printers need, where something has to be printed."""
        if not self._texts.lacking(self._proofs):
            return []
        lock = (Path(self.root) / "constraints.txt").read_text(encoding="utf-8")
        return re.findall(rf"^(?:{'|'.join(PRINTERS)})==\S+", lock, re.MULTILINE)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the texts to what is built.

        Raises:
            ValueError: a text comes out with another hash than the manifest has.
        """
        if version == "editable":
            return
        texts, proofs = self._texts, self._proofs
        if texts.lacking(proofs):
            sys.path.insert(0, self.root)
            try:
                problems = texts.make(proofs, texts.printed(proofs))
            finally:
                sys.path.remove(self.root)
            if problems:
                raise ValueError("\n".join(problems))
        wheel = self.target_name == "wheel"
        for path in texts.listed(proofs):
            if wheel and path.startswith("certificates/"):
                build_data["force_include"][str(proofs / path)] = f"ldp_verified/_proofs/{path}"
            elif not wheel:
                build_data["force_include"][str(proofs / path)] = f"proofs/{path}"
