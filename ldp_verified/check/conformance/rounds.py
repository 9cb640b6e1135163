"""Prefix rounds against their box: the group asked, the function, and the answer in each round.

What a user answers about is worked out here from the box: the place of the value's prefix in what
was published, and the bucket of its extension under the function that the report names.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.grouped import WIDTH, bucket, whole
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    ProtocolSubject,
    Scene,
    differing,
    estimates_look,
    law,
    tallied,
)
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin
from ldp_verified.protocols import PrefixRound, PrefixRounds, RoundReports, RoundState
from ldp_verified.run.mechanisms import GRR

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes


def rounds_subject(made: PrefixRounds, asks: type[PrefixRound] = PrefixRound) -> ProtocolSubject:
    """The draw of groups, and every round after a published list with and without the value.

    Args:
        made: the protocol, with few functions. asks: the class of its rounds.
    """
    scenes = [_groups(made)]
    scenes += [_answers(made, number, asks) for number in range(made.rounds)]
    return ProtocolSubject(repr(made), tuple(scenes))


def declared_shares(made: PrefixRounds) -> list[Fraction]:
    """The chance of each group, from the declaration's split of its coins."""
    declared = load_protocol("prefix_rounds")
    known = {"levels": made.levels, "cohorts": 1}  # a group's cohorts are looked at by themselves
    named = {p: known[p.name] for p in declared.parameters if p.name in known}
    groups = declared.groups
    assert groups is not None
    coins = int(groups.coins.subs(named))
    rule = groups.of.subs(named)
    found = [0] * made.rounds
    for c in range(coins):
        found[int(rule.subs(coin, c))] += 1
    return [Fraction(ways, coins) for ways in found]


def _groups(made: PrefixRounds) -> Scene:
    masses = {f"group {i}": share for i, share in enumerate(declared_shares(made))}
    look = law("groups that are drawn", masses)

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        from ldp_verified.run.kernels.seeds import word_source

        return [tallied(made.draw_groups(users, word_source(rng, "conformance")), look)]

    return Scene("groups", (look,), run, BULK_SHARE, BULK_LIMIT)


def _published(made: PrefixRounds, number: int, value: int, inside: bool) -> tuple[int, ...]:
    """A made-up list: a server may publish any. One has the value's prefix, the other has not."""
    if number == 0:
        return ()
    length = (0, *made.lengths)[number]
    low = WIDTH - length
    own = value >> low << low
    others = [own ^ (1 << (WIDTH - 1)), own ^ (1 << low)]
    return (others[0], own, others[1]) if inside else (*others,)


def _answers(made: PrefixRounds, number: int, asks: type[PrefixRound]) -> Scene:
    held: Any = "caffè" if made.bits is None else ((1 << made.width) - 1) // 3
    value = whole(made.encode([held])[0])
    kinds = [True, False] if number else [True]
    asked = [asks(made, number, _published(made, number, value, i)) for i in kinds]
    looks = []
    for inside, each in zip(kinds, asked, strict=True):
        p = GRR(made.epsilon, each.answers).p
        q = (1 - p) / (each.answers - 1)
        where = f"round {number}, {'with' if inside else 'without'} the own prefix"
        shifts = {f"answer {d} above the own": p if d == 0 else q for d in range(each.answers)}
        looks.append(law(f"answers in {where}", shifts))
        places = {f"function {c}": Fraction(1, made.cohorts) for c in range(made.cohorts)}
        looks.append(law(f"functions in {where}", places))
    if number == made.levels:
        looks.append(estimates_look(["estimate of what is held", "its error"]))

    def run(users: int, rng: np.random.Generator) -> list[Codes]:
        found: list[Codes] = []
        reports: list[RoundReports] = []
        for place, (inside, each) in enumerate(zip(kinds, asked, strict=True)):
            reports.append(each.privatize([held] * users, rng))
            own = np.array([_own(each, value, inside, c) for c in range(made.cohorts)])
            functions = reports[-1].functions.astype(np.int64)
            answers = reports[-1].answers.astype(np.int64)
            right = own[np.minimum(functions, made.cohorts - 1)]
            shifts = np.where(answers < each.answers, (answers - right) % each.answers, -1)
            found.append(tallied(shifts, looks[2 * place]))
            found.append(tallied(functions, looks[2 * place + 1]))
        if number == made.levels:
            found.append(_counted(asked[0], reports[0], held, users))
        return found

    return Scene(f"round {number}", tuple(looks), run, BULK_SHARE, BULK_LIMIT)


def _own(asked: PrefixRound, value: int, inside: bool, place: int) -> int:
    """The true answer under the function at a place of the list, by the box."""
    where = 2 if inside and asked.number else 0  # places are counted from 1
    if asked.confirms:
        return where
    if asked.number and not where:
        return 0
    words = asked.functions[place]
    seed = int(words[2]) << 128 | int(words[1]) << 64 | int(words[0])
    low = WIDTH - asked.end
    hashed = bucket(seed, value >> low << low, asked.buckets.bit_length() - 1)
    return hashed + (asked.number > 0)


def _counted(asked: PrefixRound, reports: RoundReports, held: Any, users: int) -> Codes:
    """The count of the published value that is held, and its standard error."""
    state = RoundState(asked, simulated=True).update(reports)
    stated = state.estimate([held])
    p = float(GRR(asked.protocol.epsilon, asked.answers).p)
    q = (1 - p) / (asked.answers - 1)
    named = int((reports.answers == 2).sum())
    count = (named - users * q) / (p - q)
    f = min(1.0, max(0.0, count / users))
    spread = ((1 - f) * q * (1 - q) + f * p * (1 - p)) / (p - q) ** 2
    right = [count, (users * spread) ** 0.5]
    return differing([float(stated.counts[0]), float(stated.std_error[0])], right, users)
