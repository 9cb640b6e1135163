"""The worth of a protocol's ledger: its theorems, and the verdicts on its randomizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.derive.ledger import Step, ledger
from ldp_verified.errors import ContradictionError
from ldp_verified.kinds import Kind
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.protocol import Protocol
from ldp_verified.prove.coq.expected import read_expected
from ldp_verified.prove.coq.library import proofs_folder
from ldp_verified.prove.protocol_ranges import unsettled
from ldp_verified.prove.transcripts import TranscriptVerdict, enumerate_transcripts
from ldp_verified.prove.verdict_algebra import weakest
from ldp_verified.prove.verdicts import Status, Verdict, Verification
from ldp_verified.prove.verify import verify

GIVEN = "that each step of the derivation is an instance of the theorem it names is read by eye"
"""The part of a ledger that no checker decides."""

_NEEDED = (Kind.RATIO, Kind.NONNEGATIVE, Kind.SUMS_TO_ONE)


@dataclass(frozen=True)
class ProtocolVerdict:
    """The verdict on a protocol's privacy as declared; it says nothing of a running program.

    Attributes:
        protocol: its name. declared: the epsilon that it declares. tree: the derivation.
        status: the weakest status of what the bound rests on; open where the tree does not give
            the declared epsilon, or a theorem is missing.
        parts: (name of the randomizer, verdict) for the claims of epsilon and the laws.
        reason: why it is open or refuted; empty otherwise.
        transcripts: what the exact law of the transcripts at some points says.
    """

    protocol: str
    declared: Any
    tree: Step
    status: Status
    parts: tuple[tuple[str, Verdict], ...]
    reason: str = ""
    transcripts: tuple[TranscriptVerdict, ...] = ()

    @property
    def text(self) -> str:
        """The tree, the verdict, and what it rests on."""
        head = f"{self.protocol}: one user's whole transcript is {self.declared}-LDP: {self.status}"
        lines = [head + (f" ({self.reason})" if self.reason else "")]
        lines += [f"  {line}" for line in self.tree.lines()]
        lines += [f"  {name}: {each.statement}: {each.status}" for name, each in self.parts]
        lines += [f"  {each.text}" for each in self.transcripts]
        lines.append(f"  Given, since no checker decides it: {GIVEN}.")
        return "\n".join(lines)


def verify_protocol(
    protocol: Protocol,
    largest: int = 8,
    *,
    points: Sequence[Mapping[str, Any]] = (),
    **options: Any,
) -> ProtocolVerdict:
    """Derive the ledger, verify the randomizers, and say what follows.

    The bound is an upper bound: a declared epsilon below it is not refuted by it, but open. It is
    refuted by a transcript at one of the points.

    Args:
        protocol: the declaration. largest: as in `verify`.
        points: where all transcripts are written out, as `enumerate_transcripts` takes them.
        options: of `verify`, such as smt.

    Raises:
        SpecError: as `ledger` and `enumerate_transcripts`.
        ContradictionError: the ledger proves what a transcript refutes: this package is wrong.
    """
    tree = ledger(protocol)
    found: list[tuple[str, Verdict]] = []
    # By identity: another claim may stand under the same name, from the same file.
    seen: set[tuple[Mechanism, int]] = set()
    verified: dict[Mechanism, Verification] = {}
    for sent in (step.sent for step in tree.steps() if step.sent is not None):
        mechanism: Mechanism = sent.randomizer
        claim = mechanism.claims.index(sent.claim)
        if (mechanism, claim) in seen:
            continue
        seen.add((mechanism, claim))
        if mechanism not in verified:
            verified[mechanism] = verify(mechanism, largest, **options)
        found.extend(
            (mechanism.name, each)
            for each in verified[mechanism].verdicts
            if each.obligation in _NEEDED and each.claim in (None, claim)
        )
    reason = _missing(tree) or _above(protocol.epsilon, tree.epsilon)
    if not reason and (left := list(unsettled(protocol))):
        reason = f"the theorems ask what is not seen here: {'; '.join(left)}"
    status = Status.OPEN if reason else weakest([each.status for _, each in found])
    written = tuple(enumerate_transcripts(protocol, point) for point in points)
    for each in written:
        if each.witness is not None:
            if status.for_all:
                raise ContradictionError(protocol.name, each.text)
            status, reason = Status.REFUTED, each.witness.explanation
    parts = tuple(found)
    return ProtocolVerdict(protocol.name, protocol.epsilon, tree, status, parts, reason, written)


def _missing(tree: Step) -> str:
    """Name the theorems of the tree that Coq does not have to prove; empty if there are none."""
    listed = {
        f"{entry.module}.{entry.name}"
        for entry in read_expected(proofs_folder())
        if entry.kind == "theorem"
    }
    named = {step.theorem for step in tree.steps() if step.theorem}
    return "".join(f"{name} is no theorem of the library; " for name in sorted(named - listed))


def _above(declared: Any, derived: Any) -> str:
    """Why the derived bound does not show the declared one; empty where it does."""
    room = sympy.simplify(sympy.sympify(declared) - derived)
    if room.is_nonnegative:
        return ""
    relation = "above" if room.is_negative else "not seen to be within"
    return f"the ledger's bound {derived} is {relation} the declared {declared}"
