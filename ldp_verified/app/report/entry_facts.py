"""The facts of a mechanism on a page: ranges, epsilon, estimator, variance, optima, files."""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.app.report.sentences import Formula, Link, listed, short, with_input
from ldp_verified.check.conformance.own_specs import sample_arguments
from ldp_verified.check.conformance.protocols import PROTOCOLS, protocol_of
from ldp_verified.check.conformance.run import defaults
from ldp_verified.derive import Facts, NoEstimator, readable
from ldp_verified.derive.density import mean_and_variance
from ldp_verified.derive.rational import simple
from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate import class_name
from ldp_verified.generate.module import no_class
from ldp_verified.kinds import FINITE
from ldp_verified.language import (
    LDP,
    BetterThan,
    Density,
    Design,
    GaussianLDP,
    Holds,
    Mean,
    Optimal,
    ReportVariance,
    SameTable,
    SmallerWorst,
    Variance,
    WorstVariance,
    catalogue_folder,
    f,
    n,
)
from ldp_verified.language.forms import form_of
from ldp_verified.prove.coq.drift import WITHOUT, read_without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ldp_verified.app.report.sentences import Part, Sentence
    from ldp_verified.language import Domain, Mechanism

    Words = Iterator[tuple[str, Sequence[Part]]]

MOST_OPERATIONS = 40
"""Longer relations that hold besides, and longer matrices, are left to the spec."""

CURVE = "any ε ≥ 0, with δ = Φ(m/2 - ε/m) - e^ε Φ(-m/2 - ε/m), "


def facts_of(mechanism: Mechanism) -> tuple[tuple[str, Sentence], ...]:
    """(label, sentence) pairs in a fixed order."""
    return tuple((label, tuple(sentence)) for label, sentence in _facts(mechanism))


def _facts(mechanism: Mechanism) -> Words:
    yield from _ranges(mechanism)
    yield from _reports(mechanism)
    yield from _privacy(mechanism)
    if is_finite(mechanism):
        yield from _frequencies(mechanism)
    else:
        yield from _moments(mechanism)
    yield from _influence(mechanism)
    yield from _best(mechanism)
    yield from _comparisons(mechanism)
    yield from _communication(mechanism)
    if mechanism.prefer:
        yield "when to prefer it", [mechanism.prefer]
    yield from _files(mechanism)


def is_finite(mechanism: Mechanism) -> bool:
    """Return whether there are finitely many reports, with pair tables."""
    return form_of(mechanism.table) in FINITE


# --- what is declared ----------------------------------------------------------------------------


def _ranges(mechanism: Mechanism) -> Words:
    ranges = [_range(p, mechanism.domains[p]) for p in mechanism.parameters]
    if mechanism.generator.eps is not None:
        power = sympy.exp(mechanism.generator.eps / mechanism.generator.root)
        ranges.append([Formula(mechanism.generator.symbol), " = ", Formula(power)])
    if ranges:
        yield "parameters", listed(ranges)
    value = getattr(mechanism.table, "value", None)
    if value is not None:
        yield "input", _range(value, value.domain)


def _range(symbol: Any, domain: Domain) -> list[Part]:
    found: list[Part] = [Formula(symbol)]
    if domain.upper is not None:
        found += [" < " if domain.upper_open else " ≤ ", Formula(domain.upper)]
    if domain.lower is not None and domain.upper is not None:
        found = [Formula(domain.lower), " < " if domain.lower_open else " ≤ ", *found]
    elif domain.lower is not None:
        found += [" > " if domain.lower_open else " ≥ ", Formula(domain.lower)]
    return [*found, ", whole"] if domain.integer else found


def _reports(mechanism: Mechanism) -> Words:
    """Yield the meaning of the reports, in the words of the structure's own documentation."""
    form = mechanism.table
    for role in ("structure", "encoder"):
        part = getattr(form, role, None)
        if part is not None:
            first = (inspect.getdoc(type(part)) or "").partition("\n\n")[0]
            yield role, [" ".join(first.split())]


def _privacy(mechanism: Mechanism) -> Words:
    claims = [claim for claim in mechanism.claims if isinstance(claim, LDP)]
    for claim in claims:
        words: list[Part] = [_log(claim.epsilon, mechanism)]
        if claim.delta != 0:
            words += [" with δ = ", Formula(claim.delta)]
        words.append(": tight" if claim.tight else ": an upper bound")
        yield "epsilon", [*words, *_cited(claim)]
    for curve in (each for each in mechanism.claims if isinstance(each, GaussianLDP)):
        words = [CURVE, "m = ", Formula(curve.mu)]
        words.append(": tight, so no finite ε" if curve.tight else ": an upper bound")
        yield "epsilon", [*words, *_cited(curve)]
    if not claims and is_finite(mechanism):
        found = Facts(mechanism).epsilon
        if found is not None:
            yield "epsilon", [Formula(found), ": derived, not claimed"]


