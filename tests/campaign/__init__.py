"""Attacks on public calls and saved files: the short form runs in CI, the long one by hand."""
