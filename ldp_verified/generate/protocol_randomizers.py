"""The randomizers of a protocol file in its module: classes of the catalogue, and of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import SpecError
from ldp_verified.generate.module import class_name, no_class, written
from ldp_verified.generate.numeric import numeric_side
from ldp_verified.language import Density, Line, Noise, catalogue, load
from ldp_verified.language.protocol import group, published, turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.language import Mechanism
    from ldp_verified.language.protocol import Sends

PUBLIC = {group: "place.group", turn: "place.turn", published: "place.seen"}
"""What a place says of the public symbols."""

RESERVED = frozenset(
    (
        *("Asking", "Categories", "ClassVar", "DeclaredProtocol", "Exact", "Fraction", "Number"),
        *("Place", "Randomizer", "RationalParameter", "Self"),
    )
)
"""Names in a module that no class of a randomizer may have."""


class Randomizers:
    """The classes that a module imports or defines to make its randomizers.

    Args:
        term: writes an expression. path: of the protocol's file. own: the protocol's class.

    Attributes:
        imported: classes of the catalogue. mine: classes that the module defines -> mechanisms.
    """

    def __init__(self, term: Callable[[Any, str, dict[Any, str]], str], path: Path, own: str):
        self._term, self._path, self._own = term, path, own
        self.imported: set[str] = set()
        self.mine: dict[str, Mechanism] = {}

    def call(self, sent: Sends, where: str) -> str:
        """The call that makes the randomizer of a report.

        Raises:
            SpecError: it has no class, or not all of its arguments are given.
        """
        mechanism = sent.randomizer
        name = self._class(mechanism, where)
        given = numeric_side(mechanism).arguments
        at = {parameter.name: value for parameter, value in sent.at.items()}
        parts = []
        if given.exponent is not None:
            own = mechanism.generator.eps.name
            exact = sent.alone if given.exponent == "epsilon" else _at(own, at, where)
            price = self._term(exact, f"{where}.at", PUBLIC)
            parts.append(f"{given.exponent}=at_most({price})")
        for size, number in given.sizes.items():
            if not number.is_Integer:
                value = self._term(_at(size, at, where), f"{where}.at", PUBLIC)
                parts.append(f'{size}=whole("{size}", {value})')
        for rule in given.own:
            names = (p.name for p in mechanism.parameters if rule.name in (p.name, f"{p.name}_"))
            value = self._term(_at(next(names), at, where), f"{where}.at", PUBLIC)
            parts.append(f"{rule.name}={value}")
        return f"{name}({', '.join(parts)})"

    def texts(self) -> tuple[list[str], list[str]]:
        """The classes of one's own, and the names that they need of `ldp_verified.run.realize`."""
        texts: list[str] = []
        names: set[str] = set()
        for mechanism in self.mine.values():
            origin = mechanism.origin
            command = self._path.name if origin is None else Path(origin.path).name
            found, needed = written([mechanism], command)
            texts += found
            names |= {*needed}
        return texts, sorted(names)

    def _class(self, mechanism: Mechanism, where: str) -> str:
        """The class of a mechanism, which is imported or defined."""
        name, stem = class_name(mechanism.name), Path(getattr(mechanism.origin, "path", "")).stem
        known = {m.name: m.law_hash for m in load(stem)} if stem in catalogue() else {}
        catalogued = known.get(mechanism.name) == mechanism.law_hash
        because = no_class(mechanism)
        if isinstance(mechanism.table, Density | Line | Noise):
            because = "its inputs are numbers, not categories"
        if because:
            rule = f"must have a generated class to be run: {because}"
            raise SpecError(f"{where}.randomizer", rule, mechanism.name)
        if catalogued:
            self.imported.add(name)
        else:
            numeric_side(mechanism)
            before = self.mine.setdefault(name, mechanism)
            if before.law_hash != mechanism.law_hash or name in RESERVED | {self._own}:
                rule = "must have a name of its own in the module"
                raise SpecError(f"{where}.randomizer", rule, mechanism.name)
        if name in self.imported and name in self.mine:
            rule = "must have another name than the one of the catalogue that is used beside it"
            raise SpecError(f"{where}.randomizer", rule, mechanism.name)
        return name


def _at(name: str, at: dict[str, Any], where: str) -> Any:
    if name not in at:
        raise SpecError(f"{where}.at", "must give every size that a report needs", name)
    return at[name]
