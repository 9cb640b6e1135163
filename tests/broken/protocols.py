"""Protocols that are wrong: those that cannot be declared, and those whose price is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from ldp_verified.language import load, load_protocol, real
from ldp_verified.language.itemsets import padded_item, signed_items
from ldp_verified.language.protocol import (
    Groups,
    Protocol,
    Published,
    Round,
    Sends,
    coin,
    draw,
    group,
    published,
    turn,
    x,
)

(GRR,) = load("grr")
(OLH,) = (mechanism for mechanism in load("olh") if mechanism.name == "olh")
GRR_EPS, GRR_K = GRR.parameters
eps = real("eps", above=0)
HALF = sympy.Rational(1, 2)


def protocol(rounds: list[Round], epsilon: Any = eps, **more: Any) -> Protocol:
    """A protocol over four values."""
    return Protocol("made", [eps], 4, rounds, epsilon, **more)


def sends(of: Any = x, price: Any = eps, k: Any = 4) -> Sends:
    """One report by k-ary randomized response."""
    return Sends(GRR, of, {GRR_EPS: price, GRR_K: k})


def padded(of: Any, draws: Any = 2, most: Any = HALF) -> Protocol:
    """Sets of two items, padded to two, at the price of a report in which 1/2 is sampled."""
    at = {GRR_EPS: sympy.log(2 * (sympy.exp(eps) - 1) + 1), GRR_K: 4}
    return protocol([Round([Sends(GRR, of, at, draws, most)])])


UNDECLARABLE: dict[str, Callable[[], Protocol]] = {
    "the group is chosen by the value": lambda: protocol(
        [Round([sends()])], groups=Groups(2, of=sympy.Mod(x, 2))
    ),
    "the number of groups is chosen by the value": lambda: protocol(
        [Round([sends()])], groups=Groups(x + 1)
    ),
    "the budget of a report is chosen by the value": lambda: protocol(
        [Round([sends(price=eps * (1 + x))])]
    ),
    "the number of rounds is chosen by the value": lambda: protocol([Round([sends()], times=x)]),
    "a report looks at what is not published yet": lambda: protocol([Round([sends(of=published)])]),
    "a report looks at a group without groups": lambda: protocol([Round([sends(of=group)])]),
    "a report with a negative price pays for another": lambda: protocol(
        [Round([sends(price=2 * eps), sends(price=-eps)])]
    ),
    "a turn with a negative price pays for another": lambda: protocol(
        [Round([sends(price=eps * (1 - 2 * turn))], times=2)]
    ),
    "a negative number of rounds pays for others": lambda: protocol(
        [Round([sends()], times=-1), Round([sends()]), Round([sends()])]
    ),
    "half a round": lambda: protocol([Round([sends()], times=sympy.Rational(1, 2))]),
    "a coin that is not drawn": lambda: protocol([Round([sends(of=draw)])]),
    "how often a coin is drawn is chosen by the value": lambda: padded(draw, draws=x + 1),
    "half a draw": lambda: padded(draw, draws=sympy.Rational(1, 2)),
    "what hides an input is chosen by the value": lambda: padded(draw, most=1 / (x + 1)),
    "a hashed input is said to hide": lambda: protocol(
        [Round([Sends(OLH, padded_item(x, draw, 2, 2), {OLH.parameters[0]: eps}, 2, 1 / 2)])]
    ),
    "a group that there is not speaks": lambda: protocol(
        [Round([sends()], speaks=2)], groups=Groups(2)
    ),
    "a group speaks where there are none": lambda: protocol([Round([sends()], speaks=0)]),
    "a report is chosen after another one was sent": lambda: protocol(
        [Round([sends()], Published("a number", below=4)), Round([sends(), sends()], either=True)]
    ),
    "the size of a report is chosen after another one was sent": lambda: protocol(
        [
            Round([sends()], Published("a number", below=4), speaks=0),
            Round([sends(k=4 + published)], speaks=0),
        ],
        groups=Groups(1),
    ),
    "the budget of a report is chosen by the server": lambda: protocol(
        [
            Round([sends()], Published("a number", below=4), speaks=0),
            Round([sends(price=eps * (1 + published))], speaks=1),
        ],
        groups=Groups(2),
    ),
    "a negative number of values": lambda: Protocol(
        "made", [eps], sympy.Rational(-7, 2), [Round([sends()])], eps
    ),
    "no values": lambda: Protocol("made", [eps], 0, [Round([sends()])], eps),
    "half a value": lambda: Protocol("made", [eps], HALF * 7, [Round([sends()])], eps),
    "as many values as a real number": lambda: Protocol(
        "made", [eps], eps, [Round([sends()])], eps
    ),
    "no groups": lambda: protocol([Round([sends()])], groups=Groups(0)),
    "half a coin": lambda: protocol([Round([sends()])], groups=Groups(2, coin, coins=5 * HALF)),
    "an input that some values lack": lambda: protocol(
        [Round([sends(of=sympy.Piecewise((0, x < 2)))])]
    ),
    "an input that some values lack, deep inside": lambda: protocol(
        [Round([sends(of=sympy.Mod(sympy.Piecewise((x, x < 2), (0, x > 2)), 4))])]
    ),
    "a group that some coins lack": lambda: protocol(
        [Round([sends()])], groups=Groups(2, sympy.Piecewise((0, coin < 2)), coins=4)
    ),
    "a price that some groups lack": lambda: protocol(
        [Round([sends(price=sympy.Piecewise((eps, group < 1)))])], groups=Groups(2)
    ),
    "a price that is rounded": lambda: protocol(
        [Round([sends(price=1e16)]), Round([sends(price=0.9)])], epsilon=1e16
    ),
    "a declared price that is rounded": lambda: protocol([Round([sends()])], epsilon=1.5 * eps),
    "a number of rounds that is rounded": lambda: protocol([Round([sends()], times=2.0)], 2 * eps),
    "a number of values that is rounded": lambda: Protocol(
        "made", [eps], 4.0, [Round([sends()])], eps
    ),
    "an input that is rounded": lambda: protocol([Round([sends(of=sympy.Mod(x + 0.5, 4))])]),
    "a size of a randomizer that is rounded": lambda: protocol([Round([sends(k=4.0)])]),
    "an epsilon that is text for nothing": lambda: protocol([Round([sends()])], epsilon="(("),
    "an epsilon that is no number": lambda: protocol([Round([sends()])], epsilon=sympy.nan),
    "a symbol that nobody declared": lambda: protocol([Round([sends()])], sympy.Symbol("other")),
}
"""What is wrong -> a declaration that must be refused."""

UNDERPRICED: dict[str, Protocol] = {
    "two reports at the price of one": protocol([Round([sends(), sends()])]),
    "two rounds at the price of one": protocol([Round([sends()]), Round([sends()])]),
    "a repeated round at the price of one": protocol([Round([sends()], times=3)]),
    "a second round that looks at the value again": protocol(
        [
            Round([sends(of=sympy.Mod(x, 2), k=2)], Published("a threshold", below=4)),
            Round([sends(of=sympy.Piecewise((0, x < published), (1, True)), k=2)]),
        ]
    ),
    "a dear group": protocol([Round([sends(price=eps * (1 + group))])], groups=Groups(2)),
    "a group that speaks in two rounds": protocol(
        [Round([sends()], speaks=0), Round([sends()], speaks=1), Round([sends()], speaks=1)],
        groups=Groups(2),
    ),
    "a round of all beside one of a group": protocol(
        [Round([sends()]), Round([sends()], speaks=1)], groups=Groups(2)
    ),
    "a dear choice": protocol([Round([sends(), sends(price=2 * eps)], either=True)]),
    "a dear turn": protocol([Round([sends(price=eps * (1 + turn) / 2)], times=2)]),
}
"""What is wrong -> a declaration whose transcript costs more than eps."""

_miner = load_protocol("ldp_miner")
_svim = load_protocol("svim")


def _twice(sent: Sends) -> Sends:
    """The same report at twice the budget."""
    at = {p: 2 * v if p == sent.randomizer.parameters[0] else v for p, v in sent.at.items()}
    return Sends(sent.randomizer, sent.of, at, sent.draws, sent.most)


def _mining(model: Protocol, rounds: list[Round]) -> Protocol:
    """A protocol on sets with other rounds."""
    of = model.parameters, model.values, rounds, model.epsilon
    return Protocol("made", *of, groups=model.groups)


def _of_both_places(name: str) -> Protocol:
    """Sampling that is left out: a report on each of two places, in turn."""
    model = load_protocol(name)
    (sent,) = model.rounds[0].sends
    _, k, length = model.parameters[:3]
    each = [Sends(sent.randomizer, padded_item(x, place, k, length), sent.at) for place in range(2)]
    return _mining(model, [Round(each)])


_full = [Round([_twice(each) for each in r.sends], r.publishes) for r in _miner.rounds]
_find, _size, _count = _svim.rounds
MINING: dict[str, tuple[Protocol, dict[str, Any]]] = {
    "LDPMiner at the full epsilon in both phases": (
        _mining(_miner, _full),
        {"k": 2, "l": 1, "kept": 1, "places": 1},
    ),
    "sampling succinct histogram that tells the bits of both places": (
        _of_both_places("sampling_succinct_histogram"),
        {"k": 2, "l": 2},
    ),
    "sampling RAPPOR that reports both places": (
        _of_both_places("sampling_rappor"),
        {"k": 2, "l": 2},
    ),
    "those who find tell their size, too": (
        _mining(_svim, [_find, Round(_size.sends[:1], speaks=0), _size, _count]),
        {"k": 2, "kept": 1, "longest": 1, "buckets": 2},
    ),
}
"""What is wrong -> a protocol on sets whose transcript costs more than eps, and tiny sizes."""

SIGNED = signed_items(x, sympy.floor(draw / 2), 1, 2)
"""One key with a number of three, or none."""

OVERSAMPLED: dict[str, Protocol] = {
    "one dummy for all places": padded(sympy.Min(padded_item(x, draw, 2, 2), 2)),
    "the first place is sampled more often": padded(
        padded_item(x, sympy.floor(draw / 2), 2, 2), draws=3
    ),
    "a number of draws that the places do not divide": padded(padded_item(x, draw, 2, 2), draws=3),
    "sets that are not padded": padded(padded_item(x, draw, 2, 1)),
    "an item that is always sampled where it is held": padded(
        sympy.Piecewise((1, x > 1), (padded_item(x, draw, 2, 2), True))
    ),
    "an item in the place of all others": padded(padded_item(sympy.Min(x, 1), draw, 2, 1)),
    "a signed key that is not padded": padded(
        padded_item(SIGNED, sympy.Mod(draw, 2), 2, 1), draws=4
    ),
    "a signed key that is always in the first place": padded(
        padded_item(SIGNED, sympy.Mod(draw, 1), 2, 2), draws=4
    ),
    "a coin that the places do not divide": padded(
        padded_item(SIGNED, sympy.Mod(draw, 2), 2, 2), draws=3
    ),
}
"""What is wrong -> a declaration in which an input has a chance above the 1/2 that is paid for."""

UNSETTLED: dict[str, Protocol] = {
    "an input outside the randomizer's values": protocol([Round([sends(k=2)])]),
    "an input beyond the last value": protocol([Round([sends(of=x + 1)])]),
    "an input below 0": protocol([Round([sends(of=sympy.Mod(x, -3))])]),
    "a sum of two remainders that is too large": protocol(
        [Round([sends(of=sympy.Mod(x, 3) + 2 * sympy.Mod(x, 2))])]
    ),
    "a remainder less another": protocol([Round([sends(of=sympy.Mod(x, 4) - sympy.Mod(x, 2))])]),
    "a remainder of what may be no integer": protocol(
        [Round([sends(of=sympy.Mod(x / 2, 2) + sympy.Mod(x, 2))])]
    ),
    "a case with an input of the other one": protocol(
        [
            Round(
                [
                    sends(
                        of=sympy.Piecewise((x, group < 1), (sympy.Mod(x, 2), True)),
                        k=sympy.Piecewise((2, group < 1), (4, True)),
                    )
                ]
            )
        ],
        groups=Groups(2),
    ),
    "cases that are told apart in another way": protocol(
        [
            Round(
                [
                    sends(
                        of=sympy.Piecewise((x, group < 1), (sympy.Mod(x, 2), True)),
                        k=sympy.Piecewise((4, group > 1), (2, True)),
                    )
                ]
            )
        ],
        groups=Groups(3),
    ),
    "a half that has too many values": protocol([Round([sends(of=sympy.floor(x / 2), k=1)])]),
    "a size that the randomizer does not have": protocol([Round([sends(of=0 * x, k=1)])]),
    "an epsilon that the randomizer does not have": protocol([Round([sends(price=0 * eps)])]),
    "turns with outputs of their own": protocol(
        [Round([sends(of=sympy.Mod(x, 2), price=eps / 2, k=2 ** (turn + 1))], times=2)]
    ),
    "a group beyond those whose prices are compared": protocol(
        [Round([sends(price=eps * (1 + group))])], 2 * eps, groups=Groups(2, of=coin + 5)
    ),
    "more coins than groups": protocol(
        [Round([sends(price=eps * (1 + group))])], 2 * eps, groups=Groups(2, coins=9)
    ),
}
"""What is wrong -> a declaration whose prices add up, and to which a theorem does not apply."""
