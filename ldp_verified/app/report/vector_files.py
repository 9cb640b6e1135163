"""Files of test vectors in the shape of Project Wycheproof, for clients in any language.

Each test has a value, bytes of a random source, and the report that they must make; or the bytes
end too early, or the value is none, and there must be no report. The program's interpreter says it.
"""

from __future__ import annotations

import importlib.metadata
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.app.report.vectors_kept import (
    WORD_BYTES,
    in_a_row,
    kept_group,
    refused,
    shown_value,
    tape_of,
)
from ldp_verified.deploy import Deployment
from ldp_verified.protocols import RegionChoice
from ldp_verified.run.program.vectors import vectors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ldp_verified.run.program.form import Program
    from ldp_verified.run.program.vectors import Vector

SCHEMA: Final = "ldp_report_schema.json"

NOTES: Final = {
    "Normal": "A report from words that look random.",
    "Boundary": "Words at or beside a limit that words are compared with or divided by, or words "
    "that leave a bit undecided until a late plane.",
    "ShortTape": "The source gives fewer bytes than the report needs: nothing may be reported.",
    "ValueOutOfRange": "The value is none of the domain: nothing may be read or reported.",
}
STATE_NOTES: Final = {
    "DamagedState": "What was kept is damaged, or has no report left: nothing may be reported.",
    "ForeignState": "What was kept belongs to another deployment: nothing may be reported.",
}
HEADER: Final = (
    "tape: the bytes that the source gives, in order, in hex.",
    "A word is the next 8 bytes, the first one lowest.",
    "report: the payload of docs/wire-format.md, in hex.",
    "numbers: the same report as the client gives it.",
    "words: how many words are read before the report is made or refused.",
    "state, stateAfter: what a client keeps, in hex, before the report and after it.",
)


def vector_file(made: Iterable[Any], count: int) -> dict[str, Any]:
    """The document of one file.

    Args:
        made: mechanisms with programs, one for each group of tests; of RAPPOR, pairs of the
            deployment and the strings that its users can hold.
        count: how many tests a group has at the least.
    """
    groups: list[dict[str, Any]] = []
    number = 0
    kept = False
    for each in made:
        group = _group(each, count)
        kept = kept or "stateBytes" in group
        for test in group["tests"]:
            number += 1
            test["tcId"] = number
        groups.append(group)
    return {
        "algorithm": "LDP",
        "schema": SCHEMA,
        "generatorVersion": importlib.metadata.version("ldp-verified"),
        "numberOfTests": number,
        "header": list(HEADER if kept else HEADER[:-1]),
        "notes": {**NOTES, **STATE_NOTES} if kept else NOTES,
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
    made, strings = made if isinstance(made, tuple) else (made, ())
    program: Program = made.program(strings) if strings else made.program()
    deployment = Deployment(getattr(made, "scheme", made))
    vectors = vectors_of(program, count, planes=True, in_a_row=in_a_row(made))
    if program.cells:
        return kept_group(made, strings, program, vectors)
    payloads = _payloads(made, deployment, [vector.report for vector in vectors])
    return {
        "type": "LdpReport",
        "descriptor": deployment.text,
        "descriptorSha256": deployment.digest.hex(),
        "program": program.name,
        "programVersion": deployment.program,
        "inputs": str(program.inputs),
        **({"length": program.length} if program.length else {}),
        "numbers": program.numbers,
        **_chosen(made),
        "tests": [*_valid(vectors, payloads), *_invalid(program, vectors)],
    }


def _chosen(made: Any) -> dict[str, Any]:
    """What the user of a group's client has chosen, in public; {} where there is no choice."""
    if not isinstance(made, RegionChoice):
        return {}
    return {"choice": {"region": made.region, "epsilon": made.epsilon}}


def _valid(vectors: Sequence[Vector], payloads: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for vector, payload in zip(vectors, payloads, strict=True):
        yield {
            "tcId": 0,
            "comment": vector.what,
            "flags": ["Boundary" if vector.what else "Normal"],
            "value": shown_value(vector.value),
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
            yield refused(shown, "ShortTape", vector.value, tape[:size], size // WORD_BYTES)
    tape = tape_of(longest.words)
    last = 2 ** (128 if program.wide else 64) - 1
    for value in sorted({program.inputs, program.inputs + 1, 2**32 + 1, 2**63, last}):
        if program.inputs <= value <= last and not program.length:
            yield refused("", "ValueOutOfRange", value, tape, 0)
        elif program.inputs <= value <= last:  # one number of an array
            for place in sorted({0, program.length // 2, program.length - 1}):
                numbers = (0,) * place + (value,) + (0,) * (program.length - 1 - place)
                yield refused(f"number {place}", "ValueOutOfRange", numbers, tape, 0)


def _payloads(made: Any, deployment: Deployment, reports: Sequence[tuple[int, ...]]) -> list[bytes]:
    """Return the wire format of the numbers of each report."""
    shown = deployment.format
    batches = [reports] if shown.in_order else [[row] for row in reports]
    each = [shown.to_bits(made.reports_of(batch))[0] for batch in batches]
    packed = [np.packbits(np.asarray(b, np.uint8), axis=1, bitorder="little") for b in each]
    return [row.tobytes() for rows in packed for row in rows]
