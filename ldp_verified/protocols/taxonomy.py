"""Trees of regions over places: what users choose their safe regions from.

The tree is public. Places are numbered so that those of a region stand together, so a region is two
numbers. After Chen, Li, Qin, Kasiviswanathan, Jin (2016), "Private spatial data aggregation in the
local setting".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.wide_values import listed
from ldp_verified.run.realize.values import wrong_type

Parts = Mapping[str, Sequence[str]] | Sequence[tuple[str, Sequence[str]]]
"""Each region with what it is split into: regions, and places."""

MOST_PLACES: Final = 1 << 20
MOST_REGIONS: Final = 1 << 16


@dataclass(frozen=True)
class Taxonomy:
    """A tree of regions. What is split into nothing further is a place.

    Attributes:
        regions: each region with its parts, a mapping or pairs; afterwards pairs in the order of
            the tree, the whole domain first.

    Raises:
        ParameterError: a region is empty, a name stands in two regions (they would overlap), or
            these are not the regions of one tree.
    """

    regions: Parts

    def __post_init__(self) -> None:
        """Put the regions in the order of the tree."""
        parts = _parts(self.regions)
        above = _above(parts)
        roots = [region for region in parts if region not in above]
        if len(roots) != 1:
            rule = "must be one tree: one region that is part of no other"
            raise ParameterError("regions", rule, roots)
        ordered, waiting = [], roots
        while waiting:
            region = waiting.pop()
            ordered.append((region, parts[region]))
            waiting += [part for part in reversed(parts[region]) if part in parts]
        if len(ordered) < len(parts):  # the others go round in circles
            left = sorted(parts.keys() - dict(ordered))
            raise ParameterError("regions", "must all be parts of the whole domain", left)
        object.__setattr__(self, "regions", tuple(ordered))
        if len(self.places) > MOST_PLACES:
            rule = f"must hold at most {MOST_PLACES} places"
            raise ParameterError("regions", rule, len(self.places))

    @property
    def names(self) -> tuple[str, ...]:
        """The regions, the whole domain first and each before its parts."""
        return tuple(self._spans)

    @property
    def whole(self) -> str:
        """The region that holds all places."""
        return self.names[0]

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The places, those of a region side by side."""
        return self._numbered[0]

    @property
    def _spans(self) -> dict[str, range]:
        return self._numbered[1]

    @cached_property
    def _numbered(self) -> tuple[tuple[str, ...], dict[str, range]]:
        """(Places, region -> the numbers of its places), by a walk through the tree."""
        parts = _parts(self.regions)
        places: list[str] = []
        begins: dict[str, int] = {}
        spans: dict[str, range] = {}
        waiting = [(next(iter(parts)), False)]
        while waiting:
            name, done = waiting.pop()
            if done:
                spans[name] = range(begins[name], len(places))
            elif name in parts:
                begins[name] = len(places)
                waiting.append((name, True))
                waiting += [(part, False) for part in reversed(parts[name])]
            else:
                places.append(name)
        return tuple(places), {name: spans[name] for name in parts}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {place: number for number, place in enumerate(self.places)}

    @cached_property
    def _above(self) -> dict[str, str]:
        return _above(_parts(self.regions))

    def span(self, region: object, argument: str = "region") -> range:
        """The numbers of the places of a region.

        Raises:
            ParameterError: it is no region of the tree.
        """
        found = self._spans.get(region) if isinstance(region, str) else None
        if found is None:
            raise ParameterError(argument, "must be a region of the taxonomy", region)
        return found

    def around(self, region: str) -> tuple[str, ...]:
        """The region and those around it, the whole domain last.

        Raises:
            ParameterError: it is no region of the tree.
        """
        self.span(region)
        found = [region]
        while found[-1] in self._above:
            found.append(self._above[found[-1]])
        return tuple(found)

    def numbers(self, places: object, argument: str = "places") -> list[int]:
        """The numbers of several places, which may be private: no message shows one.

        Args:
            places: several names of places; see `wide_values.listed`.
            argument: what messages call them.

        Raises:
            DomainError: one is no place of the tree, or these are no list of names.
        """
        items = listed(argument, places)
        known = wrong_type(items, (str,)) is None
        if not known or not all(map(self._numbers.__contains__, items)):
            raise DomainError(argument, "must be places of the taxonomy")
        return [self._numbers[place] for place in items]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the tree with its order, in hex."""
        text = json.dumps(self.regions, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _parts(regions: object) -> dict[str, tuple[str, ...]]:
    """Region -> its parts, each checked for itself.

    Raises:
        ParameterError: something is no name, or a region is empty or stands there twice.
    """
    pairs = list(regions.items()) if isinstance(regions, Mapping) else regions
    if not isinstance(pairs, list | tuple) or not 1 <= len(pairs) <= MOST_REGIONS:
        rule = f"must be 1..{MOST_REGIONS} regions, each with its parts"
        raise ParameterError("regions", rule, pairs)
    found: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ParameterError("regions", "must be pairs of a region and its parts", pair)
        region, parts = pair
        _check_name(region)
        if region in found:
            raise ParameterError("regions", "must have different names", region)
        if not isinstance(parts, list | tuple) or not parts:
            rule = "must each have a list of parts that is not empty"
            raise ParameterError("regions", rule, {region: parts})
        for part in parts:
            _check_name(part)
        found[region] = tuple(parts)
    return found


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or not name.isprintable():
        raise ParameterError("regions", "must have names that are printable texts", name)


def _above(parts: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Part -> the region that it is part of.

    Raises:
        ParameterError: it is part of two.
    """
    found: dict[str, str] = {}
    for region, inside in parts.items():
        for part in inside:
            if part in found:
                both = (part, found[part], region)
                raise ParameterError("regions", "must not overlap: a part is in one only", both)
            found[part] = region
    return found
