"""Programs that keep answers, at small widths, and the law of two reports in a row."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.keyed_bits import keyed_bits
from ldp_verified.run.program.memory import bits_twice, hashed_twice, k_rr_twice, sampled_bits
from tests.program.day_cases import tree_case, voted_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ldp_verified.run.program import Program

    Law = dict[tuple[int, ...], Fraction]


def _private(_: int) -> int:
    """All of a value is private."""
    return 0


class KeptCase(NamedTuple):
    """A program, words of a tape, and the law of the reports of two values in a row.

    Values are to be told apart only where `public` gives one number for them.
    """

    program: Program
    words: int
    table: Callable[[int, int], Law]
    public: Callable[[int], int] = _private


def _lies(answer: int, k: int, share: Fraction) -> Law:
    return {(y,): 1 - (k - 1) * share if y == answer else share for y in range(k)}


def _two(first: Callable[[Any], Law], again: Callable[[Any], Law], same: bool, of: Any) -> Law:
    """The law of two answers, which share what is kept if they are about the same."""
    found: Law = {}
    kept = [(a, b) for a in first(of[0]) for b in first(of[1]) if not same or a == b]
    for a, b in kept:
        mass = first(of[0])[a] * (1 if same else first(of[1])[b])
        for x, y in itertools.product(again(a), again(b)):
            found[(*x, *y)] = found.get((*x, *y), Fraction(0)) + mass * again(a)[x] * again(b)[y]
    return found


def _k_rr(k: int, lies: tuple[int, int], width: int, words: int) -> KeptCase:
    first, second = (Fraction(lie, 1 << width) for lie in lies)

    def table(one: int, two: int) -> Law:
        def again(answer: tuple[int, ...]) -> Law:
            return _lies(answer[0], k, second)

        return _two(lambda v: _lies(v, k, first), again, one == two, (one, two))

    return KeptCase(k_rr_twice("lgrr", k, lies, width), words, table)


def _hashed(k: int, g: int, digits: int, lies: tuple[int, int], width: int, words: int) -> KeptCase:
    """g buckets, and values of so many digits in base g."""
    inner = _k_rr(g, lies, width, words)

    def table(one: int, two: int) -> Law:
        found: Law = {}
        for c in itertools.product(range(g), repeat=digits):
            both = [sum(a * (v // g**i % g) for i, a in enumerate(c)) % g for v in (one, two)]
            for (x, y), mass in inner.table(*both).items():
                found[(*c, x, *c, y)] = mass / g**digits
        return found

    return KeptCase(hashed_twice("loloha", k, g, g, digits, lies, width), words, table)


def _bits(
    sets: list[list[tuple[int, ...]]],
    m: int,
    permanent: tuple[int, int],
    again: tuple[int, int],
    *,
    keyed: bool = True,
) -> KeptCase:
    """Words of two bits, two bits in one number, and cells of one bit each, or of a key's word."""
    width, cohorts, k = 2, len(sets), len(sets[0])
    shares = [[Fraction(each, 1 << width) for each in pair] for pair in (permanent, again)]

    def of_bits(bits: tuple[int, ...], pair: list[Fraction]) -> Law:
        law: Law = {}
        for y in itertools.product(range(2), repeat=m):
            mass = Fraction(1)
            for bit, reported in zip(bits, y, strict=True):
                one = pair[0] if bit else pair[1]
                mass *= one if reported else 1 - one
            law[y] = mass
        return {y: mass for y, mass in law.items() if mass}

    def table(one: int, two: int) -> Law:
        found: Law = {}
        for cohort in range(cohorts):
            of = [tuple(int(i in sets[cohort][v]) for i in range(m)) for v in (one, two)]
            law = _two(
                lambda bits: of_bits(bits, shares[0]),
                lambda bits: of_bits(bits, shares[1]),
                one == two,
                of,
            )
            head = (cohort,) if cohorts > 1 else ()
            for bits, mass in law.items():
                numbers = [sum(b << i for i, b in enumerate(bits[s : s + m])) for s in (0, m)]
                key = (*head, numbers[0], *head, numbers[1])
                found[key] = found.get(key, Fraction(0)) + mass / cohorts
        return found

    if not keyed:
        made = bits_twice("lsue", sets[0], m, permanent, again, width, lanes=2, chunk=1)
        return KeptCase(made, 4 * m, table)
    made = keyed_bits("rappor", sets, m, permanent, again, width, lanes=2)
    return KeptCase(made, cohorts * k * m + (cohorts > 1) + 2 * m, table)


