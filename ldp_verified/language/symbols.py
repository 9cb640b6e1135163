"""The two symbols in which variances are stated: `n` users, `f` the true share of the value."""

from __future__ import annotations

import sympy

n = sympy.Symbol("n", integer=True, positive=True)
f = sympy.Symbol("f", real=True, nonnegative=True)
