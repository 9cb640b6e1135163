"""An audit: the verdict first, then what it rests on, what it could not see, how to replay."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from rich.text import Text

from ldp_verified.app.report import audit_outcomes, audit_pairs
from ldp_verified.app.report.audit_servers import weight, wrong_server
from ldp_verified.app.report.output import Json, Part, number, table
from ldp_verified.check.audit.bounds import interval
from ldp_verified.check.audit.results.results import AuditPlan, AuditResult, AuditVerdict
from ldp_verified.check.audit.rules.rules import RULES
from ldp_verified.check.audit.targets.opaque import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.check.audit.bounds.exact import ExactResult

STYLE = {
    AuditVerdict.VIOLATED: "bold red",
    AuditVerdict.CONSISTENT: "bold green",
    AuditVerdict.INCONCLUSIVE: "bold yellow",
}


def claim(result: AuditResult | ExactResult) -> str:
    """The claim in words."""
    if result.epsilon is None or not getattr(result, "claimed", True):
        return "no claim"
    delta = f", delta = {result.delta:g}" if result.delta else ""
    return f"eps = {result.epsilon!r}{delta}"


def headline(result: AuditResult) -> str:
    """The verdict in a sentence; before it, if a server says something wrong, that it does."""
    server = wrong_server(result)
    return f"{server}; about eps: {_about_epsilon(result)}" if server else _about_epsilon(result)


def _about_epsilon(result: AuditResult) -> str:
    failing = audit_outcomes.failing(result)
    if not result.claimed:
        words = interval.words(interval.interval(result))
        return f"{words}; {failing}" if failing else words
    if result.verdict is AuditVerdict.VIOLATED:
        if result.infinite:
            return f"violated: two inputs are told apart every time; claimed {claim(result)}"
        if result.low_order:
            return (
                f"violated: the last digits of the number tell the input, eps >= "
                f"{result.bound:.4g}, claimed {claim(result)}; --round D audits what is left"
            )
        if result.bound > result.epsilon:
            return f"violated: eps >= {result.bound:.4g}, claimed {claim(result)}"
        broken = next(f for f in result.findings if f.violates)
        return f"violated: {broken.rule} is broken; claimed {claim(result)}"
    if result.fitted:
        return _fit(result)
    if result.verdict is AuditVerdict.CONSISTENT:
        return (
            f"consistent with {claim(result)}: in the events tested, a violation of "
            f"eps >= {result.resolution:.4g} would have been seen"
        )
    if failing:
        return f"inconclusive about {claim(result)}: {failing}"
    if result.unread:
        return f"inconclusive about {claim(result)}: {UNREADABLE.format(', '.join(result.unread))}"
    if not result.telling:
        return f"inconclusive about {claim(result)}: no event tested tells enough about the inputs"
    if result.suspect is not None:
        odd = f"{result.suspect.words} (p = {result.suspect.p_value:.2g})"
        return f"inconclusive about {claim(result)}: more samples must decide whether {odd}"
    seen = (
        "no violation of any size would have been seen"
        if result.resolution is None
        else f"only a violation of eps >= {result.resolution:.4g} would have been seen"
    )
    return f"inconclusive about {claim(result)}: {seen}"


def _fit(result: AuditResult) -> str:
    """Return what reports on file say where they fit."""
    fits = f"the reports can be those of {result.fitted} at {claim(result)}"
    if result.verdict is AuditVerdict.CONSISTENT:
        return f"consistent: {fits}; eps = {result.resolution:.4g} would have been seen"
    seen = "another eps" if result.seen is None else f"less than eps = {result.seen:.4g}"
    return f"inconclusive: {fits}, but {seen} would not have been seen in them"


def terminal(result: AuditResult, replay: str) -> Iterator[Part]:
    """The verdict, the events, the rules broken, what it means."""
    yield Text(f"{result.target}\n{headline(result)}", style=STYLE[result.verdict])
    for witness in result.witnesses:
        samples = " and ".join(f"{n:,}" for n in witness.samples)
        yield Text(
            f"infinite: {witness.words} ({samples} samples); assumed: what never varied is a "
            "matter of the code, not of chance"
        )
    if result.tested:
        yield _events(result)
    if result.findings:
        yield Text("\n".join(f"{f.rule} {weight(f)}: {f.message}" for f in result.findings))
    yield Text("\n".join(_meaning(result, replay)))


def _events(result: AuditResult) -> Part:
    numbers = ("plus", "minus", "n", "eps >=", "p-value")
    rows = table("event", *numbers, "", right=numbers, folded=("event",))
    for tested in result.tested:
        mark = "looks disjoint" if tested.disjoint else ""
        rows.add_row(
            tested.words,
            f"{tested.tally.plus:,}",
            f"{tested.tally.minus:,}",
            f"{tested.tally.n:,}",
            f"{tested.bound:.4g}",
            f"{tested.p_value:.2g}",
            "; ".join(
                filter(
                    None, ["rejects the claim" if tested.rejects and result.claimed else "", mark]
                )
            ),
        )
    return rows


def planned(plan: AuditPlan, epsilon: float) -> str:
    """Return the text that is shown before any sample is drawn."""
    short = f"too few calls are left for {', '.join(plan.left_out)}" if plan.left_out else ""
    lines = ["; ".join(filter(None, [plan.budget, short]))] if plan.budget else []
    lines.append(f"{plan.n:,} samples to test with could show eps >= {plan.ceiling:.3g} at most")
    if plan.expected is not None:
        lines.append(
            f"if it is what it is said to be: eps >= {plan.expected:.4g} with probability 0.95"
        )
    needs = ", ".join(
        f"{violation:.3g}: {'no number' if n is None else format(n, ',')}"
        for violation, n in plan.needed
    )
    lines.append(f"samples to see a real eps above {epsilon:g}, for {plan.shape}: {needs}")
    return "\n".join(lines)


def upper(result: AuditResult) -> str:
    """The upper bounds in words; empty without any."""
    found = result.upper
    if found is None:
        return ""
    if found.outside:
        return f"no upper bound: {found.outside:,} outputs are none of those declared"
    words = f"assumed: no outputs but those declared. Then eps <= {found.epsilon:.4g}"
    if not isfinite(found.epsilon):
        words = (
            "assumed: no outputs but those declared. Then eps has no upper bound from these counts"
        )
    spare = result.epsilon - found.epsilon
    slack = f", slack {spare:.3g}: utility given away" if spare > 0 else ""
    return (
        f"{words}{slack}; delta <= {found.delta:.3g} at eps = {result.epsilon:g} "
        f"(level {found.level:g})"
    )


def approximate(result: AuditResult) -> str:
    """The (eps', delta) from above in words; empty without any."""
    found = result.approximate
    if found is None:
        return ""
    whole = "" if not isfinite(found.epsilon) else f"({found.epsilon:.4g}, {found.delta:.3g}) and "
    return (
        f"From above, over the audited inputs and whatever the outputs: {whole}"
        f"({result.epsilon:g}, {found.at_claim:.3g}) hold as (eps, delta) (level {found.level:g}); "
        "delta holds what was never seen, and falls with n."
    )


def worst_pair(result: AuditResult) -> str:
    """Return which two inputs are told apart best; empty where pairs were not counted."""
    if not result.pairs or len(result.inputs) < 3:
        return ""
    worst = result.pairs[0]
    names = f"{result.inputs[worst.x]!r} and {result.inputs[worst.x2]!r}"
    return (
        f"Of {len(result.pairs):,} pairs of inputs, {names} are told apart best: eps >= "
        f"{worst.bound:.4g} by their own event, at a tenth of the level for all pairs together."
    )


def _meaning(result: AuditResult, replay: str) -> Iterator[str]:
    learning, testing = result.samples
    if result.fitted:
        yield f"{testing:,} reports, {len(result.inputs):,} values"
        yield from result.notes
        return
    yield (
        f"{testing:,} samples tested, {learning:,} to learn from, {result.looked_at:,} events "
        f"looked at, {len(result.inputs):,} inputs, mode {result.mode}"
    )
    if result.claimed:
        yield _error(result)
    yield (
        "A bound on eps from samples is a lower one: what no event tried shows may still leak; no "
        "sample shows that a claim holds."
    )
    yield from _more(result, replay)


def _error(result: AuditResult) -> str:
    looks = result.mode == "anytime" or any(t.method == "anytime" for t in result.tested)
    return (
        f"A true claim is called violated with probability <= {result.level:g}, over all inputs "
        "and events tried"
        + (", however often one looks" if looks else "")
        + ". Reports of one input are taken as independent of each other."
    )


def _more(result: AuditResult, replay: str) -> Iterator[str]:
    if result.upper is not None:
        yield upper(result)
    yield from filter(None, (approximate(result), worst_pair(result)))
    yield from audit_outcomes.words(result)
    yield from result.notes
    if result.skipped:
        reasons: dict[str, list[str]] = {}
        for rule, why in sorted(result.skipped.items()):
            reasons.setdefault(why, []).append(rule)
        yield "Not looked at: " + "; ".join(f"{', '.join(r)} ({w})" for w, r in reasons.items())
    target, ours = result.seconds
    made = f"at most {result.calls:,} calls of the target; " if result.calls else ""
    yield f"{made}seed {result.seed}; {target:.1f} s in the target, {ours:.1f} s of ours"
    yield f"to replay: {replay}"


def document(result: AuditResult, replay: str) -> dict[str, Json]:
    """Everything, for machines."""
    held = interval.interval(result)
    return {
        "target": result.target,
        "verdict": str(result.verdict),
        "headline": headline(result),
        "status": "refuted" if result.verdict is AuditVerdict.VIOLATED else "sampled",
        "claim": {"epsilon": result.epsilon, "delta": result.delta} if result.claimed else None,
        "interval": None if held is None else _interval(held),
        "level": result.level,
        "mode": result.mode,
        "bound": number(result.bound),
        "infinite": result.infinite,
        "low_order": result.low_order,
        "resolution": None if result.resolution is None else number(result.resolution),
        "tolerance": result.tolerance,
        "telling": result.telling,
        "inputs": [repr(label) for label in result.inputs],
        "samples": {"learning": result.samples[0], "testing": result.samples[1]},
        "looked_at": result.looked_at,
        "plan": {
            "n": result.plan.n,
            "ceiling": number(result.plan.ceiling),
            "expected": result.plan.expected,
            "shape": result.plan.shape,
            "needed": [{"epsilon": v, "samples": n} for v, n in result.plan.needed],
        },
        "events": [
            {
                "words": tested.words,
                "event": _json(tested.event.document()),
                "plus": tested.tally.plus,
                "minus": tested.tally.minus,
                "n": tested.tally.n,
                "method": tested.method,
                "strata": _json(tested.strata and tested.strata.document()),
                "level": tested.level,
                "bound": number(tested.bound),
                "p_value": tested.p_value,
                "rejects": tested.rejects,
                "looks_disjoint": tested.disjoint,
                "resolution": None if tested.resolution is None else number(tested.resolution),
            }
            for tested in result.tested
        ],
        "witnesses": [{"words": w.words, "samples": [*w.samples]} for w in result.witnesses],
        "findings": [
            {
                "rule": f.rule,
                "title": RULES[f.rule].title,
                "violates": f.violates,
                "message": f.message,
            }
            for f in result.findings
        ],
        "outcomes": [*audit_outcomes.document(result)],
        "skipped": dict(result.skipped),
        "place": None
        if result.place is None
        else {"file": result.place[0], "line": result.place[1]},
        "upper": None
        if result.upper is None
        else {
            "status": "assumed",
            "epsilon": number(result.upper.epsilon),
            "delta": result.upper.delta,
            "outside": result.upper.outside,
        },
        "approximate": None
        if result.approximate is None
        else {
            "status": "sampled",
            "epsilon": number(result.approximate.epsilon),
            "delta": result.approximate.delta,
            "delta_at_claim": result.approximate.at_claim,
            "level": result.approximate.level,
        },
        "pairs": [*audit_pairs.document(result)],
        "trace": [[n, number(bound)] for n, bound in result.trace],
        "interrupted": result.interrupted,
        "calls": result.calls,
        "notes": [*result.notes],
        "seed": str(result.seed),
        "replay": replay,
        "seconds": {"target": result.seconds[0], "ours": result.seconds[1]},
    }


def _interval(found: interval.Interval) -> Json:
    return {
        "lower": number(found.lower),
        "upper": number(found.upper),
        "level": found.level,
        "status": "estimated",
    }


def _json(value: object) -> Json:
    if isinstance(value, dict):
        return {str(k): _json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json(v) for v in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def exact_headline(result: ExactResult) -> str:
    """The verdict in a sentence."""
    own = next(e for e in result.found if e.period == result.claimed_for)
    value = "infinite" if own.ratio is None else f"{own.value:.6g}"
    if result.verdict is None:
        return f"eps = {value} over {result.claimed_for}"
    exact = f"; the smallest delta there is {result.exact_delta:.6g}" if result.delta else ""
    slack = result.slack
    spare = f"; slack {slack:.4g}: utility given away" if slack and slack > 1e-9 else ""
    return (
        f"{result.verdict}: eps = {value} over {result.claimed_for}, claimed {claim(result)}"
        f"{exact}{spare}"
    )


def exact_terminal(result: ExactResult) -> Iterator[Part]:
    """The verdict, tight values with witnesses, what is assumed."""
    style = "bold" if result.verdict is None else STYLE[result.verdict]
    yield Text(f"{result.target} ({result.kind})\n{exact_headline(result)}", style=style)
    rows = table("over", "eps", "witness", right=("eps",), folded=("witness",))
    for each in result.found:
        rows.add_row(each.period, f"{each.value:.5f}", each.witness)
    yield rows
    yield Text("\n".join(["Exact: computed from the probabilities, no sampling.", *result.notes]))


def exact_document(result: ExactResult) -> dict[str, Json]:
    """Everything, for machines; ratios as exact fractions."""
    return {
        "target": result.target,
        "kind": result.kind,
        "verdict": None if result.verdict is None else str(result.verdict),
        "headline": exact_headline(result),
        "claim": None
        if result.epsilon is None
        else {"epsilon": result.epsilon, "delta": result.delta, "period": result.claimed_for},
        "slack": result.slack,
        "exact_delta": result.exact_delta,
        "epsilon": [
            {
                "period": each.period,
                "value": each.value if isfinite(each.value) else None,
                "infinite": each.ratio is None,
                "ratio": None if each.ratio is None else _ratio(each.ratio),
                "witness": each.witness,
            }
            for each in result.found
        ],
        "notes": [*result.notes],
    }


def _ratio(ratio: object) -> str:
    text = str(ratio)
    return text if len(text) < 2000 else text[:1000] + "..."
