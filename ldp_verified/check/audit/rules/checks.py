"""Rules LDP005 to LDP008 and LDP012 look at seeds, repeats, random state and edges of the domain.

LDP001 to LDP004 are watched while sampling (`witnesses`), LDP009 and LDP011 are audits of another
use of the target (`whole`), LDP010 is `estimators`. Each statistical check here has a level of 1e-6
of its own, on top of the audit's.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import hypergeom

from ldp_verified.check.audit.bounds.bounds import binomial_upper
from ldp_verified.check.audit.budget import Budget, SpentError, Want
from ldp_verified.check.audit.claim import FEWEST
from ldp_verified.check.audit.events.rounding import rounded
from ldp_verified.check.audit.rules import shared
from ldp_verified.check.audit.rules.outside import DECIDE, outside, wanted
from ldp_verified.check.audit.rules.restarts import (
    RESTARTED,
    after_a_restart,
    program_after_a_restart,
)
from ldp_verified.check.audit.rules.rules import Finding, heard
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.channel import EndedError
from ldp_verified.check.audit.targets.failing import failure
from ldp_verified.check.audit.targets.isolated import Isolated, from_name
from ldp_verified.check.audit.targets.keys import Raised, key
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.commandtext import command_words
from ldp_verified.errors import LdpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ldp_verified.check.audit.targets.isolated import Asked
    from ldp_verified.check.audit.targets.targets import Target

    Each = Callable[[Sequence[Any]], Sequence[Any]]

LEVEL = 1e-6
RUN = 256
"""Outputs of one run, compared between two runs."""

PAIRS = 2000
EDGE_SAMPLES = 6000
"""What the checks ask for where the budget allows it: pairs, and samples of a value that is odd."""

PROBE, ODD = 128, 50
"""Outputs from which it is seen whether equal runs could be chance; first outputs of odd values."""

EDGES: tuple[Any, ...] = (None, math.nan, math.inf, -1, 10**30, 0.5, "", "no such value", ())


@dataclass
class CheckedRule:
    """The findings of the named checks, and the checks that could not run.

    Attributes:
        findings: rules that are broken.
        skipped: rules that were not looked at, and why.
    """

    findings: list[Finding] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def look(self, rule: str, check: Callable[[], list[Finding]]) -> None:
        """Run one check; where it cannot come to its end that is said, and it counts as not run."""
        try:
            self.findings += check()
        except (SpentError, EndedError) as error:
            self.skipped[rule] = f"did not come to its end: {error}"
        except (TypeError, ValueError) as error:
            if isinstance(error, LdpError):
                raise
            self.skipped[rule] = f"the target answered for it ({error})"


NAMED = ("LDP005", "LDP006", "LDP007", "LDP008", "LDP012")


def wants(target: Target, inputs: int, *, running: bool) -> list[Want]:
    """Return the calls that the checks of a target ask for, the cheap checks first.

    Args:
        target: as it is written down. inputs: how many.
        running: whether it is a Python target that is running.
    """
    if target.kind == "program":
        return [RESTARTED, Want("LDP005", 6 * RUN, 2 * PAIRS)]
    if not running:
        return []
    found = [wanted(len(target.outside))] if target.outside else []
    found.append(Want("LDP007", 2, 2))
    if not target.in_process:
        found.append(RESTARTED)
    looked = shared.calls(inputs)
    batches = (3 * RUN, 2 * PAIRS) if target.bulk else (0, 0)
    found += [
        Want("LDP012", looked, looked),
        Want("LDP005", PROBE + 3 * RUN + batches[0], PAIRS + 2 * RUN + batches[1]),
        Want("LDP006", 4 * FEWEST, 4 * PAIRS),
        Want("LDP008", len(EDGES) * (ODD + 2 * FEWEST), len(EDGES) * (ODD + EDGE_SAMPLES)),
    ]
    return [Want(w.rule, w.least * target.repeat, w.most * target.repeat) for w in found]


def checked(
    target: Target,
    asked: Asked | None,
    inputs: Sequence[Any],
    claim: Claim,
    seed: int,
    calls: Mapping[str, int],
    budget: Budget | None = None,
    found: CheckedRule | None = None,
) -> CheckedRule:
    """Run the named checks; a check that does not fit the target's kind is skipped.

    Args:
        target: as it is written down.
        asked: the Python target, running; None for other kinds.
        inputs, claim, seed: of the audit.
        calls: rule -> the calls that its check may make; without any it is not looked at.
        budget: of the audit, from which checks take that start the target themselves.
        found: what they find is added here, and returned; by default to a new one.
    """
    found = CheckedRule() if found is None else found
    outputs = {rule: count // target.repeat for rule, count in calls.items()}
    if target.kind == "program" and "LDP005" in calls:
        found.look("LDP005", lambda: same_run_of_program(target, inputs, outputs["LDP005"], budget))
    if target.kind == "program" and "LDP013" in calls:
        found.look("LDP013", lambda: program_after_a_restart(target, inputs, claim, seed, budget))
    if asked is None:
        ran = ("LDP005", "LDP013") if target.kind == "program" else ()
        rest = [rule for rule in NAMED if rule not in ran]
        found.skipped |= dict.fromkeys(rest, f"is not for a {target.kind}")
        return found
    if "LDP005" in calls:
        # Two fresh processes, and two batches, get equal parts of it.
        half = outputs["LDP005"] // 2 if target.bulk else outputs["LDP005"]
        found.look("LDP005", lambda: same_run(target, inputs, half, budget))
        if target.bulk:
            found.look("LDP005", lambda: same_batch(asked, inputs, half))
    asked.part()
    if isinstance(asked, Isolated) and "LDP013" in calls:
        found.look("LDP013", lambda: after_a_restart(asked, inputs, claim, seed))
    live(found, asked, inputs, claim, seed, outputs, target)
    return found


def live(
    found: CheckedRule,
    asked: Asked,
    inputs: Sequence[Any],
    claim: Claim,
    seed: int,
    outputs: Mapping[str, int],
    target: Target,
) -> None:
    """The checks that need one running target only.

    Args:
        found: what they find is added here.
        asked, inputs, claim, seed: as in `checked`.
        outputs: rule -> the outputs that its check may ask for.
        target: as it is written down.
    """
    decimals = target.decimals

    def ask(values: Sequence[Any]) -> Sequence[Any]:
        told = asked.each(values)
        return told if decimals is None else [rounded(one, decimals) for one in told]

    asked.part()
    if "LDP006" in outputs:
        found.look("LDP006", lambda: neighbours(ask, inputs[0], outputs["LDP006"]))
    for rule, name, about in (
        ("LDP007", "global_state", inputs[0]),
        ("LDP012", "shared_generator", list(inputs)),
    ):
        if rule in outputs:
            found.look(rule, partial(_beside, asked, name, about, outputs[rule]))
    asked.part()
    if "LDP008" in outputs:
        found.look("LDP008", lambda: edges(ask, inputs, claim, seed, outputs["LDP008"]))
    if "LDP014" in outputs:
        asked.part()
        look = partial(outside, ask, inputs, target.outside, claim, seed, outputs["LDP014"])
        found.look("LDP014", look)


def _beside(asked: Asked, name: str, about: Any, outputs: int) -> list[Finding]:
    module = "ldp_verified.check.audit.rules.shared"
    return heard(asked.job(module, "beside", name, about, calls=outputs, named=True))


def _mostly_equal(keys: Sequence[str]) -> bool:
    """Return whether two runs of `RUN` outputs could be equal by chance, with more than `LEVEL`."""
    half = len(keys) // 2
    equal = sum(a == b for a, b in zip(keys[:half], keys[half:], strict=False))
    chance = binomial_upper(equal, half, LEVEL)
    return chance**RUN > LEVEL


def _asked_for(inputs: int, count: int) -> Iterator[list[int]]:
    """Yield the inputs that each of three runs is asked for, as indices.

    The first two runs are asked for the first input alone, the third for the others by turns.
    Outputs that are the same in all three tell how many calls there were, and nothing of the input.

    Args:
        inputs: how many inputs there are, at least 2.
        count: calls of each run.
    """
    yield [0] * count
    yield [0] * count
    yield [1 + i % (inputs - 1) for i in range(count)]


def _repeats(runs: Iterator[list[str]]) -> list[str]:
    """Return the outputs of a run that come again, and that the input changes; else nothing."""
    first = next(runs)
    if next(runs) != first or next(runs) == first:
        return []
    return first


def same_run(
    target: Target,
    inputs: Sequence[Any],
    outputs: int = PAIRS + 2 * RUN,
    budget: Budget | None = None,
) -> list[Finding]:
    """LDP005: two fresh processes give the same outputs, and others for other inputs."""
    asked = from_name(target.called, target.timeout, budget)

    def run(indices: list[int]) -> list[str]:
        asked.fresh()
        return [key(one) for one in asked.each([inputs[i] for i in indices])]

    try:
        probe = [inputs[0]] * (outputs - 3 * RUN)
        if _mostly_equal([key(one) for one in asked.each(probe)]):
            return []
        found = _repeats(map(run, _asked_for(len(inputs), RUN)))
    finally:
        asked.close()
    words = f"two fresh processes give the same {RUN} outputs for {inputs[0]!r}: a fixed seed"
    return [Finding("LDP005", words, {"outputs": found[:5]})] if found else []


def same_batch(asked: Asked, inputs: Sequence[Any], outputs: int = 2 * PAIRS) -> list[Finding]:
    """LDP005 for a function of many values: two batches get the same noise.

    Raises:
        EndedError: a batch gave no answer.
    """
    runs = []
    for indices in _asked_for(len(inputs), outputs // 3):
        batch = asked.bulk(inputs, indices)
        if isinstance(batch, Raised) and batch.type == "NoAnswer":
            raise EndedError(batch.message)
        if not isinstance(batch, list | np.ndarray):
            return []
        runs.append([key(one) for one in batch])
    if _mostly_equal(runs[0]) or not _repeats(iter([run[:RUN] for run in runs])):
        return []
    words = f"two batches of {inputs[0]!r} begin with the same {RUN} outputs: a fixed seed"
    return [Finding("LDP005", words, {"outputs": runs[0][:5]})]


def same_run_of_program(
    target: Target, inputs: Sequence[Any], outputs: int = 2 * PAIRS, budget: Budget | None = None
) -> list[Finding]:
    """LDP005 for a program: it is started anew and asked the same, then something else."""
    from ldp_verified.check.audit.targets.process import ProgramTarget

    words = command_words(target.reference, "--command")

    def run(indices: list[int]) -> list[str]:
        program = ProgramTarget(words, target.timeout, echo=target.echo, budget=budget or Budget())
        values, bare = [inputs[i] for i in indices], target.bare
        lines = [v if bare and isinstance(v, str) else json.dumps(v) for v in values]
        try:
            return [key(one) for one in program.answers(lines)]
        finally:
            program.close()

    asked = _asked_for(len(inputs), outputs // 3)
    try:
        first = run(next(asked))
        if _mostly_equal(first):
            return []
        found = _repeats(iter([first[:RUN], *(run(each)[:RUN] for each in asked)]))
    except LdpError:
        return []
    said = f"started twice it gives the same {RUN} outputs for {inputs[0]!r}: a fixed seed"
    return [Finding("LDP005", said, {"outputs": found[:5]})] if found else []


def neighbours(ask: Each, value: Any, outputs: int = 4 * PAIRS) -> list[Finding]:
    """LDP006: consecutive outputs are equal more often than others.

    Null: outputs are independent with one law. Then the pairs of neighbours in the first half of a
    run and the pairs at a distance in the second half are independent and equally often equal:
    Fisher's exact test, level 1e-6.
    """
    pairs = outputs // 4
    keys = [key(output) for output in ask([value] * (4 * pairs))]
    near = sum(keys[2 * i] == keys[2 * i + 1] for i in range(pairs))
    far = sum(keys[2 * pairs + i] == keys[3 * pairs + i] for i in range(pairs))
    if len(set(keys)) == 1:
        return []
    p_value = float(hypergeom.sf(near - 1, 2 * pairs, near + far, pairs))
    if p_value > LEVEL:
        return []
    words = (
        f"{near} of {pairs} pairs of consecutive outputs for {value!r} are equal, {far} of {pairs} "
        f"pairs at a distance (p = {p_value:.1e})"
    )
    return [Finding("LDP006", words, {"near": near, "far": far})]


def edges(
    ask: Each,
    inputs: Sequence[Any],
    claim: Claim,
    seed: int,
    outputs: int = len(EDGES) * (ODD + EDGE_SAMPLES),
) -> list[Finding]:
    """LDP008: values outside the domain that the output gives away."""
    known = {key(value) for value in inputs}
    odd = [value for value in EDGES if key(value) not in known]
    refused: list[tuple[Any, str]] = []
    told: list[tuple[Any, float]] = []
    for value in odd:
        kinds_of = Counter(_refusal(output) for output in ask([value] * ODD))
        if kinds_of[""] == 0:
            refused.append((value, next(iter(kinds_of))))
            continue
        source = _against(ask, inputs[0], value)
        own = Claim(claim.epsilon, claim.delta, LEVEL, outputs // len(EDGES) - ODD)
        result = audit(source, own, seed=seed)
        if result.bound > claim.epsilon or result.infinite:
            told.append((value, result.bound))
    found = []
    if told:
        least = min(bound for _, bound in told)
        some = ", ".join(repr(value) for value, _ in told)
        words = (
            f"values outside those audited can be told from {inputs[0]!r} by the output "
            f"(eps >= {least:.3g} each): {some}; {DECIDE}"
        )
        found.append(Finding("LDP008", words, {"values": [repr(value) for value, _ in told]}))
    kinds = {kind for _, kind in refused}
    if refused and (len(refused) < len(odd) or len(kinds) > 1):
        some = ", ".join(f"{value!r} ({kind})" for value, kind in refused)
        words = f"refused with an exception, others are not: {some}"
        found.append(Finding("LDP008", words, {"values": [repr(v) for v, _ in refused]}))
    return found


def _against(ask: Each, first: Any, second: Any) -> DrawnSamples:
    """Samples of two inputs."""
    labels = (first, second)
    return DrawnSamples("", labels, lambda chosen: ask([labels[i] for i in chosen.tolist()]))


def _refusal(output: Any) -> str:
    raised = failure(output)
    return raised.type if raised is not None else ""
