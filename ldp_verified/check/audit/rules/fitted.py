"""The fit of a file to a claimed mechanism, from the file to a result (see `fit`)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.results.results import AuditPlan, AuditResult
from ldp_verified.check.audit.rules.fit import (
    FitTable,
    FittedCounts,
    compared,
    counts_of,
    judged,
    resolution,
)
from ldp_verified.check.audit.rules.rules import RULES
from ldp_verified.check.audit.targets.files import Recorded
from ldp_verified.check.audit.targets.keys import plain
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.targets.targets import Target

MEANING = (
    "Only reports were looked at: other mechanisms have the same counts, and whoever made the "
    "reports can make them fit"
)


def audit_fit(
    target: Target,
    claim: Claim,
    mechanism: str,
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
    users: int | None = None,
) -> AuditResult:
    """Compare the reports of a file with a mechanism, or the counts of so many users.

    Args:
        target: a file; its inputs are the whole domain, in order. Reports stand in the column of
            outputs; counts stand there too, beside the values in the column of inputs.
        claim: eps, and the level of all comparisons.
        mechanism, parameters, reading: as in `run.audit`.
        users: how many there are behind counts; None where the file holds reports.

    Raises:
        ParameterError: it is no file, or an argument that does not fit it.
    """
    if target.kind != "file" or target.reference.endswith(".har"):
        raise ParameterError("--fit", "must come with a table of reports", target.reference)
    if target.inputs is None:
        raise ParameterError("--inputs", "must be given: all values of the domain, in order")
    if claim.delta:
        raise ParameterError("--delta", "must be 0 with --fit", claim.delta)
    inputs = target.inputs

    def chances(epsilon: float) -> FitTable:
        return table_of(mechanism, epsilon, inputs, parameters, reading)

    table, path = chances(claim.epsilon), Path(target.reference)
    if users is None:
        rows = Recorded(path, target.output, target.output)
        found = counts_of((reports for _, reports in rows.chunks()), inputs, table)
    else:
        found = _of_counts(Recorded(path, target.column, target.output), inputs, users)
    if found.users < 1:
        raise ParameterError(str(path), "must hold a report")
    several = compared(found, table)
    least = several[0]
    said = (
        f"{len(several):,} comparisons with {mechanism} at eps = {claim.epsilon:g}, exact at level "
        f"{claim.level:g} for all of them together; the smallest p-value is {least.p_value:.2g}: "
        f"{least.words}"
    )
    seen = resolution(found.users, len(inputs), claim.epsilon, claim.level / len(several), chances)
    why = "only reports on file were looked at"
    return AuditResult(
        target=path.name,
        inputs=inputs,
        epsilon=claim.epsilon,
        delta=0.0,
        level=claim.level,
        mode="fixed",
        samples=(0, found.users),
        looked_at=len(several),
        tested=(),
        plan=AuditPlan(found.users, 0.0, None, (), "a fit"),
        tolerance=max(claim.seen, 2 * claim.epsilon),
        findings=tuple(judged(several, claim.level)),
        notes=(said, MEANING),
        skipped={rule: why for rule in RULES if rule != "LDP020"},
        fitted=mechanism,
        seen=seen,
    )


def table_of(
    mechanism: str,
    epsilon: float,
    inputs: Sequence[Any],
    parameters: Mapping[str, object] | None,
    reading: str | None,
) -> FitTable:
    """p*, q* and how reports are read.

    Args:
        mechanism, epsilon, inputs, parameters, reading: as in `named.named`.

    Raises:
        ParameterError: as there, or reports that speak for no values.
    """
    # Only a spec needs the symbolic side.
    from ldp_verified.check.audit.named.named import SETS, independent_bits, named, support_chances

    read = named(mechanism, epsilon, inputs, parameters, reading).reading
    if read == SETS or read.partition(":")[0] == "noisy":
        raise ParameterError("--as", "must be a mechanism whose reports support values", mechanism)
    p_star, q_star = support_chances(mechanism, epsilon, len(inputs), parameters)
    return FitTable(p_star, q_star, independent_bits(mechanism) and read == "bits", read)


def _of_counts(rows: Recorded, inputs: Sequence[Any], users: int) -> FittedCounts:
    """Counts by value as a file has them; each value once."""
    if users < 1:
        raise ParameterError("--users", "must be at least 1", users)
    places = {plain(label): i for i, label in enumerate(inputs)}
    held, seen = np.zeros(len(inputs), dtype=np.int64), set[int]()
    for label, count in _pairs(rows):
        at = places.get(plain(label))
        if at is None or at in seen:
            raise ParameterError("--inputs", f"must hold each value of {rows.column} once", label)
        if type(count) is not int or not 0 <= count <= users:
            rule = f"must be whole numbers from 0 to {users} (--users)"
            raise ParameterError("--output", rule, count)
        held[at] = count
        seen.add(at)
    if len(seen) < len(inputs):
        missing = [inputs[i] for i in range(len(inputs)) if i not in seen]
        raise ParameterError("--inputs", f"must be in column {rows.column}", missing[:5])
    return FittedCounts(users, held, Counter(), np.zeros((0, 0), dtype=np.int64))


def _pairs(rows: Recorded) -> Iterator[tuple[Any, Any]]:
    for labels, counts in rows.chunks():
        yield from zip(labels, counts, strict=True)
