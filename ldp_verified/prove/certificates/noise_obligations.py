"""List what makes laws and claims of additive noise true; without sympy.

The statement of `density_obligations` has, in place of pieces and atoms,
    noise  {"kind": "lattice" | "steps" | "exponential" | "normal", ..., "ends": null | {...}}
with the fields of `language.noise` as texts, and "encoder": "one_hot" where there is one.

An epsilon rests on one lemma, which is not itself checked here. Let f >= 0 depend on |z| alone, not
increase with it, and f(|z| + T) = d f(|z|). Then f(z) <= d^-k f(z + t) wherever |t| <= k T, with
equality at z >= 0 and t = k T: for |z + t| <= |z| + k T, so f(z + t) >= f(|z| + k T) = d^k f(z).
What lies beyond an end is all of it d^(x - low) or d^(high - x) times the same sum, so the lemma
covers ends as well. One-hot vectors of two values differ in two places, by the reach in each; noise
is independent, so ratios multiply, the bound is that of twice the reach, and it is reached where it
is in both. `noise_enumeration` looks at the ratios themselves.

A curve of deltas rests on another one. Of two normal laws t apart, of scale s, the loss ln(f(y -
x)/f(y - x')) is linear in y, so what tells x from x' best at eps are the y on one side of a
place; the two probabilities of that side are Phi(m/2 - eps/m) and Phi(-m/2 - eps/m) with m = t/s;
and Phi(m/2 - eps/m) - e^eps Phi(-m/2 - eps/m) grows with m, its derivative in m being the normal
density at m/2 - eps/m. So inputs at most t apart have the curve of mu wherever mu >= t/s, and that
is what is checked here. The lemma is proved in `proofs/lib/NormalCurve.v`, for any Phi that is the
integral of the density up to z and 1 over all numbers. That there is such a Phi, which is to say
that e^(-w^2/2) has the integral sqrt(2 pi), is known and not proved. `normal_enumeration`
integrates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.certificates.domains import DomainVariable
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    LAWS,
    Claim,
    Domain,
    Obligation,
)
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring

Named = tuple[str, str, Fraction]
"""(name, relation, value)."""


class NoiseLine:
    """Parsed noise, with what is computed from it."""

    def __init__(
        self, ring: Ring, statement: Mapping[str, Any], value: DomainVariable, wide: Domain
    ) -> None:
        noise = statement["noise"]
        self.ring, self.value, self.kind = ring, value, noise["kind"]
        encoder = noise.get("encoder")
        if encoder not in (None, "one_hot") or (encoder and self.kind in ("steps", "normal")):
            raise ExpressionError("the encoder must be one_hot, and not on steps or normal noise")
        self.encoded = encoder is not None
        fields = {"lattice": ("mass", "decay"), "steps": ("period", "decay")}
        fields["exponential"] = fields["normal"] = ("level", "scale")
        self.given = {name: ring.parse(noise[name]) for name in fields[self.kind]}
        self.pieces = [
            tuple(ring.parse(piece[name]) for name in ("low", "high", "level"))
            for piece in noise.get("pieces", ())
        ]
        ends = noise["ends"]
        if ends is not None and self.kind != "lattice":
            raise ExpressionError("only a lattice has ends")
        self.ends = None if ends is None else {key: ring.parse(t) for key, t in ends.items()}
        assert value.lower is not None
        assert value.upper is not None
        self.bounds = ring.parse(value.lower), ring.parse(value.upper)
        if value.integer != (self.kind == "lattice") or value.lower_open or value.upper_open:
            raise ExpressionError("the input must be an integer on a lattice, else a real number")
        whole = [*self.bounds, *(self.ends[side] for side in ("low", "high") if self.ends)]
        self.integers = {v.name for v in wide if v.integer}
        if self.kind == "lattice" and not all(map(self._whole, whole)):
            raise ExpressionError("bounds and ends of a lattice must be integers")

    def _whole(self, a: Fraction) -> bool:
        """Return whether `a` is a polynomial over the integers in integer variables."""
        used = {
            name
            for exponents in a.numerator
            for name, power in zip(self.ring.names, exponents, strict=True)
            if power
        }
        return not a.denominator and a.scale == 1 and used <= self.integers

    def minus(self, a: Fraction, b: Fraction) -> Fraction:
        """a - b."""
        return self.ring.add(a, b, -1)

    def _product(self, *factors: Fraction) -> Fraction:
        result = self.ring.constant(1)
        for factor in factors:
            result = self.ring.multiply(result, factor)
        return result

    def _sum(self, *terms: Fraction) -> Fraction:
        result = self.ring.constant(0)
        for term in terms:
            result = self.ring.add(result, term)
        return result

    def _number(self, value: int) -> Fraction:
        return self.ring.constant(value)

    def _series(self) -> tuple[Fraction, Fraction, Fraction]:
        """sum d^j, sum j d^j, sum j^2 d^j over j = 0, 1, ..., for 0 < d < 1."""
        d, one = self.given["decay"], self._number(1)
        once = self.ring.invert(self.minus(one, d))
        linear = self._product(d, once, once)
        return once, linear, self._product(linear, once, self._sum(one, d))

    def _noise(self, exponent: int) -> Fraction:
        """The mass of the noise (exponent 0), or its mean square (2)."""
        two = self._number(2)
        if self.kind == "normal":
            level, scale = self.given["level"], self.given["scale"]
            mass = self._product(level, scale)
            return mass if exponent == 0 else self._product(mass, scale, scale)
        if self.kind == "exponential":
            level, scale = self.given["level"], self.given["scale"]
            once = self._product(two, level, scale)
            return once if exponent == 0 else self._product(two, once, scale, scale)
        ones, linear, squares = self._series()
        if self.kind == "lattice":
            mass = self.given["mass"]
            if exponent == 2:
                return self._product(two, mass, squares)
            return self._product(mass, self.minus(self._product(two, ones), self._number(1)))
        total, period = self._number(0), self.given["period"]
        third = self.ring.divide(self._number(1), self._number(3))
        for low, high, level in self.pieces:
            width = self.minus(high, low)
            part = self._product(width, ones)
            if exponent == 2:
                square = self.minus(self._product(high, high), self._product(low, low))
                cube = self.minus(self._product(high, high, high), self._product(low, low, low))
                part = self._sum(
                    self._product(cube, third, ones),
                    self._product(square, period, linear),
                    self._product(width, period, period, squares),
                )
            total = self._sum(total, self._product(two, level, part))
        return total

    def moment(self, exponent: int) -> Fraction:
        """E[y^exponent | x] for exponent 0, 1, 2; odd moments of the noise are 0."""
        x = self.ring.variable(self.value.name)
        mass = self._noise(0)
        whole = mass
        if exponent == 1:
            whole = self._product(x, mass)
        elif exponent == 2:
            whole = self._sum(self._product(x, x, mass), self._noise(2))
        return whole if self.ends is None else self._sum(whole, *self._cut(exponent))

    def _cut(self, exponent: int) -> Iterator[Fraction]:
        """Yield the terms of both ends: the report's power less the powers of what lies beyond."""
        assert self.ends is not None
        ones, linear, squares = self._series()
        for side, sign in (("low", -1), ("high", 1)):
            end, report = self.ends[side], self.ends[f"{side}_report"]
            front = self._product(self.ends[f"{side}_tail"], self.given["mass"])
            outward = self._number(sign)
            if exponent == 1:
                shift = self._product(self.minus(report, end), ones)
                yield self._product(front, self.minus(shift, self._product(outward, linear)))
            elif exponent == 2:
                square = self.minus(self._product(report, report), self._product(end, end))
                cross = self._product(self._number(2), outward, end, linear)
                shift = self._product(square, ones)
                yield self._product(front, self.minus(self.minus(shift, cross), squares))

    def variance(self) -> Fraction:
        """Var[y | x]."""
        mean = self.moment(1)
        return self.minus(self.moment(2), self._product(mean, mean))

    def of_count(self, own: Fraction, other: Fraction, share: Fraction) -> Fraction:
        """n times the variance of one number, those with the value being a share of n.

        Args:
            own, other: the variance at the upper and the lower end. share: f, or a number for it.
        """
        rest = self.minus(self._number(1), share)
        both = self._sum(self._product(share, own), self._product(rest, other))
        return self._product(self.ring.variable("n"), both)

    def laws(self) -> Iterator[tuple[Kind, Named]]:
        """(kind, (name, relation, value)): the lemma's conditions, and that the mass is 1."""
        for name, value in self.given.items():
            yield Kind.NONNEGATIVE, (name, ">", value)
        if "decay" in self.given:
            below = self.minus(self._number(1), self.given["decay"])
            yield Kind.NONNEGATIVE, ("decay_below_one", ">", below)
        for i, (low, high, level) in enumerate(self.pieces):
            yield Kind.NONNEGATIVE, (f"level{i}", ">", level)
            yield Kind.NONNEGATIVE, (f"width{i}", ">=", self.minus(high, low))
        if self.ends is not None:
            apart = self.minus(self.ends["high"], self.ends["low"])
            yield Kind.NONNEGATIVE, ("ends_apart", ">", apart)
        yield Kind.SUMS_TO_ONE, ("total", "==", self.minus(self.moment(0), self._number(1)))
        if not self.pieces:
            name = "mass" if self.kind == "lattice" else "level"
            yield Kind.EQUAL_SUPPORT, (name, ">", self.given[name])
        if self.pieces:
            yield Kind.EQUAL_SUPPORT, ("first", "==", self.pieces[0][0])
            last = self.minus(self.pieces[-1][1], self.given["period"])
            yield Kind.EQUAL_SUPPORT, ("last", "==", last)
            for i, (left, right) in enumerate(pairwise(self.pieces)):
                yield Kind.EQUAL_SUPPORT, (f"join{i}", "==", self.minus(right[0], left[1]))
        if self.ends is not None:
            inner = self.minus(self.bounds[0], self.ends["low"])
            outer = self.minus(self.ends["high"], self.bounds[1])
            yield Kind.EQUAL_SUPPORT, ("low_end", ">=", inner)
            yield Kind.EQUAL_SUPPORT, ("high_end", ">=", outer)

    def falls(self) -> Iterator[Named]:
        """Yield the obligations that the law does not increase with |z|."""
        levels = [level for _, _, level in self.pieces]
        for i, (near, far) in enumerate(pairwise(levels)):
            yield f"falls{i}", ">=", self.minus(near, far)
        if levels:
            again = self._product(self.given["decay"], levels[0])
            yield "falls_over", ">=", self.minus(levels[-1], again)

    def bound(self, claim: Claim) -> Iterator[tuple[Kind, Named]]:
        """(kind, ...): that inputs are no more periods apart than are claimed, each in its ratio.

        Raises:
            ExpressionError: the number of periods may be no integer, or the noise is normal.
        """
        if self.kind == "normal":
            raise ExpressionError("the loss of normal noise has no bound: no epsilon is enough")
        reach = self.minus(self.bounds[1], self.bounds[0])
        yield Kind.RATIO, ("reach", ">=", reach)
        if self.encoded:
            reach = self._product(self._number(2), reach)
        for named in self.falls():
            yield Kind.RATIO, named
        if self.kind == "exponential":
            exponent = self._product(self.ring.parse(claim["exponent"]), self.given["scale"])
            slack = self.minus(exponent, reach)
            yield Kind.RATIO, ("exponent", ">=", slack)
            if claim["tight"]:
                yield Kind.TIGHT, ("exponent", "==", slack)
            return
        times, ratio = self.ring.parse(claim["times"]), self.ring.parse(claim["ratio"])
        step = self.given.get("period", self._number(1))
        apart = self.minus(self._product(times, step), reach)
        if not self._whole(times):
            raise ExpressionError("how many periods inputs are apart must be an integer")
        once = self.minus(self._product(ratio, self.given["decay"]), self._number(1))
        yield Kind.RATIO, ("periods", ">=", apart)
        yield Kind.RATIO, ("per_period", ">=", once)
        if claim["tight"]:
            yield Kind.TIGHT, ("periods", "==", apart)
            yield Kind.TIGHT, ("per_period", "==", once)

    def curve(self, claim: Claim) -> Iterator[tuple[Kind, Named]]:
        """(kind, ...): that inputs are at most mu scales apart; with `tight`, that some are.

        Raises:
            ExpressionError: the noise is not normal.
        """
        if self.kind != "normal":
            raise ExpressionError("only normal noise has such a curve")
        reach, mu = self.minus(self.bounds[1], self.bounds[0]), self.ring.parse(claim["mu"])
        slack = self.minus(self._product(mu, self.given["scale"]), reach)
        yield Kind.CURVE, ("reach", ">=", reach)
        yield Kind.CURVE, ("mu", ">", mu)
        yield Kind.CURVE, ("scales", ">=", slack)
        if claim["tight"]:
            yield Kind.TIGHT, ("scales", "==", slack)


@CERTIFICATE.rule(LAWS, (TableForm.NOISE,))
def noise_laws(line: NoiseLine, wide: Domain) -> Iterator[Obligation]:
    """The laws of every table, for noise."""
    for kind, (name, relation, value) in line.laws():
        yield Obligation(None, kind, f"{kind}/{name}", relation, value, wide)


def noise_ldp(line: NoiseLine, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """A claim of privacy, by the lemma."""
    for kind, (name, relation, value) in line.bound(claim):
        yield Obligation(position, kind, f"{kind}/{position}/{name}", relation, value, wide)


def noise_curve(line: NoiseLine, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """A curve of deltas, by the other lemma."""
    for kind, (name, relation, value) in line.curve(claim):
        yield Obligation(position, kind, f"{kind}/{position}/{name}", relation, value, wide)
