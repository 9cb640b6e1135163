"""Exact samplers and counters: integers in, integers out, nothing estimated and nothing rounded.

A sampling kernel is one plain-Python function of type `draw.Fill`. It reads uniform words and
compares them with integer thresholds, so its output probabilities are exact rationals. The same
function object runs as it stands on Python ints (single values; the enumeration of
`ldp_verified.conformance.decision_tree`), compiled by numba (bulk), and on narrower words.
"""
