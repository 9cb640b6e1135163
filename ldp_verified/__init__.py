"""Local differential privacy whose code is checked against its table of probabilities.

The mechanisms, and `verify`, are loaded when first asked for: the symbolic side needs no mechanism
and has to work where a generated module is missing; the numeric side needs no sympy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ldp_verified.extras import stand_guard

stand_guard()

if TYPE_CHECKING:
    from ldp_verified.prove import verify
    from ldp_verified.run import mechanisms
    from ldp_verified.run.mechanisms import *  # noqa: F403  (every class, whose list is generated)

    __version__: str
    __all__ = ["verify"]
    __all__ += mechanisms.__all__
else:

    def __getattr__(name):
        """A mechanism's class by its name, or `verify`."""
        if name == "__version__":
            return importlib.import_module("importlib.metadata").version("ldp-verified")
        if name == "verify":
            return importlib.import_module("ldp_verified.prove").verify
        if name == "__all__" or name[0].isupper():  # submodules are not: they need no class
            classes = importlib.import_module("ldp_verified.run.mechanisms")
            if name == "__all__":
                return [*classes.__all__, "verify"]
            if name in classes.__all__:
                return getattr(classes, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        """The public names, whether loaded or not."""
        return [*__getattr__("__all__"), "__version__"]
