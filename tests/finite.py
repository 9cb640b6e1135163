"""The catalogue's mechanisms with finitely many outputs, which have pair tables."""

from __future__ import annotations

from ldp_verified.language import Line, load_catalogue

FINITE = tuple(m for m in load_catalogue() if not isinstance(m.table, Line))
LINES = tuple(m for m in load_catalogue() if isinstance(m.table, Line))
