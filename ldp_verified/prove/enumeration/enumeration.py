"""Claims recomputed from the expanded table, exactly, at small sizes.

Nothing derived is read here: no pair table, no class count. A claim that fails comes with the
place where it fails.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ldp_verified.kinds import Kind
from ldp_verified.language.claims import BetterThan, Holds, Optimal, SameTable
from ldp_verified.language.density import Density
from ldp_verified.language.exponents import beside as exponential
from ldp_verified.language.noise import Noise
from ldp_verified.language.privacy import shares_support
from ldp_verified.prove.designs.rows import rows_match
from ldp_verified.prove.enumeration.boundary_points import crossings, toward_ends
from ldp_verified.prove.enumeration.density_enumeration import enumerate_density
from ldp_verified.prove.enumeration.expand import (
    NoStructureError,
    NotExpandableError,
    Point,
    UndefinedCellError,
    complete,
    expand_form,
)
from ldp_verified.prove.enumeration.noise_enumeration import enumerate_noise
from ldp_verified.prove.enumeration.optimum_search import search_optimum
from ldp_verified.prove.enumeration.points import LARGEST, describe, inside, points
from ldp_verified.prove.enumeration.privacy_checks import other_form
from ldp_verified.prove.enumeration.table_checks import (
    Check,
    claim_checks,
    equal_support,
    first_witness,
    nonnegative,
    relation_check,
    sums_to_one,
)
from ldp_verified.prove.enumeration.table_facts import delta, tight_ratio
from ldp_verified.prove.enumeration.witnesses import Places, PointFinding, PointPlace
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from ldp_verified.language.claims import Claim
    from ldp_verified.language.mechanism import Mechanism

__all__ = ["PointFinding", "delta", "enumerate_obligations", "points", "rows_match", "tight_ratio"]


@dataclass(frozen=True)
class _Expansion:
    places: list[PointPlace]
    points: list[Point]
    undefined: Witness | None
    remark: str


def _expand_all(mechanism: Mechanism, at: Iterable[Point], places: Places) -> _Expansion:
    """The table at every point; what could not be written out is said in `remark`.

    A point without a structure is no point of the mechanism: no claim is about it.
    """
    expanded: list[PointPlace] = []
    all_points: list[Point] = []
    undefined: Witness | None = None
    remark = ""
    form = mechanism.algebraic_table
    for point in at:
        full: Point = point
        try:
            full = complete(form, point)
            if full.keys() != point.keys() and not inside(mechanism, full):
                continue
            expanded.append(places.at(full))
        except UndefinedCellError as error:
            undefined = undefined or Witness(
                {symbol.name: str(value) for symbol, value in full.items()},
                {"cell": error.argument},
                f"the cell {error.argument} divides by zero at these parameters",
            )
        except NotExpandableError as error:
            remark = f"; not all written out: {error}"
            if isinstance(error, NoStructureError):
                continue
        all_points.append(full)
    return _Expansion(expanded, all_points, undefined, remark)


def _sizes(places: Iterable[PointPlace], remark: str) -> str:
    return describe([dict(place.point) for place in places]) + remark


def _comparable(
    mechanism: Mechanism, claim: SameTable | BetterThan, places: Iterable[PointPlace]
) -> list[PointPlace]:
    """The places at which the other mechanism's table can be written out too."""
    found = []
    for place in places:
        try:
            expand_form(other_form(mechanism, claim), place.point)
        except (NotExpandableError, UndefinedCellError):
            continue
        found.append(place)
    return found


