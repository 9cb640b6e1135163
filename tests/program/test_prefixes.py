"""The program of prefix extending reads the words that its Python client reads, to the same end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import PrefixExtending
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.prefixes import hashed_prefix
from ldp_verified.run.program.vectors import boundary_words
from tests.program.node import node, ran

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program

MADE = [
    *(PrefixExtending(2.0), PrefixExtending(1.0, 64), PrefixExtending(1.0, 16, 4)),
    *(PrefixExtending(0.5, 100, 20, 2), PrefixExtending(3.0, 128, 7, 256)),
    *(PrefixExtending(1.0, 2, 1), PrefixExtending(1.0, 65, 13)),
]
LETTERS = ("", "a", "é", "word", "\0", "zwölf Zeichen!", "€uro", "fifteen bytes..")


def values_of(made: PrefixExtending, rng: np.random.Generator) -> list[tuple[Any, int]]:
    """Values as the Python client takes them, and as a program does."""
    if made.bits is None:
        encoded = made.encode(list(LETTERS)).tolist()
        return [
            (text, upper << 64 | lower)
            for text, (upper, lower) in zip(LETTERS, encoded, strict=True)
        ]
    numbers = {int.from_bytes(rng.bytes(16), "little") % (1 << made.bits) for _ in range(6)}
    return [(number, number) for number in sorted(numbers | {0, (1 << made.bits) - 1})]


def differs(made: PrefixExtending, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another message than the Python client's."""
    tapes = [rng.integers(0, 1 << 64, 8, dtype=np.uint64) for _ in range(20)]
    for word in boundary_words(made.program()):
        for place in (0, 4):
            tapes.append(rng.integers(0, 1 << 64, 8, dtype=np.uint64))
            tapes[-1][place] = word
    for tape in tapes:
        for value, number in values_of(made, rng):
            sent = made.client(rng=ReplayWords(tape)).report(value)
            right = (*sent.groups.tolist(), *sent.seeds[0].tolist(), *sent.buckets.tolist())
            if interpret(program, number, tape.tolist()).report != right:
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_sends_what_the_python_client_sends(
    made: PrefixExtending, rng: np.random.Generator
) -> None:
    """At full width: random words, and those at and beside every limit."""
    assert not differs(made, made.program(), rng)


@pytest.mark.parametrize(
    "change",
    [
        lambda sizes, coins: (sizes, (coins[0] - 1, coins[1])),
        lambda sizes, coins: ((*sizes[:3], sizes[3] - 1), coins),
        lambda sizes, coins: ((sizes[0], (*sizes[1][:-1], sizes[1][0]), *sizes[2:]), coins),
        lambda sizes, coins: ((sizes[0] + 1, *sizes[1:]), coins),
    ],
    ids=["coins", "threshold", "length", "bits"],
)
def test_other_numbers_are_seen(change: Callable[..., Any], rng: np.random.Generator) -> None:
    """Fewer coins of the finding groups, a threshold one off, a shorter prefix, a moved value."""
    made = PrefixExtending(1.0, 16, 4)
    sizes, coins = change((16, made.lengths, made.buckets, made.thresholds[0]), (17, 20))
    program = hashed_prefix("wrong", sizes[0], sizes[1], sizes[2], sizes[3], coins)
    assert any(differs(made, program, rng) for _ in range(4))


@pytest.mark.parametrize(
    ("bits", "g", "lie"), [(200, 4, 1), (16, 4, 1 << 63), (16, 3, 0), (0, 4, 1)]
)
def test_sizes_that_do_not_fit_are_refused(bits: int, g: int, lie: int) -> None:
    with pytest.raises(ParameterError):
        hashed_prefix("none", bits, (8, bits), g, lie, (17, 20))


def test_the_page_makes_a_text_the_value_that_python_makes(tmp_path: Path) -> None:
    """The page's lines for texts in JavaScript, run by node."""
    if node() is None:
        return
    page = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
    lines = page.split("as a BigInt:\n\n")[1].split("\n\n")[0]
    script = f"const found = {json.dumps(LETTERS)}.map((text) => {{\n{lines}\nreturn value; }});"
    said = ran(tmp_path, script + "\nconsole.log(JSON.stringify(found.map(String)));")
    encoded = PrefixExtending(2.0).encode(list(LETTERS)).tolist()
    assert [*map(int, json.loads(said))] == [upper << 64 | lower for upper, lower in encoded]