def _log(value: Any, mechanism: Mechanism) -> Formula:
    """An epsilon with the ratio in it in its shorter form."""
    logs = value.atoms(sympy.log)
    ratios = {each: readable(each.args[0], mechanism.variables) for each in logs}
    return short(value, value.xreplace({each: sympy.log(r) for each, r in ratios.items()}))


def _cited(claim: Any) -> list[Part]:
    return [f" ({claim.source})"] if claim.source else []


# --- what is derived -----------------------------------------------------------------------------


def _moments(mechanism: Mechanism) -> Words:
    """Mean and variance of one report: derived from a density, of other forms as claimed."""
    form = mechanism.algebraic_table
    claimed = {type(claim): claim for claim in mechanism.claims}
    if isinstance(form, Density):
        inside = with_input(mechanism)
        mean, variance = mean_and_variance(form)
        words: list[Part] = [short(mean, readable(mean, inside))]
        if mean == form.value:
            words.append(", so a report is an unbiased estimate")
        yield "mean of a report", [*words, *_unclaimed(Mean in claimed)]
        spread = short(variance, readable(variance, inside))
        yield "variance of a report", [spread, *_unclaimed(ReportVariance in claimed)]
    else:
        for label, kind in (("mean", Mean), ("variance", ReportVariance)):
            if kind in claimed:
                claim: Any = claimed[kind]
                yield f"{label} of a report", [Formula(claim.value), *_cited(claim)]
    for claim in mechanism.claims:
        if isinstance(claim, WorstVariance):
            largest = short(simple(_in_generator(mechanism, claim.value)), claim.value)
            at = Formula(claim.at)
            yield "largest variance", [largest, " at x = ", at, *_cited(claim)]
        elif isinstance(claim, Variance):
            yield "variance of a count", [Formula(claim.value), " for n users", *_cited(claim)]


def _in_generator(mechanism: Mechanism, value: Any) -> Any:
    """The value in the generator, if it is a function of it alone."""
    try:
        return mechanism.algebraic("value", value)
    except SpecError:
        return value


def _unclaimed(claimed: bool) -> list[Part]:
    return [] if claimed else [": derived, not claimed"]


def _frequencies(mechanism: Mechanism) -> Words:
    """p*, q*, estimator and variance of an estimated count."""
    facts = Facts(mechanism)

    def plain(value: Any) -> Any:
        return readable(value, mechanism.variables)

    if facts.support is not None:
        pair = [[Formula(plain(v))] for v in (facts.support.p_star, facts.support.q_star)]
        yield "p* and q*", listed(pair, " and ")
    found = facts.estimator
    if isinstance(found, NoEstimator):
        yield "estimator", [found.text]
        return
    if found.supported is not None:
        words: list[Part] = ["a report adds ", Formula(plain(found.supported))]
        words += [" to the count of a value that it supports, else "]
        yield "estimator", [*words, Formula(plain(found.otherwise))]
    elif found.matrix is not None and len(found.matrix) <= MOST_OPERATIONS:
        matrix = Formula(found.matrix.applyfunc(plain))
        yield "estimator", ["report y adds entry (x, y) to the count of x: ", matrix]
    else:
        yield "estimator", ["a left inverse of the table"]
    if facts.variance is None:
        yield "variance of a count", ["it depends on more than the share of the value"]
        return
    zero = plain(facts.variance_at_zero / n)
    slope = plain((facts.variance - facts.variance_at_zero) / (n * f))
    words = [Formula(n * (zero + f * slope)), " for n users"]
    yield "variance of a count", words + [", a share f of them holding the value"] * (slope != 0)


def _influence(mechanism: Mechanism) -> Words:
    """State what a lying client adds, by the class at the sizes that `conform` runs."""
    if no_class(mechanism):
        return
    ends = []
    for made in _objects(mechanism):
        try:
            found = made.influence()
        except ParameterError:
            continue
        ends.append([f"{float(found.least):.4g} to {float(found.most):.4g}{_at(made)}"])
    if ends:
        of = "the count of a value" if is_finite(mechanism) else "the sum of the numbers"
        yield "influence of one report", [*listed(ends), f", on {of}; a lie attains both ends"]


def _best(mechanism: Mechanism) -> Words:
    """Parameters or cells of least variance: claimed ones, else those that are only derived."""
    claimed = [claim for claim in mechanism.claims if isinstance(claim, Optimal)]
    for claim in claimed:
        chosen = [
            [_named_part(key), " = ", Formula(_plain(mechanism, value))]
            for key, value in claim.values.items()
        ]
        yield "optimal", [*listed(chosen), " at f = ", Formula(claim.at_f), *_cited(claim)]
    if claimed or not is_finite(mechanism):
        return
    for parameter, value in Facts(mechanism).optimal_parameters.items():
        best = Formula(readable(value, mechanism.variables))
        yield "optimal", [Formula(parameter), " = ", best, " at f = 0: derived, not claimed"]


