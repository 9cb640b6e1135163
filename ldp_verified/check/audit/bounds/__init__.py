"""Bounds on epsilon from counts, from tables and from published configurations."""