def _sampled(k: int, b: int, d: int, cells: tuple[int, int], width: int, words: int) -> KeptCase:
    one, zero = (Fraction(cell, 1 << width) for cell in cells)

    def table(first: int, second: int) -> Law:
        found: Law = {}
        for chosen in itertools.combinations(range(b), d):
            places = [
                chosen.index(v * b // k) if v * b // k in chosen else d for v in (first, second)
            ]

            def bits(place: int) -> Law:
                law: Law = {}
                for y in itertools.product(range(2), repeat=d):
                    mass = Fraction(1)
                    for j, bit in enumerate(y):
                        share = one if j == place else zero
                        mass *= share if bit else 1 - share
                    law[y] = mass
                return law

            same = places[0] == places[1]
            law = _two(bits, lambda y: {y: Fraction(1)}, same, places)
            for both, mass in law.items():
                key = tuple(2 * bucket + bit for bucket, bit in zip(chosen * 2, both, strict=True))
                found[key] = found.get(key, Fraction(0)) + mass / comb(b, d)
        return found

    return KeptCase(sampled_bits("dbitflip", k, b, d, cells, width), words, table)


KEPT: dict[str, KeptCase] = {
    "lgrr": _k_rr(2, (1, 3), 3, 4),
    "lgrr_three": _k_rr(3, (1, 2), 3, 4),
    "loloha": _hashed(3, 2, 2, (1, 1), 2, 6),
    "dbitflip": _sampled(2, 2, 1, (3, 1), 3, 4),
    "dbitflip_two": _sampled(3, 4, 2, (3, 1), 2, 7),
    "lsue": _bits([[(0,), ()]], 1, (3, 1), (3, 1), keyed=False),
    "rappor": _bits([[(0,), ()]], 1, (3, 1), (3, 1)),
    "rappor_once": _bits([[(0,), ()]], 1, (3, 1), (4, 0)),
    "rappor_cohorts": _bits([[(0,), ()], [(), (0,)]], 1, (3, 1), (2, 1)),
    "change_tree": KeptCase(*tree_case(2, 2, 3, 3, 4)),
    "change_tree_shares": KeptCase(*tree_case(4, 1, 1, 2, 5)),
    "voted_mean": KeptCase(*voted_case(2, 1, (1, 1), (3, 2), 3, 2)),
}
"""Each with as many words as two reports take; where some are rejected, as are tried."""

_FIVE: list[tuple[int, ...]] = [(), (0,), (), (0,), ()]
KEPT_SIZES: dict[str, KeptCase] = {
    "lgrr_five": _k_rr(5, (1, 1), 3, 4),
    "loloha_two": _hashed(2, 2, 1, (1, 1), 3, 5),
    "loloha_shares": _hashed(3, 3, 1, (1, 1), 3, 5),
    "loloha_five": _hashed(5, 2, 3, (1, 1), 2, 7),
    "dbitflip_five": _sampled(5, 5, 1, (3, 1), 3, 4),
    "dbitflip_five_two": _sampled(5, 2, 1, (7, 2), 3, 4),
    "lsue_two": _bits([[(0,), (1,)]], 2, (3, 1), (3, 1), keyed=False),
    "rappor_two": _bits([[(0,), (1,)]], 2, (3, 1), (3, 1)),
    "rappor_three": _bits([[(0,), (), (0,)]], 1, (3, 1), (3, 1)),
    "rappor_five": _bits([_FIVE], 1, (3, 1), (3, 1)),
    "change_tree_three": KeptCase(*tree_case(3, 3, 1, 2, 6)),
    "voted_mean_two": KeptCase(*voted_case(2, 2, (2, 1), (1, 1), 2, 3)),
}
"""The same at k = 2, 3 and 5; `make test-clients` runs them."""


def pairs(case: KeptCase) -> Iterator[tuple[int, int]]:
    """All pairs of values, in the order of harnesses."""
    values = range(case.program.inputs)
    return itertools.product(values, values)


def alike(case: KeptCase) -> list[list[int]]:
    """The places of pairs of values, those together whose public parts are the same."""
    found: dict[tuple[int, int], list[int]] = {}
    for place, (one, two) in enumerate(pairs(case)):
        found.setdefault((case.public(one), case.public(two)), []).append(place)
    return [*found.values()]


def interpreted_twice(program: Program, both: tuple[int, int], words: Any) -> Any:
    """(two reports as one, words read) of a client that is new; None where words do not suffice.

    The words of the first report stand above the lowest 8 bits of those of both.
    """
    cells = [0] * program.cells
    try:
        first = interpret(program, both[0], words, cells)
        second = interpret(program, both[1], words[first.words :], cells)
    except OutOfWordsError:
        return None
    return first.report + second.report, first.words << 8 | first.words + second.words


@functools.cache
def every_pair(name: str) -> list[Any]:
    """What the interpreter answers to all tapes, for all pairs of values."""
    case = KEPT[name]
    words = range(1 << case.program.width)
    return [
        interpreted_twice(case.program, both, tape)
        for tape in itertools.product(words, repeat=case.words)
        for both in pairs(case)
    ]


def law_of_pairs(case: KeptCase, answers: list[Any]) -> list[tuple[Law, Fraction]]:
    """The law of each pair of values, and the mass that is not resolved.

    Every tape has the same chance, whatever of it is read; so nothing is presumed here of how
    words are rejected.
    """
    tapes = 1 << (case.program.width * case.words)
    count = case.program.inputs**2
    found = []
    for place in range(count):
        law: dict[tuple[int, ...], int] = {}
        left = 0
        for answer in answers[place::count]:
            if answer is None:
                left += 1
            else:
                law[answer[0]] = law.get(answer[0], 0) + 1
        shares = {report: Fraction(times, tapes) for report, times in law.items()}
        found.append((shares, Fraction(left, tapes)))
    return found


def is_the_table(case: KeptCase, answers: list[Any], rejected: Fraction = Fraction(1, 4)) -> bool:
    """Return whether the law of two reports is the table's.

    Where nothing is rejected, exactly. Else no probability is larger than the table's, those that
    lack something lack what is not resolved, and that is less than `rejected`.
    """
    for both, (law, left) in zip(pairs(case), law_of_pairs(case, answers), strict=True):
        table = case.table(*both)
        if left >= rejected or set(law) - set(table):
            return False
        if any(law.get(report, Fraction(0)) > mass for report, mass in table.items()):
            return False
        if sum(table.values()) != 1 or sum(law.values()) + left != 1:
            return False
    return True
