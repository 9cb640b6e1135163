"""Write the transcript: `python -m ldp_verified.check.recheck` verifies the catalogue anew.

What the transcript at hand says of a mechanism is kept while the checkers, the theory, the tools
and the mechanism's own files are the same. So a run that was broken off goes on where it stopped.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ldp_verified.errors import SpecError
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
    tell: Tell = lambda _: None,
) -> Iterator[Transcript]:
    """Verify one mechanism after another, and give the transcript after each.

    Args:
        mechanisms: of the catalogue; one that `known` still holds for is left out.
        at: where their files lie.
        known: a former transcript.
        coq: whether Coq's kernel is asked; by default if coqc is installed.
        catalogue: all that a spec may name; `mechanisms` where None.
        tell: called with each name when its turn comes.

    Yields:
        The transcript so far; the first one before anything is verified.

    Raises:
        SpecError: as in `entry`, or Coq is asked for and does not run.
    """
    declared = {m.name: m.origin.module for m in (catalogue or mechanisms) if m.origin is not None}
    found = begun(at, tools(coq=coq), known)
    yield found
    for mechanism in mechanisms:
        if mechanism.name in found.entries:
            continue
        tell(mechanism.name)
        result = verify(mechanism, coq=coq)
        found = found.with_entry(entry(mechanism, result, at, declared))
        yield found


def main(arguments: Sequence[str] | None = None) -> None:
    """Write `proofs/transcript.json`, or another file, after each mechanism anew."""
    at = Installation.here()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", help="names of the catalogue; all where none is given")
    parser.add_argument("--output", type=Path, default=at.transcript)
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
        tell=lambda name: print(name, file=sys.stderr, flush=True),  # noqa: T201  for a terminal
    ):
        written = given.output.with_suffix(".new")
        written.write_text(found.text, encoding="utf-8")
        written.replace(given.output)
