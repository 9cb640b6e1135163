"""`generate --language`: clients in other languages."""

import json
from pathlib import Path
from typing import Any

from ldp_verified.app.cli.client_files import MODULE, Files, write_files
from ldp_verified.app.cli.deploying import without_strings
from ldp_verified.app.cli.outcome import Outcome
from ldp_verified.errors import ParameterError
from ldp_verified.spellings import plain

LANGUAGES = ("c", "javascript", "rust", "wasm")
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

    from ldp_verified.analysis.words_told import has_unbounded_noise, shown_told
    from ldp_verified.app.report.generation import WRITTEN, File, document, terminal
    from ldp_verified.app.report.output import show, show_document

    if language not in LANGUAGES:
        raise ParameterError("--language", f"must be one of {', '.join(LANGUAGES)}", language)
    if not specs or len(specs) != 1:
        raise ParameterError("SPEC", "must be one name of the catalogue, or a descriptor", specs)
    made, strings = _deployed(specs[0], arguments)
    texts = client_texts(made, language, strings)
    if has_unbounded_noise(made):
        sys.stderr.write(f"ldp-verified: {specs[0]}: {shown_told(made)}; {_advice(made)}\n")
    if output is not None:
        files = [File(each, WRITTEN, specs[0]) for each in write_files(texts, output)]
    elif as_json:
        files = [File(Path(each), *_shown(content, specs[0])) for each, content in texts.items()]
    else:
        _print_code(texts)
        return Outcome.HOLDS
    if as_json:
        show_document("generate", Outcome.HOLDS, document(files, None))
    else:
        show(terminal(files, None))
    return Outcome.HOLDS


def _shown(content: str | bytes, spec: str) -> tuple[str, str, str | None]:
    """Return what a document says of a file that was not written; a binary is left out."""
    if isinstance(content, str):
        return "not written", spec, content
    return "not written; a binary, so it is left out here", spec, None


def _print_code(texts: Files) -> None:
    """Print the code itself to stdout, and say what else there is."""
    import sys

    printed, code = next(each for each in texts.items() if each[0].endswith((".h", MODULE, ".rs")))
    assert isinstance(code, str), "only a .wasm file is binary"
    sys.stdout.write(code)
    if others := [name for name in texts if name != printed]:
        said = f"this is {printed}; --output writes {', '.join(others)} too"
        sys.stderr.write(f"ldp-verified: {said}\n")


ADVICE = "truncated_geometric has noise of bounded range, and words that tell nothing"
ADVICE_OF_SUMS = "oue estimates frequencies, too, by words that tell nothing"
_TYPES = ".d.mts"
_SELF_TEST_CELLS = 64
"""Cells of a client whose own test is printed: a row of it has all of them."""
_SELF_TEST_NUMBERS = 1 << 10
"""The same of the numbers of a report."""


