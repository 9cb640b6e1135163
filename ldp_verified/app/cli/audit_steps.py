"""Steps that the commands about audits share: run, show, write files."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.cli.outcome import Outcome, error_fields, say_error
from ldp_verified.app.cli.progress import bar
from ldp_verified.app.interrupts import interrupted, note
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ldp_verified.app.report.output import Json
    from ldp_verified.check.audit.bounds.exact import ExactResult
    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.results.results import AuditPlan, AuditResult, AuditVerdict
    from ldp_verified.check.audit.run import Claim
    from ldp_verified.check.audit.targets.targets import Target


@dataclass(frozen=True)
class Files:
    """The files that results go to besides the terminal.

    Attributes:
        as_json: one document on stdout instead of tables.
        junit, sarif, html: paths to write; None for none.
    """

    as_json: bool = False
    junit: Path | None = None
    sarif: Path | None = None
    html: Path | None = None


@dataclass(frozen=True)
class AuditSteps:
    """How to audit: the options of `whole.audit_target`."""

    mechanism: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    reading: str | None = None
    seed: int | None = None
    checks: bool = False
    events: tuple[Event, ...] = ()
    outputs: tuple[object, ...] | None = None
    estimator: str | None = None
    claimed: str | None = None
    interval: str | None = None
    confidence: float = 0.95
    calls: int | None = None
    seconds: float | None = None


def is_file(reference: str) -> bool:
    """Return whether a target is a file, which is refused later where its kind is not read."""
    from ldp_verified.check.audit.targets.targets import SUFFIXES

    read = reference.removesuffix(".gz").endswith(SUFFIXES)
    meant = read or (":" not in reference and not reference.endswith(".py"))
    return meant and Path(reference).is_file()


def run(target: Target, claim: Claim, plan: AuditSteps, *, quiet: bool) -> AuditResult:
    """Audit with a bar that shows the running bound; what it could show is said before.

    Raises:
        ParameterError: as `audit_target` does; or a channel that an option asked for was not looked
            at, so that no verdict but `violated` would say what was asked.
    """
    from ldp_verified.app.report.audit import planned
    from ldp_verified.app.report.output import say
    from ldp_verified.check.audit.whole_audit import audit_target

    def told(said: AuditPlan) -> None:
        _refuse(target, said.left_out)
        if not quiet:
            say(planned(said, claim.epsilon))

    if target.outside and not plan.checks:
        raise ParameterError("--outside", "must come without --no-checks")
    with _told_of_ctrl_c(), bar(counted=True) as tell, _heard(), _unended(), _own_output():
        result = audit_target(
            target,
            claim,
            mechanism=plan.mechanism,
            parameters=plan.parameters,
            reading=plan.reading,
            events=plan.events,
            outputs=plan.outputs,
            seed=plan.seed,
            checks=plan.checks,
            estimator=plan.estimator,
            variance=plan.claimed,
            interval=plan.interval,
            confidence=plan.confidence,
            calls=plan.calls,
            seconds=plan.seconds,
            progress=lambda what, done, total, bound: tell(
                f"{what}, eps >= {bound:.3g}" if bound else what, done, total
            ),
            told=told,
        )
    if result.verdict.value != "violated" and not result.interrupted:
        _refuse(target, result.skipped)
    return result


def _refuse(target: Target, skipped: Mapping[str, str]) -> None:
    """Refuse an option whose rule is not looked at: an audit must not pass without it."""
    asked = {"LDP014": target.outside, "LDP017": target.timing, "LDP018": target.beside}
    for option, rule in zip(("--outside", "--timing", "--beside"), asked, strict=True):
        if asked[rule] and rule in skipped:
            raise ParameterError(option, f"must be looked at, and {rule} {skipped[rule]}")


def fitting(
    target: Target,
    claim: Claim,
    mechanism: str,
    parameters: Mapping[str, object],
    reading: str | None,
    users: int | None,
) -> AuditResult:
    """Compare a file of reports, or of counts, with a mechanism."""
    from ldp_verified.check.audit.rules.fitted import audit_fit

    with _told_of_ctrl_c(), _unended(), _own_output():
        return audit_fit(target, claim, mechanism, parameters, reading, users)


@contextmanager
def _told_of_ctrl_c() -> Iterator[None]:
    """Say in one line that Ctrl-C came while there was nothing to show, as before the sampling."""
    from ldp_verified.app.report.output import say
    from ldp_verified.check.audit.results.results import UNTESTED

    try:
        yield
    except BaseException as error:
        if interrupted(error):
            say(f"ldp-verified: {UNTESTED}")
        raise


@contextmanager
def _heard() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C during an audit: what is known is said, whoever sent it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


@contextmanager
def _unended() -> Iterator[None]:
    """Raise an error if the audit's target or reading ends the process that it runs in."""
    try:
        yield
    except (SystemExit, GeneratorExit) as error:
        rule = f"must not end the audit ({type(error).__name__}: {error})"
        raise ParameterError("TARGET", rule) from None


