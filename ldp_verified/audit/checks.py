"""The checks LDP005 to LDP008 and LDP012: seeds, repeats, random state, the edges of the domain.

LDP001 to LDP004 are watched while sampling (`witnesses`), LDP009 and LDP011 are audits of another
use of the target (`whole`), LDP010 is `estimators`. Each statistical check here has a level of 1e-6
of its own, on top of the audit's.
"""

from __future__ import annotations

import json
import math
import random
import shlex
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import hypergeom

from ldp_verified.audit.bounds import binomial_upper
from ldp_verified.audit.keys import Raised, key
from ldp_verified.audit.rules import Finding
from ldp_verified.audit.run import Claim, audit
from ldp_verified.audit.shared import shared_generator
from ldp_verified.audit.sources import call, from_callable
from ldp_verified.errors import LdpError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.audit.targets import Target

LEVEL = 1e-6
RUN = 256
"""Outputs of one run, compared between two runs."""

PAIRS = 2000
EDGE_SAMPLES = 6000
EDGES: tuple[Any, ...] = (None, math.nan, math.inf, -1, 10**30, 0.5, "", "no such value", ())

_CHILD = """
import json, sys
from ldp_verified.audit.keys import key
from ldp_verified.audit.sources import call
from ldp_verified.audit.targets import read_target
target, value, count = json.loads(sys.argv[1])
function = read_target(target).function()
print(json.dumps([key(call(function, value)) for _ in range(count)]))
"""


def checked(target: Target, inputs: Sequence[Any], claim: Claim, seed: int) -> list[Finding]:
    """What the checks find; a target of a kind that a check cannot ask is left alone by it."""
    if target.kind == "program":
        return same_run_of_program(target, inputs)
    if target.kind != "callable":
        return []
    function = target.function()
    findings = neighbours(function, inputs[0])
    findings += global_state(function, inputs[0])
    findings += same_run(target, function, inputs[0])
    findings += shared_generator(target.copied(), inputs)
    if target.bulk:
        findings += same_batch(target.whole(), inputs[0])
    return findings + edges(function, inputs, claim, seed)


def _mostly_equal(keys: Sequence[str]) -> bool:
    """Whether two runs of `RUN` outputs could be equal by chance, with more than `LEVEL`."""
    half = len(keys) // 2
    equal = sum(a == b for a, b in zip(keys[:half], keys[half:], strict=False))
    chance = binomial_upper(equal, half, LEVEL)
    return chance**RUN > LEVEL


