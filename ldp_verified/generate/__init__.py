"""Generate the typed module that runs a mechanism, and check that the committed one is the same."""

from ldp_verified.generate.files import check, generate, write
from ldp_verified.generate.module import class_name, module_text
from ldp_verified.generate.numeric import NumericSide, numeric_side

__all__ = [
    "NumericSide",
    "check",
    "class_name",
    "generate",
    "module_text",
    "numeric_side",
    "write",
]
