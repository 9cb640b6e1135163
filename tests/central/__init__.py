"""Tests of a curator's releases."""
