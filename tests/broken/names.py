"""Names that two readers read differently: declarations and statements that must be refused."""

from __future__ import annotations

from typing import Any

TWIN = """
import sympy
from ldp_verified.language import *

half = Rational(1, 2)
a = real("a", above=0, below=half)
b = real("\\uff41", above=0, below=half)
zero = (a - b) * sympy.prod(
    b - Rational(*at) for at in ((1, 2000), (1, 8), (1, 4), (3, 8), (999, 2000))
)
twin = Mechanism("twin", parameters=[a, b], table=Matrix([[1 - a, a], [a, 1 - a]]),
                 claims=[Holds(Eq(zero, 0, evaluate=False))])
"""
"""Two parameters that Python's parser, and so the verifier, would take for one."""

NOT_WORDS = (
    "\uff41",  # a full-width a
    "\u212f",  # a script e
    "\u017f",  # a long s
    "\u00aa",  # a feminine ordinal indicator
    "a\u0301",  # an a with an accent of its own
    "\u03b5",  # a Greek epsilon
    "a b",
    "a-b",
    "1a",
    "_a",
    "a'",
    "a\n",
    "",
)
"""What is no word of ASCII letters, digits and underscores."""

TAKEN = (
    *("lambda", "None", "match", "yield", "async"),
    *("fun", "forall", "exists", "Set", "Prop", "Type", "fix", "end"),
    *("let", "ite", "push", "Real", "distinct", "pi"),
    *("self", "rng", "categories", "values", "privatize", "cells", "max", "sum"),
    *("t_a", "t_"),
)
"""Words that mean something else to one of those who read them."""


def statement(*names: str, value: str) -> dict[str, Any]:
    """A statement by hand over variables of these names in (0, 1): that `value` is 0."""
    bounds = {"lower": "0", "upper": "1", "lower_open": True, "upper_open": True, "integer": False}
    return {
        "variables": [{"name": name, **bounds} for name in names],
        "pair_tables": [],
        "weights": None,
        "claims": [{"kind": "holds", "left": value, "right": "0", "relation": "=="}],
    }


STATEMENTS = {
    "the issue's": statement("a", "\uff41", value="a - \uff41"),
    "one name twice": statement("a", "a", value="a - a"),
    "two spellings of one letter": statement("\u017f", "s", value="s - \u017f"),
    "a word of Python's": statement("lambda", value="0"),
    "a number": statement("1", value="1 - 1"),
    "the users' name": statement("n", value="n - n"),
}
"""Name -> a true-looking statement whose variables are not what they seem."""
