"""A mechanism on its way through the checkers: derived facts, statement, certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, free_cells, in_epsilon, readable
from ldp_verified.derive.density import mean_and_variance
from ldp_verified.derive.rational import simple
from ldp_verified.language import (
    LDP,
    Domain,
    GaussianLDP,
    Line,
    Mean,
    Mechanism,
    MetricLDP,
    Noise,
    Normal,
    PersonalisedLDP,
    ReportVariance,
    SmallerWorst,
    Unbiased,
    Variance,
    WorstVariance,
    f,
    n,
)
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.enumeration.tight_rows import reached
from ldp_verified.prove.needs import Needs, needs_of
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.statements.density_statement import line_statement
from ldp_verified.prove.statements.statement import statement
from ldp_verified.prove.statements.variance_region import reported, with_regions

PRIVACY = {LDP, MetricLDP, PersonalisedLDP, GaussianLDP}


@dataclass(frozen=True)
class Prepared:
    """A mechanism on its way through the checkers.

    Attributes:
        mechanism: as declared.
        facts: what was derived.
        derived: whether they are made claims, and decided like any other.
    """

    mechanism: Mechanism
    facts: Facts
    derived: bool = True

    @cached_property
    def completed(self) -> Mechanism:
        """The mechanism with the derived facts as further claims.

        For every kind of claim that it does not make itself.
        """
        if not self.derived:
            return self._with([])
        kinds = {type(claim) for claim in self.mechanism.claims}
        extra: list[Any] = []
        epsilon = self.facts.epsilon
        if not kinds & PRIVACY and epsilon not in (None, sympy.oo):
            extra.append(LDP(epsilon, tight=True))
        if not isinstance(self.facts.estimator, NoEstimator):
            if Unbiased not in kinds:
                extra.append(Unbiased())
            if Variance not in kinds and self.facts.variance is not None:
                extra.append(Variance(in_epsilon(self.mechanism, self.facts.variance)))
        return self._with(extra)

    def _with(self, extra: list[Any]) -> Mechanism:
        m = self.mechanism
        made = Mechanism(
            m.name,
            title=m.title,
            parameters=m.parameters,
            table=m.table,
            claims=[*with_regions(m), *extra],
            assuming=m.assuming,
            origin=m.origin,
        )
        return made.with_requirements(m.requirements)

    @cached_property
    def needs(self) -> Needs:
        """Return the conditions under which everything in the declaration has a value."""
        return needs_of(self.mechanism)

    @cached_property
    def statement(self) -> dict[str, Any]:
        """Return the statement that the certificate is about."""
        return {**self._stated(), "defined": self.needs.statement()}

    def _stated(self) -> dict[str, Any]:
        """The statement of the table and its claims."""
        found = self.facts.estimator
        weights = None
        if not isinstance(found, NoEstimator):
            weights = next(
                (w for w in (found.layout, found.exists, found.matrix) if w is not None), None
            )
        return statement(self.completed, weights)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """A certificate for as much of the statement as possible."""
        return find(self.statement, self.mechanism.name, self.mechanism.spec_hash, self.obligations)

    @cached_property
    def obligations(self) -> list[Obligation]:
        """Return the obligations, for the search for proofs; the checker makes its own list."""
        return obligations(self.statement)


class LineCase(Prepared):
    """A prepared `Density` or `Noise`, which have moments and no pair tables."""

    @property
    def form(self) -> Line:
        """The table in algebraic form."""
        assert isinstance(self.mechanism.algebraic_table, Line)
        return self.mechanism.algebraic_table

    @cached_property
    def completed(self) -> Mechanism:
        """The mechanism with mean and variance as further claims where it says nothing of them."""
        if not self.derived:
            return self._with([])
        kinds = {type(claim) for claim in self.mechanism.claims}
        mean, variance = (in_epsilon(self.mechanism, v) for v in mean_and_variance(self.form))
        extra: list[Any] = [] if Mean in kinds else [Mean(mean)]
        if not kinds & {ReportVariance, WorstVariance, SmallerWorst}:
            extra.append(ReportVariance(variance))
        if not kinds & PRIVACY and self.mu is not None:
            extra.append(GaussianLDP(in_epsilon(self.mechanism, self.mu), tight=True))
        return self._with(extra)

    @property
    def mu(self) -> Any:
        """Return the inputs' distance in standard deviations of normal noise; else None."""
        form = self.form
        if not isinstance(form, Noise) or not isinstance(form.law, Normal):
            return None
        return simple(form.reach / form.law.scale)

    def _stated(self) -> dict[str, Any]:
        return line_statement(self.completed)


