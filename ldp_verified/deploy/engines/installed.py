"""Engines are extras: where one is missing, one line says what to install."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ldp_verified.extras import MissingPackageError


def engine(module: str, extra: str) -> Any:
    """The module of an engine.

    Args:
        module: its name. extra: of this package, which brings it.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise MissingPackageError("this engine", error.name, extra) from None
