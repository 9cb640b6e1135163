"""The law of a protocol: who sends what, in one spelling, and its hash.

Reports and states of protocols are told apart by this hash, as those of mechanisms by theirs (see
`law`). Prose, titles and the text of the estimator have no part in it. An expression is spelled as
sympy holds it, with the terms of sums and products in the order of their spelling. So two
expressions that sympy does not hold to be equal are two laws, though they may be equal.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import sympy

if TYPE_CHECKING:
    from ldp_verified.language.protocol import Protocol, Published, Round, Sends

VERSION = 1
"""The version of the spelling; another version gives every protocol another hash."""

_UNORDERED = (sympy.Add, sympy.Mul, sympy.Min, sympy.Max, sympy.And, sympy.Or)


def protocol_law(protocol: Protocol) -> str:
    """The sha256 of the law's text, in hex."""
    groups = protocol.groups
    record = {
        "version": VERSION,
        "symbols": {p.name: _domain(p.domain) for p in protocol.parameters},
        "values": _spelled(protocol.values),
        "epsilon": _spelled(protocol.epsilon),
        "groups": groups and [_spelled(e) for e in (groups.count, groups.of, groups.coins)],
        "rounds": [_round(each) for each in protocol.rounds],
    }
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _round(each: Round) -> Any:
    sends = [_sends(sent) for sent in each.sends]
    common = [sends, _published(each.publishes), _spelled(each.times)]
    everybody = each.speaks is None and not each.either
    return common if everybody else [*common, each.speaks, each.either]


def _published(publishes: Published | None) -> Any:
    return publishes and [_spelled(publishes.below)]


def _sends(sent: Sends) -> Any:
    at = {parameter.name: _spelled(value) for parameter, value in sent.at.items()}
    hidden = [] if sent.draws == sent.most == 1 else [_spelled(sent.draws), _spelled(sent.most)]
    bounds = [{n: _spelled(getattr(sent, n)) for n in ("rest", "leaves", "asked")}]
    return [sent.randomizer.law_hash, _spelled(sent.of), at, *hidden, *bounds * sent.bounded]


def _domain(domain: Any) -> Any:
    bounds = [None if b is None else _spelled(b) for b in (domain.lower, domain.upper)]
    also = sorted(f"{_spelled(c.margin)} {c.strict}" for c in domain.also)
    return [*bounds, bool(domain.lower_open), bool(domain.upper_open), bool(domain.integer), also]


def _spelled(value: Any) -> Any:
    if value is None:
        return None
    value = sympy.sympify(value)
    if value.is_Symbol:
        return value.name
    if not value.args:
        return [str(value)]
    parts = [_spelled(part) for part in value.args]
    if isinstance(value, _UNORDERED):
        parts.sort(key=json.dumps)
    return [type(value).__name__, *parts]
