"""The programs of two-sided geometric noise, and so of Laplace's, and of its truncated form.

The first reads the same words to the same end as `run.kernels.rounding`, then `run.kernels.noise`,
whose page says how a geometric number is drawn bit by bit. `privatize` finds noise in tables by
other words, of the same law, unless the tables were too large. The second reads words that do not
tell.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Program,
    ProgramEntry,
    Retry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import BITS, rounded
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZE_BITS = 34
"""The number of bits of a variable that holds numbers up to 2^32 + 2^13."""


def geometric_noise(
    name: str,
    m: int,
    reach: int,
    digits: Sequence[int],
    counts: Sequence[int],
    width: int = 64,
    bits: int = BITS,
) -> Program:
    """A grid point 0..m plus two-sided geometric noise, cut off at -reach and m + reach.

    Args:
        name: of the mechanism.
        m: steps of the grid.
        reach: how far beyond it the ends are.
        digits: of the powers alpha^(2^i), i = 0..levels, in base 2^(width - 1), one power after
            another (`run.kernels.noise.power_digits`).
        counts: how many digits each power has.
        width: bits of a word.
        bits: of a position.

    Returns:
        A program whose reports count from 0 at 1 - reach; the last two are the ends.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    most, point = m + 2 * reach, Variable("point", m + 1)
    drawn = two_sided(most, digits, counts, width)
    body = (
        *rounded(word_of(width), point, m, width, bits),
        *drawn.steps,
        *folded(point + reach, drawn, most),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, most + 1, body))


class NoiseStatements(NamedTuple):
    """Statements that draw two-sided noise.

    Attributes:
        steps: the statements.
        above: 1 where the noise is 1 + far, 0 where it is -far.
        far: the size.
    """

    steps: Block
    above: Variable
    far: Variable


def two_sided(
    most: int, digits: Sequence[int], counts: Sequence[int], width: int
) -> NoiseStatements:
    """Noise whose size is exact up to `most`; beyond it all is the same.

    Args:
        most: steps from one end of the reports to the other.
        digits, counts: as in `geometric_noise`.
        width: bits of a word.
    """
    levels, half, word = len(counts) - 1, 1 << (width - 1), word_of(width)
    above, size, open_ = Variable("above", 2), Variable("size", 1 << levels), Variable("open", 2)
    far, turn = Variable("far", 1 << _SIZE_BITS), Variable("turn", levels + 1)
    starts = [0, *accumulate(counts)][: levels + 1]
    compared = PowerComparison(word, tuple(digits), tuple(counts), width)
    one = (
        *(Assign(open_, Constant(0)), Assign(above, above | ProgramEntry(_first(levels), turn))),
        Assign(size, size | ProgramEntry((0, *(1 << i for i in range(levels))), turn)),
    )
    bit = (
        *(Draw(word), Assign(open_, Constant(0))),
        When(
            word.less(half),  # in the upper half it is a 0
            (
                *compared.steps(ProgramEntry((0, *starts[:-1]), turn)),
                *(Assign(open_, Constant(1)), When(compared.below, one)),
            ),
        ),
    )
    # Once more for each 2^levels; beyond both ends it is all the same.
    further = (far + (1 << levels)) % far.below
    again = Choice(far.at_most(most), Constant(1), Constant(0))
    count = (
        *(Draw(word), Assign(word, word & (half - 1)), *compared.steps(Constant(starts[-1]))),
        Assign(open_, Constant(0)),
        When(compared.below, (Assign(far, further), Assign(open_, again))),
    )
    steps: Block = (
        *(Assign(above, Constant(0)), Assign(size, Constant(0))),
        Loop(turn, levels + 1, (Retry(bit, open_.at_most(0)),)),
        *(Assign(far, size), Retry(count, open_.at_most(0))),
    )
    return NoiseStatements(steps, above, far)


