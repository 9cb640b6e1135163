"""(eps, delta): the events that decide a claim for all parameters; without sympy.

The largest delta of a pair (x, x') is the sum over y of max(0, P(y|x) - e^eps P(y|x')), and which
outputs count differs from place to place. P(S|x) - e^eps P(S|x') <= delta for every event S says
the same without cases, and the claim needs each of these inequalities: so no sign is guessed.

Which events are enough: those that hold every output whose excess is never negative, none whose
excess is never positive, and with an output every one that is ahead of it, i.e. whose ratio is
never smaller. At any place the outputs with a positive excess can be completed to such an event
without making its sum smaller, as probabilities are not negative. What is never negative, never
positive or ahead is named by the statement, and an obligation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ldp_verified.kinds import Kind
from ldp_verified.prove.certificates.parsed_statement import Claim, Domain, Obligation, Tables
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring

MOST_OF_A_PAIR = 256
"""Events of one pair of inputs."""

MOST_OF_A_CLAIM = 2000
"""Different inequalities about events, over all pairs."""


@dataclass(frozen=True)
class Known:
    """The properties that are stated of classes of outputs; each is an obligation.

    Attributes:
        above, below: those whose excess is never negative, never positive.
        ahead: (i, j): P(y|x)/P(y|x') is never smaller in class i than in class j.
        ranks: the ratio of classes whose probabilities are numbers, as what can be compared.
    """

    above: frozenset[int] = frozenset()
    below: frozenset[int] = frozenset()
    ahead: frozenset[tuple[int, int]] = frozenset()
    ranks: Mapping[int, Any] = field(default_factory=dict)

    def leads(self, i: int, j: int) -> bool:
        """Return whether an event with class j may be completed by class i."""
        if (i, j) in self.ahead:
            return True
        return i in self.ranks and j in self.ranks and bool(self.ranks[i] >= self.ranks[j])


@dataclass(frozen=True)
class Classes:
    """Classes of outputs on which P(y|x) and P(y|x') are constant, under one bound.

    Attributes:
        ring, domain: where the obligations live. claim: its position. bound: e^eps.
        cells: class -> P(y|x) and P(y|x') of one output. names: class -> its name.
    """

    ring: Ring
    domain: Domain
    claim: int
    bound: Fraction
    cells: Mapping[int, tuple[Fraction, Fraction]]
    names: Mapping[int, str]

    def excess(self, i: int) -> Fraction:
        """P(y|x) - e^eps P(y|x') of an output of the class."""
        px, px2 = self.cells[i]
        return self.ring.add(px, self.ring.multiply(self.bound, px2), -1)

    def above(self, i: int) -> Obligation:
        """The excess is never negative."""
        return self._stated(f"{self.names[i]}/above", self.excess(i))

    def below(self, i: int) -> Obligation:
        """The excess is never positive."""
        zero = self.ring.constant(0)
        return self._stated(f"{self.names[i]}/below", self.ring.add(zero, self.excess(i), -1))

    def ahead(self, i: int, j: int) -> Obligation:
        """The ratio of class i is never smaller than that of class j, multiplied out."""
        (a, b), (c, d) = self.cells[i], self.cells[j]
        value = self.ring.add(self.ring.multiply(a, d), self.ring.multiply(c, b), -1)
        return self._stated(f"{self.names[i]}/ahead of {self.names[j]}", value)

    def _stated(self, name: str, value: Fraction) -> Obligation:
        name = f"ratio/{self.claim}/{name}"
        return Obligation(self.claim, Kind.RATIO, name, ">=", value, self.domain)

    def known(self, known: Known) -> Iterator[Obligation]:
        """Yield the obligations that state the properties of the classes, but for number orders."""
        yield from (self.above(i) for i in sorted(known.above))
        yield from (self.below(i) for i in sorted(known.below))
        yield from (self.ahead(i, j) for i, j in sorted(known.ahead))


def events(classes: Sequence[int], known: Known) -> list[frozenset[int]]:
    """The events that are enough for one pair of inputs.

    Raises:
        ExpressionError: they are too many.
    """
    always = frozenset(i for i in classes if i in known.above)
    found = {always}
    for j in classes:
        if j in always or j in known.below:
            continue
        with_j = always | {j} | {i for i in classes if known.leads(i, j) and i not in known.below}
        found |= {event | with_j for event in found}
        if len(found) > MOST_OF_A_PAIR:
            raise ExpressionError(
                f"which outputs exceed the bound may change in more than {MOST_OF_A_PAIR} ways"
            )
    return sorted(found, key=lambda event: (len(event), sorted(event)))


def bounded(
    classes: Classes,
    pairs: Iterable[tuple[str, Mapping[int, Fraction]]],
    known: Known,
    delta: Fraction,
) -> list[tuple[str, Fraction]]:
    """(name, what an event of a pair leaves of delta), each different value once.

    Args:
        pairs: name of the pair, and how many outputs of each class it meets.

    Raises:
        ExpressionError: they are too many.
    """
    ring = classes.ring
    found: dict[Any, tuple[str, Fraction]] = {}
    for pair, met in pairs:
        parts = {i: ring.multiply(count, classes.excess(i)) for i, count in met.items()}
        for number, event in enumerate(events([*met], known)):
            left = delta
            for i in sorted(event):
                left = ring.add(left, parts[i], -1)
            look = (*(frozenset(p.items()) for p in (left.numerator, left.denominator)), left.scale)
            found.setdefault(look, (f"{classes.claim}/{pair}/event{number}", left))
        if len(found) > MOST_OF_A_CLAIM:
            raise ExpressionError(f"more than {MOST_OF_A_CLAIM} events are not ruled out")
    return list(found.values())


def judged(
    ring: Ring, domain: Domain, claim: int, left: Iterable[tuple[str, Fraction]], *, tight: bool
) -> Iterator[Obligation]:
    """Obligations that no event exceeds delta; with `tight`, that one reaches it.

    Where the largest delta is a given function, some event reaches it on an open set, and so
    everywhere.
    """
    reached: Obligation | None = None
    for name, value in left:
        yield Obligation(claim, Kind.RATIO, f"ratio/{name}", ">=", value, domain, needed=True)
        if reached is None and not value.numerator:
            reached = Obligation(claim, Kind.TIGHT, f"tight/{name}", "==", value, domain)
    if tight:
        zero, name = ring.constant(0), f"tight/{claim}"
        why = "no pair reaches delta"
        none = Obligation(claim, Kind.TIGHT, name, "impossible", zero, domain, reason=why)
        yield reached or none


def of_pair(tables: Tables, domain: Domain, position: int, bound: str, t: int) -> Classes:
    """The rows of a pair table as classes; those without outputs, or of probability 0, left out."""
    rows = {
        r: (row.px, row.px2)
        for r, row in enumerate(tables.tables[t])
        if row.count.numerator and (row.px.numerator or row.px2.numerator)
    }
    parsed = tables.ring.parse(bound)
    return Classes(tables.ring, domain, position, parsed, rows, {r: f"{t}/{r}" for r in rows})


def with_delta(tables: Tables, domain: Domain, position: int, claim: Claim) -> list[Obligation]:
    """(eps, delta) from pair tables.

    Raises:
        ExpressionError: there are too many events.
    """
    found: list[Obligation] = []
    left: list[tuple[str, Fraction]] = []
    delta = tables.ring.parse(claim["delta"])
    for t, written in enumerate(claim["bounds"]):
        classes = of_pair(tables, domain, position, written, t)
        known = Known(
            frozenset(claim["positive"][t]) & classes.cells.keys(),
            frozenset(claim["negative"][t]) & classes.cells.keys(),
            frozenset((i, j) for i, j in claim["order"][t] if {i, j} <= classes.cells.keys()),
        )
        met = {r: tables.tables[t][r].count for r in classes.cells}
        found += classes.known(known)
        left += bounded(classes, [(str(t), met)], known, delta)
    return found + list(judged(tables.ring, domain, position, left, tight=claim["tight"]))
