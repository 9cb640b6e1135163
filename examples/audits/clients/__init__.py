"""Clients of public packages: a module with `CLIENTS` for each, run by `examples.audits.peer`.

A client is made from eps and the number of values, and takes one of the values 0, 1, 2, ... Nothing
here imports more than the package itself and the standard library.
"""
