"""Generated modules and their files: written and compared, never over somebody else's file."""

import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.app.report.generation import File
    from ldp_verified.language import Mechanism
    from ldp_verified.prove.acceptance import Acceptance

COMMAND = "ldp-verified generate"
FIRST_LINE = f"# Command: {COMMAND}"


@dataclass(frozen=True)
class Module:
    """A generated module and its place.

    Attributes:
        spec: as named on the command line.
        source: the spec file.
        mechanisms: what it declares.
        text: of the module.
        path: where it belongs; None for stdout.
        accepted: what is accepted of it although it is not proved; its header says so.
    """

    spec: str
    source: Path
    mechanisms: "tuple[Mechanism, ...]"
    text: str
    path: Path | None
    accepted: "tuple[Acceptance, ...]" = ()


def deliver(modules: list[Module], as_json: bool) -> None:
    """Write modules to their files, or to stdout."""
    from ldp_verified.app.report.generation import WRITTEN, File
    from ldp_verified.deploy.collect.files import write_text

    for module in modules:
        if module.path is not None:
            check = partial(refuse_foreign, module.path)
            write_text("--output", module.path, module.text, check)
    if modules[0].path is None and not as_json:
        sys.stdout.write(modules[0].text)
        sys.stdout.flush()
    else:
        files = [File(m.path, WRITTEN, m.spec, None if m.path else m.text) for m in modules]
        show_files(files, as_json, Outcome.HOLDS)


def refuse_foreign(path: Path | None) -> None:
    """Refuse to replace what is not a generated module: a spec, or anybody's own file."""
    if path is None or not path.exists():
        return
    try:
        with path.open("rb") as stream:
            ours = stream.read(len(FIRST_LINE)) == FIRST_LINE.encode()
    except OSError as error:
        raise ParameterError(str(path), f"cannot be replaced: {error.strerror}") from None
    if not ours:
        raise ParameterError("--output", "must be a new file or one that generate wrote", str(path))


def compare(
    modules: list[Module], output: Path | None, accept: list[str], as_json: bool
) -> Outcome:
    """Return whether the files hold what would be written; the line that names tools may differ."""
    from ldp_verified.app.report.generation import DIFFERENT, MISSING, File
    from ldp_verified.generate.module import without_tools

    files = []
    for module in modules:
        assert module.path is not None, "what is checked has a place"
        if not module.path.is_file():
            files.append(File(module.path, MISSING, module.spec))
        elif without_tools(module.path.read_text("utf-8", "replace")) != without_tools(module.text):
            files.append(File(module.path, DIFFERENT, module.spec))
    mend = COMMAND
    if output is not None:
        named = [word for text in accept for word in ("--accept", text)]
        mend += " " + shlex.join([*(module.spec for module in modules), "-o", str(output), *named])
    outcome = Outcome.VIOLATED if files else Outcome.HOLDS
    show_files(files, as_json, outcome, mend)
    return outcome


def show_files(
    files: "list[File]", as_json: bool, outcome: Outcome, mend: str | None = None
) -> None:
    """Say what was written, or what is not current."""
    from ldp_verified.app.report import generation
    from ldp_verified.app.report.output import show, show_document

    if as_json:
        show_document("generate", outcome, generation.document(files, mend))
    else:
        show(generation.terminal(files, mend))
