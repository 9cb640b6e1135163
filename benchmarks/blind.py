"""Blind audits of clean randomizers at level 0.01, and how many raise an alarm: BLIND.md.

    python -m benchmarks.blind [--rounds N]

Each audit is told the claim and nothing else: not what the mechanism is, nor how to read its
reports. The claims are true and tight, where a false alarm is likeliest.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import beta, binom

from ldp_verified import (
    BLH,
    GRR,
    HRR,
    OLH,
    OUE,
    PGR,
    SUE,
    BinaryRR,
    Duchi,
    Geometric,
    HadamardResponse,
    HashCohorts,
    HistogramRR,
    Hybrid,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    SubsetSelection,
)
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.our_mechanisms import Own, from_mechanism

EPSILON, K, LEVEL, N, ROUNDS, SEED = 1.0, 8, 0.01, 10_000, 6, 20261126

PAGE = Path(__file__).resolve().parent / "BLIND.md"
CONTROLS: tuple[Own, ...] = (
    BinaryRR(EPSILON),
    *(each(EPSILON, K) for each in (GRR, OUE, SUE, HistogramRR)),
    *(each(EPSILON, K) for each in (OLH, BLH, HashCohorts, PGR)),
    *(each(EPSILON, K) for each in (HadamardResponse, HRR, SubsetSelection)),
    *(each(EPSILON) for each in (Laplace, Geometric, Staircase)),
    *(each(EPSILON) for each in (Duchi, Piecewise, Hybrid, SquareWave)),
)
"""What is clean: mechanisms of this package whose eps is proved, and is 1 exactly."""


@dataclass(frozen=True)
class Row:
    """Audits of one mechanism.

    Attributes:
        name: of its class.
        verdicts: one for each round.
        bounds: of eps, likewise.
    """

    name: str
    verdicts: tuple[AuditVerdict, ...]
    bounds: tuple[float, ...]

    def count(self, verdict: AuditVerdict) -> int:
        """How many audits ended so."""
        return self.verdicts.count(verdict)


def measured(place: int, rounds: int = ROUNDS) -> Row:
    """Audit one control in all rounds.

    Args:
        place: its place in `CONTROLS`.
        rounds: audits, each with a seed of its own for reports and search.
    """
    control = CONTROLS[place]
    claim = Claim(EPSILON, level=LEVEL, n=N)
    found = []
    for number in range(rounds):
        seed = SEED + 1000 * place + number
        found.append(audit(from_mechanism(control, seed=seed), claim, seed=seed))
    verdicts = tuple(each.verdict for each in found)
    return Row(type(control).__name__, verdicts, tuple(each.bound for each in found))


def page(rows: list[Row]) -> str:
    """BLIND.md."""
    runs = sum(len(row.verdicts) for row in rows)
    alarms = sum(row.count(AuditVerdict.VIOLATED) for row in rows)
    least = float(beta.ppf(0.025, alarms, runs - alarms + 1)) if alarms else 0.0
    most = float(beta.ppf(0.975, alarms + 1, runs - alarms))
    chance = float(binom.sf(alarms - 1, runs, LEVEL))
    each, share = runs // len(rows), alarms / runs
    head = f"""# Alarms of blind audits of clean code

Written by `python -m benchmarks.blind --rounds {each}`: {runs} audits of {len(rows)} mechanisms
of this package, claim eps = {EPSILON:g} (true and tight), {N:,} reports each, level {LEVEL:g}.
Values of categorical ones: {K}, of the binary one 2; numbers are audited at both ends of their
bounds. Seeds are fixed: the command gives this page again.

**Alarms: {alarms} of {runs}.** That is {share:.4f} of the audits, with a 95 % Clopper-Pearson
interval from {least:.4f} to {most:.4f}. If each audit raised one with probability {LEVEL:g}
exactly, {alarms} or more would be seen with probability {chance:.3f}.

| mechanism | violated | consistent | inconclusive | bounds of eps, least to largest |
| --- | ---: | ---: | ---: | --- |
"""
    lines = []
    for row in rows:
        verdicts = (AuditVerdict.VIOLATED, AuditVerdict.CONSISTENT, AuditVerdict.INCONCLUSIVE)
        counts = " | ".join(str(row.count(each)) for each in verdicts)
        span = f"{min(row.bounds):.3f} to {max(row.bounds):.3f}"
        lines.append(f"| {row.name} | {counts} | {span} |")
    tail = "Named checks (repeats, equal streams and the like) have levels of their own: none ran."
    return head + "\n".join([*lines, "", tail, ""])


def main() -> None:
    """Audit all controls and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="audits of each mechanism")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds: must be at least 1, got {given.rounds}")
    rows = [measured(place, given.rounds) for place in range(len(CONTROLS))]
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
