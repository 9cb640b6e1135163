"""The laws of the tables that a mechanism is compared with.

"Less variance than X" and "the same table as X" are read from the rows that X's declaration leads
to. Where those are not the rows of X's outputs, or no distributions, nothing is said about X. So
laws and class counts of the other table are decided like those of any other, in the parameters of
the mechanism that is compared, and the claim rests on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import BetterThan, Mechanism, SameTable, SmallerWorst
from ldp_verified.language.comparisons import name_of
from ldp_verified.prove.prepared import Prepared, case
from ldp_verified.prove.verdicts import Status, Verdict

NEEDED = (Kind.CLASS_COUNTS, Kind.NONNEGATIVE, Kind.SUMS_TO_ONE)
"""Laws of the other table that a comparison rests on."""

Others = Mapping[int, tuple[Verdict, ...]]
"""Position of a claim -> the verdicts on the other table."""


def others(mechanism: Mechanism, decide: Callable[[Prepared], tuple[Verdict, ...]]) -> Others:
    """The verdicts that the comparisons of a mechanism rest on; equal tables are decided once.

    Args:
        mechanism: whose claims are looked at. decide: gives the verdicts on another declaration.
    """
    known: dict[str, tuple[Verdict, ...]] = {}
    found = {}
    for position, claim in enumerate(mechanism.claims):
        if not isinstance(claim, SameTable | BetterThan | SmallerWorst) or claim.table is None:
            continue
        look = repr(claim.table)
        if look not in known:
            known[look] = _laws(mechanism, f"{mechanism.name}_beside{len(known)}", claim, decide)
        found[position] = tuple(
            replace(each, obligation=f"{each.obligation} of {name_of(claim.other)}")
            for each in known[look]
        )
    return found


def _laws(
    mechanism: Mechanism,
    name: str,
    claim: SameTable | BetterThan | SmallerWorst,
    decide: Callable[[Prepared], tuple[Verdict, ...]],
) -> tuple[Verdict, ...]:
    """The verdicts on the laws of the other table; one that is open where it cannot be declared."""
    assert claim.table is not None
    try:
        made = Mechanism(
            name,
            parameters=mechanism.parameters,
            table=claim.table,
            assuming=mechanism.assuming,
        )
    except SpecError as error:
        counts = Kind.CLASS_COUNTS
        return (Verdict(None, counts.text, counts, Status.OPEN, (), str(error)),)
    # What has to have a value is asked of the mechanism that is compared.
    found = decide(case(made.with_requirements([]), derived=False))
    return tuple(each for each in found if each.claim is None and each.obligation in NEEDED)
