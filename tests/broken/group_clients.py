"""Wrong clients of protocols of groups, tuples and sets: what `conform --client` must reject."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.protocols import (
    BoxWavelet,
    JointTables,
    PaddedSampling,
    ParityTables,
    RangeGrid,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)
from ldp_verified.run.program.client import ProgramClient
from tests.broken.group_programs import SLIPS, wrong_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ldp_verified.run.program import Program

    Ask = Callable[[Sequence[str]], list[Any]]

FURTHER = 2.5
"""Times the epsilon: a client that reveals too much."""


def ask_program(program: Program, change: Callable[[Any], int] = int) -> Ask:
    """Ask a client that is printed from a program, on a value that is changed before.

    Args:
        program: what it draws. change: of the value.
    """
    client = ProgramClient(program, change, plain=False)

    def ask(lines: Sequence[str]) -> list[Any]:
        answers = (client.report(int(line)) for line in lines)
        return [[*map(str, a)] if isinstance(a, tuple) else [a] for a in answers]

    return ask


def wrong_clients(made: Any) -> Iterator[tuple[str, Ask]]:
    """(what is wrong, the client) of a protocol.

    Args:
        made: the protocol.
    """
    program = made.program()
    # A threshold one too high is too little to be seen in reports of full width.
    slips = {*SLIPS} - {"a lie's threshold is one too high", "modulo in place of rejection"}
    for what, wrong in wrong_groups(program):
        if what in slips:
            yield what, ask_program(wrong)
    further = replace(made, epsilon=FURTHER * made.epsilon, **_kept(made))
    yield "another epsilon", ask_program(further.program())
    whole = program.inputs
    yield "the next value", ask_program(program, lambda value: (value + 1) % whole)
    if isinstance(made, PaddedSampling | ParityTables):
        mask = whole - 1
        yield "bits are shifted", ask_program(program, lambda value: value << 1 & mask)
        yield "bits are turned", ask_program(program, lambda value: value ^ mask)
        return
    sizes = _sizes(made)
    if len(sizes) > 1:
        yield "digits are swapped", ask_program(program, lambda value: _swapped(value, sizes))


def _kept(made: Any) -> dict[str, Any]:
    """What follows from epsilon where it is not given, and has to stay as it is."""
    names = ("step", "fanouts", "fanout", "g", "oracle_name")
    return {name: getattr(made, name) for name in names if hasattr(made, name)}


def _sizes(made: Any) -> tuple[int, ...]:
    match made:
        case JointTables():
            return made.shape(tuple(made.labels))
        case RangeGrid():
            return tuple(made.attributes.values())
        case BoxWavelet():
            return made.sizes
        case SampleOne() | Split() | SampleAmongFakes() | SampleAmongFakeBits():
            return made.ks
    return ()


def _swapped(value: int, sizes: tuple[int, ...]) -> int:
    """The last two numbers in each other's place, as far as they fit."""
    rest, last = divmod(value, sizes[-1])
    rest, first = divmod(rest, sizes[-2])
    return (rest * sizes[-2] + last % sizes[-2]) * sizes[-1] + first % sizes[-1]
