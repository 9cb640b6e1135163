"""A seed, a sign and a rank: the law over all words, the number of words, and single reports."""

from __future__ import annotations

import pickle
from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.protocols import SphereVector
from ldp_verified.run.kernels.favoured import favoured_sampler
from ldp_verified.run.program.favoured import favoured_rank
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from tests.broken.favoured_programs import WRONG_LAWS, by_kind

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Program

WIDTH, BITS, UNUSED, INSIDE, LENGTH = 2, 2, 1, 3, 6
SIZES = [(2, 1), (3, 2), (4, 1), (4, 2), (4, 3)]

Joint = dict[tuple[tuple[int, ...], int], Fraction]


def right(ranks: int, favoured: int) -> Program:
    return favoured_rank("rank", ranks, favoured, INSIDE, UNUSED, WIDTH, BITS)


@cache
def joint(program: Program, value: int) -> Joint:
    """P(report and number of words), of all sequences of up to six words of two bits."""
    found: Joint = defaultdict(Fraction)
    open_: list[tuple[int, ...]] = [()]
    while open_:
        words = open_.pop()
        try:
            drawn = interpret(program, value, list(words))
        except OutOfWordsError:
            if len(words) < LENGTH:
                open_ += [(*words, word) for word in range(1 << WIDTH)]
            continue
        found[drawn.report, drawn.words] += Fraction(1, 1 << WIDTH * len(words))
    return found


def table(ranks: int, favoured: int, value: int) -> dict[tuple[int, ...], Fraction]:
    """The law that is declared: a uniform seed, a sign of the position's mean, the rank's odds."""
    inside = Fraction(INSIDE, 1 << WIDTH)
    near, far = inside / favoured, (1 - inside) / (ranks - favoured)
    plus = Fraction(value, 1 << BITS)
    seeds = 1 << (WIDTH - UNUSED)
    return {
        (seed, up, rank): (plus if up else 1 - plus) * (near if rank < favoured else far) / seeds
        for seed, up, rank in product(range(seeds), range(2), range(ranks))
    }


def follows(program: Program, ranks: int, favoured: int, value: int) -> bool:
    """Return whether reports that are resolved have the law of the table, exactly."""
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for (report, _), chance in joint(program, value).items():
        law[report] += chance
    resolved = sum(law.values())
    declared = table(ranks, favoured, value)
    return all(law[y] == resolved * chance for y, chance in declared.items()) and resolved > 0


@pytest.mark.parametrize("value", range((1 << BITS) + 1))
@pytest.mark.parametrize(("ranks", "favoured"), SIZES)
def test_every_word(ranks: int, favoured: int, value: int) -> None:
    assert follows(right(ranks, favoured), ranks, favoured, value)


@pytest.mark.parametrize(("ranks", "favoured"), SIZES)
def test_the_kernel_has_the_same_ranks(ranks: int, favoured: int) -> None:
    """The kernel draws one kind alone; its ranks have the odds that the program gives them."""
    sampler = favoured_sampler(ranks, favoured, INSIDE, WIDTH)
    counts: dict[int, int] = defaultdict(int)
    resolved = 0
    for words in product(range(1 << WIDTH), repeat=4):
        out = np.zeros(1, dtype=sampler.dtype)
        given = np.array(words, dtype=np.uint64)
        zero = np.zeros(1, dtype=np.int64)
        done, _ = sampler.fill(zero, out, given, np.array(sampler.cuts, np.uint64), sampler.sizes)
        if done:
            counts[int(out[0])] += 1
            resolved += 1
    inside = sum(counts[rank] for rank in range(favoured))
    assert len({counts[rank] for rank in range(favoured)}) == 1
    assert len({counts[rank] for rank in range(favoured, ranks)}) == 1
    assert 0 < inside < resolved


@pytest.mark.parametrize(("ranks", "favoured"), SIZES)
def test_the_number_of_words_tells_nothing_beside_the_report(ranks: int, favoured: int) -> None:
    assert not tells(right(ranks, favoured))


def tells(program: Program) -> bool:
    """Return whether some number of words changes the odds of reports."""
    found = joint(program, 1)
    resolved = sum(found.values())
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    words: dict[int, Fraction] = defaultdict(Fraction)
    for (report, count), chance in found.items():
        law[report] += chance
        words[count] += chance
    pairs = product(law, words)
    return any(found.get(pair, 0) * resolved != law[pair[0]] * words[pair[1]] for pair in pairs)


@pytest.mark.parametrize("wrong", WRONG_LAWS)
def test_wrong_laws_are_seen(wrong: Any) -> None:
    assert not follows(wrong(4, 1, INSIDE, UNUSED, WIDTH, BITS), 4, 1, 1)


def test_a_number_of_words_that_tells_the_kind_is_seen() -> None:
    planted = by_kind(4, 1, INSIDE, UNUSED, WIDTH, BITS)
    assert tells(planted)


@pytest.mark.parametrize(
    "sizes", [{"favoured": 0}, {"favoured": 4}, {"ranks": 5}, {"inside": 0}, {"inside": 4}]
)
def test_sizes_that_do_not_fit_are_refused(sizes: dict[str, int]) -> None:
    given = {"ranks": 4, "favoured": 1, "inside": INSIDE} | sizes
    with pytest.raises(ParameterError):
        favoured_rank("rank", **given, unused=UNUSED, width=WIDTH, bits=BITS)


def test_the_program_of_a_class_has_its_thresholds() -> None:
    """At the very edge of the word that chooses: a favoured rank below it, another one at it."""
    made = SphereVector(1.0, 16, lines=4)
    program, inside = made.draws(), made._inside
    for word, kind in ((inside - 1, True), (inside, False)):
        seed, up, rank = interpret(program, 1 << 52, [0xABC << 8, 0, 0, 0, word]).report
        assert (seed, up, rank < made.favoured) == (0xABC, 1, kind)


def test_a_report_names_the_direction_of_the_rank_that_was_drawn() -> None:
    """At epsilon = 40 another direction than the nearest has a chance below 10^-15."""
    made = SphereVector(40.0, 5, radius=2.0, lines=4)
    vector = np.array([6.0, 0, -8, 0, 0]) / 5
    client = made.client()
    data = np.array([client.report(vector) for _ in range(200)], dtype=np.uint64)
    seeds, named = made.split(data)
    rows, lengths = made.held(vector)
    plus, zero = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for seed, direction in zip(seeds, named, strict=True):
        wanted = made.named(rows, lengths, np.array([seed]), plus, zero)
        assert int(wanted[0]) & 0xFF == direction
    assert len(set(seeds.tolist())) == 200
    assert made.aggregate(made.reports(data, simulated=False)).n == 200


@pytest.mark.parametrize("bad", [[1.0], [[0.0] * 3] * 2, [0.0, 0.0, 2.0], [0.0, 0.0, "x"], []])
def test_what_is_no_vector_is_refused_and_not_shown(bad: Any) -> None:
    with pytest.raises(DomainError) as error:
        SphereVector(1.0, 3).client().report(bad)
    assert "2.0" not in str(error.value)


def test_a_client_is_not_pickled() -> None:
    with pytest.raises(LdpError, match="each process"):
        pickle.dumps(SphereVector(1.0, 3).client())
