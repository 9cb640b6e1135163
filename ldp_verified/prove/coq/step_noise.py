"""Coq text of additive noise whose density is constant in steps, and falls from period to period.

The library has the integral, the moments and the ratios of such a law (`proofs/lib/StepNoise.v`).
What is printed shows that the declared steps fill a period and do not rise, and that what is
claimed is what the library's theorems say.
"""

from __future__ import annotations

from itertools import pairwise

import sympy

from ldp_verified.kinds import Kind
from ldp_verified.language import LDP, Mechanism, Noise, Steps
from ldp_verified.prove.coq.algebra import Side, product
from ldp_verified.prove.coq.density_table import ONE, ZERO, conjunction, listed
from ldp_verified.prove.coq.noise import TWO, NoiseTheorems

Step = tuple[Side, Side, Side]
"""The low end, the high end and the level of a step."""


class StepTheorems(NoiseTheorems):
    """Theorems about noise in steps."""

    libraries = (*NoiseTheorems.libraries, "Line", "Areas", "StepLevels", "StepNoise")
    opening = "unfold steps_square; moments."

    def __init__(self, mechanism: Mechanism, attempt: bool) -> None:
        super().__init__(mechanism, attempt)
        assert isinstance(mechanism.table, Noise)
        assert isinstance(mechanism.table.law, Steps)
        self.pieces = mechanism.table.law.pieces
        self.steps: list[Step] = [
            (self.side(p.low), self.side(p.high), self.side(p.level)) for p in self.pieces
        ]

    def table(self) -> None:
        """Define the noise, and prove that its law is one."""
        written = self.parameters.closed.real
        entries = [f"({', '.join(map(written, (p.low, p.high, p.level)))})" for p in self.pieces]
        cells = [self.define("steps", "list (R * R * R)", "[" + ";\n    ".join(entries) + "]")]
        cells += [self.define(name, "R", self.closed(value)) for name, value in self.stated.items()]
        call = " ".join(["steps_noise", *self._bounds(), *cells])
        self.define("", "additive R", call)
        self.theorem("law", f"steps_law {' '.join(cells)}", f"exact {self._steps_law()}.")
        self._law("stochastic")

    def _steps_law(self) -> str:
        """The proof that positive steps fill a period and have the integral that they need."""
        decay = self.cells["decay"]
        levels = [
            self._inequality(f"level_{i}_above", ZERO, "<", level)
            for i, (_, _, level) in enumerate(self.steps)
        ]
        left = Side(f"1 - {decay.atom()}", 1 - decay.value, decay.parts)
        total = product(TWO, self._moment(0))
        whole = self.algebra.equation("whole", total, left, "moments.")
        return self._all(
            [
                self._above("period"),
                self._above("decay"),
                self._inequality("decay_below", decay, "<", ONE),
                self._chained(),
                conjunction(levels),
                f"({whole})",
            ]
        )

    def _chained(self) -> str:
        """The proof that steps follow each other without gaps, from 0 to the period."""
        ends = [ZERO, *(high for _, high, _ in self.steps)]
        joined = []
        for i, (low, high, _) in enumerate(self.steps):
            joined.append(f"({self.algebra.equation(f'joined_{i}', low, ends[i])})")
            joined.append(self._inequality(f"width_{i}", low, "<=", high))
        joined.append(f"({self.algebra.equation('filled', ends[-1], self.cells['period'])})")
        return self._all(joined)

    def _falling(self) -> str:
        """The proof that no step rises, nor the first one after a period above the last one."""
        levels = [level for _, _, level in self.steps]
        again = product(self.cells["decay"], levels[0])
        falls = [
            self._inequality(f"falls_{i}", after, "<=", before)
            for i, (before, after) in enumerate(pairwise([levels[0], *levels, again]))
        ]
        return self._all(falls)

    def _moment(self, exponent: int) -> Side:
        """The integral of z^exponent over the first period of one side, as the library has it."""
        value = sum(
            (
                level.value * (high.value ** (exponent + 1) - low.value ** (exponent + 1))
                for low, high, level in self.steps
            ),
            sympy.Integer(0),
        ) / (exponent + 1)
        parts = tuple(side.value for step in self.steps for side in step)
        return Side(f"law_moment {listed(self.steps)} [] {exponent}", value, parts)

    def _variance_of_one(self) -> Side:
        """The variance, as the library has it."""
        period, decay = self.cells["period"], self.cells["decay"]
        mass, mean, square = (self._moment(exponent) for exponent in range(3))
        d, rest = decay.value, 1 - decay.value
        value = 2 * (
            square.value / rest
            + 2 * period.value * mean.value * d / rest**2
            + period.value**2 * mass.value * d * (1 + d) / rest**3
        )
        text = f"steps_square {listed(self.steps)} {period.atom()} {decay.atom()}"
        return Side(text, value, (*mass.parts, period.value, d, 1 / rest))

    def _private(self, claim: LDP, says: str) -> None:
        """The theorem of a bound on epsilon, or that no smaller one holds.

        Inputs are at most `times` periods apart, in each of which the level falls by `ratio`.
        """
        tight = says == Kind.TIGHT
        parts = self.form.privacy_parts(claim.epsilon)
        times = self.parameters.natural(parts["times"])
        count, ratio = self.side(parts["times"]), self.side(parts["ratio"])
        if parts["ratio"] == sympy.exp(claim.epsilon):
            level = self.level(claim.epsilon)
            epsilon, power = level.epsilon, f"(bound_once _ _ {level.proof})"
        else:
            shown = self.closed(parts["ratio"])
            epsilon = f"(INR {times} * ln ({shown}))"
            power = f"(bound_times _ _ {self._inequality('ratio_above', ZERO, '<', ratio)})"
        low, high = self._sides()
        reach = Side(f"{high.atom()} - {low.atom()}", high.value - low.value)
        room = product(count, self.cells["period"])
        once = product(ratio, self.cells["decay"])
        put = f"(times := {times}%nat) (count := {self.closed(parts['times'])}) "
        put += f"(ratio := {self.closed(parts['ratio'])})"
        counted = "cbn [INR]; ring"
        if tight:
            apart = f"({self.algebra.equation('periods', reach, room)})"
            falls = f"({self.algebra.equation('per_period', once, ONE)})"
            goals = [*self._ordered(), f"exact {power}", counted]
        else:
            apart = self._inequality("periods", reach, "<=", room)
            falls = self._inequality("per_period", ONE, "<=", once)
            put = f"(top := {self.closed(self.pieces[0].level)}) {put}"
            goals = [f"exact {self._falling()}", f"exact {power}", counted]
        goals = [*self._of_law(), *goals, f"exact {apart}", f"exact {falls}"]
        conclusion = f"additive_{says} ({self.applied}) {epsilon}"
        self._apply(says, conclusion, f"steps_{says} with {put}", *goals)
