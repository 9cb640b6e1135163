"""Definitions of privacy as things that can be compared, and a search for what separates them.

A definition says of a finite table, a relation of neighbours, a level e^eps and a delta whether it
holds. `Implies` looks for a table that has the one and not the other; where Coq proves that there
is none, the theorem is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, Literal

from ldp_verified.check.claims.rulings import Ruling, RulingKind, all_of, refuted, routes
from ldp_verified.check.claims.theorems import Stated
from ldp_verified.errors import SpecError

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context

Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Sample:
    """A finite randomizer whose inputs are databases.

    Attributes:
        inputs: each a tuple of records; of length 1 for a local randomizer.
        rows: P(.|input) for each of them.
    """

    inputs: tuple[tuple[int, ...], ...]
    rows: tuple[Row, ...]


def local(sample: Sample) -> list[tuple[int, int]]:
    """Any two inputs are neighbours."""
    return [(i, j) for i, j in product(range(len(sample.inputs)), repeat=2) if i != j]


def bounded(sample: Sample) -> list[tuple[int, int]]:
    """Databases of equal size of which one record differs."""
    return [
        (i, j)
        for i, a in enumerate(sample.inputs)
        for j, b in enumerate(sample.inputs)
        if len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]


def unbounded(sample: Sample) -> list[tuple[int, int]]:
    """Databases of which one has a record more."""
    found = []
    for i, a in enumerate(sample.inputs):
        for j, b in enumerate(sample.inputs):
            small, large = sorted((a, b), key=len)
            if len(large) == len(small) + 1 and any(
                large[:at] + large[at + 1 :] == small for at in range(len(large))
            ):
                found.append((i, j))
    return found


Neighbours = Callable[[Sample], list[tuple[int, int]]]
Distance = Callable[[Row, Row, Fraction], Fraction]
"""(P(.|x), P(.|x'), e^eps) -> the smallest delta."""


def excess_of_sets(p: Row, q: Row, level: Fraction) -> Fraction:
    """The largest P(S|x) - e^eps P(S|x') over sets S of outputs, as a sum of positive parts."""
    return sum((max(Fraction(0), a - level * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def excess_of_every_set(p: Row, q: Row, level: Fraction) -> Fraction:
    """The largest excess over sets of outputs, by trying every set: the second opinion."""
    outputs = range(len(p))
    return max(
        sum((p[y] - level * q[y] for y in chosen), Fraction(0))
        for size in range(len(p) + 1)
        for chosen in combinations(outputs, size)
    )


def excess_of_outputs(p: Row, q: Row, level: Fraction) -> Fraction:
    """The largest P(y|x) - e^eps P(y|x') over single outputs y, at least 0."""
    return max(Fraction(0), *(a - level * b for a, b in zip(p, q, strict=True)))


def tail_of_loss(p: Row, q: Row, level: Fraction) -> Fraction:
    """Pr[L > eps], L the privacy loss ln P(y|x)/P(y|x') of an output y drawn for x."""
    return sum((a for a, b in zip(p, q, strict=True) if a > level * b), Fraction(0))


SAID: dict[Distance, tuple[str, str]] = {
    excess_of_sets: ("P(S|x) <= {level} P(S|x') + {delta} for every set S of outputs", "ldp_delta"),
    excess_of_outputs: (
        "P(y|x) <= {level} P(y|x') + {delta} for every single output y",
        "pointwise_delta",
    ),
    tail_of_loss: ("Pr[L <= {eps}] >= 1 - {delta}", "loss_tail"),
}
"""Distance -> what it says in formulas, and its name in the library."""

BETWEEN: dict[Neighbours, tuple[str, str]] = {
    local: ("", ""),
    bounded: (", x and x' databases that differ in one replaced record", "replaced"),
    unbounded: (", x and x' databases of which one has a record more", "one_more"),
}
"""Neighbours -> which they are in words, and their name in the library."""

Times = Literal["1", "m"]


@dataclass(frozen=True)
class Definition:
    """A definition of privacy; its text and its proposition in Coq are made from what it computes.

    Attributes:
        distance: the smallest delta of a pair of rows. neighbours: the pairs that are bounded.
        power: the level is e^(power eps). times: delta is multiplied by it; m is the number of
            outputs.
        again: the distance computed another way.
    """

    distance: Distance
    neighbours: Neighbours = local
    power: int = 1
    times: Times = "1"
    again: Distance | None = None

    @property
    def text(self) -> str:
        """The definition, written in formulas."""
        eps = "eps" if self.power == 1 else f"{self.power} eps"
        level = f"e^{eps}" if self.power == 1 else f"e^({eps})"
        delta = "delta" if self.times == "1" else f"{self.times} delta"
        said = SAID[self.distance][0].format(level=level, eps=eps, delta=delta)
        where = "" if self.times == "1" else ", m outputs"
        return f"{said}{where}{BETWEEN[self.neighbours][0]}"

    def coq(self, delta: str) -> str:
        """The definition as a proposition of the library, about a randomizer M, eps and delta.

        Args:
            delta: an expression of the library.

        Raises:
            SpecError: databases are compared in another way than as sets.
        """
        eps = "eps" if self.power == 1 else f"({self.power} * eps)"
        most = delta if self.times == "1" else f"(INR (length (outs M)) * {delta})"
        name, between = SAID[self.distance][1], BETWEEN[self.neighbours][1]
        if not between:
            return f"{name} M {eps} {most}"
        if self.distance is not excess_of_sets:
            raise SpecError("Definition.distance", "of databases must be that of sets", name)
        return f"delta_near M {between} {eps} {most}"

    def scale(self, outputs: int) -> int:
        """Return what delta is multiplied by where there are so many outputs."""
        return outputs if self.times == "m" else 1

    def worst(self, sample: Sample, level: Fraction) -> tuple[Fraction, tuple[int, int] | None]:
        """The smallest delta over all neighbours, and a pair that needs it."""
        found = [
            (self.distance(sample.rows[i], sample.rows[j], level**self.power), (i, j))
            for i, j in self.neighbours(sample)
        ]
        return max(found, key=lambda each: each[0]) if found else (Fraction(0), None)

    def holds(self, sample: Sample, level: Fraction, delta: Fraction) -> bool:
        """Return whether the table satisfies the definition."""
        return self.worst(sample, level)[0] <= self.scale(len(sample.rows[0])) * delta


POINTWISE = Definition(excess_of_outputs)
SETWISE = Definition(excess_of_sets, again=excess_of_every_set)
POINTWISE_TIMES_OUTPUTS = Definition(excess_of_sets, times="m", again=excess_of_every_set)
LOSS_TAIL = Definition(tail_of_loss)
BOUNDED = Definition(excess_of_sets, bounded)
UNBOUNDED = Definition(excess_of_sets, unbounded)
BOUNDED_TWICE = Definition(excess_of_sets, bounded, power=2)

FROM_LOCAL = """intros; eapply {theorem}; eauto; intros x x' y Hx Hx' Hy;
  match goal with H : pointwise_delta _ _ _ |- _ => pose proof (H x x' y Hx Hx' Hy); lra end"""
FROM_CHAIN = """intros X Y M eps He H a b S (l & r & y & z & -> & ->);
  replace (2 * eps) with (INR 2 * eps) by (simpl; lra);
  replace 0 with (0 * geometric_sum (exp eps) 2) by ring;
  eapply {theorem}; [lra | exact H |]; apply chain_S with (y := l ++ r);
  [exists l, r, y; right; auto | apply chain_S with (y := l ++ z :: r);
    [exists l, r, z; left; auto | apply chain_0]]"""
"""How a statement is taken from a theorem of the library. Nobody has to believe these scripts."""

COUNT_MOVES_BY_ONE = Stated(
    "forall (Z : Type) (p : Z -> bool) (a b : list Z), one_more a b -> "
    "(count p a <= count p b + 1)%nat /\\ (count p b <= count p a + 1)%nat",
    script="intros Z p a b (l & r & z & [[-> ->] | [-> ->]]); unfold count; "
    "rewrite !filter_app, !app_length; simpl; destruct (p z); simpl; lia",
)
DETERMINISTIC_IS_CONSTANT = Stated(
    "forall (X Y : Type) (M : mech X Y) (eps : R) (x x' : X) (y : Y), ldp M eps -> dom M x -> "
    "dom M x' -> In y (outs M) -> (forall z w, pr M z w = 0 \\/ pr M z w = 1) -> "
    "pr M x y = pr M x' y",
    script="intros X Y M eps x x' y H Hx Hx' Hy D; pose proof (H x x' y Hx Hx' Hy); "
    "pose proof (H x' x y Hx' Hx Hy); destruct (D x y) as [E | E]; "
    "destruct (D x' y) as [F | F]; rewrite E, F in *; lra",
)
"""Statements of their own about every database, and about every table."""

LEVELS = tuple(map(Fraction, ("2", "3/2", "3")))
DELTAS = tuple(map(Fraction, ("1/4", "1/5", "1/3", "1/2", "1/10", "0")))
SINGLES: tuple[tuple[int, ...], ...] = ((0,), (1,))
SMALL: tuple[tuple[int, ...], ...] = ((), (0,), (1,))
DATABASES: tuple[tuple[int, ...], ...] = (*SMALL, (0, 0), (0, 1))


def _rows(outputs: int, denominator: int) -> list[Row]:
    """All distributions over this many outputs with this denominator."""
    cuts = combinations(range(denominator + outputs - 1), outputs - 1)
    found = []
    for bars in cuts:
        ends = (-1, *bars, denominator + outputs - 1)
        parts = [b - a - 1 for a, b in pairwise(ends)]
        found.append(tuple(Fraction(part, denominator) for part in parts))
    return found


def samples() -> Iterator[Sample]:
    """Tables in order of size: two inputs and up to three outputs, then databases up to size 2."""
    for outputs, denominator in product((2, 3), (2, 3, 4)):
        rows = _rows(outputs, denominator)
        for pair in product(rows, repeat=2):
            yield Sample(SINGLES, pair)
    for inputs, denominator in ((SMALL, 4), (DATABASES, 2)):
        for chosen in product(_rows(2, denominator), repeat=len(inputs)):
            yield Sample(inputs, chosen)


@dataclass(frozen=True)
class Implies:
    """Every table with the premise, at some eps and delta, has the conclusion at the same.

    Attributes:
        premise, conclusion: the definitions.
        theorem: of the library, from which the statement is to follow for all tables; empty where
            there is none.
        delta: whether a delta above 0 is allowed.
    """

    premise: Definition
    conclusion: Definition
    theorem: str = ""
    delta: bool = True

    def says(self) -> str:
        """The statement, rendered."""
        where = "every eps and delta >= 0" if self.delta else "every eps >= 0, delta = 0"
        return f"for {where}: ({self.premise.text}) implies ({self.conclusion.text})"

    def _stated(self) -> Stated:
        """The statement in Coq, from both definitions; never the theorem's own words."""
        local_only = self.premise.neighbours is local
        delta = "delta" if self.delta else "0"
        inputs = "X" if local_only else "(list X)"
        sizes = f"(eps{' delta' if self.delta else ''} : R)"
        given = ["0 <= eps", *(["0 <= delta"] if self.delta else [])]
        equality = ""
        if local_only:
            # Sums over sets of outputs need outputs that can be told apart and are listed once.
            equality = " (same : Y -> Y -> bool)"
            given += ["stochastic M", "(forall y z, same y z = true <-> y = z)", "NoDup (outs M)"]
        sides = [each.coq(delta) for each in (self.premise, self.conclusion)]
        said = " -> ".join([*given, *sides])
        return Stated(
            f"forall (X Y : Type) (M : mech {inputs} Y) {sizes}{equality}, {said}",
            FROM_LOCAL if local_only else FROM_CHAIN,
            self.theorem,
        )

    def announce(self, context: Context) -> None:
        """Ask whether the statement follows from the theorem."""
        if self.theorem:
            self._stated().announce(context)

    def decide(self, context: Context) -> Ruling:
        """Search, and ask Coq."""
        found = [self._search()]
        if self.theorem:
            found.append(self._stated().decide(context))
        return routes(found)

    def _search(self) -> Ruling:
        deltas: Sequence[Fraction] = DELTAS if self.delta else (Fraction(0),)
        local_only = self.premise.neighbours is local
        looked = 0
        for sample in samples():
            if (sample.inputs is SINGLES) is not local_only:
                continue
            looked += 1
            for level in LEVELS:
                needed = self.premise.worst(sample, level)[0]
                conclusion = self.conclusion.worst(sample, level)[0]
                outputs = len(sample.rows[0])
                for delta in deltas:
                    if needed > self.premise.scale(outputs) * delta:
                        continue
                    if conclusion > self.conclusion.scale(outputs) * delta:
                        return self._separates(sample, level, delta)
        return Ruling(
            RulingKind.CHECKED, ("enumeration",), f"no counterexample among {looked} tables"
        )

    def _separates(self, sample: Sample, level: Fraction, delta: Fraction) -> Ruling:
        has, lacks = self.premise.worst(sample, level)[0], self.conclusion.worst(sample, level)
        assert lacks[1] is not None
        i, j = lacks[1]
        p, q = sample.rows[i], sample.rows[j]
        if self.conclusion.again is not None:
            again = self.conclusion.again(p, q, level**self.conclusion.power)
            if again != lacks[0]:
                raise ArithmeticError(f"two ways to compute one delta: {again} and {lacks[0]}")
        if sum(p) != 1 or sum(q) != 1:
            raise ArithmeticError("rows must sum to 1")
        table = {
            f"P(.|{_input(x)})": ", ".join(map(str, row))
            for x, row in zip(sample.inputs, sample.rows, strict=True)
        }
        return refuted(
            ("enumeration",),
            f"at e^eps = {level} and delta = {delta} the premise needs delta = {has}, the "
            f"conclusion {lacks[0]}, for x = {_input(sample.inputs[i])} and "
            f"x' = {_input(sample.inputs[j])}",
            {"e^eps": level, "delta": delta},
            {**table, "needed": lacks[0]},
        )


def _input(records: tuple[int, ...]) -> str:
    return str(records[0]) if len(records) == 1 else "{" + ",".join(map(str, records)) + "}"


@dataclass(frozen=True)
class Both:
    """A claim that two definitions are the same: each implies the other.

    Attributes:
        one, other: both directions, as `Implies`.
    """

    one: Implies
    other: Implies

    def says(self) -> str:
        """The statement, rendered."""
        return f"{self.one.says()}; and {self.other.says()}"

    def announce(self, context: Context) -> None:
        """Ask for both theorems."""
        self.one.announce(context)
        self.other.announce(context)

    def decide(self, context: Context) -> Ruling:
        """Rule refuted if one direction is, proved if both are."""
        return all_of([self.one.decide(context), self.other.decide(context)])


__all__ = [
    "BOUNDED",
    "BOUNDED_TWICE",
    "LOSS_TAIL",
    "POINTWISE",
    "POINTWISE_TIMES_OUTPUTS",
    "SETWISE",
    "UNBOUNDED",
    "Both",
    "Definition",
    "Implies",
    "Sample",
]