def case(mechanism: Mechanism, *, derived: bool = True) -> Prepared:
    """Derive the facts of a mechanism and set it up for the checkers."""
    kind = LineCase if isinstance(mechanism.table, Line) else Prepared
    return kind(mechanism, Facts(mechanism), derived)


def certificate_for(mechanism: Mechanism, this: Prepared | None = None) -> dict[str, Any]:
    """Make the certificate document of a mechanism: for its table, and for its free cells.

    The latter is None where the free cells have no parametrisation. `this` is the mechanism's case
    where it is known already.

    Args:
        mechanism: the declaration.
        this: its case where that is known already.

    Returns:
        {"table": a certificate, "free_cells": a certificate or None}.
    """
    free = free_cells(mechanism)
    return {
        "table": (this or case(mechanism)).certificate,
        "free_cells": None if free is None else case(free).certificate,
    }


def derived_texts(this: Prepared) -> Mapping[str, str]:
    """The derived facts as text, in e^eps."""
    facts, m = this.facts, this.mechanism
    if isinstance(this, LineCase):
        mean, variance = (str(in_epsilon(m, v)) for v in mean_and_variance(this.form))
        texts = {"mean of a report": mean, "variance of a report": variance}
        return texts if this.mu is None else {**texts, "tight mu": str(in_epsilon(m, this.mu))}

    def show(value: Any) -> str:
        return str(in_epsilon(m, readable(value, {**m.variables, n: Domain(lower=1)})))

    texts = {}
    if facts.tight is not None:
        place = f"{facts.tight.pair_name}, {facts.tight.outputs}"
        texts["tight epsilon"] = f"{facts.epsilon} ({place})"
        example = reached(m)
        if example is not None:
            texts["reached, for example, at"] = example
    if facts.support is not None:
        texts["p*"], texts["q*"] = show(facts.support.p_star), show(facts.support.q_star)
    found = facts.estimator
    if isinstance(found, NoEstimator):
        texts["estimator"] = found.text
    elif found.supported is not None:
        texts["estimator"] = (
            f"add {show(found.supported)} per supporting report, {show(found.otherwise)} per other"
        )
    elif found.exists is not None:
        texts["estimator"] = f"an unbiased linear estimator exists: {found.exists.describe()}"
    elif found.layout is not None and found.matrix is None:
        texts["estimator"] = (
            f"weights of {len(found.layout.cells)} different values, written to the certificate"
        )
    else:
        rows = [[show(v) for v in found.matrix.row(i)] for i in range(found.matrix.rows)]
        unique = "" if found.unique else " (of least variance at uniform shares)"
        texts["estimator"] = f"weights{unique} {rows}"
    if facts.variance is not None:
        per_share = facts.variance.coeff(f, 1)
        texts["variance of a count"] = show(facts.variance_at_zero) + (
            "" if per_share == 0 else f" + f*({show(per_share)})"
        )
    for symbol, value in facts.optimal_parameters.items():
        texts[f"best {symbol} at f = 0"] = show(value)
    if facts.optimal_cells is not None:
        cells = ", ".join(f"{name} = {show(v)}" for name, v in facts.optimal_cells.items())
        texts["best cells at f = 0"] = cells
    return {**texts, **reported(m, this.completed)}
