"""Claims about privacy: bounds on P(y|x)/P(y|x') for all pairs, by distance, or in a region.

And, for noise whose ratios have no bound, a curve of deltas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language.expressions import expression


@dataclass(frozen=True)
class LDP:
    """P(y|x) <= e^epsilon P(y|x') for all x, x', y; with `tight`, equality for some y of some pair.

    With `delta`, (epsilon, delta)-LDP: sum over y of max(0, P(y|x) - e^epsilon P(y|x')) <= delta,
    which is the same as P(S|x) <= e^epsilon P(S|x') + delta for every set S of outputs.

    Attributes:
        epsilon: an expression (`eps`, `2*eps`, `log((1 + 2*gamma)/(1 - 2*gamma))`).
        tight: whether no smaller epsilon holds (no smaller delta, where delta is not 0).
        source: author, year, title.
        delta: an expression >= 0.
    """

    epsilon: Any
    tight: bool = False
    source: str = ""
    delta: Any = sympy.S.Zero

    def __post_init__(self) -> None:
        """Sympify epsilon and delta."""
        object.__setattr__(self, "epsilon", expression("LDP.epsilon", self.epsilon))
        object.__setattr__(self, "delta", expression("LDP.delta", self.delta))

    @property
    def ratio(self) -> Any:
        """The largest ratio of two probabilities, e^epsilon."""
        return sympy.exp(self.epsilon)

    def ratio_between(self, x: Any, x2: Any) -> Any:  # noqa: ARG002  the same for every pair
        """The bound on P(y|x)/P(y|x') for this ordered pair of labels; None where there is none."""
        return self.ratio

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of obligation that the claim makes."""
        return (Kind.RATIO, Kind.TIGHT) if self.tight else (Kind.RATIO,)

    def describe(self) -> str:
        """Describe the claim in one line."""
        what = "eps-LDP" if self.delta == 0 else "(eps, delta)-LDP"
        delta = "" if self.delta == 0 else f", delta = {self.delta}"
        return f"{what} with eps = {self.epsilon}{delta}" + (", tight" if self.tight else "")

    def map(self, function: Callable[[Any], Any]) -> LDP:
        """The claim with `function` applied to its expressions."""
        return replace(self, epsilon=function(self.epsilon), delta=function(self.delta))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "LDP.epsilon", self.ratio
        yield "LDP.delta", self.delta


@dataclass(frozen=True)
class MetricLDP:
    """P(y|x) <= e^(epsilon d(x, x')) P(y|x') for all x, x', y of a `Matrix`.

    Attributes:
        epsilon: an expression.
        distance: (x, x') -> d, over the matrix' input labels: a mapping, or a function; a rational
            number >= 0, or None where nothing is bounded. A pair that the mapping lacks is looked
            up as (x', x).
        source: author, year, title.
    """

    epsilon: Any
    distance: Any = field(hash=False)
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.RATIO,)

    def __post_init__(self) -> None:
        """Sympify epsilon.

        Raises:
            SpecError: the distance is no mapping and no function.
        """
        object.__setattr__(self, "epsilon", expression("MetricLDP.epsilon", self.epsilon))
        if not (isinstance(self.distance, Mapping) or callable(self.distance)):
            rule = (
                "must be a mapping from pairs of inputs to distances, or a function of two inputs"
            )
            raise SpecError("MetricLDP.distance", rule, self.distance)

    def distance_between(self, x: Any, x2: Any) -> Any:
        """The distance of an ordered pair of labels; None where nothing is bounded.

        Raises:
            SpecError: the distance is missing, or no rational number >= 0; or the function fails.
        """
        if isinstance(self.distance, Mapping):
            if (x, x2) not in self.distance and (x2, x) not in self.distance:
                raise SpecError("MetricLDP.distance", "must give every pair of inputs", (x, x2))
            found = self.distance.get((x, x2), self.distance.get((x2, x)))
        else:
            try:
                found = self.distance(x, x2)
            except (TypeError, ValueError, LookupError, ArithmeticError) as error:
                rule = f"must give every pair of inputs, and fails ({error})"
                raise SpecError("MetricLDP.distance", rule, (x, x2)) from error
        if found is None:
            return None
        exact = expression("MetricLDP.distance", found)
        if not exact.is_Rational or exact < 0:
            raise SpecError("MetricLDP.distance", "must be a rational number >= 0", found)
        return exact

    def ratio_between(self, x: Any, x2: Any) -> Any:
        """The bound on P(y|x)/P(y|x') for this ordered pair of labels; None where there is none.

        Raises:
            SpecError: the distance is missing, or no rational number >= 0.
        """
        exact = self.distance_between(x, x2)
        return None if exact is None else sympy.exp(exact * self.epsilon)

    def describe(self) -> str:
        """Describe the claim in one line."""
        return f"metric LDP: eps = {self.epsilon} per unit of distance"

    def map(self, function: Callable[[Any], Any]) -> MetricLDP:
        """The claim with `function` applied to its expressions."""
        return replace(self, epsilon=function(self.epsilon))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "MetricLDP.epsilon", sympy.exp(self.epsilon)


@dataclass(frozen=True)
class PersonalisedLDP:
    """P(y|x) <= e^epsilon P(y|x') for x and x' of a declared region only (a `Matrix`).

    Rui Chen, Haoran Li, A. Kai Qin, Shiva Prasad Kasiviswanathan, Hongxia Jin (2016), Private
    Spatial Data Aggregation in the Local Setting: the bound is for the user's own safe region.

    Attributes:
        epsilon: an expression. region: input labels. source: author, year, title.
    """

    epsilon: Any
    region: frozenset[Any]
    source: str = ""
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.RATIO,)

    def __init__(self, epsilon: Any, region: Iterable[Any], source: str = "") -> None:
        """Sympify epsilon and freeze the region.

        Raises:
            SpecError: the region is no collection, or of fewer than two inputs.
        """
        object.__setattr__(self, "epsilon", expression("PersonalisedLDP.epsilon", epsilon))
        if isinstance(region, str) or not isinstance(region, Iterable):
            raise SpecError("PersonalisedLDP.region", "must be a collection of inputs", region)
        object.__setattr__(self, "region", frozenset(region))
        object.__setattr__(self, "source", source)
        if len(self.region) < 2:
            raise SpecError("PersonalisedLDP.region", "must hold at least two inputs", region)

    def ratio_between(self, x: Any, x2: Any) -> Any:
        """The bound on P(y|x)/P(y|x') for this ordered pair of labels; None where there is none."""
        return sympy.exp(self.epsilon) if {x, x2} <= self.region else None

    def describe(self) -> str:
        """Describe the claim in one line."""
        region = ", ".join(sorted(map(str, self.region)))
        return f"eps-LDP with eps = {self.epsilon} within the region {{{region}}}"

    def map(self, function: Callable[[Any], Any]) -> PersonalisedLDP:
        """The claim with `function` applied to its expressions."""
        return PersonalisedLDP(function(self.epsilon), self.region, self.source)

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "PersonalisedLDP.epsilon", sympy.exp(self.epsilon)


@dataclass(frozen=True)
class GaussianLDP:
    """The claim that inputs are no easier to tell apart than draws of N(0, 1) and N(mu, 1).

    For every eps >= 0 that is (eps, delta)-LDP with delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 -
    eps/mu), Phi being the normal distribution function (Borja Balle, Yu-Xiang Wang, 2018; Jinshuo
    Dong, Aaron Roth, Weijie Su, 2022, Gaussian Differential Privacy). With `tight` no smaller delta
    holds at any eps; as delta is above 0 then, no (eps, 0) holds.

    Attributes:
        mu: an expression > 0. source: author, year, title.
        tight: whether some pair of inputs is exactly as easy to tell apart.
    """

    mu: Any
    tight: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        """Sympify mu."""
        object.__setattr__(self, "mu", expression("GaussianLDP.mu", self.mu))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of obligation that the claim makes."""
        return (Kind.CURVE, Kind.TIGHT) if self.tight else (Kind.CURVE,)

    def describe(self) -> str:
        """Describe the claim in one line."""
        what = "no finite eps; at every eps the smallest delta is" if self.tight else "delta ="
        return f"{what} Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu = {self.mu}"

    def map(self, function: Callable[[Any], Any]) -> GaussianLDP:
        """The claim with `function` applied to its expressions."""
        return replace(self, mu=function(self.mu))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) pairs."""
        yield "GaussianLDP.mu", self.mu


def shares_support(claims: Iterable[object]) -> bool:
    """Return whether what one input can give, every input has to be able to give.

    No finite epsilon holds without it. Where all that is claimed of privacy has a delta, none need.
    """
    private = [c for c in claims if isinstance(c, LDP | MetricLDP | PersonalisedLDP | GaussianLDP)]
    return not private or any(not isinstance(c, LDP) or c.delta == 0 for c in private)


Privacy = LDP | MetricLDP | PersonalisedLDP
"""Those with a bound for each pair of inputs."""
