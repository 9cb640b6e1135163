"""Try what a curator's code promises on all small data sets: the definition, written out.

Nothing here reads how a statistic or a law is made. A statistic is asked for its vector on every
data set, and neighbours are made by taking a row away or putting another in its place. A law is
asked for its probabilities. So a sensitivity that is too small is refuted with two data sets, and a
law that is too narrow with two data sets and an answer. What passes is `enumerated`: it says
nothing of larger data sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.central.neighbours import Neighbours, Sensitivity
from ldp_verified.analysis.central.selection import Selection
from ldp_verified.errors import ParameterError
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from ldp_verified.analysis.central.laws import NoiseLaw
    from ldp_verified.analysis.central.noise import CuratorNoise
    from ldp_verified.analysis.central.selection import ExponentialMechanism
    from ldp_verified.analysis.central.statistic import Statistic

MOST_PAIRS = 1 << 20

DataSet = tuple[Any, ...]
Vectors = dict[DataSet, tuple[int, ...]]


@dataclass(frozen=True)
class Checked:
    """The outcome of trying all small data sets.

    Attributes:
        status: enumerated or refuted.
        pairs: how many ordered pairs of neighbours were looked at, until one was wrong.
        detail: what was found, in a sentence.
        witness: two neighbouring data sets; None where nothing is refuted.
        found: the largest sensitivity that occurs, where that was asked for.
    """

    status: Status
    pairs: int
    detail: str
    witness: tuple[DataSet, DataSet] | None = None
    found: Sensitivity | None = None


def data_sets(universe: Sequence[Any], most: int) -> Iterator[DataSet]:
    """All sequences of 1 to `most` values."""
    for n in range(1, most + 1):
        yield from product(universe, repeat=n)


def neighbours_of(
    data: DataSet, universe: Sequence[Any], neighbours: Neighbours
) -> Iterator[DataSet]:
    """The data sets with one row less, or with another in its place; none that is empty."""
    for place in range(len(data)):
        if neighbours is Neighbours.REPLACE:
            for value in universe:
                if value != data[place]:
                    yield (*data[:place], value, *data[place + 1 :])
        elif len(data) > 1:
            yield (*data[:place], *data[place + 1 :])


def _pairs(
    universe: Sequence[Any], most: int, neighbours: Neighbours
) -> Iterator[tuple[DataSet, DataSet]]:
    """All ordered pairs."""
    if not universe:
        raise ParameterError("universe", "must hold one value or more", 0)
    check_integer("most", most, 1, 64)
    size = sum(len(universe) ** n * n for n in range(1, most + 1)) * len(universe)
    if size > MOST_PAIRS:
        raise ParameterError("universe, most", f"must give at most {MOST_PAIRS} pairs", size)
    for data in data_sets(universe, most):
        for other in neighbours_of(data, universe, neighbours):
            yield data, other
            if neighbours is Neighbours.ADD_REMOVE:
                yield other, data


def check_sensitivity(
    what: Statistic | Selection,
    universe: Sequence[Any],
    most: int,
    neighbours: Neighbours | str,
) -> Checked:
    """Hold a sensitivity to every pair of neighbours of at most `most` rows.

    Args:
        what: a statistic or a selection.
        universe: the values that a row may have. most: rows at most.
        neighbours: which data sets are neighbours.

    Raises:
        ParameterError: no values, or more than 2^20 pairs.
    """
    pairs = Neighbours.of(neighbours)
    claimed = what.sensitivity(pairs)
    seen, largest = 0, (0, 0, 0)
    known: Vectors = {}
    for data, other in _pairs(universe, most, pairs):
        moved = _moved(*_both(what, data, other, pairs, known))
        now = sum(m > 0 for m in moved), max(moved), sum(moved)
        seen += 1
        largest = max(largest[0], now[0]), max(largest[1], now[1]), max(largest[2], now[2])
        if isinstance(claimed, Sensitivity):
            limits = claimed.coordinates, claimed.each, claimed.total
            wrong = any(m > limit for m, limit in zip(now, limits, strict=True))
        else:
            wrong = now[1] > claimed
        if wrong:
            said = f"claimed {claimed}; {list(data)} and {list(other)} differ by {moved}"
            return Checked(Status.REFUTED, seen, said, (data, other))
    found = Sensitivity(*largest) if min(largest) > 0 else None
    said = (
        f"claimed {claimed}, found at most {largest[1] if isinstance(what, Selection) else found}"
    )
    said += f" on all pairs of at most {most} rows of {len(universe)} values"
    return Checked(Status.ENUMERATED, seen, said, None, found)


def _moved(one: tuple[int, ...], other: tuple[int, ...]) -> list[int]:
    if len(one) != len(other):
        rule = "must be vectors of one length, whatever the data are"
        raise ParameterError("what", rule, (len(one), len(other)))
    return [abs(a - b) for a, b in zip(one, other, strict=True)]


def _both(
    what: Statistic | Selection, data: DataSet, other: DataSet, pairs: Neighbours, known: Vectors
) -> Iterator[tuple[int, ...]]:
    for each in (data, other):
        if each not in known:
            rows = np.array(each)
            found = what.scores(rows) if isinstance(what, Selection) else what.steps(rows, pairs)
            known[each] = tuple(found.tolist())
        yield known[each]


def check_release(
    what: Statistic,
    by: CuratorNoise,
    universe: Sequence[Any],
    most: int,
    neighbours: Neighbours | str,
    law: NoiseLaw | None = None,
) -> Checked:
    """Hold the probabilities of answers to the promise, for every pair of neighbours.

    For a pure promise the largest ratio is looked for over a window beyond which ratios repeat; for
    another the delta of the whole table is added up.

    Args:
        what: a statistic. by: the noise. universe, most, neighbours: as in `check_sensitivity`.
        law: of the noise; None for the one that `by` has for the statistic.

    Raises:
        ParameterError: no values, or more than 2^20 pairs.
    """
    pairs = Neighbours.of(neighbours)
    made = by.law(what.sensitivity(pairs)) if law is None else law
    seen = 0
    known: Vectors = {}
    decided: dict[tuple[int, ...], bool] = {}
    for data, other in _pairs(universe, most, pairs):
        shift = tuple(sorted(filter(None, _moved(*_both(what, data, other, pairs, known)))))
        seen += 1
        if shift not in decided:
            decided[shift] = _kept(made, by, shift)
        if not decided[shift]:
            said = f"{list(data)} and {list(other)} move the statistic by {list(shift)} steps,"
            return Checked(
                Status.REFUTED, seen, f"{said} which costs more than promised", (data, other)
            )
    said = f"(epsilon, delta) = ({by.epsilon:g}, {by.delta:g}) on all pairs of at most {most} rows"
    return Checked(Status.ENUMERATED, seen, f"{said} of {len(universe)} values")


def _kept(law: NoiseLaw, by: CuratorNoise, shift: tuple[int, ...]) -> bool:
    """Return whether two answers whose vectors are that far apart keep the promise."""
    if not shift:
        return True
    if by.delta:
        loss = None
        for steps in shift:
            one = _loss(law, steps * law.fine)
            loss = one if loss is None else loss.together(one)
        assert loss is not None
        return max(loss.delta_at(by.epsilon), loss.reversed.delta_at(by.epsilon)) <= by.delta
    worst = prod((_ratio(law, steps * law.fine) for steps in shift), start=Fraction(1))
    return balls.decide(lambda: balls.at_most(balls.ball(worst).log(), by.epsilon))


def _ratio(law: NoiseLaw, shift: int) -> Fraction:
    """The largest P(z)/P(z - shift); the noise is symmetric."""
    reach = shift + law.window
    chances = [law.pmf(z) for z in range(-reach, reach + 1)]
    top, bottom = 1, 1
    for p, q in zip(chances[shift:], chances, strict=False):
        # Without common divisors, which take long to find in numbers of so many bits.
        one, other = p.numerator * q.denominator, q.numerator * p.denominator
        if one * bottom > other * top:
            top, bottom = one, other
        if other * bottom > one * top:
            top, bottom = other, one
    if bottom == 0:
        raise ParameterError("by", "must be noise without ends where the promise is pure")
    return Fraction(top, bottom)


def _loss(law: NoiseLaw, shift: int) -> PrivacyLoss:
    places = range(-law.window, law.window + shift + 1)
    return PrivacyLoss((law.pmf(z), law.pmf(z - shift)) for z in places)


def check_selection(
    what: Selection,
    by: ExponentialMechanism,
    universe: Sequence[Any],
    most: int,
    neighbours: Neighbours | str,
) -> Checked:
    """Hold the exponential mechanism's probabilities to epsilon, for every pair and candidate.

    Let q divide both the rate and epsilon, and x = e^-q. A weight is a power of x, so P(o | D) <=
    e^epsilon P(o | D') is an inequality between two polynomials in x with whole coefficients.
    Polynomials that differ do so at x, which is transcendental, and balls tell which is larger.

    Args:
        what: a selection. by: the mechanism. universe, most, neighbours: as above.

    Raises:
        ParameterError: no values, or more than 2^20 pairs.
    """
    pairs = Neighbours.of(neighbours)
    sensitivity = what.sensitivity(pairs)
    rate, price = by.rate(sensitivity), Fraction(by.epsilon)
    unit = Fraction(
        gcd(rate.numerator * price.denominator, price.numerator * rate.denominator),
        rate.denominator * price.denominator,
    )
    per_step, whole = int(rate / unit), int(price / unit)
    seen = 0
    known: Vectors = {}
    decided: dict[Any, bool] = {}
    for data, other in _pairs(universe, most, pairs):
        a, b = ([max(s) - each for each in s] for s in _both(what, data, other, pairs, known))
        seen += 1
        for place, (d, e) in enumerate(zip(a, b, strict=True)):
            # The price moves to the left side, and both sides are multiplied by both sums.
            left = Counter(whole + (d + each) * per_step for each in b)
            right = Counter((e + each) * per_step for each in a)
            key = frozenset(left.items()), frozenset(right.items())
            if key not in decided:
                decided[key] = left == right or _smaller(left, right, unit)
            if not decided[key]:
                chosen = what.candidates[place]
                said = f"{chosen!r} is more than e^epsilon times as likely on {list(data)}"
                return Checked(Status.REFUTED, seen, f"{said} as on {list(other)}", (data, other))
    said = f"epsilon = {by.epsilon:g} on all pairs of at most {most} rows of {len(universe)} values"
    return Checked(Status.ENUMERATED, seen, f"{said}, for all {len(what.candidates)} candidates")


def _smaller(left: Counter[int], right: Counter[int], unit: Fraction) -> bool:
    def attempt() -> bool | None:
        x = (-balls.ball(unit)).exp()
        gap = sum((n * x**place for place, n in right.items()), start=0 * x)
        gap -= sum((n * x**place for place, n in left.items()), start=0 * x)
        return True if gap > 0 else False if gap < 0 else None

    return balls.decide(attempt)
