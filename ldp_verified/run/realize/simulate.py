"""Draw the sum of n independent reports without the reports, for simulation.

Each function here is a product of binomial draws, and takes what draws them as an argument. With
exact binomials its counters have exactly the joint distribution of the sum of the reports. The
docstrings say why; the tests draw every outcome for small n and compare.

`float_binomial` draws with numpy. It rounds each probability to a double (a relative error below
2^-52) and its own arithmetic is that of doubles: counters are off by far less than any simulation
can see, but not exact. Nor does numpy promise the same draws of a seed in later versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import DomainError, ParameterError, type_name
from ldp_verified.run.aggregate.in_order import own_index
from ldp_verified.run.kernels.seeds import numpy_generator
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from fractions import Fraction

    from ldp_verified.run.kernels.seeds import Part

    Encoder = Callable[[NDArray[np.int64]], NDArray[np.int64]]

Counts = NDArray[np.int64]
MOST_USERS = (1 << 63) - 1


class Binomial(Protocol):
    """Independent binomial draws."""

    def __call__(
        self, counts: Counts, chances: Sequence[tuple[int, int]] | tuple[Counts, Counts]
    ) -> Counts:
        """Return the number of successes of each count.

        Args:
            counts: shape (m,).
            chances: the probabilities as (numerator, denominator): one such pair for each count,
                one pair for all in a list of length 1, or two arrays of shape (m,).
        """


def float_binomial(
    rng: SupportsIndex | np.random.Generator | None, purpose: str, *of: Part
) -> Binomial:
    """Binomial draws of a numpy generator of their own: see `run.kernels.seeds.numpy_generator`.

    Raises:
        ParameterError: `rng` is something else.
    """
    generator = numpy_generator(rng, purpose, *of)

    def draw(counts: Counts, chances: Sequence[tuple[int, int]] | tuple[Counts, Counts]) -> Counts:
        share: Any
        if isinstance(chances, tuple):
            share = chances[0] / chances[1]
        else:
            share = np.array([top / bottom for top, bottom in chances])
        return generator.binomial(counts, share, size=counts.shape)

    return draw


def checked_counts(true_counts: Any, k: int) -> Counts:
    """Return how many users hold each value, as int64.

    Raises:
        DomainError: not k integers >= 0 with a sum below 2^63, or they have an order of their own.
            The message shows none of them.
    """
    if own_index(true_counts) is not None:
        rule = f"must be in the order of the values, so with no other index than 0..{k - 1}"
        raise DomainError("true_counts", rule)
    array = value_array(true_counts, "true_counts")
    if array.dtype.kind not in "iu" or array.shape != (k,):
        shown = f"{type_name(array)} of shape {array.shape}"
        raise DomainError("true_counts", f"must be k = {k} integers", shown)
    if int(array.min()) < 0:
        raise DomainError("true_counts", "must not be negative")
    if sum(array.tolist()) > MOST_USERS:
        raise DomainError("true_counts", "must be below 2^63 in all")
    return array.astype(np.int64)


def values_reported(true_counts: Counts, q: Fraction, binomial: Binomial) -> Counts:
    """Return how often each value is reported, if each other value has probability q.

    The table is a mixture: with probability k q the report is uniform over all k values, else it is
    the truth. That gives q for every other value and 1 - (k - 1) q for the own. So of the n_x users
    with value x, Binomial(n_x, 1 - k q) report it for sure, independently of each other and for all
    x. The rest, whatever they hold, report uniform values, which are multinomial. Needs k q <= 1,
    which is p >= q.
    """
    k = len(true_counts)
    sure = 1 - k * q
    kept = binomial(true_counts, [(sure.numerator, sure.denominator)])
    return kept + spread(int(true_counts.sum()) - int(kept.sum()), k, binomial)


def spread(n: int, k: int, binomial: Binomial) -> Counts:
    """Multinomial: n users, each at one of k places uniformly.

    A multinomial split in halves: how many are in the left half is binomial, and given that, both
    halves are independent multinomials. All halves of a size are split in one call.
    """
    counts = np.array([n], dtype=np.int64)
    sizes = np.array([k], dtype=np.int64)
    while len(sizes) < k:
        left = sizes // 2
        split = left > 0
        right = np.where(split, sizes - left, 0)
        first = binomial(counts[split], (left[split], sizes[split]))
        halves = np.stack([np.where(split, left, sizes), right], axis=1)
        shares = np.stack([counts, np.zeros_like(counts)], axis=1)
        shares[split, 0] = first
        shares[split, 1] = counts[split] - first
        used = halves.reshape(-1) > 0
        sizes, counts = halves.reshape(-1)[used], shares.reshape(-1)[used]
    return counts


def bits_reported(true_counts: Counts, p: Fraction, q: Fraction, binomial: Binomial) -> Counts:
    """Return how often each bit is 1, with probability p for the own bit and q for others.

    The bits of a report are independent given the value, and so are users. For each v, the n_v
    users who hold it add a Binomial(n_v, p), and all others a Binomial(n - n_v, q). All these are
    independent.
    """
    others = int(true_counts.sum()) - true_counts
    held = binomial(true_counts, [(p.numerator, p.denominator)])
    return held + binomial(others, [(q.numerator, q.denominator)])


def outputs_reported(
    true_counts: Counts, table: Sequence[Sequence[int]], binomial: Binomial
) -> Counts:
    """Return how often each output comes, where value x gives output y in table[x][y] of all words.

    The users with one value are multinomial over the outputs: each output in turn takes a binomial
    share of those that are left. Costs as much as the table has cells.
    """
    left = true_counts
    words = [sum(row) for row in table]
    found = []
    for y in range(len(table[0]) - 1):
        taken = binomial(left, [(row[y], rest) for row, rest in zip(table, words, strict=True)])
        found.append(int(taken.sum()))
        left = left - taken
        words = [rest - row[y] for row, rest in zip(table, words, strict=True)]
    return np.array([*found, int(left.sum())], dtype=np.int64)


def rows_reported(
    true_counts: Counts,
    encoders: Iterable[Encoder],
    rows: int,
    cells: tuple[Fraction, Fraction],
    binomial: Binomial,
) -> tuple[Counts, Counts]:
    """Reports by row, and ones by row and bit, where a user draws a uniform row for its encoding.

    The rows of the users with one value are multinomial: each row in turn takes a binomial share of
    those that are left. Given the rows, bits are independent with a probability that depends on the
    encoded bit alone. So the ones of a bit are two binomials, of the users who have it and of the
    others of that row. All these are independent.

    Args:
        true_counts: how many users hold each value, shape (k,).
        encoders: for each row, what turns numbers of users by value into numbers of users by bit.
        rows: how many there are.
        cells: P(reported bit is 1) for an encoded 1, and for a 0.
        binomial: what draws.

    Returns:
        Shapes (rows,) and (rows, bits).
    """
    one, zero = cells
    left = true_counts
    reports, ones = [], []
    for row, held_bits in enumerate(encoders):
        taken = binomial(left, [(1, rows - row)]) if row + 1 < rows else left
        left = left - taken
        users = int(taken.sum())
        held = held_bits(taken)
        found = binomial(held, [(one.numerator, one.denominator)])
        found = found + binomial(users - held, [(zero.numerator, zero.denominator)])
        reports.append(users)
        ones.append(found)
    return np.array(reports, dtype=np.int64), np.stack(ones)


def added_up(users: Counts, places: Counts, size: int) -> Counts:
    """Return how many users are at each of `size` places, exactly; places has one per count."""
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, places, users)
    return total


def refuse_unknown(name: str) -> None:
    """Say that there is no short cut.

    Raises:
        ParameterError: always.
    """
    rule = f"must be True for {name}: no exact method is known that costs less than its reports"
    raise ParameterError("report_by_report", rule, False)
