"""Derive a verdict from evidence: never stronger than it, nor than what it rests on.

Pure, and the only place where a status is decided. A verdict is the meet of its own evidence and
of the verdicts on everything it rests on:

- what has a witness is refuted, whatever else is said; a proof of the same statement beside it
  is a contradiction, which is for the caller to look for
- what a checker refused is open, whatever another one proved
- what is proved by both groups is proved, by one of them proved by one group; enumeration and
  the identities of block sizes prove nothing, they only refute or agree
- a checker that was added proves for its group, and never takes the place of this package's own:
  by itself it shows no more than one group does; without a group its consent changes nothing
- what rests on something refuted or open is open, unless it has a witness of its own
- assumptions are a set: they are carried up, and lower nothing
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ldp_verified.kinds import Kind
from ldp_verified.prove.registry import ADDED, CHECKERS, named
from ldp_verified.prove.verdicts import Status, Verdict, Witness

GROUPS: Mapping[str, str] = {each.name: each.group for each in CHECKERS if each.group}
"""Checker of this package that can prove -> its group; the others of a group read the same."""

BOTH = frozenset(GROUPS.values())
"""The groups of checkers: a statement is proved only if all of them prove it."""

TABLE = (Kind.NONNEGATIVE, Kind.SUMS_TO_ONE)
"""The laws without which there is no table, and nothing to claim of it."""

RESTS_ON: Mapping[str, tuple[str, ...]] = {
    # Laws of the table: their rows are those of the certificate only if the counts are right.
    Kind.CLASS_COUNTS: (),
    Kind.NONNEGATIVE: (Kind.CLASS_COUNTS,),
    Kind.SUMS_TO_ONE: (Kind.CLASS_COUNTS,),
    Kind.EQUAL_SUPPORT: (Kind.CLASS_COUNTS, *TABLE),
    Kind.FREE_CELLS: (Kind.CLASS_COUNTS,),
    Kind.AT_EPSILON: (Kind.CLASS_COUNTS, *TABLE),
    Kind.AT_RANGE: (Kind.CLASS_COUNTS, *TABLE),
    # Claims. A row whose count is zero is no row: a largest ratio and its place rest on counts.
    Kind.RATIO: (Kind.CLASS_COUNTS, *TABLE),
    Kind.CURVE: (Kind.CLASS_COUNTS, *TABLE),
    Kind.TIGHT: (Kind.CLASS_COUNTS, *TABLE, Kind.RATIO, Kind.CURVE),
    Kind.UNBIASED: (Kind.CLASS_COUNTS, *TABLE),
    Kind.VARIANCE: (Kind.CLASS_COUNTS, *TABLE),
    Kind.OPTIMAL: (Kind.CLASS_COUNTS, *TABLE),
    Kind.SAME_TABLE: (Kind.CLASS_COUNTS, *TABLE),
    Kind.BETTER: (Kind.CLASS_COUNTS, *TABLE),
    Kind.MEAN: TABLE,
    Kind.REPORT_VARIANCE: TABLE,
    Kind.WORST_VARIANCE: TABLE,
    # A relation between parameters: the table is not looked at.
    Kind.HOLDS: (),
}
"""Kind of obligation -> the kinds that it rests on: laws of its table, or parts of its own claim.

A kind that is not there rests on everything that is said of the table.
"""

LADDER = (
    Status.REFUTED,
    Status.OPEN,
    Status.SAMPLED,
    Status.ENUMERATED,
    Status.ONE_GROUP,
    Status.PROVED,
)
"""The statuses from the weakest to the strongest.

