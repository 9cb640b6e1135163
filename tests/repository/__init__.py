"""The repository's own habits, as checkers, and for each checker a tree that it must reject.

A checker takes the root of a tree and returns one line for each breach, `path:line: what`.
"""
