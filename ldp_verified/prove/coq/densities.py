"""Coq text of what is claimed of a `Density`: bounds between two inputs, moments, worst inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import sympy

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language import (
    Density,
    Mean,
    ReportVariance,
    SmallerWorst,
    WorstVariance,
)
from ldp_verified.prove.coq.algebra import CoqLevel, Side, product
from ldp_verified.prove.coq.density_table import (
    BOTH,
    HERE,
    ZERO,
    DensityTable,
    PrintedLaw,
    conjunction,
    member,
)
from ldp_verified.prove.coq.forms import COQ, OF_EVERY_TABLE
from ldp_verified.prove.coq.needed import needed
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.statements.density_statement import reached


@COQ.rule(
    (*OF_EVERY_TABLE, Kind.MEAN, Kind.REPORT_VARIANCE, Kind.WORST_VARIANCE), (TableForm.DENSITY,)
)
class DensityTheorems(DensityTable):
    """Theorems about a density that is constant on finitely many intervals, with atoms."""

    printings: ClassVar[Mapping[Kind, Callable[..., None]]] = {
        **DensityTable.printings,
        Kind.MEAN: lambda self, claim: self.mean(claim),
        Kind.REPORT_VARIANCE: lambda self, claim: self.report_variance(claim),
        Kind.WORST_VARIANCE: lambda self, claim: self.largest(claim),
    }

    def print(self) -> None:
        """Print the table, its laws, and every claim."""
        self.table()
        self._stage((None, Kind.DEFINED), lambda: needed(self))
        self._stage((None, Kind.EQUAL_SUPPORT), self.equal_support)
        self.claims()

    def printing_users(self) -> None:
        """Do nothing, as nothing here speaks of n and f."""

    def equal_support(self) -> None:
        """Levels and masses are positive, masses at places that do not depend on the input."""
        here, there = self.law(), self.law(self.x2)
        levels = [
            self._inequality(f"above_{i}", ZERO, "<", p[2], BOTH)
            for i, p in enumerate(there.pieces)
        ]
        masses = [
            f"(conj {self._same_place(i, a[0], b[0])} "
            f"{self._inequality(f'mass_above_{i}', ZERO, '<', b[1], BOTH)})"
            for i, (a, b) in enumerate(zip(here.atoms, there.atoms, strict=True))
        ]
        self.theorem(
            Kind.EQUAL_SUPPORT,
            f"line_equal_support ({self.applied})",
            f"eapply line_support; [ exact {self.fact('chained')} |].",
            "intros x x' [x_lower x_upper] [x'_lower x'_upper].",
            f"exact (conj {conjunction(levels)} {conjunction(masses)}).",
        )

    def _same_place(self, i: int, here: Side, there: Side) -> str:
        return self._equation(f"place_{i}", here, there, BOTH)

    def privacy(self, level: CoqLevel) -> None:
        """Every level is within the bound of every level, every mass of the same mass."""
        here, there = self.law(), self.law(self.x2)

        def within(name: str, own: Side, other: Side) -> str:
            right = product(level.ratio, other)
            return self._inequality(f"ratio_{name}", own, "<=", right, BOTH)

        levels = [
            conjunction([within(f"{i}_{j}", p[2], q[2]) for j, q in enumerate(there.pieces)])
            for i, p in enumerate(here.pieces)
        ]
        masses = [
            f"(conj {self._same_place(i, a[0], b[0])} {within(f'atom_{i}', a[1], b[1])})"
            for i, (a, b) in enumerate(zip(here.atoms, there.atoms, strict=True))
        ]
        self.theorem(
            "ldp",
            f"line_ldp ({self.applied}) {level.epsilon}",
            f"eapply line_ratio with (U := {level.closed_ratio}); "
            f"[ exact {level.proof} | exact {self.fact('chained')} |].",
            "intros x x' [x_lower x_upper] [x'_lower x'_upper].",
            f"exact (conj {conjunction(levels)} {conjunction(masses)}).",
        )

    def tight(self, level: CoqLevel) -> None:
        """Two inputs, and intervals that meet or an atom, where the bound is reached."""
        found = reached(self.mechanism, level.ratio.value)
        if found is None and self.algebra.attempt:
            kind, end = "piece" if self.form.pieces else "atom", self.x.domain.upper
            found = {"kind": kind, "own": 0, "other": 0, "x": end, "x2": end}
        if found is None:
            raise NotCertifiedError("no place was found where the bound is reached")
        a, b = (sympy.Rational(found[name]) for name in ("x", "x2"))
        i, j = found["own"], found["other"]
        here, there = self.law(a), self.law(b)
        inside = [self._inside(a), self._inside(b)]
        if found["kind"] == "atom":
            own, other = here.atoms[i], there.atoms[j]
            ordered = [self._ordered(law, name) for law, name in ((here, "a"), (there, "b"))]
            goals = [
                *ordered,
                member(i),
                member(j),
                self._equation("tight_place", own[0], other[0], ()),
            ]
            lemma, k = "line_tight_atom", 1
        else:
            own, other = here.pieces[i], there.pieces[j]
            goals = [member(i), member(j)]
            goals += [
                self._inequality(f"meet_{s}_{t}", low, "<", high, ())
                for s, low in (("a", own[0]), ("b", other[0]))
                for t, high in (("a", own[1]), ("b", other[1]))
            ]
            lemma, k = "line_tight_step", 2
        goals += [
            self._inequality("tight_positive", ZERO, "<", other[k], ()),
            self._equation(Kind.TIGHT, own[k], product(level.ratio, other[k]), ()),
        ]
        chained = [self.fact("chained")] if k == 2 else []
        shown = [self.spelled.atom(v) for v in (a, b)]
        self.theorem(
            Kind.TIGHT,
            f"line_tight ({self.applied}) {level.epsilon}",
            f"eapply {lemma} with (U := {level.closed_ratio}) (x := {shown[0]}) "
            f"(x' := {shown[1]}); " + self.goals(level.proof, *chained, *inside, *goals) + ".",
        )

    def _ordered(self, law: PrintedLaw, name: str) -> str:
        places = [place for place, _ in law.atoms]
        return conjunction(
            [
                conjunction(
                    [
                        self._inequality(f"ordered_{name}_{i}_{j}", place, "<", places[j], ())
                        for j in range(i + 1, len(places))
                    ]
                )
                for i, place in enumerate(places)
            ]
        )

    def _inside(self, value: Any, form: Density | None = None) -> str:
        """Return the Coq proof that a value is an input."""
        domain = (form or self.form).value.domain
        here = self.side(value)
        low, high = self.side(domain.lower), self.side(domain.upper)
        below = self._inequality("input_lower", low, "<" if domain.lower_open else "<=", here, ())
        above = self._inequality("input_upper", here, "<" if domain.upper_open else "<=", high, ())
        return f"(conj {below} {above})"

    def mean(self, claim: Mean) -> None:
        """The theorem of a `Mean` claim."""
        self._moment(Kind.MEAN, "line_mean", self.law().moment(1), claim.value)

    def report_variance(self, claim: ReportVariance) -> None:
        """The theorem of a `ReportVariance` claim."""
        self._moment(Kind.REPORT_VARIANCE, "line_variance_is", self.law().variance(), claim.value)

    def _moment(self, suffix: str, says: str, left: Side, value: Any) -> None:
        proof = self._equation(suffix, left, self.placed(value), HERE)
        self.theorem(
            suffix,
            f"{says} ({self.applied}) (fun x => {self.spelled.real(value)})",
            "intros x [x_lower x_upper].",
            f"exact {proof}.",
        )

    def largest(self, claim: WorstVariance | SmallerWorst) -> None:
        """The theorem of a worst variance, or that it is below another one."""
        if isinstance(claim, WorstVariance):
            self.worst(claim)
        else:
            self.smaller(claim)

    def worst(self, claim: WorstVariance) -> None:
        """The theorem of a `WorstVariance` claim."""
        value = self.side(claim.value)
        equal = self._equation("worst", self.law(claim.at).variance(), value, ())
        self.theorem(
            Kind.WORST_VARIANCE,
            f"line_worst ({self.applied}) {self.closed_atom(claim.at)} "
            f"{self.closed_atom(claim.value)}",
            f"refine (conj {self._inside(claim.at)} (conj {equal} _)).",
            "intros x [x_lower x_upper].",
            f"exact {self._inequality('worst_bound', self.law().variance(), '<=', value, HERE)}.",
        )

    def smaller(self, claim: SmallerWorst) -> None:
        """The theorem of a comparison of worst variances with another density."""
        assert claim.table is not None
        other_x = claim.table.value
        theirs = claim.table.map(lambda value: value.subs(other_x, self.x))
        if other_x.domain != self.x.domain:
            raise NotCertifiedError(f"{claim.describe()}: other inputs")
        again = self.again("smaller")
        other = self._define(f"other{again}", theirs)
        own = f"({self.applied})"
        low, high = self.side(claim.condition.lts), self.side(claim.condition.gts)
        variances = []
        worst = []
        for name, form, at in (
            ("own", self.form, claim.at),
            ("other", theirs, claim.other_at),
        ):
            there = self.law(at, form).variance()
            variances.append(there)
            bound = self._inequality(
                f"smaller{again}_{name}", self.law(form=form).variance(), "<=", there, HERE
            )
            inside = self._inside(at)
            worst.append(
                f"refine (conj {inside} (conj eq_refl _)); intros x [x_lower x_upper]; "
                f"exact {bound}"
            )
        gap = Side(
            f"{variances[1].text} - {variances[0].text}",
            variances[1].value - variances[0].value,
            (*variances[0].inner, *variances[1].inner),
        )
        condition = high.value - low.value
        factor = sympy.factor(sympy.cancel(sympy.together(gap.value) / condition))
        by = self.algebra.side(factor)
        times = product(
            by, Side(f"{high.text} - ({low.text})", condition, (*high.inner, *low.inner))
        )
        equal = self._equation(f"smaller{again}", gap, times, ())
        positive = self._inequality(f"smaller{again}_factor", ZERO, "<", by, ())
        at, other_at = self.closed_atom(claim.at), self.closed_atom(claim.other_at)
        mine, others = f"(line_variance {own} {at})", f"(line_variance {other} {other_at})"
        shown = [self.closed(claim.condition.lts), self.closed(claim.condition.gts)]
        self.theorem(
            "smaller",
            f"line_worst {own} {at} {mine} /\\\n  line_worst {other} {other_at} {others} /\\\n"
            f"  ({mine} < {others} <->\n   {shown[0]} < {shown[1]})",
            f"split; [ {worst[0]} |].",
            f"split; [ {worst[1]} |].",
            f"exact (smaller_by _ _ ({shown[0]}) ({shown[1]}) _ {equal} {positive}).",
        )
