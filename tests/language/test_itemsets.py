"""What a declared protocol samples of a padded set, against the words of its definition."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest
import sympy

from ldp_verified.language.itemsets import (
    choices,
    held_among,
    padded_item,
    signed_items,
    size_of,
)
from ldp_verified.language.protocol import draw, published, x


@pytest.mark.parametrize("items", range(1, 5))
@pytest.mark.parametrize("length", range(1, 5))
def test_every_item_is_as_likely_as_its_place(items: int, length: int) -> None:
    """Cut: uniform among its items. Padded: each item, and as many dummies, at 1/length."""
    total = int(choices(items, length))
    for held in itertools.product((0, 1), repeat=items):
        own = [item for item in range(items) if held[item]]
        number = sum(1 << item for item in own)
        found = Counter(int(padded_item(number, each, items, length)) for each in range(total))
        chances = {item: Fraction(ways, total) for item, ways in found.items()}
        missing = max(length - len(own), 0)
        wanted = [*own, *range(items, items + missing)]
        assert chances == dict.fromkeys(wanted, Fraction(1, max(len(own), length)))


def test_it_waits_for_all_numbers() -> None:
    waiting = padded_item(x, draw, 3, 2)
    assert waiting.is_integer
    assert waiting.is_nonnegative
    assert waiting.free_symbols == {x, draw}
    assert waiting.subs({x: 5, draw: 1}, simultaneous=True) == sympy.Integer(2)
    assert waiting.subs({x: 0, draw: 1}, simultaneous=True) == sympy.Integer(4)


def test_candidates_are_held_that_lie_within_the_set() -> None:
    """All sets of two items and all lists of two sets, the empty one and repeated ones too."""
    for value, first, second in itertools.product(range(4), repeat=3):
        listed = first + 4 * second
        found = int(held_among(value, listed, 2, 2))
        assert found == sum(
            1 << place for place, each in enumerate((first, second)) if value | each == value
        )
        assert held_among(value, listed + 16, 2, 2) == found, "longer lists are cut"
        assert int(size_of(found, 2)) == found.bit_count()
    waiting = size_of(held_among(x, published, 3, 2), 2)
    assert waiting.free_symbols == {x, published}
    assert waiting.subs({x: 5, published: 4 + 8 * 7}, simultaneous=True) == 1


@pytest.mark.parametrize("keys, steps", [(1, 1), (1, 4), (2, 1), (2, 2)])
def test_numbers_are_kept_by_their_signs_on_average(keys: int, steps: int) -> None:
    """Over all coins, and independently for all keys: + has the chance i/steps."""
    coins = steps**keys
    for digits in itertools.product(range(steps + 2), repeat=keys):
        value = sum(digit * (steps + 2) ** key for key, digit in enumerate(digits))
        found = Counter(int(signed_items(value, coin, keys, steps)) for coin in range(coins))
        wanted: Counter[int] = Counter()
        for signs in itertools.product((0, 1), repeat=keys):
            chance = Fraction(1)
            for sign, digit in zip(signs, digits, strict=True):
                plus = Fraction(digit - 1, steps) if digit else Fraction(1)
                chance *= plus if sign else 1 - plus
            held = (1 << 2 * key + sign for key, sign in enumerate(signs) if digits[key])
            wanted[sum(held)] += int(chance * coins)
        assert found == +wanted
    waiting = signed_items(x, draw, keys, steps)
    assert waiting.is_integer
    assert waiting.is_nonnegative
