"""Plan how many users answer statistical queries, each of them one query.

A statistical query asks for the mean of q(x) over users, q between two bounds. Every query has a
group of users of its own, each of whom sends one report of q(x) by Duchi's mechanism. A report has
two values (in each coordinate, where q has several). So Hoeffding's inequality says how far the
mean of m reports is from that of q (Wassily Hoeffding, 1963, Probability Inequalities for Sums of
Bounded Random Variables). For independent reports it is a Coq theorem (`LDP.Concentration`). Shiva
Prasad Kasiviswanathan, Homin K. Lee, Kobbi Nissim, Sofya Raskhodnikova, Adam Smith (2011), What Can
We Learn Privately?
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ldp_verified.analysis.account.rounding import number, share_of
from ldp_verified.analysis.utility.contributions import Bounded
from ldp_verified.analysis.utility.sample_size import MOST_USERS, hoeffding_error, smallest_users
from ldp_verified.analysis.utility.tails import hoeffding_tail
from ldp_verified.errors import ParameterError
from ldp_verified.protocols.duchi_vector import DuchiVector
from ldp_verified.run.kernels.rounding import BITS
from ldp_verified.run.mechanisms.duchi import Duchi
from ldp_verified.run.realize.parameters import check_integer

MOST_QUERIES = 1 << 30


@dataclass(frozen=True)
class LocalQueries:
    """A plan of queries: their number, bounds and tolerance, and the users that they take.

    Attributes:
        epsilon: of the one report of each user, a number > 0.
        queries: how many queries an algorithm asks at most.
        tolerance: tau, how far an answer may be from the mean, in the units of the values.
        beta: the probability that any answer, or coordinate of one, is farther off; in (0, 1).
        bounds: of the values of a query, of each coordinate.
        d: None for queries with one number; else with vectors of so many, 1..62.

    Raises:
        ParameterError: a parameter is out of range, or more than 2^40 users are needed.
    """

    epsilon: float
    queries: int
    tolerance: float
    beta: float = 0.05
    bounds: tuple[float, float] = (-1.0, 1.0)
    d: int | None = None

    def __post_init__(self) -> None:
        """Check all parameters, and that such groups exist."""
        check_integer("queries", self.queries, 1, MOST_QUERIES)
        self.group_users  # noqa: B018  (what cannot be asked for is refused here)

    @classmethod
    def of_users(
        cls,
        n: int,
        epsilon: float,
        queries: int,
        beta: float = 0.05,
        bounds: tuple[float, float] = (-1.0, 1.0),
        d: int | None = None,
    ) -> LocalQueries:
        """Make the plan with the least tolerance that n users can keep.

        Args:
            n: users, at least one for each query. Others: as the attributes.

        Raises:
            ParameterError: as the class; fewer users than queries.
        """
        asked = check_integer("queries", queries, 1, MOST_QUERIES)
        each = check_integer("n", n, asked, 1 << 40) // asked
        made = _randomizer(epsilon, bounds, d)  # refuses what is no d
        share = share_of("beta", beta) / asked / (1 if d is None else d)
        tolerance = hoeffding_error([(_own(made), each)], share) / each
        tolerance += float(_rounding(made))
        # Rounded up in the last digits, so that the plan needs no user more.
        return cls(epsilon, asked, tolerance * (1 + 1e-12), beta, bounds, d)

    @cached_property
    def randomizer(self) -> Duchi | DuchiVector:
        """The randomizer of a user's report."""
        return _randomizer(self.epsilon, self.bounds, self.d)

    @cached_property
    def group_users(self) -> int:
        """The number of users of one query, by Hoeffding's inequality and the union bound."""
        tau = number("tolerance", self.tolerance, low=0) - _rounding(self.randomizer)
        if tau <= 0:
            rule = "must be above what values are rounded by"
            raise ParameterError("tolerance", rule, self.tolerance)
        share = share_of("beta", self.beta) / self.queries / (1 if self.d is None else self.d)
        own = _own(self.randomizer)
        if hoeffding_tail([(own, MOST_USERS)], tau * MOST_USERS) > share:
            raise ParameterError("tolerance", "must take 2^40 users at most", self.tolerance)
        return smallest_users(own, tau, share, "hoeffding")

    @property
    def users(self) -> int:
        """The number of users that all queries take."""
        return self.queries * self.group_users


def _randomizer(epsilon: float, bounds: tuple[float, float], d: int | None) -> Duchi | DuchiVector:
    return Duchi(epsilon, bounds) if d is None else DuchiVector(epsilon, d, bounds)


def _half(made: Duchi | DuchiVector) -> Fraction:
    low, high = made.bounds
    return (Fraction(high) - Fraction(low)) / 2


def _own(made: Duchi | DuchiVector) -> Bounded:
    """A report says one of two numbers, B half widths from the middle of the bounds."""
    b = made.length if isinstance(made, DuchiVector) else made.decoding.atoms[-1]
    reach = b * _half(made)
    return Bounded(Fraction(0), reach**2, -reach, reach)


def _rounding(made: Duchi | DuchiVector) -> Fraction:
    """Bound how far a value moves when it is rounded to a multiple of 2^-52 of the interval.

    Twice what the nearest multiple is away, as its place is computed with doubles.
    """
    return 4 * _half(made) / (1 << BITS)
