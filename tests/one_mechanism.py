"""Which inputs of a test are those of other mechanisms of the catalogue only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.inputs import Checkout

OF_ONE_SPEC = re.compile(r"(?:spec|ldp_verified/run/mechanisms)/(\w+)\.py")
OF_ONE_MECHANISM = re.compile(r"proofs/(?:certificates|smt|generated)/(\w+)\.\w+")


def of_one_mechanism(checkout: Checkout, paths: Iterable[str], name: str) -> frozenset[str]:
    """Files without those that belong to other mechanisms of the catalogue only.

    Args:
        checkout: whose files. paths: from its root.
        name: a mechanism. What its spec loads by name is kept too. A name that no spec has, or a
            spec that loads something unknown, keeps everything.
    """
    here = checkout.files.get("spec", ())
    specs = {path[5:-3]: path for path in here if re.fullmatch(r"spec/\w+\.py", path)}
    strings = {stem: checkout.module(path).strings for stem, path in specs.items()}
    keep = {stem for stem in specs if stem == name or name in strings[stem]}
    waiting = sorted(keep)
    while waiting:
        stem = waiting.pop()
        named = strings[stem] & specs.keys() - {stem}
        if not named and any(n == "load" for _, n in checkout.module(specs[stem]).early):
            return frozenset(paths)
        waiting += sorted(named - keep)
        keep |= named
    if not keep:
        return frozenset(paths)
    names = keep.union(*(strings[stem] for stem in keep))
    return frozenset(path for path in paths if _belongs(path, specs.keys(), keep, names))


def _belongs(path: str, stems: Iterable[str], keep: set[str], names: set[str]) -> bool:
    """Return whether a file is of these mechanisms, or of none in particular."""
    match = OF_ONE_SPEC.fullmatch(path)
    if match and match[1] in stems:
        return match[1] in keep
    match = OF_ONE_MECHANISM.fullmatch(path)
    return match is None or match[1] in names
