"""The cost of one user's whole transcript: a derivation tree of theorems of `proofs/lib`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.protocol import Protocol, Round, Sends, group, turn

SEQUENTIAL = "LDP.Protocols.sequential_ldp"
SPLIT = "LDP.Protocols.groups_ldp"
ENCODED = "LDP.Combine.encode_first_ldp"
SAMPLED = "LDP.Sampling.hidden_ldp"
AMPLIFIED = "LDP.Sampling.hidden_response_ldp"
PROCESSED = "LDP.Combine.post_ldp"
COMPOSED = "LDP.Combine.compose_ldp"
BOUNDED = "LDP.Resting.turns_ldp"


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Attributes:
        epsilon: what this part of the transcript costs.
        says: why, in a sentence.
        theorem: of Coq, from which it follows; empty for a claim of a mechanism.
        parts: what it follows from.
        sent: the report whose mechanism's claim this is; None elsewhere.
    """

    epsilon: Any
    says: str
    theorem: str = ""
    parts: tuple[Step, ...] = ()
    sent: Sends | None = None

    def steps(self) -> Iterator[Step]:
        """This step and all below it."""
        yield self
        for part in self.parts:
            yield from part.steps()

    def lines(self, depth: int = 0) -> Iterator[str]:
        """The tree as indented sentences."""
        rests = f" [theorem {self.theorem}]" if self.theorem else " [claim of the mechanism]"
        yield f"{'  ' * depth}{self.epsilon}: {self.says}{rests}"
        for part in self.parts:
            yield from part.lines(depth + 1)

    @property
    def text(self) -> str:
        """The tree, one step a line."""
        return "\n".join(self.lines())


def ledger(protocol: Protocol) -> Step:
    """The derivation of an upper bound on the epsilon of one user's whole transcript.

    Raises:
        SpecError: a price differs between groups or turns whose number is not fixed.
    """
    each = tuple(_round(position, r) for position, r in enumerate(protocol.rounds, start=1))
    if any(declared.speaks is not None for declared in protocol.rounds):
        found, told = _by_group(protocol, each), True
    else:
        found, told = _in_order(each), False
    if protocol.groups is not None and not told:
        worst = _over_groups(found.epsilon, protocol.groups.count)
        says = (
            f"a user is in one of {protocol.groups.count} groups, drawn without looking at the "
            "value and published: the dearest group counts"
        )
        found = Step(worst, says, SPLIT, (found,))
    says = "what the server makes of the transcript, and publishes, adds nothing"
    return Step(found.epsilon, says, PROCESSED, (found,))


def _in_order(each: tuple[Step, ...]) -> Step:
    if len(each) == 1:
        return each[0]
    total = sympy.Add(*(part.epsilon for part in each))
    says = f"the {len(each)} kinds of rounds come one after the other, so their prices add up"
    return Step(total, says, COMPOSED, each)


def _by_group(protocol: Protocol, each: tuple[Step, ...]) -> Step:
    """Price the users of each group, who are silent in the rounds of other groups."""
    assert protocol.groups is not None
    parts = []
    for number in range(int(protocol.groups.count)):
        own = tuple(
            step
            for step, declared in zip(each, protocol.rounds, strict=True)
            if declared.speaks in (None, number)
        )
        if not own:
            raise SpecError("rounds", "must have a report of each group", number)
        parts.append(_in_order(own))
    worst = sympy.Max(*(part.epsilon.subs(group, i) for i, part in enumerate(parts)))
    says = (
        f"a user is in one of {len(parts)} groups, drawn without looking at the value and "
        "published, and sends in its rounds only: the dearest group counts"
    )
    return Step(worst, says, SPLIT, tuple(parts))


def _round(position: int, declared: Round) -> Step:
    sent = tuple(_sent(each) for each in declared.sends)
    found = sent[0]
    if any(each.bounded for each in declared.sends):
        return _bounded(declared, sent)
    if declared.either:
        worst = sympy.Max(*(part.epsilon for part in sent))
        says = f"round {position} sends one of {len(sent)} reports, and which one is public"
        found = Step(worst, says, SPLIT, sent)
    elif len(sent) > 1:
        total = sympy.Add(*(part.epsilon for part in sent))
        says = f"round {position} sends {len(sent)} reports, each in view of those before"
        found = Step(total, says, COMPOSED, sent)
    if declared.times == 1:
        return found
    if found.epsilon.has(turn):
        total = sympy.summation(found.epsilon, (turn, 0, declared.times - 1))
    else:
        total = declared.times * found.epsilon
    says = (
        f"{declared.times} rounds, each in view of all that was sent and published before, "
        "whatever the server publishes: their prices add up"
    )
    return Step(total, says, SEQUENTIAL, (found,))


def _bounded(declared: Round, sent: tuple[Step, ...]) -> Step:
    """Price reports by the turns in which they can tell two values apart."""
    total, why = sympy.Integer(0), []
    for each, part in zip(declared.sends, sent, strict=True):
        if each.leaves is not None:
            turns = sympy.Min(2 * each.leaves, declared.times)
            why.append(
                f"the input of {each.randomizer.name} leaves {each.rest} in at most {each.leaves} "
                f"turns, so that of two values differs in {turns}"
            )
        else:
            turns = sympy.Min(each.asked, declared.times)
            why.append(f"{each.randomizer.name} is asked for, in public, in at most {turns} turns")
        total += turns * part.epsilon
    says = (
        f"{declared.times} rounds, each in view of all that was sent and published before, "
        f"whatever the server publishes: {'; '.join(why)}"
    )
    return Step(sympy.expand(total), says, BOUNDED, sent)


def _sent(sent: Sends) -> Step:
    name = sent.randomizer.name
    claim = Step(sent.alone, f"{name} on its own input", sent=sent)
    if sent.draws != 1:
        says = f"{name} is applied to {sent.of}, which a coin of the user's own decides too"
        if sent.most == 1:
            return Step(sent.price, says, SAMPLED, (claim,))
        says += f": no input has a chance above {sent.most}, so it hides among the others"
        return Step(sent.price, says, AMPLIFIED, (claim,))
    says = f"{name} is applied to {sent.of}, a function of the value and of what is public"
    return Step(sent.price, says, ENCODED, (claim,))


def _over_groups(price: Any, count: Any) -> Any:
    if not price.has(group):
        return price
    if not sympy.sympify(count).is_Integer:
        rule = "must be the same for all groups, or the number of groups a number"
        raise SpecError("price", rule, str(price))
    return sympy.Max(*(price.subs(group, number) for number in range(int(count))))
