"""Networks with edges that are made of noise, or that tell least."""

from __future__ import annotations

from typing import Any

from ldp_verified.protocols import network


def without_tests(found: Any) -> network.Network:
    """Every pair has an edge, as far as a tree goes."""
    return network.fitted_network(_Untested(found))  # type: ignore[arg-type]  # a wrong twin


class _Untested:
    """An estimate all of whose pairs seem to depend on each other."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def independent(self, *_: str) -> Any:
        """Reject."""
        return _Rejected()


class _Rejected:
    def rejected(self, _: float) -> bool:
        """Always."""
        return True