@contextmanager
def _own_output() -> Iterator[None]:
    """Stdout is the report's alone: targets, readings and files may run other people's code."""
    from ldp_verified.app.report.streams import keep_stdout

    if keep_stdout():
        yield
        return
    with Path(os.devnull).open("w", encoding="utf-8") as nothing, redirect_stdout(nothing):
        kept = os.dup(1)
        os.dup2(nothing.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def writable(files: Files, save: Path | None = None, read: Iterable[Path] = ()) -> None:
    """Refuse places where no file can be written, before anything is drawn.

    Args:
        files: of the results.
        save: of the finding.
        read: files that the audit is about, which no result may replace.

    Raises:
        ParameterError: as `check_place`; or two results would go to one file, or one to a file
            that is read.
    """
    from ldp_verified.deploy.collect.files import check_place

    taken = {path.resolve(): "a file that is read" for path in read}
    places = {"--save": save, "--junit": files.junit, "--sarif": files.sarif, "--html": files.html}
    for option, path in places.items():
        if path is not None:
            check_place(option, path, text=option != "--save")
            place = path.resolve()
            if place in taken:
                raise ParameterError(option, f"must be another file than {taken[place]}", str(path))
            if place.is_file() or not place.exists():  # a device or a pipe takes several
                taken[place] = f"that of {option}"


def sources(names: Iterable[str | Path | None]) -> Iterator[Path]:
    """Find the files that an audit reads.

    Args:
        names: paths, `package.module:expression` and command lines, as they are given.

    Yields:
        The files among them, those of modules in the working directory included.
    """
    for name in names:
        text = "" if name is None else str(name)
        module = text.partition(":")[0].replace(".", "/")
        found = [text, f"{module}.py", f"{module}/__init__.py", *text.split()]
        for path in (Path(each.strip("\"'")) for each in found if text):
            with suppress(OSError, ValueError):  # a long command line is no path
                if path.is_file():
                    yield path


def savable(target: Target) -> None:
    """Refuse inputs that a saved finding cannot hold, before anything is drawn.

    Args:
        target: with its inputs.

    Raises:
        ParameterError: one of the inputs is no value of JSON, such as NaN.
    """
    import json

    try:
        json.dumps(target.document(), allow_nan=False)
    except (TypeError, ValueError):
        rule = "must be left out for inputs that JSON does not hold, such as NaN"
        raise ParameterError("--save", rule) from None


def exact(
    table: Path | None,
    configuration: Path | None,
    epsilon: float | None,
    delta: float,
    period: str,
    per_day: int | None,
    known: tuple[object, ...] | None = None,
) -> ExactResult:
    """The exact audit of a table or a configuration."""
    if table is not None:
        from ldp_verified.check.audit.bounds.tables import audit_table, read_table

        return audit_table(read_table(table), table.name, epsilon, delta)
    from ldp_verified.check.audit.bounds.configurations import (
        audit_configuration,
        read_configuration,
    )

    if configuration is None or delta:
        raise ParameterError("--delta", "must be 0 for a configuration", delta)
    _, values = read_configuration(configuration)
    return audit_configuration(
        values,
        configuration.name,
        epsilon=epsilon,
        period=period,
        reports_per_day=per_day,
        known=None if known is None else [str(value) for value in known],
    )


def _outcome(verdict: AuditVerdict | None) -> Outcome:
    if verdict is None:
        return Outcome.HOLDS
    return {
        "consistent": Outcome.HOLDS,
        "violated": Outcome.VIOLATED,
        "inconclusive": Outcome.INCONCLUSIVE,
    }[verdict.value]


def show_exact(result: ExactResult, files: Files, path: Path | None = None) -> Outcome:
    """Show and write an exact result of a file."""
    from ldp_verified.app.report import audit as report
    from ldp_verified.app.report import audit_files, audit_page
    from ldp_verified.app.report.output import show as write

    return _delivered(
        _outcome(result.verdict),
        (lambda: report.exact_document(result)) if files.as_json else None,
        lambda: write(report.exact_terminal(result)),
        lambda: _write("--junit", files.junit, lambda: audit_files.exact_junit(result)),
        lambda: _write("--sarif", files.sarif, lambda: audit_files.exact_sarif(result, path)),
        lambda: _write("--html", files.html, lambda: audit_page.exact_page(result)),
    )


def show(
    result: AuditResult,
    target: Target,
    again: str,
    files: Files,
    save: Path | None = None,
    options: Mapping[str, object] | None = None,
) -> Outcome:
    """Show and write a result.

    Args:
        result: of the audit.
        target: what was audited.
        again: how to see it again.
        files: where it goes to.
        save: of the finding; None for none.
        options: of the finding, see `SavedFinding`.

    Returns:
        The outcome of the verdict, or bad input where a file could not be written.
    """
    from ldp_verified.app.report import audit as report
    from ldp_verified.app.report import audit_files, audit_page
    from ldp_verified.app.report.audit_servers import wrong_server
    from ldp_verified.app.report.output import show as write
    from ldp_verified.check.audit.results.findings import save as keep

    return _delivered(
        Outcome.VIOLATED if wrong_server(result) else _outcome(result.verdict),
        (lambda: report.document(result, again)) if files.as_json else None,
        lambda: write(report.terminal(result, again)),
        lambda: None if save is None else keep(save, result, target, options),
        lambda: _write("--junit", files.junit, lambda: audit_files.junit(result)),
        lambda: _write("--sarif", files.sarif, lambda: audit_files.sarif(result, target)),
        lambda: _write("--html", files.html, lambda: audit_page.page(result, again)),
    )


def _delivered(
    outcome: Outcome,
    document: Callable[[], Mapping[str, Json]] | None,
    shown: Callable[[], None],
    *writes: Callable[[], None],
) -> Outcome:
    """Show a verdict and write its files: what fails of these takes none of the others along."""
    from ldp_verified.app.report.output import show_document

    failed: dict[str, Json] = {}
    try:
        if document is None:
            shown()
    finally:
        for write in writes:
            try:
                write()
            except ParameterError as error:
                say_error(error)
                outcome, failed = Outcome.BAD_INPUT, failed or error_fields(error)
    if document is not None:  # last, as the document holds the exit code and its reason
        show_document("audit", outcome, {**document(), **failed})
    return outcome


def _write(option: str, path: Path | None, make: Callable[[], str]) -> None:
    from ldp_verified.deploy.collect.files import write_text

    if path is not None:
        write_text(option, path, make())