def truncated_noise(name: str, m: int, share: int, width: int = 64, bits: int = BITS) -> Program:
    """A grid point 0..m plus two-sided geometric noise, cut off at 0 and m.

    The size goes one step further for each word below `share`, until one is not; m steps reach an
    end from anywhere. All m words are read, so their number does not depend on the noise. It has
    the law of `geometric_noise` at reach 0, whose counting and whose longer powers would tell.

    Args:
        name: of the mechanism.
        m: steps of the grid.
        share: 0 < share < 2^(width - 1); alpha is share/2^(width - 1).
        width: bits of a word.
        bits: of a position.

    Returns:
        A program whose reports count from 0 at 1; the last two are the ends.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    point, drawn = Variable("point", m + 1), walk(m, share, width)
    body = (
        *rounded(word_of(width), point, m, width, bits),
        *drawn.steps,
        *folded(point, drawn, m),
    )
    return check(Program(name, (1 << bits) + 1, width, 1, m + 1, body))


def walk(m: int, share: int, width: int) -> NoiseStatements:
    """Noise whose size is exact up to m, from a word for the side and m more.

    Args:
        m, share, width: as in `truncated_noise`.
    """
    half, word = 1 << (width - 1), word_of(width)
    above, open_, going = Variable("above", 2), Variable("open", 2), Variable("going", 2)
    far, turn = Variable("far", 1 << (2 * m).bit_length()), Variable("turn", m)
    one = (Assign(open_, Constant(0)), Assign(above, Constant(1)))
    side = (
        *(Draw(word), Assign(open_, Constant(0))),
        When(word.less(half), (Assign(open_, Constant(1)), When(word.less(share), one))),
    )
    step = (
        *(Draw(word), Assign(word, word & (half - 1))),
        Assign(going, Choice(word.less(share), going, Constant(0))),
        Assign(far, (far + going) % (m + 1)),
    )
    steps: Block = (
        *(Assign(above, Constant(0)), Retry(side, open_.at_most(0))),
        *(Assign(far, Constant(0)), Assign(going, Constant(1)), Loop(turn, m, step)),
    )
    return NoiseStatements(steps, above, far)


class PowerComparison:
    """A word, and as many more as it takes, compared with the digits of a power."""

    def __init__(
        self, word: Variable, digits: tuple[int, ...], counts: tuple[int, ...], width: int
    ) -> None:
        self._word = word
        self._half = 1 << (width - 1)
        self._most = max(counts)
        self._total = len(digits)
        self._place = Variable("place", len(digits))
        # No word below one half equals what stands for the last digit: there it ends.
        last = {end - 1 for end in accumulate(counts)}
        never = (1 << width) - 1
        self._stops = tuple(never if i in last else digit for i, digit in enumerate(digits))
        self.below = word.less(ProgramEntry(digits, self._place))

    def steps(self, first: Expression) -> Block:
        """Go on to the digit that decides."""
        word, place = self._word, self._place
        start: Block = (Assign(place, first),)
        if self._most == 1:
            return start
        same = (word ^ ProgramEntry(self._stops, place)).at_most(0)
        following = (
            Assign(place, (place + 1) % self._total),
            *(Draw(word), Assign(word, word & (self._half - 1))),
        )
        more = Variable("more", self._most - 1)
        return (*start, Loop(more, self._most - 1, following, same))


def _first(levels: int) -> tuple[int, ...]:
    """1 for the turn that says on which side the noise is."""
    return (1, *[0] * levels)


_FIRST: Final = Constant(0)


def folded(
    position: Expression, drawn: NoiseStatements, most: int, index: Expression = _FIRST
) -> Block:
    """Store the report of a position and noise: from 0 at position 1 on, then both ends.

    Args:
        position: steps from the lower end.
        drawn: the noise.
        most: steps from one end to the other.
        index: of the number of the report.
    """
    far = drawn.far
    up, down = _up(position, far, most, index), _down(position, far, most, index)
    return (When(drawn.above.unequal(0), up, down),)


def _up(position: Expression, far: Variable, most: int, index: Expression) -> Block:
    """The report of position + 1 + far."""
    place = position + far
    inside = (Store(index, place % (most + 1)),)
    return (When((place + 1).less(most), inside, (Store(index, Constant(most)),)),)


def _down(position: Expression, far: Variable, most: int, index: Expression) -> Block:
    """The report of position - far."""
    ones = far.below - 1
    inside = ((position + (far ^ ones)) & ones) % (most + 1)  # position - far - 1
    low = When(
        position.at_most(far),
        *((Store(index, Constant(most - 1)),), (Store(index, inside),)),
    )
    return (When((far + most).at_most(position), (Store(index, Constant(most)),), (low,)),)
