"""Programs that report on one of several attributes among fakes, and do not say on which.

Fakes are drawn for every attribute, the own one too: how many words are read, and where, depends on
nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ldp_verified.run.program.form import Choice, Constant, Store, Variable, When
from ldp_verified.run.program.groups import InnerProgram, Names, coin_of, together, uniform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Program


def one_among_fakes(name: str, inputs: int, parts: Sequence[InnerProgram]) -> Program:
    """The report of one part, which is not said, and uniform numbers in the place of all others.

    Args:
        name: of the protocol.
        inputs: values are 0..inputs-1.
        parts: each reports one number, below as many as there are values of it.

    Raises:
        ParameterError: the integers do not fit each other, or there are too many values.
    """
    width = parts[0].program.width
    group, coin = Variable("group", len(parts)), coin_of(width)
    names, body = Names(group, coin), uniform(group, coin, width)
    for number, part in enumerate(parts):
        fake = names.renamed(Variable("fake", part.program.inputs))
        faked = When(group.unequal(number), (Store(Constant(part.place), fake),))
        body += (*names.placed(part), *uniform(fake, coin, width), faked)
    return together(name, inputs, body, parts)


def bits_among_fakes(
    name: str, inputs: int, parts: Sequence[InnerProgram], zeros: Sequence[Program] | None
) -> Program:
    """The bits of one part, which is not said, and fake bits in the place of all others.

    Args:
        name: of the protocol.
        inputs: values are 0..inputs-1.
        parts: unary encodings in order; they are given their places here.
        zeros: the programs of fakes that no value is held in, and that read as many words; None for
            fakes of a uniform value.

    Raises:
        ParameterError: the integers do not fit each other, or there are too many values.
    """
    width = parts[0].program.width
    group, coin = Variable("group", len(parts)), coin_of(width)
    names, body, placed = Names(group, coin), uniform(group, coin, width), list[InnerProgram]()
    for number, part in enumerate(parts):
        start = placed[-1].place + placed[-1].program.numbers if placed else 0
        own = replace(part, place=start)
        if zeros is None:
            fake = names.renamed(Variable("fake", part.program.inputs))
            own = replace(own, held=Choice(group.unequal(number), fake, part.held))
            body += (*uniform(fake, coin, width), *names.placed(own))
        else:
            faked = names.placed(replace(own, program=zeros[number], held=Constant(0)))
            body += (When(group.unequal(number), faked, names.placed(own)),)
        placed.append(own)
    return together(name, inputs, body, placed)
