"""`generate --language`: clients in other languages."""

from pathlib import Path
from typing import Any

from ldp_verified.cli.outcome import Outcome
from ldp_verified.errors import ParameterError

LANGUAGES = ("c", "javascript")
"""What programs are printed in, beside Python."""


def write_client(
    specs: list[str] | None,
    language: str,
    arguments: dict[str, Any],
    output: Path | None,
    as_json: bool,
) -> Outcome:
    """Print the client of one mechanism to a file, into a folder, or to stdout.

    Raises:
        ParameterError: the language, the name, an argument or the file is not what it must be.
    """
    import sys

    from ldp_verified.collect.files import written_whole
    from ldp_verified.deploy.descriptor import made_of
    from ldp_verified.realize.programmed import Programmed
    from ldp_verified.report.generation import WRITTEN, File, document, terminal
    from ldp_verified.report.output import show, show_document

    if language not in LANGUAGES:
        raise ParameterError("--language", f"must be one of {', '.join(LANGUAGES)}", language)
    if not specs or len(specs) != 1:
        raise ParameterError("SPEC", "must be one name of the catalogue", specs)
    made = made_of(specs[0], arguments)
    if not isinstance(made, Programmed):
        raise ParameterError("SPEC", "must be a mechanism that has a program", specs[0])
    texts = client_texts(made, language)
    first = next(iter(texts))
    path = output / first if output is not None and output.is_dir() else output
    if path is None:
        text = texts[first]
        if not as_json:
            sys.stdout.write(text)
            return Outcome.HOLDS
        files = [File(None, WRITTEN, specs[0], text)]
    else:
        paths = _places(path, list(texts))
        for each in paths:
            _refuse_foreign(each)
        for each, text in zip(paths, texts.values(), strict=True):
            with written_whole(each) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
        files = [File(each, WRITTEN, specs[0]) for each in paths]
    if as_json:
        show_document("generate", Outcome.HOLDS, document(files, None))
    else:
        show(terminal(files, None))
    return Outcome.HOLDS


FIRST_WORDS = " * Client of "
_MODULE = ".mjs"
_TYPES = ".d.mts"


def client_texts(made: Any, language: str) -> dict[str, str]:
    """Names and texts of a mechanism's client; what it is made of stands at the top of each.

    Args:
        made: a mechanism with a program.
        language: one of `LANGUAGES`. C has a header with test vectors in it; JavaScript has an ES
            module and the declarations of its types.
    """
    from ldp_verified.program.c import c_header
    from ldp_verified.program.javascript import javascript_module, typescript_types
    from ldp_verified.program.vectors import vectors_of

    program = made.program()
    if language == "c":
        about = _about(made, language, "fill must give bytes of a generator that is fit for")
        return {f"{made.name}.h": c_header(program, about, vectors_of(program))}
    about = _about(made, language, "crypto.getRandomValues must be a generator that is fit for")
    return {
        f"{made.name}{_MODULE}": javascript_module(program, about),
        f"{made.name}{_TYPES}": typescript_types(program, about),
    }


def _about(made: Any, language: str, source: str) -> list[str]:
    """The lines at the top of a client."""
    import importlib.metadata

    return [
        f"Client of {made!r}",
        f"Written by ldp-verified generate --language {language}, version "
        + importlib.metadata.version("ldp-verified"),
        f"sha256 of the law: {made.law_sha256}",
        f"Thresholds of 2^64: {', '.join(map(str, made.thresholds))}",
        *_read(made),
        "",
        f"{source} cryptography; without it nothing",
        "is private. docs/devices.md says what is checked of this file and what is not.",
    ]


def _read(made: Any) -> list[str]:
    """Return what a client reads for a number, where values are no indices."""
    from ldp_verified.realize.programmed import ProgrammedNumber

    if not isinstance(made, ProgrammedNumber):
        return []
    low, high = made.bounds
    return [
        f"A value is a position: of x in {low}..{high} the integer next to",
        f"(x - ({low})) / ({high} - ({low})) * 2^52, which is 0..2^52.",
    ]


def _places(path: Path, names: list[str]) -> list[Path]:
    """Return the paths of a client's files: the types of a module beside it, under its name."""
    if len(names) == 1:
        return [path]
    if path.suffix != _MODULE:
        raise ParameterError("--output", f"must be a folder or end in {_MODULE}", str(path))
    return [path, path.with_suffix(_TYPES)]


def _refuse_foreign(path: Path) -> None:
    """Refuse to replace what is no client that was written here."""
    if not path.exists():
        if not path.parent.is_dir():
            raise ParameterError("--output", "must lie in an existing folder", str(path))
        return
    if not path.is_file() or not path.read_text("utf-8", "replace").startswith(
        f"/*\n{FIRST_WORDS}"
    ):
        raise ParameterError("--output", "must be a new file or one that generate wrote", str(path))
