"""The command line: `ldp-verified`. What a command needs is imported when it runs."""

from ldp_verified.app.cli.application import app, main

__all__ = ["app", "main"]
