"""Exact samplers and counters: integers in, integers out, nothing estimated and nothing rounded.

A sampling kernel is one plain-Python function of type `draw.Fill`. It reads uniform words and
compares them with integer thresholds, so its output probabilities are exact rationals. The same
function object runs as it stands on Python ints (single values; the enumeration of
`ldp_verified.check.conformance.decision_tree`), compiled by numba (bulk), and on narrower words.
"""

from typing import Final

PROGRAM_VERSION: Final = 3
"""How words become one report: raised whenever the same words (of a tape or a device's secret)
would give another one. What rests on drawing the same again names it: saved devices, vectors.
Batches that a seed gives may change without it: nothing that is kept rests on simulations."""

SAME_ANSWERS: Final = frozenset({1, 2, 3})
"""Versions under which a secret gives the permanent answers of this one, and reports have the laws
of this one. Since 2 the words of one report tell no more than the report (`run.program`), since 3
those of clients that keep answers do not tell, either, which values are new."""