def _named_part(key: Any) -> Part:
    """A parameter, or a cell of the table."""
    return Formula(key) if isinstance(key, sympy.Basic) else f"`{key}`"


def _plain(mechanism: Mechanism, value: Any) -> Any:
    return readable(_in_generator(mechanism, value), mechanism.variables)


def _comparisons(mechanism: Mechanism) -> Words:
    for claim in mechanism.claims:
        if isinstance(claim, SameTable):
            yield "same table as", [f"`{_named(claim.other)}`", *_cited(claim)]
        elif isinstance(claim, BetterThan) and claim.condition is not None:
            words: list[Part] = [f"than `{_named(claim.other)}` exactly where "]
            words += [Formula(claim.condition), ", at f = ", Formula(claim.at_f)]
            yield "smaller variance", [*words, *_cited(claim)]
        elif isinstance(claim, SmallerWorst):
            margin = _in_generator(mechanism, claim.condition.gts - claim.condition.lts)
            words = [f"than `{_named(claim.other)}` exactly where "]
            words += [Formula(sympy.Gt(margin, 0, evaluate=False))]
            yield "smaller worst variance", [*words, *_cited(claim)]
    further = {_relation(c, mechanism): c for c in mechanism.claims if isinstance(c, Holds)}
    for relation, claim in further.items():
        if sympy.count_ops(relation) <= MOST_OPERATIONS:
            yield "holds too", [Formula(relation), *_cited(claim)]


def _relation(claim: Holds, mechanism: Mechanism) -> Any:
    """The relation in the generator, both sides cancelled."""
    sides = (simple(_in_generator(mechanism, side)) for side in claim.relation.args)
    return claim.relation.func(*sides, evaluate=False)


def _named(other: Any) -> str:
    return other if isinstance(other, str) else str(other.name)


# --- what runs -----------------------------------------------------------------------------------


def _communication(mechanism: Mechanism) -> Words:
    """Return how many reports there are, and the bits of one as the class sends it."""
    form = mechanism.algebraic_table
    if isinstance(form, Design):
        yield "different reports", [Formula(readable(form.blocks, mechanism.variables))]
    why = no_class(mechanism)
    yield "class", [f"none: {why}" if why else f"`{class_name(mechanism.name)}`"]
    made_of = _run_by(mechanism.name) if why else _objects(mechanism)
    sizes: list[Sequence[Part]] = [[f"{made.bits_per_report:,}{_at(made)}"] for made in made_of]
    if sizes:
        yield "bits per report", listed(sizes)


@cache
def _conformed() -> dict[str, tuple[Any, ...]]:
    return dict(defaults())


def _objects(mechanism: Mechanism) -> tuple[Any, ...]:
    """The objects that `conform` runs; of another mechanism of the catalogue, one."""
    found = _conformed().get(mechanism.name, ())
    if found or not _of_catalogue(mechanism):
        return found
    import ldp_verified.run.mechanisms

    made = getattr(ldp_verified.run.mechanisms, class_name(mechanism.name))
    return (made(**sample_arguments(mechanism)),)


def _run_by(name: str) -> tuple[Any, ...]:
    """The objects that `conform` runs of the protocol that has the mechanism as a step."""
    protocol = protocol_of(name)
    return () if protocol is None else PROTOCOLS[protocol].objects()


def _at(made: Any) -> str:
    """The numbers that an object was made from, as they were settled."""
    names = inspect.signature(type(made)).parameters
    shown = [(name, getattr(made, name)) for name in names if name not in ("categories", "bounds")]
    said = ", ".join(
        f"{name} = {value.__name__ if isinstance(value, type) else value}"
        for name, value in shown
        if value not in (None, "")
    )
    return f" at {said}" if said else ""


def _of_catalogue(mechanism: Mechanism) -> bool:
    origin = mechanism.origin
    return origin is not None and Path(origin.path).resolve().parent == catalogue_folder().resolve()


def _files(mechanism: Mechanism) -> Words:
    """Return where a mechanism of the catalogue has its spec, class and printed proofs."""
    if mechanism.origin is None or not _of_catalogue(mechanism):
        return
    module, name = mechanism.origin.module, mechanism.name
    links = [Link("spec", f"spec/{module}.py")]
    if not no_class(mechanism):
        links.append(Link("class", f"ldp_verified/run/mechanisms/{module}.py"))
    made = [f"`proofs/certificates/{name}.json`", f"`proofs/smt/{name}.smt2`"]
    why = read_without(catalogue_folder().parent / "proofs" / WITHOUT).get(name)
    if why is None:
        made.append(f"`proofs/generated/{name}.v`")
    words = [", ", f"and what `make proofs` prints: {', '.join(made)}"]
    if why is not None:
        words.append(f"; no Coq file: {why}")
    yield "files", [*listed([[link] for link in links], ", "), *words]
