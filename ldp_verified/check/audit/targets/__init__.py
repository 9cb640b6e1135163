"""Targets of an audit: how each kind is called, and its outputs read to the leaves."""
