"""Test vectors of clients that keep a state: what is kept before a report, and after it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.device_formats import MESSAGING
from ldp_verified.protocols import MemoReport
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels import SAME_ANSWERS
from ldp_verified.run.program.state import MOST_REPORTS, state_size, written_state
from ldp_verified.run.program.vectors import IN_A_ROW

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ldp_verified.run.program.form import PrivateValue, Program
    from ldp_verified.run.program.vectors import Vector

WORD_BYTES: Final = 8

_DAYS: Final = 17
"""Reports in a row of a client over days: the 16th ends a block of the fifth level."""


def in_a_row(made: Any) -> int:
    """How many reports of one client stand in a row among vectors of a mechanism."""
    return _DAYS if type(made) in MESSAGING else IN_A_ROW


def state_identity(made: Any, strings: Sequence[str] = ()) -> bytes:
    """The 8 bytes that the state of a client begins with: a hash of its deployment.

    It is that of the first version of the program whose answers this one gives: what clients of
    that version kept serves newer ones.

    Args:
        made: the mechanism or protocol.
        strings: what users can hold; of RAPPOR alone.
    """
    first = min(SAME_ANSWERS)
    digest = Deployment(made, program=first, accepts=(first,)).digest
    if strings:
        known = json.dumps([*strings]).encode("ascii")
        digest = hashlib.sha256(b"key and strings" + digest + known).digest()
    return digest[:8]


def kept_group(
    made: Any, strings: Sequence[str], program: Program, vectors: Sequence[Vector]
) -> dict[str, Any]:
    """A group of tests of a client that keeps a state."""
    deployment, identity = Deployment(made), state_identity(made, strings)
    tests = [*_valid(made, deployment, program, vectors, identity)]
    tests += _refused_tapes(program, vectors, identity)
    tests += _refused_states(program, vectors, identity)
    return {
        "type": "LdpReport",
        "descriptor": deployment.text,
        "descriptorSha256": deployment.digest.hex(),
        "program": program.name,
        "programVersion": deployment.program,
        "inputs": str(program.inputs),
        "numbers": program.numbers,
        **({"strings": [*strings]} if strings else {}),
        "stateBytes": state_size(program),
        "tests": tests,
    }


def _valid(
    made: Any,
    deployment: Deployment,
    program: Program,
    vectors: Sequence[Vector],
    identity: bytes,
) -> Iterator[dict[str, Any]]:
    for number, vector in enumerate(vectors):
        before = [*vector.cells] or [0] * program.cells
        payload = _payload(made, deployment, vector.report, number + 1)
        yield {
            "tcId": 0,
            "comment": vector.what,
            "flags": ["Boundary" if vector.what else "Normal"],
            "value": str(vector.value),
            "tape": tape_of(vector.words).hex(),
            "words": len(vector.words),
            "state": written_state(before, number, identity).hex(),
            "stateAfter": written_state(vector.after, number + 1, identity).hex(),
            "report": payload.hex(),
            "numbers": [str(each) for each in vector.report],
            "result": "valid",
        }


def _payload(made: Any, deployment: Deployment, report: tuple[int, ...], number: int) -> bytes:
    """Return what stands in the wire format: the number of the report, then the report.

    Of a client over days, it is each of its messages.
    """
    sent: Any = made.reports_of([report])
    if type(made) not in MESSAGING:
        if isinstance(sent, Reports):
            sent = [MemoReport(sent, made.choice_in([*report]), number)]
        sent = [replace(each, number=number) for each in sent]
    found, _ = deployment.format.to_bits(sent)
    packed = np.packbits(np.asarray(found, dtype=np.uint8), axis=1, bitorder="little")
    return packed.tobytes()


def _refused_tapes(
    program: Program, vectors: Sequence[Vector], identity: bytes
) -> Iterator[dict[str, Any]]:
    """Tapes that end too early, and values beside the domain."""
    longest = max(vectors, key=lambda vector: len(vector.words))
    tape = tape_of(longest.words)
    cells = [*longest.cells] or [0] * program.cells
    state = {"state": written_state(cells, 5, identity).hex(), "stateAfter": None}
    for size in sorted({0, len(tape) - WORD_BYTES, len(tape) - 1}):
        shown = f"{size} of {len(tape)} bytes"
        test = refused(shown, "ShortTape", longest.value, tape[:size], size // WORD_BYTES)
        yield {**test, **state}
    for value in sorted({program.inputs, program.inputs + 1, 2**32 + 1, 2**64 - 1}):
        yield {**refused("", "ValueOutOfRange", value, tape, 0), **state}


def _refused_states(
    program: Program, vectors: Sequence[Vector], identity: bytes
) -> Iterator[dict[str, Any]]:
    """One bit that is another one in each part, no report left, and another deployment's."""
    vector = next(vector for vector in vectors if vector.cells)
    right = written_state(vector.cells, 5, identity)
    other = bytes(byte ^ 255 for byte in identity)
    wrong = [("ForeignState", "another deployment", written_state(vector.cells, 5, other))]
    for place in sorted(
        {0, 8, 12, len(right) // 2, len(right) - 5, len(right) - 4, len(right) - 1}
    ):
        damaged = bytearray(right)
        damaged[place] ^= 1
        wrong.append(("DamagedState", f"byte {place}", bytes(damaged)))
    used_up = written_state(vector.cells, MOST_REPORTS, identity)
    wrong.append(("DamagedState", "no report is left", used_up))
    if program.kept_below < 1 << 32:
        over = [program.kept_below, *vector.cells[1:]]
        wrong.append(("DamagedState", "a cell is too large", written_state(over, 5, identity)))
    for flag, comment, state in wrong:
        test = refused(comment, flag, vector.value, tape_of(vector.words), 0)
        yield {**test, "state": state.hex(), "stateAfter": None}


def shown_value(value: PrivateValue) -> str | list[str]:
    """A value as the files have it: digits, or of an array a list of them."""
    return str(value) if isinstance(value, int) else [*map(str, value)]


def refused(
    comment: str, flag: str, value: PrivateValue, tape: bytes, words: int
) -> dict[str, Any]:
    """A test whose client must not report."""
    return {
        "tcId": 0,
        "comment": comment,
        "flags": [flag],
        "value": shown_value(value),
        "tape": tape.hex(),
        "words": words,
        "report": None,
        "numbers": None,
        "result": "invalid",
    }


def tape_of(words: Iterable[int]) -> bytes:
    """Words of 64 bits as the bytes of a source."""
    return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