def enumerate_obligations(
    mechanism: Mechanism,
    largest: int = LARGEST,
    at: Iterable[Point] | None = None,
    *,
    optima: bool = True,
    inputs: Iterable[Fraction] = (),
    places: Places | None = None,
) -> tuple[PointFinding, ...]:
    """Every obligation that can be decided from the expanded table, in the order of the claims.

    An obligation that cannot (no structure, an optimum that no small size reaches) has no finding.
    `largest` bounds the integers that are tried; `at` names the points instead. Optima are searched
    for elsewhere, whatever the points; `optima` says whether. `inputs` are further inputs of a
    table on the line; every other table has all of them. `places` keeps what is written out.
    """
    if isinstance(mechanism.table, Density):
        return enumerate_density(mechanism, largest, at, inputs)
    if isinstance(mechanism.table, Noise):
        return enumerate_noise(mechanism, largest, at, inputs)
    places = places or Places(mechanism)
    looked_at = points(mechanism, largest) if at is None else at
    expansion = _expand_all(mechanism, looked_at, places)
    expanded = expansion.places
    sizes = _sizes(expanded, expansion.remark)
    findings: list[PointFinding] = []

    def add(claim: int | None, obligation: str, witness: Witness | None, covered: str) -> None:
        findings.append(PointFinding(claim, obligation, witness is None, covered, witness))

    def add_checked(
        claim: int | None, obligation: str, check: Any, here: list[Any], covered: str
    ) -> None:
        # What is too large, or has no value, for one obligation leaves that one without a finding.
        with suppress(NotExpandableError):
            add(claim, obligation, first_witness(check, here), covered)

    def add_table(claim: int | None, obligation: str, check: Check, note: str = "") -> None:
        if expanded:
            add_checked(claim, obligation, check, expanded, sizes + note)

    def add_if_refuted(position: int, obligation: str, check: Check) -> None:
        this = (position, obligation)
        so_far = [each for each in findings if (each.claim, each.obligation) == this]
        if any(each.witness for each in so_far):
            return
        known = [place.point for place in expanded if place.point]
        for point in toward_ends(mechanism, known[-1:]):
            for place in _expand_all(mechanism, [point], places).places:
                # One at which nothing is decided hides no witness, and takes no finding away.
                with suppress(NotExpandableError):
                    witness = check(place)
                    if witness is not None:
                        findings[:] = [each for each in findings if each not in so_far]
                        add(position, obligation, witness, describe([dict(place.point)]))
                        return

    def add_comparison(position: int, claim: SameTable | BetterThan) -> None:
        stated = isinstance(claim, SameTable) or claim.condition is not None
        here = _comparable(mechanism, claim, expanded) if stated else []
        if not here:  # Nothing to look at, or nothing that is stated.
            return
        more: list[PointPlace] = []
        if isinstance(claim, BetterThan) and at is None:
            beside = crossings(mechanism, claim, [place.point for place in here])
            more = _comparable(mechanism, claim, _expand_all(mechanism, beside, places).places)
        covered = sizes if len(here) == len(expanded) else _sizes(here, expansion.remark)
        for obligation, check, note in places.checks(position, _read):
            said = f"{covered}{note}" + (f"; {len(more)} points beside the boundary" * bool(more))
            add_checked(position, obligation, check, [*here, *more], said)

    if expansion.undefined is not None:
        add(None, Kind.NONNEGATIVE, expansion.undefined, sizes)
    else:
        add_table(None, Kind.NONNEGATIVE, nonnegative)
    add_table(None, Kind.SUMS_TO_ONE, sums_to_one)
    if shares_support(mechanism.claims):
        add_table(None, Kind.EQUAL_SUPPORT, equal_support)
    for position, claim in enumerate(mechanism.claims):
        if isinstance(claim, Holds):
            seen = expansion.points
            covered = describe([dict(p) for p in seen])
            for obligation, check, _ in places.checks(position, _read) if seen else ():
                add_checked(position, obligation, check, seen, covered)
        elif isinstance(claim, Optimal):
            outcome = search_optimum(mechanism, claim, largest) if optima else None
            if outcome is not None:
                add(position, Kind.OPTIMAL, outcome.witness, outcome.sizes)
        elif isinstance(claim, SameTable | BetterThan):
            add_comparison(position, claim)
        else:
            for obligation, check, note in places.checks(position, _read):
                add_table(position, obligation, check, note)
                if at is None and exponential(mechanism.table, claim) is not None:
                    add_if_refuted(position, obligation, check)
    return tuple(findings)


def _read(mechanism: Mechanism, claim: Claim) -> Iterable[tuple[Kind, Any, str]]:
    """(obligation, check, what else was covered) of a claim.

    The check of a `Holds` looks at a point, that of any other claim at a `PointPlace`.
    """
    if isinstance(claim, Holds):
        return [(Kind.HOLDS, relation_check(mechanism, claim), "")]
    return claim_checks(mechanism, claim)
