"""Compute a proven upper bound on the delta of shuffled reports from a table.

n users send one report each, and a shuffler removes who sent which. For two values x, x' of one
user, Feldman, McMillan and Talwar (2021, Hiding Among the Clones: A Simple and Nearly Optimal
Analysis of Privacy Amplification by Shuffling) write every other user's randomizer as a mixture:
with probability `clone` a fair coin between the two distributions Q, Q' that the user's own report
is drawn from (with odds e^eps0 to 1, or 1 to e^eps0), else something that does not matter. With
u = e^eps0, what the analyzer sees is then a post-processing of

    (A + D, C - A + 1 - D),   C ~ Bin(n - 1, clone), A ~ Bin(C, 1/2), D ~ Bernoulli(u/(u + 1))

and for x' of the same with D ~ Bernoulli(1/(u + 1)). This is `shuffled_clones` in
proofs/lib/Shuffling.v, for whatever does not depend on the order of the reports. `clone` = 1/u
holds for every eps0-LDP randomizer (`shuffled_ldp`); `clone_probability` reads the largest value
off the table, never smaller. The delta of the two distributions is evaluated as an upper bound:
sums in ball arithmetic, tails of C counted as delta, and C rounded down to the next of a few
hundred values (more clones only hide more, as `clone_delta_decreasing` has it).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from ldp_verified.analysis.account.rounding import above, number, share_of, whole
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.balls import ball

BLOCKS = 96
"""Numbers of clones that are told apart."""

FINE = 1 << 12
"""Numbers of clones that differ by less than this part of themselves are not told apart."""

STANDARD_DEVIATIONS = 13
"""Numbers of clones further out are counted as delta: about 1e-37."""

MOST_USERS = 1 << 40
"""More users only hide more: whoever has them may count so many."""


def clone_probability(rows: Sequence[Sequence[Fraction]], x: int, x2: int) -> Fraction:
    """The largest c with P(y|z) >= c (P(y|x) + P(y|x2))/2 for all z and y.

    Args:
        rows: a table, one row of probabilities for each input.
        x, x2: the two inputs, as row numbers.

    Raises:
        ParameterError: no rows, or x or x2 is the number of none.
    """
    if not len(rows):
        raise ParameterError("rows", "must be one or more", 0)
    for name, place in (("x", x), ("x2", x2)):
        check_integer(name, place, 0, len(rows) - 1)
    return min(
        2 * row[y] / (rows[x][y] + rows[x2][y])
        for row in rows
        for y in range(len(row))
        if rows[x][y] + rows[x2][y] > 0
    )


def shuffled_delta(
    epsilon: float, level: Fraction | float, users: int, clone: Fraction | None = None
) -> float:
    """An upper bound on delta of `users` shuffled reports at this epsilon.

    Args:
        epsilon: of the shuffled reports.
        level: e^eps0 of the local randomizer, for the pair x, x' or for all.
        users: n, the one whose data changes included; 2^40 at most.
        clone: as above; 1/level by default.

    Raises:
        ParameterError: epsilon below 0, level below 1, no users or too many, clone not in [0, 1].
    """
    eps, local = number("epsilon", epsilon, low=0), number("level", level, low=1)
    others = check_integer("users", users, 1, MOST_USERS) - 1
    share = 1 / local if clone is None else number("clone", clone, low=0, high=1)
    return min(1.0, above(lambda: _mixture(eps, local, others, share)))


def shuffled_epsilon(
    delta: float, level: Fraction | float, users: int, clone: Fraction | None = None
) -> float:
    """An epsilon at which `delta` is proven for shuffled reports, to a relative 1e-4.

    At most eps0, which holds without any shuffling.

    Args:
        delta: in (0, 1). level, users, clone: as in `shuffled_delta`.

    Raises:
        ParameterError: as in `shuffled_delta`; delta is not in (0, 1).
    """
    share_of("delta", delta)
    local = number("level", level, low=1)
    low, high = 0.0, above(lambda: ball(local).log())
    if shuffled_delta(low, level, users, clone) <= delta:
        return low
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        enough = shuffled_delta(middle, level, users, clone) <= delta
        low, high = (low, middle) if enough else (middle, high)
    return high


def shuffle_closed_form(epsilon0: float, users: int, delta: float) -> float:
    """The closed form of the same article, rounded up; never below `shuffled_epsilon`'s bound.

    ln(1 + (u - 1)/(u + 1) (8 sqrt(u ln(4/delta)/n) + 8 u/n)), u = e^epsilon0.

    Args:
        epsilon0: of the local randomizer, in nats.
        users: n, the one whose data changes included. delta: in (0, 1).

    Raises:
        ParameterError: epsilon0 above ln(n/(16 ln(2/delta))), where it is no theorem.
    """
    eps, n = number("epsilon0", epsilon0, low=0), whole("users", users, 1)
    share = share_of("delta", delta)
    limit = arb(n) / (16 * ball(2 / share).log())
    if not ball(eps).exp() <= limit:
        raise ParameterError("epsilon0", "must be at most ln(n/(16 ln(2/delta)))", epsilon0)

    def bound() -> arb:
        u = ball(eps).exp()
        inside = 8 * (u * ball(4 / share).log() / n).sqrt() + 8 * u / n
        return (1 + (u - 1) / (u + 1) * inside).log()

    return above(bound)


def _mixture(epsilon: Fraction, level: Fraction, others: int, clone: Fraction) -> arb:
    """sum over c of P(C = c) h(c), h(c) the delta given c clones, from above."""
    spread = (others * float(clone) * (1 - float(clone))) ** 0.5 * STANDARD_DEVIATIONS + 60
    centre = others * float(clone)
    first, last = max(0, int(centre - spread)), min(others, int(centre + spread) + 1)
    if clone in (0, 1):
        return _given(epsilon, level, others if clone else 0)
    # P(C = c) by recurrence from its value at `first`, in balls.
    c, p = arb(first), ball(clone)
    log_first = (
        (arb(others + 1).lgamma() - (c + 1).lgamma() - arb(others - first + 1).lgamma())
        + first * p.log()
        + (others - first) * (1 - p).log()
    )
    chance, odds = log_first.exp(), p / (1 - p)
    size = max(1, (last - first + 1) // BLOCKS, first // FINE)
    if size > last - first:
        # All of them count as `first`. Below it each chance is less than `less` times the next.
        less = first / (odds * (others - first + 1))
        return _given(epsilon, level, first) + chance * less / (1 - less)
    total, seen, inside, worst = arb(0), arb(0), 0, arb(1)
    for count in range(first, last + 1):
        if inside == 0:
            worst = _given(epsilon, level, count)
        inside = (inside + 1) % size
        total += chance * worst
        seen += chance
        chance *= odds * (others - count) / (count + 1)
    return total + (1 - seen).max(arb(0))


def _given(epsilon: Fraction, level: Fraction, clones: int) -> arb:
    """The delta between A + D and A + 1 - D for A ~ Bin(clones, 1/2), both as sets {A + D >= j}.

    The ratio of the two probabilities grows with j, so some threshold gives the largest difference;
    the best one is found from the formula for the ratio, and its neighbours are tried as well.
    """
    u, target = ball(level), ball(epsilon).exp()
    if level == 1 or target >= u:
        return arb(0)
    w, rest = u / (u + 1), 1 / (u + 1)
    # P(j)/P'(j) > e^eps iff j/(clones + 1 - j) > turn.
    turn = (target * w - rest) / (w - target * rest)
    place = turn / (1 + turn) * (clones + 1)
    exact = place.floor().unique_fmpz()
    start, tried = (0, 3) if exact is None else (int(exact) + 1, 1)
    if exact is None:  # the balls do not decide: the best of three is not below the right one
        start = max(0, int(float(place.mid())) - 1)
    best = arb(0)
    for j in range(start, min(start + tried, clones + 2)):
        # P(A + D >= j) - e^eps P(A + 1 - D >= j)
        first, tail = _tail(clones, j)
        best = best.max((w - target * rest) * first - (target - 1) * tail)
    return best


def _tail(clones: int, j: int) -> tuple[arb, arb]:
    """P(Bin(clones, 1/2) = j - 1) and P(Bin(clones, 1/2) >= j)."""
    if j < 1:
        return arb(0), arb(1)
    if j > clones + 1:
        return arb(0), arb(0)
    c = arb(clones + 1)
    log_first = c.lgamma() - arb(j).lgamma() - arb(clones + 2 - j).lgamma()
    first = (log_first - clones * arb(2).log()).exp()
    # Terms shrink by (clones - i)/(i + 1), so what is left after term i is below a geometric sum.
    tail, term, i = arb(0), first, j - 1
    tiny = first * arb(2) ** -80
    while i < clones:
        term *= arb(clones - i) / (i + 1)
        i += 1
        tail += term
        if i * 2 > clones and term < tiny:
            ratio = arb(clones - i) / (i + 1)
            tail += (term * ratio / (1 - ratio)).union(arb(0))
            break
    return first, tail
