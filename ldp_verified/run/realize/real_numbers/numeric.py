"""Base of the numeric mechanisms with a spec: what runs is an instance of a proved density.

The grid input goes through a randomizer of integers whose probabilities are exact fractions. These
are an instance of the spec's density: at a generator s (or ratio u) that is rational and not above
e^(epsilon/2) (or e^epsilon), each report standing for the middle of its cell. So what is proved of
the density for all parameters holds for what runs; epsilon by post-processing.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_epsilon
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer, check_bounds
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.divergence import delta_of

if TYPE_CHECKING:
    from flint import arb

    from ldp_verified.run.realize.tables.divergence import Masses


class NumericRandomizer(BoundedRandomizer):
    """An immutable randomizer of numbers within `bounds` that is an instance of a spec.

    Attributes:
        epsilon: the claimed epsilon, a double.
        bounds: (low, high), which stand for the ends of the spec's inputs.
        name, law_sha256: of the spec and its law.
        inputs: the ends of the spec's inputs.
    """

    # --- what the form supplies ----------------------------------------------------------------

    @property
    @abstractmethod
    def worst_ratio(self) -> Fraction:
        """The largest P(y|x)/P(y|x') of the realized distribution."""

    @staticmethod
    @abstractmethod
    def report_mean(*arguments: Any) -> Any:
        """The mean of the spec's report at x and at the spec's variables."""

    @staticmethod
    @abstractmethod
    def report_square(*arguments: Any) -> Any:
        """The mean square of the spec's report at x and at the spec's variables."""

    @property
    @abstractmethod
    def variables(self) -> tuple[Fraction, ...]:
        """The values of the spec's variables at which the realization is an instance of it."""

    @property
    @abstractmethod
    def _lost(self) -> Fraction:
        """The variance that is lost when each report stands for the middle of its cell."""

    @property
    @abstractmethod
    def _worst_inputs(self) -> tuple[int | Fraction, ...]:
        """Grid inputs, in the spec's units, at one of which the variance is largest."""

    @abstractmethod
    def losses(self) -> tuple[Masses, ...]:
        """The masses of classes of reports under each of two inputs, for pairs of inputs.

        No pair of inputs has a larger delta, at any epsilon, than the largest of these: a number
        between grid points is a mixture of its neighbours, and delta is convex. For
        `account.PrivacyLoss`, which composes them: see `account.realized_losses`.
        """

    @abstractmethod
    def _realize(self) -> None:
        """Round the parameters so that the realized epsilon is at most the claimed one."""

    # --- construction --------------------------------------------------------------------------

    def __post_init__(self) -> None:
        """Check the parameters, realize, and hold the realization to the claim.

        Raises:
            ParameterError: epsilon or bounds are outside their domain, or epsilon is too small for
                the grid.
        """
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        self._realize()
        if not balls.decide(lambda: balls.at_most(self._loss(), self.epsilon)):
            raise ParameterError("epsilon", "cannot be realized within the claim", self.epsilon)

    def _power(self, divisor: int) -> Fraction:
        """A rational just below e^(epsilon/divisor), or 2^64 where that is larger."""
        if self.epsilon / divisor > 45:
            return Fraction(1 << 64)

        def attempt() -> Fraction | None:
            value: arb = (balls.ball(self.epsilon) / divisor).exp()
            found = balls.approximation(value)
            return None if found is None else found * (1 - Fraction(1, 1 << 90))

        return balls.decide(attempt)

    def _loss(self) -> arb:
        """The realized epsilon, ln of the worst ratio, at the working precision."""
        return balls.ball(self.worst_ratio).log()

    # --- facts ---------------------------------------------------------------------------------

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized epsilon; never above `epsilon`."""
        return balls.decide(lambda: balls.upper_float(self._loss()))

    @property
    def gap(self) -> float:
        """The part of epsilon that rounding leaves unused, `epsilon - realized_epsilon`."""
        return self.epsilon - self.realized_epsilon

    def delta_at(self, epsilon: float) -> float:
        """The smallest delta of the realized distribution at another epsilon, rounded up; exact.

        Over all pairs of numbers within `bounds` and all sets of reports. 0 from the realized
        epsilon on.

        Args:
            epsilon: the other one, above 0 and finite.

        Raises:
            ParameterError: epsilon is not above 0 and finite.
        """
        level = check_epsilon(epsilon)
        return max(delta_of(masses, level) for masses in self.losses())

    @property
    def saturated(self) -> bool:
        """Return whether the realized epsilon is short of the claim by more than a share 2^-20."""
        return self.gap > self.epsilon / (1 << 20)

    @property
    def instance_of(self) -> str:
        """The mechanism of the catalogue of which the realization is an instance."""
        return self.name

    def _variance_at(self, x: Fraction) -> Fraction:
        """The variance of a report, given a grid input x in the spec's units."""
        mean: Fraction = self.report_mean(x, *self.variables)
        square: Fraction = self.report_square(x, *self.variables)
        return square - mean**2 - self._lost

    @property
    def _bound_of_variance(self) -> Fraction:
        # The choice between two neighbours has variance step^2/4 at most.
        slope = self.decoding.slope
        start, end = self.inputs
        worst = max(self._variance_at(Fraction(x)) for x in self._worst_inputs)
        return worst + (Fraction(end - start, 2 * self.steps) * slope) ** 2

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.bounds)

    def __repr__(self) -> str:
        shown = f"epsilon={self.epsilon!r}, bounds={self.bounds!r}"
        shown += "".join(f", {name}={value!r}" for name, value in self._further().items())
        note = ", saturated=True" if self.saturated else ""
        return f"{type(self).__name__}({shown}, realized_epsilon={self.realized_epsilon!r}{note})"
