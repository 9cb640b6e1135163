"""A finding on file: target, claim, events and broken rules, so that others can see it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target, read_target
from ldp_verified.errors import ParameterError
from ldp_verified.jsontext import NotJsonError, read_json
from ldp_verified.run.aggregate.files import replacing, unread

if TYPE_CHECKING:
    from ldp_verified.check.audit.results.results import AuditResult

SCHEMA = "ldp-verified/finding/1"


@dataclass(frozen=True)
class SavedFinding:
    """The contents of a file of findings.

    Attributes:
        target: what was audited.
        claim: what it claims.
        inputs: the audited inputs, in the order of the events' indices.
        events: documents of the events tested, the largest bound first.
        rules: ids of the rules that were broken.
        options: what `whole.audit_target` was told besides: "mechanism", "parameters", "reading",
            "estimator", "claimed", "interval", "confidence".
    """

    target: Target
    claim: Claim
    inputs: tuple[Any, ...]
    events: tuple[dict[str, Any], ...]
    rules: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


_TYPES: dict[str, Any] = {"parameters": dict, "confidence": int | float}
"""What options hold that are no texts."""

OPTIONS = ("mechanism", "parameters", "reading", "estimator", "claimed", "interval", "confidence")


def again(saved: SavedFinding, result: AuditResult) -> AuditResult:
    """The result of a replay, with a note on every rule that was broken before."""
    broken = {finding.rule for finding in result.findings}
    notes = [
        f"{rule} is broken again" if rule in broken else f"{rule} was not seen to be broken again"
        for rule in saved.rules
    ]
    return replace(result, notes=(*result.notes, *notes))


def document(
    result: AuditResult, target: Target, options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the JSON document of an audit's findings."""
    return {
        "schema": SCHEMA,
        "options": {name: value for name, value in (options or {}).items() if name in OPTIONS},
        "findings": [
            {"rule": finding.rule, "message": finding.message, "replay": finding.replay}
            for finding in result.findings
        ],
        "target": {**target.document(), "inputs": list(result.inputs)},
        "claim": {
            "epsilon": result.epsilon,
            "delta": result.delta,
            "level": result.level,
            "n": sum(result.samples),
        },
        "verdict": str(result.verdict),
        "bound": result.bound,
        "seed": str(result.seed),
        "events": [
            {
                **tested.event.document(),
                "bound": tested.bound,
                "counts": [tested.tally.plus, tested.tally.minus, tested.tally.n],
            }
            for tested in result.tested
        ],
    }


def save(
    path: Path, result: AuditResult, target: Target, options: Mapping[str, Any] | None = None
) -> None:
    """Write a finding: the file appears whole, or what was there stays as it was.

    Args:
        path: where to.
        result: of the audit.
        target: what was audited.
        options: see `SavedFinding`.

    Raises:
        ParameterError: the file cannot be written, or an input has no JSON form.
    """
    try:
        text = json.dumps(document(result, target, options), indent=2, allow_nan=False)
        with replacing(path) as part:
            part.write_text(text + "\n", encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:
        raise ParameterError(str(path), f"must be writable ({error})") from None


_GIVE = "give a file that `audit --save` wrote"


def read(path: Path) -> SavedFinding:
    """Read a finding.

    Raises:
        ParameterError: the file holds none.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ParameterError(str(path), unread(error)) from None
    try:
        found = read_json(text)
    except NotJsonError:
        raise ParameterError(str(path), f"is no JSON: {_GIVE}") from None
    try:
        if found.get("schema") != SCHEMA:
            raise ParameterError(str(path), f"must have the schema {SCHEMA}", found.get("schema"))
        target = read_target(found["target"])
        claim = Claim(**found["claim"])
        events = tuple(dict(event) for event in found["events"])
        rules = tuple(dict.fromkeys(each["rule"] for each in found.get("findings", ())))
        options = {name: found.get("options", {}).get(name) for name in OPTIONS}
        for name, value in options.items():
            wanted = _TYPES.get(name, str)
            if value is not None and (isinstance(value, bool) or not isinstance(value, wanted)):
                raise ParameterError(str(path), f"must hold another {name}", value)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(str(path), f"is no saved finding: {_GIVE}") from None
    return SavedFinding(target, claim, target.inputs or (), events, rules, options)
