"""The parsed side of a certificate's statement: obligations, rows, and moments over rows.

Without sympy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.certificates.domains import DomainVariable
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring
from ldp_verified.prove.registry import Open, Rules

Claim = Mapping[str, Any]
Domain = tuple[DomainVariable, ...]

CERTIFICATE: Rules[Any] = Rules("certificate")
"""What lists the obligations of a claim, or of the laws, for each form of table."""

LAWS = (Kind.NONNEGATIVE, Kind.SUMS_TO_ONE, Kind.EQUAL_SUPPORT)
"""The laws of a table, whose obligations are listed by one rule."""


NOT_SO = (
    "division by zero",
    "no row reaches",
    "no pair",
    "no output",
    "the loss of normal noise has no bound",
)
"""How the reason of an impossible obligation begins that is false: all rows were looked at."""


@dataclass(frozen=True)
class Obligation:
    """`value` relation 0 on the domain of `variables`.

    Attributes:
        claim: position of the claim, None for the laws of every table.
        kind: defined | nonnegative | sums_to_one | equal_support | ratio | tight | unbiased |
            variance | optimal | holds.
        name: unique in the statement, says which row.
        relation: "==", "!=", ">=", ">".
        value: a rational function over `variables`.
        variables: the domain. domain: its name in a certificate.
        reason: why it cannot even be stated ("division by zero"); then `relation` is "impossible".
        needed: whether the claim implies it, so that where it fails, the claim does.
        where: it is needed only where this holds (that there are outputs of its row).
        relaxed: it is about more numbers than parameters can make: where it fails, nothing need.
    """

    claim: int | None
    kind: Kind
    name: str
    relation: str
    value: Fraction
    variables: tuple[DomainVariable, ...]
    domain: str = "main"
    reason: str = ""
    needed: bool = False
    where: Obligation | None = None
    relaxed: bool = False

    @property
    def false(self) -> bool:
        """Return whether the obligation is impossible because the claim is not so."""
        return self.relation == "impossible" and self.reason.startswith(NOT_SO)


@dataclass(frozen=True)
class ParsedRow:
    """A parsed row of a pair table; the fields are those of the statement."""

    count: Fraction
    px: Fraction
    px2: Fraction
    supports_x: bool | None
    supports_x2: bool | None


class Tables:
    """The parsed pair tables, with what is computed from their rows."""

    def __init__(self, ring: Ring, statement: Mapping[str, Any]) -> None:
        self.ring = ring
        self.tables = [
            [
                ParsedRow(
                    ring.parse(row["count"]),
                    ring.parse(row["px"]),
                    ring.parse(row["px2"]),
                    row["supports_x"],
                    row["supports_x2"],
                )
                for row in table["rows"]
            ]
            for table in statement["pair_tables"]
        ]
        written = statement["weights"]
        self.written = (
            None
            if written is None
            else [[(ring.parse(own), ring.parse(other)) for own, other in t] for t in written]
        )

    def sum(self, terms: Iterator[Fraction]) -> Fraction:
        """The sum of the terms."""
        total = self.ring.constant(0)
        for term in terms:
            total = self.ring.add(total, term)
        return total

    def weights(self, t: int) -> list[tuple[Fraction, Fraction]]:
        """Return what each row adds to the estimates of x and x'.

        As written, else (1[support] - q*)/(p* - q*) from the rows.
        """
        if self.written is not None:
            return self.written[t]
        ring, rows = self.ring, self.tables[t]
        p_star, q_star = self._support(t)
        spread = ring.add(p_star, q_star, -1)
        one = ring.constant(1)
        yes = ring.divide(ring.add(one, q_star, -1), spread)
        no = ring.divide(ring.add(ring.constant(0), q_star, -1), spread)
        return [(yes if r.supports_x else no, yes if r.supports_x2 else no) for r in rows]

    def _support(self, t: int) -> tuple[Fraction, Fraction]:
        """p* and q* of a pair table."""
        ring, rows = self.ring, self.tables[t]
        if any(row.supports_x is None or row.supports_x2 is None for row in rows):
            raise ExpressionError("the statement has neither weights nor support")
        own = self.sum(ring.multiply(r.count, r.px) for r in rows if r.supports_x)
        other = self.sum(ring.multiply(r.count, r.px) for r in rows if r.supports_x2)
        return own, other

    def apart(self) -> Iterator[tuple[str, Fraction]]:
        """What has to be 0 for the weights of all pair tables to be those of one estimator."""
        if self.written is not None:
            return
        first = self._support(0)
        for t in range(1, len(self.tables)):
            for name, one, other in zip(("p*", "q*"), self._support(t), first, strict=True):
                difference = self.ring.add(one, other, -1)
                if difference.numerator:
                    yield f"{t}/{name}", difference

    def moment(
        self, t: int, weights: Sequence[tuple[Fraction, Fraction]], which: int, exponent: int
    ) -> Fraction:
        """E[weight**exponent] under x, of the estimate of x (which = 0) or of x' (which = 1)."""
        ring = self.ring
        terms = []
        for row, pair in zip(self.tables[t], weights, strict=True):
            term = ring.multiply(row.count, row.px)
            for _ in range(exponent):
                term = ring.multiply(term, pair[which])
            terms.append(term)
        return self.sum(iter(terms))

    def variance(self, t: int, share: Fraction) -> Fraction:
        """The variance per user at a share of x.

        It is share * Var(estimate of x | x) + (1 - share) * Var(estimate of x' | x).
        """
        ring, weights = self.ring, self.weights(t)
        parts = []
        for which in (0, 1):
            mean = self.moment(t, weights, which, 1)
            second = self.moment(t, weights, which, 2)
            parts.append(ring.add(second, ring.multiply(mean, mean), -1))
        rest = ring.add(ring.constant(1), share, -1)
        return ring.add(ring.multiply(share, parts[0]), ring.multiply(rest, parts[1]))


def rule_for(claim: Claim, *forms: TableForm) -> Any:
    """Return the function that lists the obligations of a claim.

    Raises:
        ExpressionError: the cell has no rule. KeyError: no form has such claims.
    """
    rule = CERTIFICATE.find(claim["kind"], *forms)
    if isinstance(rule, Open):
        CERTIFICATE.kinds_of(claim["kind"])
        raise ExpressionError(rule.reason)
    return rule
