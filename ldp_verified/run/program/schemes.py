"""The programs of k-ary randomized response, local hashing and unary encodings.

They get the integer thresholds of a realized table and read the same words to the same end as the
kernels of `ldp_verified.run.kernels`, which draw many reports at a time.
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
    Slot,
    Store,
    Variable,
)
from ldp_verified.run.program.parts import fair, k_rr_answer, word_of


def k_rr(name: str, k: int, lie: int, width: int = 64) -> Program:
    """k-ary randomized response with one word: P(y|x) = lie / 2^width for y != x.

    Args:
        name: of the mechanism.
        k: number of values.
        lie: 1 <= lie and k * lie < 2^width.
        width: bits of a word.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word = word_of(width)
    body = (Draw(word), k_rr_answer(word, k, lie, Constant(0), Private()))
    return check(Program(name, k, width, 1, k, body))


def k_rr_wide(name: str, k: int, mix: int, width: int = 64) -> Program:
    """k-ary randomized response for large k: a uniform value with mix / 2^width, else the truth.

    A uniform value is that of the first word within k equal shares of 2^width. It is drawn in any
    case, so that the number of words says nothing of the report or the value.

    Args:
        name: of the mechanism.
        k: number of values, at most 2^width.
        mix: 1..2^width - 1.
        width: bits of a word.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    first, word = Variable("first", 1 << width), word_of(width)
    share = (1 << width) // k
    told = Choice(first.less(mix), word // share, Private())
    body = (Draw(first), *fair(word, k * share - 1, width), Store(Constant(0), told))
    return check(Program(name, k, width, 1, k, body))


def local_hashing(
    name: str,
    k: int,
    g: int,
    lie: int,
    digits: int,
    base: int,
    coefficients: tuple[int, int],
    width: int = 64,
) -> Program:
    """A uniform function a in Z_g^m, and k-ary randomized response of sum a_i digit_i(x) mod g.

    Args:
        name: of the mechanism.
        k: number of values.
        g: number of buckets.
        lie: threshold of each bucket, 1 <= lie and g * lie < 2^width.
        digits: number m of coefficients.
        base: in which digits of values are written: the smallest prime factor of g.
        coefficients: how words become coefficients. (lanes, 0): g is a power of two, and a word is
            cut into so many lanes, whose lowest bits come first. (0, c): a word gives c
            coefficients, the base-g digits of its share of 2^width, lowest first.
        width: bits of a word.

    Returns:
        A program whose reports are the m coefficients, then the bucket.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    lanes, per_word = coefficients
    word, bucket = word_of(width), Variable("bucket", g)
    rest = Variable("rest", k)
    share = 0
    places: tuple[int, ...] = ()
    if lanes:
        lane, bits = width // lanes, (g - 1).bit_length()
        places = tuple(lane * i + bits * run for run in range(lane // bits) for i in range(lanes))
        per_word = len(places)
    else:
        share = (1 << width) // g**per_word
    coefficient, number = Variable("coefficient", g), Variable("number", 1 << width)
    turn, each = Variable("turn", max(1, digits // per_word)), Variable("each", per_word)

    def ofword_of(first: Expression, count: int) -> Block:
        """The coefficients of one word, into the report from a place on."""
        steps: Block
        draw: Block
        if lanes:
            draw = (Draw(word),)
            steps = (Assign(coefficient, (word >> ProgramEntry(places, each)) & (g - 1)),)
        else:
            taken = fair(word, share * g**per_word - 1, width)
            draw = (*taken, Assign(number, word // share))
            steps = (Assign(coefficient, number % g), Assign(number, number // g))
        hashed = (
            *steps,
            Store(first + each, coefficient),
            Assign(bucket, (bucket + coefficient * (rest % base)) % g),
            Assign(rest, rest // base),
        )
        return (*draw, Loop(each, count, hashed))

    whole, left = divmod(digits, per_word)
    body: Block = (Assign(bucket, Constant(0)), Assign(rest, Private()))
    if whole:
        body += (Loop(turn, whole, ofword_of(turn * per_word, per_word)),)
    if left:
        body += ofword_of(Constant(whole * per_word), left)
    body += (Draw(word), k_rr_answer(word, g, lie, Constant(digits), bucket))
    return check(Program(name, k, width, digits + 1, g, body))


def one_hot(name: str, k: int, one: int, zero: int, width: int = 64, lanes: int = 64) -> Program:
    """Independent bits: P(bit v = 1) is one / 2^width for v = x, and zero / 2^width for the others.

    All planes are read, decided or not: the number of words says nothing of the report.

    Args:
        name: of the mechanism.
        k: number of values, so of bits.
        one: threshold of the value's own bit, 1..2^width - 1.
        zero: threshold of every other bit, 1..2^width - 1.
        width: bits of a threshold.
        lanes: bits in one number of the report, 1..64; anything but 64 is for enumeration.

    Returns:
        A program whose words have max(width, lanes) bits, and whose reports are ceil(k / lanes)
        numbers: bit v is bit v % lanes of number v // lanes, the bits beyond k are 0.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    body, blocks = one_hot_body(k, Private(), (one, zero), (width, lanes))
    return check(Program(name, k, max(width, lanes), blocks, 1 << lanes, body))


def one_hot_body(
    k: int, own_bit: Expression, cells: tuple[int, int], widths: tuple[int, int], first: int = 0
) -> tuple[Block, int]:
    """The statements of `one_hot`.

    Args:
        k: number of bits.
        own_bit: which of them is the value's.
        cells: the thresholds of that bit and of every other one.
        widths: (bits of a threshold, bits in one number of the report).
        first: the number of the report at which bits begin.

    Returns:
        The statements, and how many numbers of the report they store.
    """
    (one, zero), (width, lanes) = cells, widths
    blocks = -(-k // lanes)
    word_bits = max(width, lanes)
    all_bits, all_lanes = (1 << word_bits) - 1, (1 << lanes) - 1
    # Trailing zero bits of the threshold decide nothing: an undecided lane is then not below it.
    planes = width - ((zero & -zero).bit_length() - 1)
    masks = tuple((zero >> (width - 1 - plane) & 1) * all_lanes for plane in range(planes))
    word, own = word_of(word_bits), Variable("own", 1 << word_bits)
    undecided, ones = Variable("undecided", 1 << lanes), Variable("ones", 1 << lanes)
    block, place = Variable("block", blocks), Variable("place", first + blocks)
    bit, plane = Variable("bit", 1 << lanes), Variable("plane", planes)
    mask = ProgramEntry(masks, plane)
    # A lane is below where the threshold has a 1 and the word a 0.
    read = (
        Draw(word),
        Assign(ones, ones | (undecided & mask & (word ^ all_bits))),
        Assign(undecided, undecided & (word ^ mask ^ all_bits)),
    )
    sizes = (*[all_lanes] * (blocks - 1), (1 << (k - (blocks - 1) * lanes)) - 1)
    inner: Block = (
        *(Assign(undecided, ProgramEntry(sizes, block)), Assign(ones, Constant(0))),
        Loop(plane, planes, read),
    )
    drawn = Choice(own.less(one << (word_bits - width)), bit, Constant(0))
    body: Block = (
        Draw(own),
        Loop(block, blocks, (*inner, Store(_after(first, block), ones))),
        Assign(place, _after(first, own_bit // lanes)),
        Assign(bit, Constant(1) << (own_bit % lanes)),
        Store(place, (Slot(place) & (bit ^ all_lanes)) | drawn),
    )
    return body, blocks


def _after(first: int, place: Expression) -> Expression:
    """A place, counted from another one than 0."""
    return place + first if first else place
