"""Rulings of a check on one reading of a claim."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from ldp_verified.prove import Witness


class RulingKind(StrEnum):
    """The verdicts of the claims register.

    PROVED: for all parameters, by the named checkers. REGION: true exactly where the region says,
    proved. REFUTED: false, with a witness that was evaluated twice. CHECKED: rests on something
    that is cited and not proved here, or was looked at over a stated range only; the detail says
    which. OPEN: nothing here decides it.
    """

    PROVED = "proved"
    REGION = "holds iff"
    REFUTED = "refuted"
    CHECKED = "checked"
    OPEN = "open"


@dataclass(frozen=True)
class Ruling:
    """The outcome of one check.

    Attributes:
        kind: see `RulingKind`.
        checkers: who decided it ("certificate", "smt", "coq", "enumeration", "ladder", "balls").
        detail: sizes, ranges, what is cited, why it is open.
        witness: with REFUTED.
        region: with REGION, exactly where it holds.
    """

    kind: RulingKind
    checkers: tuple[str, ...] = ()
    detail: str = ""
    witness: Witness | None = None
    region: str = ""

    def __post_init__(self) -> None:
        """A refutation has a witness, what is proved a checker.

        Raises:
            ValueError: it lacks one.
        """
        if self.kind is RulingKind.REFUTED and self.witness is None:
            raise ValueError("a refutation needs a witness")
        if self.kind in (RulingKind.PROVED, RulingKind.REGION) and not self.checkers:
            raise ValueError("what is proved needs a checker")

    def with_detail(self, detail: str) -> Ruling:
        """This ruling with something said before its detail."""
        return replace(self, detail="; ".join(part for part in (detail, self.detail) if part))


def open_because(reason: str) -> Ruling:
    """The ruling that nothing decides a claim."""
    return Ruling(RulingKind.OPEN, (), reason)


def refuted(
    checkers: tuple[str, ...],
    explanation: str,
    parameters: dict[str, object],
    values: dict[str, object],
    detail: str = "",
) -> Ruling:
    """A refutation, its numbers as text."""
    witness = Witness(
        {name: str(value) for name, value in parameters.items()},
        {name: str(value) for name, value in values.items()},
        explanation,
    )
    return Ruling(RulingKind.REFUTED, checkers, detail, witness)


WEAKEST = (
    RulingKind.REFUTED,
    RulingKind.OPEN,
    RulingKind.CHECKED,
    RulingKind.REGION,
    RulingKind.PROVED,
)
"""The first of these that a part of a conjunction has is that of the whole."""


def all_of(rulings: Iterable[Ruling]) -> Ruling:
    """The ruling on a conjunction: never stronger than that on its weakest part."""
    found = list(rulings)
    weakest = min(found, key=lambda each: WEAKEST.index(each.kind))
    if weakest.kind in (RulingKind.REFUTED, RulingKind.OPEN):
        return weakest
    checkers = tuple(dict.fromkeys(name for each in found for name in each.checkers))
    detail = "; ".join(dict.fromkeys(each.detail for each in found if each.detail))
    region = " and ".join(dict.fromkeys(each.region for each in found if each.region))
    return Ruling(weakest.kind, checkers, detail, None, region)


def routes(rulings: Iterable[Ruling]) -> Ruling:
    """The ruling on one statement that several routes looked at.

    Raises:
        ArithmeticError: one proves it and another refutes it, so one of the two is wrong.
    """
    found = list(rulings)
    proved = [each for each in found if each.kind is RulingKind.PROVED]
    against = [each for each in found if each.kind is RulingKind.REFUTED]
    if proved and against:
        raise ArithmeticError(f"proved by {proved[0].checkers}, refuted by {against[0].checkers}")
    if against:
        return against[0]
    strongest = max((each.kind for each in found), key=WEAKEST.index)
    kept = [each for each in found if each.kind is not RulingKind.OPEN] or found
    checkers = tuple(dict.fromkeys(name for each in kept for name in each.checkers))
    detail = "; ".join(dict.fromkeys(each.detail for each in kept if each.detail))
    region = next((each.region for each in found if each.kind is strongest and each.region), "")
    return Ruling(strongest, checkers, detail, None, region)
