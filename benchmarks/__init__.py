"""Benchmarks of this package against two others, all in one run: `python -m benchmarks`.

Every number is a median over rounds. In each round every package is measured once, in a fresh
process of its own environment, so that a slow minute of the machine falls on all of them alike.
"""
