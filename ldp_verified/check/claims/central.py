"""Noise on databases: moments and tails by antiderivatives, Gaussian noise by its curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

from flint import acb, arb

from ldp_verified.analysis.account.gaussian import _curve
from ldp_verified.analysis.utility.noise import laplace_moment_integral
from ldp_verified.check.claims import evaluate
from ldp_verified.check.claims.numeric import Case, Cases, Values, combinations
from ldp_verified.check.claims.rulings import Ruling, RulingKind, refuted
from ldp_verified.check.claims.wording import formula, given
from ldp_verified.run.realize.tables.balls import ball, decide

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context


def antiderivative(order: int) -> list[Fraction]:
    """Coefficients of the Q with (-Q(x) e^-x)' = x^order e^-x, that is Q - Q' = x^order."""
    return [Fraction(factorial(order), factorial(j)) for j in range(order + 1)]


@dataclass(frozen=True)
class LaplaceMoment:
    """E |Y|^order = coefficient * b^order for Laplace noise Y of scale b.

    |Y|/b has density e^-x on x > 0. The antiderivative is checked coefficient by coefficient; it
    is 0 at infinity, so the moment is Q(0).

    Attributes:
        order: a whole number >= 1. coefficient: the claimed one.
    """

    order: int
    coefficient: int

    def says(self) -> str:
        """The statement, rendered."""
        return f"Laplace noise Y of scale b: E|Y|^{self.order} = {self.coefficient} b^{self.order}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def _quadrature(self, scale: Fraction) -> Callable[[], arb | None]:
        return lambda: _narrow(laplace_moment_integral(self.order, scale))

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """Decide by the antiderivative, and by rigorous quadrature at b = 1 and b = 3/2.

        Raises:
            ArithmeticError: the two disagree.
        """
        q = antiderivative(self.order)
        slope = [Fraction(j) * q[j] for j in range(1, len(q))] + [Fraction(0)]
        if [a - b for a, b in zip(q, slope, strict=True)] != [Fraction(0)] * self.order + [1]:
            raise ArithmeticError("that is no antiderivative")
        for scale in (Fraction(1), Fraction(3, 2)):
            found = decide(self._quadrature(scale))
            if not found.contains(arb(0) + ball(q[0] * scale**self.order)):
                raise ArithmeticError("antiderivative and quadrature disagree")
        if q[0] == self.coefficient:
            return Ruling(
                RulingKind.PROVED, ("antiderivative", "balls"), "quadrature agrees at b = 1 and 3/2"
            )
        return refuted(
            ("antiderivative", "balls"),
            f"claimed E|Y|^{self.order} = {self.coefficient} b^{self.order}, found {q[0]}",
            {"b": 1},
            {"moment": q[0]},
        )


@dataclass(frozen=True)
class LaplaceTail:
    """P(|Y| > t b) = e^-t for Laplace noise Y of scale b and every t >= 0.

    -e^-x has the density e^-x of |Y|/b as its derivative and is 0 at infinity.
    """

    def says(self) -> str:
        """The statement, rendered."""
        return "Laplace noise Y of scale b, every t >= 0: P(|Y| > t b) = e^-t"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """Decide by the antiderivative of order 0, and by quadrature at t = 1 and t = 5/2.

        Raises:
            ArithmeticError: the two disagree.
        """
        if antiderivative(0) != [1]:
            raise ArithmeticError("that is no antiderivative")
        for t in (Fraction(1), Fraction(5, 2)):
            start = acb(ball(t))
            found = acb.integral(lambda x, _: (-x).exp(), start, start + 100).real
            if not (found + arb(0).union(arb(-100).exp())).overlaps(ball(-t).exp()):
                raise ArithmeticError("antiderivative and quadrature disagree")
        return Ruling(
            RulingKind.PROVED, ("antiderivative", "balls"), "quadrature agrees at t = 1 and 5/2"
        )


@dataclass(frozen=True)
class GaussianTail:
    """P(|Y| > t sigma) <= e^(-t^2/2) for Gaussian noise Y and every t >= 0.

    The right side less the left one is 0 at t = 0 and tends to 0. Its derivative is
    (sqrt(2/pi) - t) e^(-t^2/2): it rises first and falls afterwards, so it is nowhere below 0.
    """

    def says(self) -> str:
        """The statement, rendered."""
        return "Gaussian noise Y of deviation sigma, every t >= 0: P(|Y| > t sigma) <= e^(-t^2/2)"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:  # noqa: ARG002  (the protocol's argument)
        """Decide by the derivative, and by quadrature at t = 1/2, 1 and 5/2.

        Raises:
            ArithmeticError: the two disagree.
        """
        rise = (arb(2) / arb.pi()).sqrt()
        if gaussian_slope([1]) != [0, -1] or not rise > 0:
            raise ArithmeticError("that is no function that rises and then falls")
        for t in (Fraction(1, 2), Fraction(1), Fraction(5, 2)):
            start = acb(ball(t))
            tail = acb.integral(lambda x, _: (-x * x / 2).exp() * rise, start, start + 20).real
            tail += arb(0).union(arb(-200).exp())
            if not tail.overlaps((ball(t) / arb(2).sqrt()).erfc()):
                raise ArithmeticError("the error function and quadrature disagree")
            if not tail < ball(-t * t / 2).exp():
                raise ArithmeticError("the bound is below the tail")
        return Ruling(
            RulingKind.PROVED,
            ("antiderivative", "balls"),
            "quadrature agrees at t = 1/2, 1 and 5/2",
        )


def gaussian_slope(polynomial: list[int]) -> list[int]:
    """Coefficients of the Q with (P(t) e^(-t^2/2))' = Q(t) e^(-t^2/2), that is Q = P' - t P."""
    slope = [j * c for j, c in enumerate(polynomial)][1:]
    lowered = [0, *polynomial]
    slope += [0] * (len(lowered) - len(slope))
    return [a - b for a, b in zip(slope, lowered, strict=True)]


def _narrow(value: arb) -> arb | None:
    return value if value.is_finite() and value.rad() < 1e-6 else None


@dataclass(frozen=True)
class GaussianIs:
    """Gaussian noise of this standard deviation is (eps, delta)-DP, at values of the symbols.

    Attributes:
        sigma, epsilon, delta: expressions; the sensitivity is 1.
        values: of their symbols; every combination is a case.
        cited: whose theorem says it for all; empty where nobody's does.
    """

    sigma: Any
    epsilon: Any
    delta: Any
    values: Values
    cited: str = ""

    def says(self) -> str:
        """The statement, rendered."""
        private = f"(eps, delta) = ({formula(self.epsilon)}, {formula(self.delta)})"
        noise = f"Gaussian noise of sigma = {formula(self.sigma)} on a number of sensitivity 1"
        return f"{noise} is {private}-DP, at {given(self.values)}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:
        """The exact curve of Balle and Wang (2018) in balls; what fails is integrated again."""
        where = given(self.values)
        return Cases("", self._cases, where, self.cited, ("balls", "quadrature")).decide(context)

    def _cases(self) -> Iterable[Case]:
        for point in combinations(self.values):
            sigma = _fraction(self.sigma, point)
            eps = _fraction(self.epsilon, point)

            def needed(sigma: Fraction = sigma, eps: Fraction = eps) -> arb:
                return _curve(eps, sigma, Fraction(1))

            def holds(point: Any = point, needed: Callable[[], arb] = needed) -> bool | None:
                return _signed(evaluate.value(self.delta, point) - needed())

            def again(sigma: Fraction = sigma, eps: Fraction = eps, point: Any = point) -> bool:
                return _sign(evaluate.value(self.delta, point) - integrated(eps, sigma))

            found = decide(needed).str(6, radius=False)
            claimed = evaluate.decimal(self.delta, point, 6)
            yield Case(
                {str(symbol): value for symbol, value in point.items()},
                decide(holds),
                again,
                {"sigma": float(sigma), "delta needed": found, "delta claimed": claimed},
                f"claimed ({float(eps):.6g}, {claimed})-DP at sigma = {self.sigma} = "
                f"{float(sigma):.6g}; the smallest delta is {found}",
            )


def _fraction(expression: Any, point: Any) -> Fraction:
    """A rational within 2^-80 of a number, relatively; cases are nowhere near that close."""
    return Fraction(decide(lambda: evaluate.value(expression, point)).str(30, radius=False))


def _signed(value: arb) -> bool | None:
    return True if value > 0 else False if value < 0 else None


def _sign(value: arb) -> bool:
    if value > 0:
        return True
    if value < 0:
        return False
    raise ArithmeticError("the quadrature is too wide")


def integrated(epsilon: Fraction, sigma: Fraction) -> arb:
    """The smallest delta as the integral of the positive part of the difference of two densities.

    It is positive beyond y = 1/2 + sigma^2 eps on one side; densities of N(1, sigma^2), N(0, ...).
    """
    start, s = Fraction(1, 2) + sigma**2 * epsilon, ball(sigma)

    def excess(y: acb, _: bool) -> acb:
        own = (-((y - 1) ** 2) / (2 * s * s)).exp()
        other = (-(y**2) / (2 * s * s)).exp() * ball(epsilon).exp()
        return (own - other) / (s * (2 * arb.pi()).sqrt())

    end = max(start, Fraction(1)) + 40 * sigma
    return acb.integral(excess, acb(ball(start)), acb(ball(end))).real
