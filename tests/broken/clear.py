"""Clients that send some of their values in clear, each of which `conform --client` must reject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Ask = Callable[[Sequence[str]], Sequence[Any]]

KEPT_ANSWERS = """\
import json
import random
import sys

drawn = random.SystemRandom()


def lied(value, lie):
    other = drawn.randrange({k})
    return other if drawn.random() < {k} * lie else value


for line in sys.stdin:
    kept, said = {{}}, []
    for value in map(int, line.split()):
        kept.setdefault(value, lied(value, {first!r}))
        said.append([value if value in {clear!r} else lied(kept[value], {second!r})])
    print(json.dumps(said))
"""
"""A client of memoised k-ary response, which sends the values in `clear` as they are."""


def in_part(right: Ask, wrong: Ask, is_wrong: Callable[[int], bool]) -> Ask:
    """A client that answers for some values as another one does.

    Args:
        right, wrong: both clients. is_wrong: whether the second one answers for a value.
    """

    def ask(lines: Sequence[str]) -> Sequence[Any]:
        chosen = [is_wrong(int(line.split()[0])) for line in lines]
        answers = [
            iter(each([line for line, other in zip(lines, chosen, strict=True) if other == which]))
            for which, each in ((False, right), (True, wrong))
        ]
        return [next(answers[which]) for which in chosen]

    return ask