def _deployed(name: str, arguments: dict[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """The mechanism of a name or of a descriptor's file, and the strings that a client knows."""
    from ldp_verified.deploy import Deployment
    from ldp_verified.deploy.descriptor import made_of
    from ldp_verified.protocols import RegionChoice, SafeRegions

    given, strings = without_strings(arguments)
    chosen = _chosen(name, given)
    if name.endswith(".json"):
        if given:
            rule = "must not be given beside a descriptor, which has its own"
            raise ParameterError("--set", rule, [*given])
        path = Path(name)
        if not path.is_file():
            raise ParameterError("SPEC", "must be a file, if it ends in .json", name)
        made = Deployment.from_text(path.read_bytes()).mechanism
    else:
        made = made_of(name, given)
    if isinstance(made, SafeRegions):
        if not chosen:
            rule = "must be given, and epsilon: what this client's user has chosen, in public"
            raise ParameterError("region", rule)
        made = RegionChoice(made, **chosen)
    elif chosen:
        rule = "must be left out: it is what a user of safe_regions chooses"
        raise ParameterError("region", rule, name)
    if not hasattr(made, "program"):
        rule = "must be a mechanism that has a program: docs/devices.md lists them"
        raise ParameterError("SPEC", rule, name)
    return made, strings


def _chosen(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Take what a user of safe regions has chosen out of the arguments; {} where nothing is.

    Raises:
        ParameterError: a region is given for something else.
    """
    if "region" not in given:
        return {}
    if not name.endswith(".json") and plain(name) != "saferegions":
        rule = "must be left out: it is what a user of safe_regions chooses"
        raise ParameterError("region", rule, name)
    return {each: given.pop(each, None) for each in ("region", "epsilon")}


def _scheme(made: Any) -> Any:
    """Return what is deployed, and draws the reports: of most the thing itself."""
    return getattr(made, "scheme", made)


def program_of(made: Any, strings: tuple[str, ...] = ()) -> Any:
    """The program of a mechanism or of a protocol's client.

    Args:
        made: what has one.
        strings: what users can hold; of RAPPOR alone.
    """
    from ldp_verified.protocols import Rappor

    if isinstance(made, Rappor):
        return made.program(strings)
    if strings:
        raise ParameterError("strings", "must be left out: values are numbers", strings)
    return made.program()


def client_texts(made: Any, language: str, strings: tuple[str, ...] = ()) -> Files:
    """Names and contents of a mechanism's client; what it is made of stands at the top of each.

    Args:
        made: a mechanism with a program.
        language: one of `LANGUAGES`. C has a header with test vectors in it; JavaScript has an ES
            module and the declarations of its types; Rust has a crate; WebAssembly has a binary,
            and a module with the same binary in it.
        strings: what users can hold; of RAPPOR alone.

    Raises:
        ParameterError: the strings are none, or WebAssembly's tool chain is missing.
    """
    from ldp_verified.app.report.vectors_kept import in_a_row, state_identity
    from ldp_verified.app.report.wasm import compiled_wasm
    from ldp_verified.run.program.c import c_header
    from ldp_verified.run.program.javascript import javascript_module, typescript_types
    from ldp_verified.run.program.rust import MANIFEST, rust_crate
    from ldp_verified.run.program.vectors import vectors_of
    from ldp_verified.run.program.wasm import wasm_module, wasm_source

    program = program_of(made, strings)
    name, identity = program.name, state_identity(_scheme(made), strings)
    bare = program.cells > _SELF_TEST_CELLS or program.numbers > _SELF_TEST_NUMBERS
    if language in ("c", "rust"):
        about = _about(
            made, language, "fill must give bytes of a generator that is fit for", strings
        )
        vectors = [] if bare else vectors_of(program, in_a_row=in_a_row(made))
        if language == "c":
            return {f"{name}.h": c_header(program, about, vectors, identity)}
        manifest = MANIFEST.format(name=name.replace("_", "-"), module=name, version=_version())
        first = f"# Client of {made!r}\n"
        text = rust_crate(program, about, vectors, identity)
        return {"Cargo.toml": first + manifest, "src/lib.rs": text}
    source = "crypto.getRandomValues must be a generator that is fit for"
    about = _about(made, language, source, strings)
    types = {f"{name}{_TYPES}": typescript_types(program, about)}
    if language == "javascript":
        return {f"{name}{MODULE}": javascript_module(program, about, identity=identity), **types}
    binary = compiled_wasm(c_header(program, [], (), identity) + wasm_source(program))
    return {
        f"{name}{MODULE}": wasm_module(program, about, binary),
        **types,
        f"{name}.wasm": binary,
    }


def _version() -> str:
    import importlib.metadata

    return importlib.metadata.version("ldp-verified")


def _about(made: Any, language: str, source: str, strings: tuple[str, ...]) -> list[str]:
    """The lines at the top of a client."""
    from ldp_verified.deploy import Deployment

    identities = Deployment(_scheme(made)).format.identities
    tables = [identity for identity in identities if identity.law_hash]
    own = dict.fromkeys(number for each in identities for number in each.thresholds)
    thresholds = getattr(made, "thresholds", own)
    lines = [
        f"Client of {made!r}",
        f"Written by ldp-verified generate --language {language}, version {_version()}",
        *(f"sha256 of the law of {each.mechanism}: {each.law_hash}" for each in tables),
        f"Thresholds of 2^64: {', '.join(map(str, thresholds))}",
        *_read(made, language),
        *_told(made),
        *(f"Value {i} is {json.dumps(each)}" for i, each in enumerate(strings or _labels(made))),
        "",
        f"{source} cryptography; without it nothing",
        "is private. docs/devices.md says what is checked of this file and what is not.",
    ]
    # Names of users, of places say, must not end the comment or begin another one in it. Nor may
    # they end, or begin, the element of a page that a module is pasted into; as an escape they are
    # the same text in JSON and in Python.
    escapes = {"*/": "* /", "/*": "/ *", "<": r"\u003c"}
    for text, instead in escapes.items():
        lines = [line.replace(text, instead) for line in lines]
    return lines


def _labels(made: Any) -> tuple[Any, ...]:
    """Return the labels of values in the order of their numbers; () where values are numbers."""
    from ldp_verified.run.realize.programmed import ProgrammedRandomizer

    own = isinstance(made, ProgrammedRandomizer)
    labels = made.labels if own else getattr(made, "categories", None)
    return labels if isinstance(labels, tuple) else ()


def _advice(made: Any) -> str:
    """Return what to take where somebody may count words."""
    from ldp_verified.protocols import SHE

    return ADVICE_OF_SUMS if isinstance(made, SHE) else ADVICE


def _told(made: Any) -> list[str]:
    """Return what the number of words tells, where the noise of a report has an unbounded range."""
    import textwrap

    from ldp_verified.analysis.words_told import has_unbounded_noise, shown_told

    if not has_unbounded_noise(made):
        return []
    text = f"Who sees how many words a report takes: {shown_told(made)}; {_advice(made)}."
    return textwrap.wrap(text, 72)


def _read(made: Any, language: str) -> list[str]:
    """Return what a client reads for a value, where values are no indices."""
    import textwrap

    from ldp_verified.protocols.hashed_values import HashedValues
    from ldp_verified.run.realize.programmed import ReadsPosition

    if isinstance(made, ReadsPosition):
        low, high = made.bounds
        return [
            f"A value is a position: of x in {low}..{high} the integer next to",
            f"(x - ({low})) / ({high} - ({low})) * 2^52, which is 0..2^52.",
        ]
    if not isinstance(made, HashedValues):
        return textwrap.wrap(getattr(made, "program_value", ""), 72)
    lines = [f"A value is an integer of {made.width} bits."]
    if made.bits is None:
        lines = [
            "A value is a text of at most 15 bytes in UTF-8, as a number of 128 bits: its",
            "bytes, zeros up to 15 bytes, then how many it has; the first is the uppermost.",
        ]
    if language == "c" and made.width > 64:
        lines += ["It is given as its upper 64 bits or less, then its lower 64."]
    return lines
