"""The conditions of a ledger's theorems on groups, inputs and rounds, beside the prices.

A report's input must be one of its randomizer's values: outside of them the claim says nothing. If
prices differ by group, each group that is drawn must be among those whose prices were compared. And
repeated rounds must have one list of outputs. What is not seen to be so here is open, and is then
decided at sizes at which all transcripts are written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from ldp_verified.language.day_bits import MaskedChange
from ldp_verified.language.itemsets import HeldAmong, PaddedItem, SignedItems, SizeOf, choices
from ldp_verified.language.protocol import Protocol, Sends, coin, draw, group, turn, x


def unsettled(protocol: Protocol) -> Iterator[str]:
    """Yield every condition that is not seen to hold, as a sentence."""
    split = protocol.groups
    for position, each in enumerate(protocol.rounds, start=1):
        for sent in each.sends:
            where = f"{sent.randomizer.name} in round {position}"
            size = _inputs(sent)
            ranges = {x: protocol.values} | ({} if sent.draws == 1 else {draw: sent.draws})
            inputs = [sent.of] if sent.rest is None else [sent.of, sent.rest]
            for of in inputs:
                if size is None or not within(of, size, ranges):
                    yield f"that {of} is always one of the inputs of {where}"
            if sent.most != 1 and not _spread(sent, protocol.values):
                yield f"that {sent.of} has no value of a chance above {sent.most} for {where}"
            yield from (f"that {margin} holds for {where}" for margin in _outside(sent))
            moving = (v for p, v in sent.at.items() if p != sent.randomizer.generator.eps)
            if each.times != 1 and any(sympy.sympify(value).has(turn) for value in moving):
                yield f"that all turns of {where} have the same outputs"
            if split is not None and sympy.sympify(sent.price).has(group):
                coins = split.count if split.coins is None else split.coins
                if not within(split.of, split.count, {coin: coins}):
                    yield f"that {split.of} is always one of {split.count} groups"


def _spread(sent: Sends, values: Any) -> bool:
    """Return whether no input is seen to be more likely than was declared, whatever the set is."""
    if not isinstance(sent.of, PaddedItem):
        return False
    value, own, items, length = sent.of.args
    places = choices(items, length)
    if isinstance(value, SignedItems):
        # The signs are drawn apart, from what is left of the coin: whatever they are, a set is.
        coins = sympy.floor(draw / places)
        apart = value.args[1] == coins and own == sympy.Mod(draw, places)
        uniform = apart and sympy.simplify(sent.draws / places).is_integer
    else:
        uniform = own == draw and sympy.expand(sent.draws - places) == 0
    return uniform and _is_set(value, items, values) and _at_least(sent.most, 1 / length)


def _is_set(value: Any, items: Any, values: Any) -> bool:
    """Return whether a number is seen to be a set of so many items, which no coin changes."""
    if isinstance(value, HeldAmong):
        own, candidates, _, kept = value.args
        return own == x and not candidates.has(draw) and kept == items
    if isinstance(value, SignedItems):
        own, _, keys, steps = value.args
        return own == x and 2 * keys == items and _at_least((steps + 2) ** keys, values)
    return bool(value == x) and _at_least(2**items, values)


def _inputs(sent: Sends) -> Any:
    """The number of a randomizer's inputs, if they are 0, 1, ...; else None."""
    form = sent.randomizer.table
    labels = getattr(form, "inputs", None)
    size = getattr(form, "values", None)
    if size is None or (labels is not None and tuple(labels) != tuple(range(len(labels)))):
        return None
    return sympy.sympify(size).subs(dict(sent.at), simultaneous=True)


def _outside(sent: Sends) -> Iterator[str]:
    """Yield the bounds of the randomizer's parameters that are not seen to hold."""
    at = {p: sympy.sympify(sent.at.get(p, p)) for p in sent.randomizer.parameters}
    for p, value in at.items():
        domain = p.domain
        margins = [] if domain.lower is None else [(p - domain.lower, domain.lower_open)]
        margins += [] if domain.upper is None else [(domain.upper - p, domain.upper_open)]
        margins += [(each.margin, each.strict) for each in domain.also]
        margins = [(sympy.sympify(margin), strict) for margin, strict in margins]
        # A parameter that stands for itself has the domain that it was declared with.
        margins = [
            (m, strict) for m, strict in margins if any(at.get(s, s) != s for s in m.free_symbols)
        ]
        kept = (not domain.integer or value.is_integer) and all(
            _at_least(m.subs(at, simultaneous=True), 0, strict=strict) for m, strict in margins
        )
        if not kept:
            yield f"{domain.describe(p.name)} at {p} = {value}"
    for relation in sent.randomizer.assuming:
        yield str(relation)


