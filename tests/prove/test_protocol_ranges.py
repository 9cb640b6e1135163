"""A theorem counts for a protocol only where what it asks of inputs, groups and rounds is seen."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from ldp_verified.language import LDP, Matrix, Mechanism, integer, load_protocol, real
from ldp_verified.language.itemsets import padded_item
from ldp_verified.language.protocol import Protocol, Round, Sends, coin, group, x
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.protocol_ranges import unsettled, within
from tests.broken.protocols import HALF, UNDERPRICED, UNSETTLED
from tests.prove.test_protocols import QUICK


@pytest.mark.parametrize("name", UNSETTLED)
def test_what_a_theorem_does_not_cover_is_open(name: str) -> None:
    assert list(unsettled(UNSETTLED[name]))
    found = verify_protocol(UNSETTLED[name], 3, **QUICK)
    assert found.status is Status.OPEN
    assert "the theorems ask what is not seen here: that " in found.reason


def test_nothing_is_asked_of_what_is_in_order() -> None:
    for name in (
        *("prefix_extending", "prefix_cohorts", "tree_hist", "bit_reduction", "bit_groups"),
        *("bitstogram", "succinct_histogram", "sequence_fragments"),
        "private_expander_sketch",
        "sign_matrix",
        "padded_response",
        "padded_hashing",
        "sampling_succinct_histogram",
        "sampling_rappor",
        "svim",
        "svsm",
        "ldp_miner",
        "range_tree",
        "range_wavelet",
        "box_wavelet",
        "parity_tables",
        "key_value_response",
        "key_value_bits",
    ):
        assert list(unsettled(load_protocol(name))) == []
    for protocol in UNDERPRICED.values():
        assert list(unsettled(protocol)) == []


bits, count = integer("bits", at_least=2), integer("count", at_least=3)
_d = real("d", above=0, below=1)
W_AND_D = real("w", above=0, below=_d), _d
INSIDE = {
    "the value": (x, 4, True),
    "the value of a smaller randomizer": (x, 3, False),
    "a constant": (2, 3, True),
    "a constant that is no value": (3, 3, False),
    "a negative constant": (-1, 3, False),
    "a parameter's least value": (2, count, True),
    "a parameter": (count, count, False),
    "a remainder": (sympy.Mod(x, count), count, True),
    "a remainder by something larger": (sympy.Mod(x, count + 1), count, False),
    "a remainder by a fraction": (sympy.Mod(x, sympy.Rational(3, 2)), 3, False),
    "two remainders": (2 * sympy.Mod(x, count) + sympy.Mod(x, 2), 2 * count, True),
    "two remainders that are too large": (
        2 * sympy.Mod(x, count) + sympy.Mod(x, 2),
        2 * count - 1,
        False,
    ),
    "a parameter's multiple of a remainder, and another": (
        count * sympy.Mod(x, 2) + sympy.Mod(x, count),
        2 * count,
        True,
    ),
    "the same, one too large": (
        count * sympy.Mod(x, 2) + sympy.Mod(x, count),
        2 * count - 1,
        False,
    ),
    "a parameter's multiple of two remainders": (
        count * sympy.Mod(x, 2) * sympy.Mod(x, 3),
        6 * count,
        False,
    ),
    "a remainder times the value": (x * sympy.Mod(x, 2), 4 * count, False),
    "a half of a remainder": (sympy.Mod(x, 4) / 2, 2, False),
    "a remainder less one": (sympy.Mod(x, count) - 1, count, False),
    "a remainder less another": (sympy.Mod(x, count) - sympy.Mod(x, 2), count, False),
    "cases beside cases": (
        sympy.Piecewise((x, count < 4), (sympy.Mod(x, 2), True)),
        sympy.Piecewise((4, count < 4), (2, True)),
        True,
    ),
    "cases beside cases, one too large": (
        sympy.Piecewise((x, count < 4), (sympy.Mod(x, 3), True)),
        sympy.Piecewise((4, count < 4), (2, True)),
        False,
    ),
    "cases beside other cases": (
        sympy.Piecewise((x, count < 4), (sympy.Mod(x, 2), True)),
        sympy.Piecewise((4, count < 5), (2, True)),
        False,
    ),
    "a case without the others": (sympy.Piecewise((0, x < 2)), 4, False),
    "two cases that leave one out": (sympy.Piecewise((0, x < 2), (1, x > 2)), 4, False),
    "cases beside the same cases, one left out": (
        sympy.Piecewise((x, count < 4)),
        sympy.Piecewise((4, count < 4)),
        False,
    ),
    "a half": (sympy.floor(x / 2), 2, True),
    "a third": (sympy.floor(x / 3), 1, False),
    "a shifted half": (sympy.floor((x + 1) / 2), 2, False),
    "a negative half": (sympy.floor(-x / 2), 2, False),
    "a square": (x**2, 16, False),
    "the smaller of two": (sympy.Min(x, 2), 3, True),
    "the smaller of two that may be negative": (sympy.Min(x, group - 1), 4, False),
    "an item of a padded set": (padded_item(x, coin, 2, 3), 5, True),
    "an item of a padded set, beyond the dummies": (padded_item(x, coin, 2, 3), 4, False),
    "an item at half a place": (padded_item(x, coin / 2, 2, 3), 5, False),
    "an item of a set of no length": (padded_item(x, coin, 2, bits - 2), bits, False),
    "an item of what is no set": (padded_item(x - 1, coin, 2, 3), 5, False),
    "a case": (sympy.Piecewise((1, x < 2), (x, True)), 4, True),
    "a case that is no value": (sympy.Piecewise((4, x < 2), (x, True)), 4, False),
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_lies_within_is_seen_by_its_form(name: str) -> None:
    """For all that is said to lie within, all values are tried too."""
    value, below, seen = INSIDE[name]
    assert within(value, below, {x: sympy.Integer(4)}) is seen
    if seen:
        for number in range(4):
            for size in (3, 4, 7):
                at = {x: number, count: size, group: 0, coin: 0}
                got = sympy.sympify(value).subs(at)
                assert 0 <= got < sympy.sympify(below).subs(at)


def _coin(rounds_at: Any, parameters: list[Any]) -> Protocol:
    """One report of a coin with parameters 0 < w < d < 1, at what is given for them."""
    w, d = W_AND_D
    odds = sympy.Rational(1, 4)
    made = Mechanism(
        "biased",
        parameters=[d, w],
        table=Matrix([[odds + w / 4, 1 - odds - w / 4], [HALF, HALF]]),
        claims=[LDP(sympy.log(2))],
    )
    of = Sends(made, sympy.Mod(x, 2), {w: rounds_at[0], d: rounds_at[1]})
    return Protocol("made", parameters, 4, [Round([of])], sympy.log(2))


def test_a_parameter_that_stands_for_itself_has_its_own_domain() -> None:
    w, d = W_AND_D
    assert list(unsettled(_coin((w, d), [w, d]))) == []
    other = real("other", above=0)
    for at, parameters in (((w, HALF), [w]), ((other, d), [other, d]), ((d, w), [w, d])):
        assert list(unsettled(_coin(at, parameters)))
