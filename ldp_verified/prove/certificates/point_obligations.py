"""List what makes the claims of a statement about points on a line true; without sympy.

The counterpart of `obligations` for `Points`, for every number k of points. Beside variables and
claims the statement has
    points  {"size", "decay", "cell", "low_end", "high_end"}: the name of k, t, and the formulas of
            P(y|x) in near = t^|y - x|, left = t^x, right = t^(k - 1 - x); ends may be null

Two inputs and an output cut 0..k-1 into gaps, whose lengths are any non-negative integers with the
sum k - 1. So t to their powers are numbers in (0, 1], of which every formula here is a rational
function. What holds for any such numbers holds for all k, x, x' and y.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.certificates.domains import USERS, DomainVariable
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    LAWS,
    Claim,
    Domain,
    Obligation,
    rule_for,
)
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Poly, Ring

POWERS = ("near", "left", "right", "span")
GAPS = ("gap0", "gap1", "gap2", "gap3")

FORM = (TableForm.POINTS,)


def _between_0_and_1(name: str) -> DomainVariable:
    return DomainVariable(name, "0", "1", True, False, False)


@dataclass(frozen=True)
class Output:
    """The place of an output beside two inputs.

    Attributes:
        name: in words. order: 0, the two inputs, the output and k - 1 from left to right; the two
            ends are "0" and "k-1", an output at an end is not listed.
        end: "low_end", "high_end", or "cell" for an output between.
    """

    name: str
    order: tuple[str, ...]
    end: str


def outputs(*, low: bool, high: bool) -> Iterator[Output]:
    """Every order of x, x' and y.

    Args:
        low, high: whether the ends have formulas of their own.
    """
    for first, second in (("x", "x'"), ("x'", "x")):
        inputs = (first, second)
        for place in range(3):
            middle = (*inputs[:place], "y", *inputs[place:])
            yield Output(" <= ".join(middle), ("0", *middle, "k-1"), "cell")
        for end, given, at in (("low_end", low, "0"), ("high_end", high, "k-1")):
            if given:
                yield Output(f"y = {at}, {first} <= {second}", ("0", *inputs, "k-1"), end)


class StatedPoints:
    """The parsed formulas, with what is computed from them."""

    def __init__(self, statement: Mapping[str, Any]) -> None:
        """Parse the statement.

        Raises:
            ExpressionError: a formula cannot be read, or a variable is named like a power.
        """
        own = tuple(DomainVariable.from_json(entry) for entry in statement["variables"])
        names = [v.name for v in own]
        if {*names} & {*POWERS, *GAPS, USERS.name} or len({*names}) != len(names):
            raise ExpressionError("variables must have different names, and none of a power")
        self.wide = (*own, *map(_between_0_and_1, (*POWERS, *GAPS)))
        self.ring = Ring([v.name for v in self.wide])
        given = statement["points"]
        if given["size"] not in names:
            raise ExpressionError("the number of points must be a variable")
        self.size = self.ring.variable(given["size"])
        self.decay = self.ring.parse(given["decay"])
        self.formulas = {
            name: self.ring.parse(given[name])
            for name in ("cell", "low_end", "high_end")
            if given[name] is not None
        }
        for name, value in self.formulas.items():
            barred = ("span", *GAPS) if name == "cell" else ("near", "span", *GAPS)
            if self.mentions(value, barred):
                raise ExpressionError(f"{name} holds a power that it must not")
        if self.mentions(self.decay, (*POWERS, *GAPS)):
            raise ExpressionError("the decay must be made of parameters")

    def mentions(self, value: Fraction, names: Sequence[str]) -> bool:
        """Return whether a rational function holds one of the variables."""
        places = [self.ring.names.index(name) for name in names]
        polys = [value.numerator, *map(dict, value.denominator)]
        return any(exponents[i] for poly in polys for exponents in poly for i in places)

    def product(self, factors: Sequence[Fraction]) -> Fraction:
        """The product, 1 of none."""
        total = self.ring.constant(1)
        for factor in factors:
            total = self.ring.multiply(total, factor)
        return total

    def by_power(self) -> dict[int, Fraction]:
        """The coefficients of the cell as a polynomial in `near`.

        Raises:
            ExpressionError: it is none.
        """
        ring, cell = self.ring, self.formulas["cell"]
        place = ring.names.index("near")
        if any(e[place] for poly in map(dict, cell.denominator) for e in poly):
            raise ExpressionError("the cell is no polynomial in near")
        parts: dict[int, Poly] = {}
        for exponents, coefficient in cell.numerator.items():
            rest = (*exponents[:place], 0, *exponents[place + 1 :])
            parts.setdefault(exponents[place], {})[rest] = coefficient
        return {
            exponent: Fraction(poly, dict(cell.denominator), cell.scale)
            for exponent, poly in parts.items()
        }

    def total(self) -> Fraction:
        """The sum of P(y|x) over y, by geometric sums.

        Of near^a, a > 0, the outputs right of x give t^a (1 - right^a)/(1 - t^a), without the end
        (t^a - right^a)/(1 - t^a). The latter also holds where x is the end itself: it is then -1,
        and cancels the 1 of y = x.
        """
        ring = self.ring
        one = ring.constant(1)
        total = ring.constant(0)
        for end in ("low_end", "high_end"):
            total = ring.add(total, self.formulas.get(end, ring.constant(0)))
        for exponent, coefficient in self.by_power().items():
            step = self.product([self.decay] * exponent)
            if exponent == 0:
                ends = len(self.formulas) - 1
                number = ring.add(self.size, ring.constant(ends), -1)
            else:
                number = one
                for side, end in (("left", "low_end"), ("right", "high_end")):
                    far = self.product([ring.variable(side)] * exponent)
                    last = far if end in self.formulas else ring.multiply(step, far)
                    terms = ring.divide(ring.add(step, last, -1), ring.add(one, step, -1))
                    number = ring.add(number, terms)
            total = ring.add(total, ring.multiply(coefficient, number))
        return total

    def gaps(self, order: Sequence[str]) -> list[tuple[str, str, str]]:
        """(name of the gap, from, to) in an order of places."""
        return [(GAPS[i], a, b) for i, (a, b) in enumerate(pairwise(order))]

    def power(self, order: Sequence[str], a: str, b: str) -> Fraction:
        """t to the distance of two places."""
        start, stop = sorted((order.index(a), order.index(b)))
        return self.product([self.ring.variable(GAPS[i]) for i in range(start, stop)])

    def chance(self, output: Output, value: str) -> Fraction:
        """P(y|value) in the gaps."""
        order = output.order
        put = {
            "left": self.power(order, "0", value),
            "right": self.power(order, value, "k-1"),
        }
        if output.end == "cell":
            put["near"] = self.power(order, value, "y")
        return self.ring.substitute(self.formulas[output.end], put)

    def places(self) -> Iterator[Output]:
        """Every order of two inputs and an output."""
        yield from outputs(low="low_end" in self.formulas, high="high_end" in self.formulas)


def point_obligations(statement: Mapping[str, Any]) -> list[Obligation]:
    """Everything that has to be shown for the statement's laws and claims.

    Raises:
        ExpressionError, KeyError, TypeError, ValueError: the statement is malformed.
    """
    line = StatedPoints(statement)
    found = [*_laws(line)]
    zero = line.ring.constant(0)
    for position, claim in enumerate(statement["claims"]):
        try:
            found += rule_for(claim, *FORM)(line, line.wide, position, claim)
        except ExpressionError as error:
            kind = CERTIFICATE.kinds_of(claim["kind"])[0]
            name = f"{kind}/{position}/impossible"
            why = str(error)
            found.append(
                Obligation(position, kind, name, "impossible", zero, line.wide, reason=why)
            )
    return found


@CERTIFICATE.rule(LAWS, FORM)
def _laws(line: StatedPoints) -> Iterator[Obligation]:
    ring, wide = line.ring, line.wide
    one = ring.constant(1)

    def law(kind: Kind, name: str, relation: str, value: Fraction) -> Obligation:
        powers = line.mentions(value, POWERS)
        return Obligation(None, kind, f"{kind}/{name}", relation, value, wide, relaxed=powers)

    # The gaps are powers in (0, 1] only then.
    yield law(Kind.NONNEGATIVE, "decay", ">", line.decay)
    yield law(Kind.NONNEGATIVE, "decay_below_1", ">", ring.add(one, line.decay, -1))
    yield law(Kind.NONNEGATIVE, "two_points", ">=", ring.add(line.size, ring.constant(2), -1))
    for name, value in line.formulas.items():
        yield law(Kind.NONNEGATIVE, name, ">=", value)
        yield law(Kind.EQUAL_SUPPORT, name, ">", value)
    yield law(Kind.SUMS_TO_ONE, "total", "==", ring.add(line.total(), one, -1))


@CERTIFICATE.rule((Kind.RATIO, Kind.TIGHT), FORM, words=("ldp",))
def _ldp(line: StatedPoints, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Each order of x, x' and y within the bound, and one place where it is met."""
    ring = line.ring
    bound, steps = ring.parse(claim["bound"]), claim["steps"]
    if line.mentions(bound, (*POWERS[:3], *GAPS)) or type(steps) is not int or steps < 0:
        raise ExpressionError("a bound must be made of parameters and span, and of whole steps")
    tightest: list[Obligation] | None = None
    for r, output in enumerate(line.places()):
        px, px2 = (line.chance(output, value) for value in ("x", "x'"))
        whole = line.power(output.order, "0", "k-1")
        metric = line.power(output.order, "x", "x'")
        level = ring.substitute(bound, {"span": whole})
        # Each step from x to x' may cost 1/t, `steps` times.
        own = line.product([px, *[metric] * steps])
        slack = ring.add(ring.multiply(level, px2), own, -1)
        name = f"ratio/{position}/{r}"
        yield Obligation(position, Kind.RATIO, name, ">=", slack, wide, relaxed=True)
        if claim["tight"] and tightest is None:
            tightest = _met(line, wide, position, output, slack, px)
    if claim["tight"]:
        why = "the bound is not met between the two ends"
        name = f"tight/{position}"
        zero = ring.constant(0)
        yield from tightest or [
            Obligation(position, Kind.TIGHT, name, "impossible", zero, wide, reason=why)
        ]


CERTIFICATE.leave_open(
    (Kind.UNBIASED, Kind.VARIANCE), FORM, "no estimator is derived of points on a line"
)


def _met(
    line: StatedPoints, wide: Domain, position: int, output: Output, slack: Fraction, px: Fraction
) -> list[Obligation] | None:
    """x and x' at the two ends, y at one of them, if the bound is met there with equality.

    The formula of outputs between the ends says nothing of an end that has one of its own.
    """
    one = line.ring.constant(1)
    order, gaps = output.order, line.gaps(output.order)
    for kept, _, after in gaps:
        before = order[1 : order.index(after)]
        if ("x" in before) == ("x'" in before):
            continue
        end = "low_end" if "y" in before else "high_end"
        if output.end == "cell" and end in line.formulas:
            continue
        put = {name: one for name, _, _ in gaps if name != kept}
        equal, own = (line.ring.substitute(value, put) for value in (slack, px))
        if not equal.numerator and own.numerator:
            name = f"tight/{position}/{output.name}"
            return [
                Obligation(position, Kind.TIGHT, f"{name}/equal", "==", equal, wide),
                Obligation(position, Kind.TIGHT, f"{name}/px", ">", own, wide),
            ]
    return None
