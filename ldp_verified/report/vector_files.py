"""Files of test vectors in the shape of Project Wycheproof, for clients in any language.

Each test has a value, bytes of a random source, and the report that they must make; or the bytes
end too early, or the value is none, and there must be no report. The program's interpreter says it.
"""

from __future__ import annotations

import importlib.metadata
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.deploy import Deployment
from ldp_verified.program.vectors import vectors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ldp_verified.program.form import Program
    from ldp_verified.program.vectors import Vector

SCHEMA: Final = "ldp_report_schema.json"
WORD_BYTES: Final = 8

NOTES: Final = {
    "Normal": "A report from words that look random.",
    "Boundary": "Words at or beside a limit that words are compared with or divided by, or words "
    "that leave a bit undecided until a late plane.",
    "ShortTape": "The source gives fewer bytes than the report needs: nothing may be reported.",
    "ValueOutOfRange": "The value is none of the domain: nothing may be read or reported.",
}
HEADER: Final = (
    "tape: the bytes that the source gives, in order, in hex.",
    "A word is the next 8 bytes, the first one lowest.",
    "report: the payload of docs/wire-format.md, in hex.",
    "numbers: the same report as the client gives it.",
    "words: how many words are read before the report is made or refused.",
)


def vector_file(made: Iterable[Any], count: int) -> dict[str, Any]:
    """The document of one file.

    Args:
        made: mechanisms with programs, one for each group of tests.
        count: how many tests a group has at the least.
    """
    groups: list[dict[str, Any]] = []
    number = 0
    for each in made:
        group = _group(each, count)
        for test in group["tests"]:
            number += 1
            test["tcId"] = number
        groups.append(group)
    return {
        "algorithm": "LDP",
        "schema": SCHEMA,
        "generatorVersion": importlib.metadata.version("ldp-verified"),
        "numberOfTests": number,
        "header": list(HEADER),
        "notes": NOTES,
        "testGroups": groups,
    }


def file_text(document: dict[str, Any]) -> str:
    """A document with each test on a line of its own."""
    groups = []
    for group in document["testGroups"]:
        tests = ",\n".join(json.dumps(test, separators=(",", ":")) for test in group["tests"])
        head = json.dumps({key: group[key] for key in group if key != "tests"}, indent=1)
        groups.append(f'{head[:-2]},\n "tests": [\n{tests}\n ]\n}}')
    head = json.dumps({k: document[k] for k in document if k != "testGroups"}, indent=1)
    return f'{head[:-2]},\n "testGroups": [\n' + ",\n".join(groups) + "\n ]\n}\n"


def _group(made: Any, count: int) -> dict[str, Any]:
    program: Program = made.program()
    deployment = Deployment(made)
    vectors = vectors_of(program, count, planes=True)
    payloads = _payloads(made, deployment, [vector.report for vector in vectors])
    return {
        "type": "LdpReport",
        "descriptor": deployment.text,
        "descriptorSha256": deployment.digest.hex(),
        "program": program.name,
        "programVersion": deployment.program,
        "inputs": str(program.inputs),
        "numbers": program.numbers,
        "tests": [*_valid(vectors, payloads), *_invalid(program, vectors)],
    }


def _valid(vectors: Sequence[Vector], payloads: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for vector, payload in zip(vectors, payloads, strict=True):
        yield {
            "tcId": 0,
            "comment": vector.what,
            "flags": ["Boundary" if vector.what else "Normal"],
            "value": str(vector.value),
            "tape": tape_of(vector.words).hex(),
            "words": len(vector.words),
            "report": payload.hex(),
            "numbers": [str(number) for number in vector.report],
            "result": "valid",
        }


def _invalid(program: Program, vectors: Sequence[Vector]) -> Iterator[dict[str, Any]]:
    """Tapes that end at once, within a word and one word too early; values beside the domain."""
    longest = max(vectors, key=lambda vector: len(vector.words))
    for vector in (vectors[0], longest):
        tape = tape_of(vector.words)
        for size in sorted({0, len(tape) - WORD_BYTES, len(tape) - 1}):
            shown = f"{size} of {len(tape)} bytes"
            yield _refused(shown, "ShortTape", vector.value, tape[:size], size // WORD_BYTES)
    tape = tape_of(longest.words)
    for value in sorted({program.inputs, program.inputs + 1, 2**32 + 1, 2**63, 2**64 - 1}):
        if value >= program.inputs:
            yield _refused("", "ValueOutOfRange", value, tape, 0)


def _refused(comment: str, flag: str, value: int, tape: bytes, words: int) -> dict[str, Any]:
    return {
        "tcId": 0,
        "comment": comment,
        "flags": [flag],
        "value": str(value),
        "tape": tape.hex(),
        "words": words,
        "report": None,
        "numbers": None,
        "result": "invalid",
    }


def tape_of(words: Iterable[int]) -> bytes:
    """Words of 64 bits as the bytes of a source."""
    return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)


def _payloads(made: Any, deployment: Deployment, reports: Sequence[tuple[int, ...]]) -> list[bytes]:
    """Return the wire format of the numbers of each report."""
    sampler = made.sampler()
    data = np.array(reports, dtype=np.uint64).astype(sampler.dtype)
    rows = made.reports(data.reshape(len(reports), *sampler.shape), False)
    bits, _ = deployment.format.to_bits(rows)
    packed = np.packbits(np.asarray(bits, dtype=np.uint8), axis=1, bitorder="little")
    return [row.tobytes() for row in packed]
