"""Further checkers: every module that is put here is found, and registers itself.

A module makes its rules by `addition.add` and needs no change elsewhere. The package has none of
its own: what it proves with is in `registry.CHECKERS`.
"""