def within(value: Any, below: Any, ranges: dict[Any, Any]) -> bool:
    """Return whether an expression is seen to be one of 0..below - 1.

    Args:
        value: of symbols of `ranges`, and of parameters.
        below: a positive integer, or an expression that is one.
        ranges: symbol -> how many numbers it may be, from 0 on.

    Returns:
        False also where it is so, and is not seen.
    """
    value, below = sympy.sympify(value), sympy.sympify(below)
    if not value.has(*ranges):
        return bool(value.is_integer and value.is_nonnegative and _at_least(below - 1, value))
    if value in ranges:
        return _at_least(below, ranges[value])
    if isinstance(value, PaddedItem):
        whole = all(each.is_integer for each in value.args) and value.args[3].is_positive
        known = value.args[0] in ranges or isinstance(value.args[0], HeldAmong | SignedItems)
        return bool(whole) and known and _at_least(below, value.args[2] + value.args[3])
    if isinstance(value, MaskedChange):
        return _at_least(below, 2)
    if isinstance(value, SizeOf):
        return _at_least(below - 1, value.args[1])
    if isinstance(value, sympy.Mod | sympy.Add):
        tops = [_highest(part, ranges) for part in sympy.Add.make_args(value)]
        return None not in tops and _at_least(below - 1, sympy.Add(*tops))
    if isinstance(value, sympy.floor):
        (symbol, *more) = [s for s in ranges if value.has(s)]
        factor = sympy.simplify(value.args[0] / symbol)
        if more or factor.has(symbol) or not factor.is_positive:
            return False
        # From x < r and c r <= b follows c x < b, so that its floor is at most b - 1.
        return _at_least(below, ranges[symbol] * factor)
    if isinstance(value, sympy.Piecewise):
        if value.args[-1][1] != sympy.true:
            return False  # it has no value where none of the conditions holds
        if isinstance(below, sympy.Piecewise) and [c for _, c in value.args] == [
            c for _, c in below.args
        ]:
            pairs = zip(value.args, below.args, strict=True)
            return all(within(each, most, ranges) for (each, _), (most, _) in pairs)
        return all(within(each, below, ranges) for each, _ in value.args)
    if isinstance(value, sympy.Min):
        natural = all(each.is_integer and each.is_nonnegative for each in value.args)
        return natural and any(
            within(each, below, ranges) or (not each.has(*ranges) and _at_least(below - 1, each))
            for each in value.args
        )
    return False


def _highest(value: Any, ranges: dict[Any, Any]) -> Any:
    """The largest that a multiple of a remainder may be; None where that is not seen."""
    several = [part for part in sympy.Mul.make_args(value) if isinstance(part, sympy.Mod)]
    if len(several) != 1:
        return None
    (rest,) = several
    factor = sympy.Mul(*[part for part in sympy.Mul.make_args(value) if part is not rest])
    if factor.has(*ranges) or not (factor.is_integer and factor.is_positive):
        return None
    number, modulus = rest.args
    natural = number.is_integer and modulus.is_integer and modulus.is_positive
    return factor * (modulus - 1) if natural else None


def _at_least(one: Any, other: Any, *, strict: bool = False) -> bool:
    """Return whether a parameter expression is seen to be at least another, or above it."""
    room = sympy.sympify(one - other)
    if isinstance(room, sympy.log):
        return _at_least(room.args[0], 1, strict=strict)
    room = room.subs({symbol: _shifted(symbol) for symbol in room.free_symbols})
    # e^b is 1 and a positive number, whatever else is known of a b > 0.
    above = [power for power in room.atoms(sympy.exp) if power.args[0].is_positive]
    room = room.subs({power: 1 + sympy.Dummy(positive=True) for power in above})
    difference = sympy.piecewise_fold(sympy.powsimp(sympy.expand(room)))
    parts = [e for e, _ in difference.args] if difference.has(sympy.Piecewise) else [difference]
    found = [sympy.simplify(part) for part in parts]
    return all(bool(each.is_positive if strict else each.is_nonnegative) for each in found)


def _shifted(symbol: Any) -> Any:
    """A declared parameter as its lower bound and a number that sympy knows not to be negative."""
    domain = getattr(symbol, "domain", None)
    if domain is None or domain.lower is None or sympy.sympify(domain.lower).free_symbols:
        return symbol
    above = {"positive": True} if domain.lower_open else {"nonnegative": True}
    return domain.lower + sympy.Dummy(symbol.name, integer=domain.integer or None, **above)