ASSUMED is no step: it lowers nothing, and is carried in the assumptions.
"""


@dataclass(frozen=True)
class Evidence:
    """The routes' evidence on one obligation by itself.

    Attributes:
        proves: the checkers that prove it for all parameters. agrees: those that found nothing
            against it at the sizes that they looked at.
        refuses: checker that was asked and refused -> why.
        witness: a confirmed place where it fails. against: who found it.
        assumes: what the proofs take for granted. granted: nobody decides it, and it is one of
            these assumptions itself.
    """

    proves: tuple[str, ...] = ()
    agrees: tuple[str, ...] = ()
    refuses: Mapping[str, str] = field(default_factory=dict)
    witness: Witness | None = None
    against: tuple[str, ...] = ("enumeration",)
    assumes: tuple[str, ...] = ()
    granted: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that prove the obligation.

        Raises:
            KeyError: one of those that prove is no checker. ValueError: it is in no group.
        """
        found = dict.fromkeys(named(name).group for name in self.proves)
        if "" in found:
            raise ValueError(f"{', '.join(self.proves)}: must all be in groups that prove")
        return tuple(found)

    @property
    def status(self) -> Status:
        """Return the status that follows from this evidence alone."""
        if self.witness is not None:
            return Status.REFUTED
        if self.refuses:
            return Status.OPEN
        if self.groups:
            own = {GROUPS[name] for name in self.proves if name in GROUPS}
            return Status.PROVED if own >= BOTH else Status.ONE_GROUP
        if self.granted:
            return Status.ASSUMED
        looked = [name for name in self.agrees if name not in ADDED]
        return Status.ENUMERATED if looked else Status.OPEN


def meet(own: Status, base: Status) -> Status:
    """Return the status of a statement that rests on another one, given both statuses."""
    if own is Status.REFUTED or base is Status.ASSUMED:
        return own
    if base in (Status.REFUTED, Status.OPEN):
        return Status.OPEN
    if own is Status.ASSUMED:
        return own
    return min(own, base, key=LADDER.index)


def weakest(statuses: Sequence[Status]) -> Status:
    """Return the status of a conjunction; ASSUMED ranks above OPEN, as in `Verification.status`."""
    order = (Status.REFUTED, Status.OPEN, Status.ASSUMED, *LADDER[2:])
    return min(statuses, key=order.index, default=Status.OPEN)


def bases(key: tuple[int | None, str]) -> list[tuple[int | None, str]]:
    """The places at which something may stand that an obligation, (claim, kind), rests on."""
    claim, kind = key
    needed = RESTS_ON.get(kind, (Kind.CLASS_COUNTS, *(TABLE if claim is not None else ())))
    needed = () if kind == Kind.DEFINED else (Kind.DEFINED, *needed)
    return [(c, base) for base in needed for c in dict.fromkeys((None, claim))]


def rested(
    verdicts: Sequence[Verdict], others: Mapping[int, Sequence[Verdict]] | None = None
) -> tuple[Verdict, ...]:
    """The verdicts on one mechanism, each met with what it rests on.

    Args:
        verdicts: on the evidence of each obligation alone; any order.
        others: position of a claim -> verdicts on the table that it compares with, which are final.
    """
    alone = {(v.claim, v.obligation): v for v in verdicts}
    done: dict[tuple[int | None, str], Verdict] = {}

    def settle(key: tuple[int | None, str]) -> Verdict:
        if key not in done:
            beside = () if others is None or key[0] is None else others.get(key[0], ())
            below = [settle(at) for at in bases(key) if at in alone]
            done[key] = _met(alone[key], [*below, *beside])
        return done[key]

    return tuple(settle((v.claim, v.obligation)) for v in verdicts)


def _met(own: Verdict, bases: Sequence[Verdict]) -> Verdict:
    lower = [base for base in bases if meet(own.status, base.status) is not own.status]
    taken = [text for each in (own, *bases) for text in each.assumptions]
    met = replace(own, assumptions=tuple(dict.fromkeys(taken)))
    if not lower:
        return met
    named = " and on ".join(f"{base.obligation}, which is {base.status}" for base in lower)
    return replace(
        met,
        status=min((meet(own.status, base.status) for base in lower), key=LADDER.index),
        alone=own.status,
        capped_by=tuple(base.obligation for base in lower),
        detail="; ".join(part for part in (f"rests on {named}", own.detail) if part),
    )
