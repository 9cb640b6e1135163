"""The built wheel in one new environment per extra: what works, and what says how to install it.

`make test-env` runs `python -m tests.environments`. It installs packages, so `make test` does not.
"""