def same_run(target: Target, function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """LDP005: two fresh processes give the same outputs."""
    keys = [key(call(function, value)) for _ in range(PAIRS)]
    if _mostly_equal(keys):
        return []
    first, second = (_child(target, value) for _ in range(2))
    if first is None or first != second:
        return []
    words = f"two fresh processes give the same {RUN} outputs for {value!r}: a fixed seed"
    return [Finding("LDP005", words, {"outputs": first[:5]})]


def same_batch(function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """LDP005 for a function of many values: two batches get the same noise."""
    given = np.full(PAIRS, value) if type(value) is int else [value] * PAIRS
    runs = [[key(one) for one in function(given)] for _ in range(2)]
    if _mostly_equal(runs[0]) or runs[0][:RUN] != runs[1][:RUN]:
        return []
    words = f"two batches of {value!r} begin with the same {RUN} outputs: a fixed seed"
    return [Finding("LDP005", words, {"outputs": runs[0][:5]})]


def _child(target: Target, value: Any) -> list[str] | None:
    try:
        given = json.dumps([target.document(), value, RUN])
    except (TypeError, ValueError):
        return None  # no way to hand this value over
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, given],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    try:
        found = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return found if isinstance(found, list) else None


def same_run_of_program(target: Target, inputs: Sequence[Any]) -> list[Finding]:
    """LDP005 for a program: it is started twice and asked the same."""
    from ldp_verified.audit.process import Program

    line = inputs[0] if target.bare and isinstance(inputs[0], str) else json.dumps(inputs[0])
    runs = []
    for _ in range(2):
        program = Program(tuple(shlex.split(target.reference)), target.timeout)
        try:
            runs.append([key(one) for one in program.answers([line] * PAIRS)])
        except LdpError:
            return []
        finally:
            program.close()
    if _mostly_equal(runs[0]) or runs[0][:RUN] != runs[1][:RUN]:
        return []
    words = f"started twice it gives the same {RUN} outputs for {inputs[0]!r}: a fixed seed"
    return [Finding("LDP005", words, {"outputs": runs[0][:5]})]


def neighbours(function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """LDP006: consecutive outputs are equal more often than others.

    Null: outputs are independent with one law. Then the pairs of neighbours in the first half of a
    run and the pairs at a distance in the second half are independent and equally often equal:
    Fisher's exact test, level 1e-6.
    """
    keys = [key(call(function, value)) for _ in range(4 * PAIRS)]
    near = sum(keys[2 * i] == keys[2 * i + 1] for i in range(PAIRS))
    far = sum(keys[2 * PAIRS + i] == keys[3 * PAIRS + i] for i in range(PAIRS))
    if len(set(keys)) == 1:
        return []
    p_value = float(hypergeom.sf(near - 1, 2 * PAIRS, near + far, PAIRS))
    if p_value > LEVEL:
        return []
    words = (
        f"{near} of {PAIRS} pairs of consecutive outputs for {value!r} are equal, {far} of {PAIRS} "
        f"pairs at a distance (p = {p_value:.1e})"
    )
    return [Finding("LDP006", words, {"near": near, "far": far})]


def global_state(function: Callable[[Any], Any], value: Any) -> list[Finding]:
    """LDP007: the shared generators end in a state that does not depend on where they were."""
    old = random.getstate(), np.random.get_state()  # noqa: NPY002  (the state that others share)
    found = []
    try:
        after = []
        for start in (1, 2):
            random.seed(start)
            np.random.seed(start)  # noqa: NPY002  (as above)
            call(function, value)
            state: Any = np.random.get_state()  # noqa: NPY002  (as above)
            after.append((random.getstate(), (state[1].tobytes(), state[2])))
        for name, position in (("random", 0), ("numpy.random", 1)):
            if after[0][position] == after[1][position]:
                words = f"a call sets the global state of {name} to a fixed one"
                found.append(Finding("LDP007", words, {"generator": name}))
    finally:
        random.setstate(old[0])
        np.random.set_state(old[1])  # noqa: NPY002  (as above)
    return found


def edges(
    function: Callable[[Any], Any], inputs: Sequence[Any], claim: Claim, seed: int
) -> list[Finding]:
    """LDP008: values outside the domain that the output gives away."""
    known = {key(value) for value in inputs}
    odd = [value for value in EDGES if key(value) not in known]
    refused: list[tuple[Any, str]] = []
    told: list[tuple[Any, float]] = []
    for value in odd:
        outputs = Counter(_refusal(call(function, value)) for _ in range(50))
        if outputs[""] == 0:
            refused.append((value, next(iter(outputs))))
            continue
        source = from_callable(function, [inputs[0], value])
        own = Claim(claim.epsilon, claim.delta, LEVEL, EDGE_SAMPLES)
        result = audit(source, own, seed=seed)
        if result.bound > claim.epsilon or result.infinite:
            told.append((value, result.bound))
    found = []
    if told:
        least = min(bound for _, bound in told)
        some = ", ".join(repr(value) for value, _ in told)
        words = f"told from {inputs[0]!r} by the output (eps >= {least:.3g} each): {some}"
        found.append(Finding("LDP008", words, {"values": [repr(value) for value, _ in told]}))
    kinds = {kind for _, kind in refused}
    if refused and (len(refused) < len(odd) or len(kinds) > 1):
        some = ", ".join(f"{value!r} ({kind})" for value, kind in refused)
        words = f"refused with an exception, others are not: {some}"
        found.append(Finding("LDP008", words, {"values": [repr(v) for v, _ in refused]}))
    return found


def _refusal(output: Any) -> str:
    return output.type if isinstance(output, Raised) else ""
