"""Write the transcript: `python -m ldp_verified.check.recheck` verifies the catalogue anew.

What the transcript at hand says of a mechanism is kept while the checkers, the theory, the tools
and the mechanism's own files are the same. So a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.language import Mechanism, load, load_catalogue
from ldp_verified.prove.coq.coqc import coq_version, coqc_available
from ldp_verified.prove.statements.store import document
from ldp_verified.prove.verdicts import Verdict, Verification
from ldp_verified.prove.verify import verify
from ldp_verified.run.carried.evidence import changed
from ldp_verified.run.carried.files import CERTIFICATES, PACKAGE, PROOFS, SPEC, Installation, sha256
from ldp_verified.run.carried.transcript import Proven, Transcript, TranscriptEntry, read_transcript

PACKAGES = ("ldp-verified", "sympy", "python-flint", "z3-solver")
"""The distributions that derive and decide."""

Tell = Callable[[str], None]


def tools(*, coq: bool | None = None) -> dict[str, str]:
    """Name -> version of what derives and decides here.

    Args:
        coq: whether Coq takes part; by default if coqc is installed.

    Raises:
        SpecError: coqc is asked for and does not run.
    """
    found = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    asked = coqc_available() if coq is None else coq
    return found | {"coq": coq_version() if asked else "none"}


def proven(verdict: Verdict) -> Proven:
    """Return the part of a verdict that the transcript keeps."""
    return Proven(
        verdict.claim,
        str(verdict.obligation),
        verdict.statement,
        str(verdict.status),
        verdict.checkers,
        verdict.theorems,
        verdict.assumptions,
    )


def own_files(
    mechanism: Mechanism, at: Installation, declared: Mapping[str, str]
) -> dict[str, str]:
    """Name -> sha256 of the spec, of those that it names, of the certificate and of the class.

    Args:
        mechanism: of the catalogue. at: where its files lie.
        declared: name of a mechanism -> module of its spec.

    Raises:
        SpecError: it is not of the catalogue, or a file is missing.
    """
    if mechanism.origin is None or not (at.spec / f"{mechanism.origin.module}.py").is_file():
        raise SpecError("mechanism", "must be of the catalogue", mechanism.name)
    module = mechanism.origin.module
    text = at.path(f"{SPEC}/{module}.py").read_text(encoding="utf-8")
    others = {file for name, file in declared.items() if f'"{name}"' in text and file != module}
    names = [f"{SPEC}/{each}.py" for each in (module, *sorted(others))]
    names.append(f"{PROOFS}/{CERTIFICATES}/{mechanism.name}.json")
    made = f"{PACKAGE}/run/mechanisms/{module}.py"
    names += [made] if at.path(made).is_file() else []
    return {name: sha256(at.path(name)) for name in names}


def entry(
    mechanism: Mechanism, result: Verification, at: Installation, declared: Mapping[str, str]
) -> TranscriptEntry:
    """Return the entry of a mechanism, with the hashes of its files; see `own_files`.

    Raises:
        SpecError: its certificate file is not what the spec gives now.
    """
    files = own_files(mechanism, at, declared)
    path = at.path(f"{PROOFS}/{CERTIFICATES}/{mechanism.name}.json")
    if path.read_text(encoding="utf-8") != document(mechanism):
        raise SpecError(path.name, "is not what the spec gives now; make generated writes it")
    return TranscriptEntry(
        mechanism.name,
        mechanism.title,
        str(result.status),
        mechanism.law_hash,
        files,
        result.drawn,
        tuple(proven(verdict) for verdict in result.verdicts),
    )


def begun(at: Installation, tools_here: Mapping[str, str], known: Transcript | None) -> Transcript:
    """A transcript of these checkers and tools, with what a former one says that still holds."""
    empty = Transcript(dict(tools_here), at.checkers(), at.theory(), {})
    if known is None or (known.tools, known.checkers, known.theory) != (
        empty.tools,
        empty.checkers,
        empty.theory,
    ):
        return empty
    kept = {name: each for name, each in known.entries.items() if not changed(each.files, at)}
    return Transcript(empty.tools, empty.checkers, empty.theory, kept)


def transcribe(
    mechanisms: Sequence[Mechanism],
    at: Installation,
    *,
    known: Transcript | None = None,
    coq: bool | None = None,
    catalogue: Iterable[Mechanism] | None = None,
    jobs: int = 1,
    tell: Tell = lambda _: None,
) -> Iterator[Transcript]:
    """Verify mechanisms, and give the transcript after each.

    Args:
        mechanisms: of the catalogue; one that `known` still holds for is left out.
        at: where their files lie.
        known: a former transcript.
        coq: whether Coq's kernel is asked; by default if coqc is installed.
        catalogue: all that a spec may name; `mechanisms` where None.
        jobs: how many mechanisms are verified at a time; more than one in processes of their own.
        tell: called with each name when its turn comes.

    Yields:
        The transcript so far; the first one before anything is verified.

    Raises:
        ParameterError: `jobs` is below 1.
        SpecError: as in `entry`, or Coq is asked for and does not run.
    """
    if jobs < 1:
        raise ParameterError("jobs", "must be at least 1", jobs)
    declared = {m.name: m.origin.module for m in (catalogue or mechanisms) if m.origin is not None}
    found = begun(at, tools(coq=coq), known)
    yield found
    left = [mechanism for mechanism in mechanisms if mechanism.name not in found.entries]
    for each in _entries(left, at, declared, coq=coq, jobs=jobs, tell=tell):
        found = found.with_entry(each)
        yield found


def _entries(
    mechanisms: Sequence[Mechanism],
    at: Installation,
    declared: Mapping[str, str],
    *,
    coq: bool | None,
    jobs: int,
    tell: Tell,
) -> Iterator[TranscriptEntry]:
    """The entry of each mechanism, as soon as it is verified."""
    if jobs == 1:
        for mechanism in mechanisms:
            tell(mechanism.name)
            yield entry(mechanism, verify(mechanism, coq=coq), at, declared)
        return
    turn = iter(mechanisms)
    running: set[Future[TranscriptEntry]] = set()
    # A mechanism cannot be sent to a process; its name can. A fork would copy threads' locks.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while True:
            for mechanism in islice(turn, jobs - len(running)):
                tell(mechanism.name)
                files = own_files(mechanism, at, declared)
                running.add(pool.submit(_entry_of, mechanism.name, files, at, declared, coq))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()


def _entry_of(
    name: str,
    files: Mapping[str, str],
    at: Installation,
    declared: Mapping[str, str],
    coq: bool | None,
) -> TranscriptEntry:
    """`entry` of a mechanism of the catalogue; its files must be those that were named.

    Raises:
        SpecError: a file has changed meanwhile.
    """
    spec = next(iter(files))
    (mechanism,) = (each for each in load(at.path(spec)) if each.name == name)
    if changed(files, at):
        raise SpecError(name, "has files that changed while it was verified")
    return entry(mechanism, verify(mechanism, coq=coq), at, declared)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write `proofs/transcript.json`, or another file, after each mechanism anew."""
    at = Installation.here()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", help="names of the catalogue; all where none is given")
    parser.add_argument("--output", type=Path, default=at.transcript)
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="mechanisms at a time; by default one for each processor",
    )
    parser.add_argument("--no-coq", action="store_true", help="leave Coq out")
    given = parser.parse_args(arguments)
    catalogue = load_catalogue()
    chosen = [m for spec in given.specs for m in load(spec)] if given.specs else list(catalogue)
    known = read_transcript(given.output) if given.output.is_file() else None
    for found in transcribe(
        chosen,
        at,
        known=known,
        coq=False if given.no_coq else None,
        catalogue=catalogue,
        jobs=given.jobs,
        tell=lambda name: print(name, file=sys.stderr, flush=True),  # noqa: T201  for a terminal
    ):
        written = given.output.with_suffix(".new")
        written.write_text(found.text, encoding="utf-8")
        written.replace(given.output)
