"""The program of projective geometry response: a point on the value's hyperplane, or off it.

It reads the same words to the same end as `run.kernels.hyperplanes`, whose page says what the index
of a point is. There are no remainders by numbers that vary in a program: digits are walked through.
"""

from __future__ import annotations

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair, word_of

_ONES = (1 << 32) - 1


def hyperplane(
    name: str, k: int, prime: int, t: int, deny: int, width: int = 64, blocks: int = 1
) -> Program:
    """A point off the hyperplane of x with probability deny / 2^width, else on it; uniform then.

    All points of other blocks are off it.

    Args:
        name: of the mechanism.
        k: number of values; ceil(k / blocks) is at most the number of points of a block.
        prime: q.
        t: digits of a vector.
        deny: threshold of a point off the hyperplane, 1..2^width - 1.
        width: bits of a word.
        blocks: how many spaces there are.

    Returns:
        A program whose reports are b (points of a block) and the index of a point in block b.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    q, whole = prime, 1 << width
    first = tuple((q**i - 1) // (q - 1) for i in range(t + 1))
    powers = tuple(q**i for i in range(t + 1))
    inverses = (0, *(pow(digit, -1, q) for digit in range(1, q)))
    total, size = blocks * first[t], -(-k // blocks)
    on, off = first[t - 1], total - first[t - 1]
    share_on, share_off = (min(whole // size, whole - 1) for size in (on, off))
    word, others = word_of(width), Variable("others", 1 << 32)
    first_word, beside = Variable("first", 1 << width), Variable("beside", 1 << width)
    after, place = Variable("after", t), Variable("place", t)
    product, own, rest = Variable("product", q), Variable("own", 1 << 32), Variable("rest", 1 << 32)
    digit, lead, top = Variable("digit", q), Variable("lead", q), Variable("top", t)
    point, count, factor = Variable("point", first[t]), Variable("count", t), Variable("factor", q)
    step = Variable("step", t)
    value: Expression = Private() if blocks == 1 else Private() % size
    start: Expression = Constant(0) if blocks == 1 else (Private() // size) * first[t]

    def plus(number: Expression, table: tuple[int, ...], index: Variable) -> Expression:
        """A number and an entry, which may be negative."""
        return (number + ProgramEntry(tuple(entry & _ONES for entry in table), index)) & _ONES

    # The vector of `others` digits, with one put in at `place`.
    next_digit = When(
        step.unequal(place),
        (Assign(digit, rest % q), Assign(rest, rest // q)),
        (Assign(digit, product),),
    )
    less = (product + (own % q) * (rest % q) * (q - 1)) % q
    further = (point + (digit * factor % q) * ProgramEntry(powers, step)) % first[t]
    drawn: Block = (
        # Both integers are drawn: the number of words does not say which of them is taken.
        Draw(first_word),
        *(*fair(beside, share_off * off - 1, width), *fair(word, share_on * on - 1, width)),
        When(
            first_word.less(deny),
            (Assign(others, beside // share_off), Assign(product, Constant(1))),
            (
                Assign(others, word // share_on),
                *(Assign(product, Constant(0)), Assign(after, Constant(0))),
                Loop(
                    *(count, t, (Assign(after, (after + 1) % t),)),
                    ProgramEntry(first, after + 1).at_most(others),
                ),
                Assign(
                    others,
                    plus(others, tuple(p - f for p, f in zip(powers, first, strict=True)), after),
                ),
            ),
        ),
    )
    body: Block = (
        # The own point has its first 1 at `place`; its digits below that are those of `own`.
        Assign(place, Constant(0)),
        Loop(
            *(count, t, (Assign(place, (place + 1) % t),)),
            ProgramEntry(first, place + 1).at_most(value),
        ),
        Assign(own, plus(value, tuple(-entry for entry in first), place)),
        Assign(rest, others),
        Loop(
            *(step, t),
            (
                When(step.less(place), (Assign(product, less),)),
                *(Assign(own, own // q), Assign(rest, rest // q)),
            ),
        ),
        *(Assign(rest, others), Assign(top, Constant(0)), Assign(lead, Constant(0))),
        Loop(
            *(step, t),
            (next_digit, When(digit.unequal(0), (Assign(top, step), Assign(lead, digit)))),
        ),
        Assign(factor, ProgramEntry(inverses, lead)),
        *(Assign(rest, others), Assign(point, ProgramEntry(first[:t], top))),
        Loop(
            *(step, t),
            (
                next_digit,
                When(step.less(top), (Assign(point, further),)),
            ),
        ),
        Store(Constant(0), point if blocks == 1 else point + start),
    )
    if blocks > 1:
        # Integers beyond the own block's points off the hyperplane are points of other blocks.
        beyond = (others + ((1 << 32) - q ** (t - 1))) & _ONES
        skipped = Choice(start.at_most(others), Constant(first[t]), Constant(0))
        beside_own = (Assign(others, beyond), Store(Constant(0), (others + skipped) % total))
        body = (When(others.less(q ** (t - 1)), body, beside_own),)
    return check(Program(name, k, width, 1, total, drawn + body))
