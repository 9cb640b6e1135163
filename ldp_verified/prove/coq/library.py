"""The hand-written theory: where it lies, and its compiled form, made once and kept."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.prove.coq.coqc import FOLDERS, compile_all, coq_version
from ldp_verified.prove.coq.scan import COQ_NAME, sentences

_PACKAGE = Path(__file__).resolve().parents[2]
SECONDS_PER_FILE = 240
EVERY = 8
"""Files between two lines that say how far it is."""
MANIFEST = "compiled.json"
_DEFINED = re.compile(
    r"^\s*(?:Definition|Fixpoint|Inductive|Record|Lemma|Theorem|Ltac)\s+([A-Za-z_][\w']*)",
    re.MULTILINE,
)


def proofs_folder() -> Path:
    """The checkout's `proofs/` if the package lies in one, else the copy that the wheel carries."""
    checkout = _PACKAGE.parent / "proofs"
    if checkout.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return checkout
    return _PACKAGE / "_proofs"


def cache_folder() -> Path:
    """Return where compiled theories are kept: the user's folder for caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "ldp_verified" / "coq"
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ldp_verified/coq"


@contextlib.contextmanager
def work_folder(proofs: Path | None = None, cache: Path | None = None) -> Iterator[Path]:
    """A folder of one's own for a while: the compiled theory, and an empty generated/.

    The theory is compiled when the cache lacks it for these sources and this version of Coq, or
    holds other bytes than were written there. A cache that cannot be written to is done without.

    Args:
        proofs: the proofs folder. cache: the cache folder.

    Raises:
        SpecError: coqc or the theory is missing, or the theory does not compile.
    """
    sources = _sources(proofs or proofs_folder())
    with tempfile.TemporaryDirectory(prefix="ldp_verified_coq_") as folder:
        build = Path(folder)
        for name in FOLDERS:
            (build / name).mkdir()
        try:
            kept = (cache or cache_folder()) / _key(sources)
        except RuntimeError:  # no home folder
            kept = None
        if kept is None or not _taken(kept, build / "lib", sources):
            _compile(sources, build)
            if kept is not None:
                _keep(kept, build / "lib", sources)
        yield build


def library_names(proofs: Path) -> frozenset[str]:
    """Return the names that the theory defines or proves, or that its statements take from Coq.

    Not what only proofs and tactics mention: whoever takes such a name can make a proof fail, but
    no statement say something else.
    """
    return frozenset().union(*map(_stated, _sources(proofs).values()))


def taken_names(names: frozenset[str], proofs: Path) -> frozenset[str]:
    """Return those of some names that are `library_names`.

    Hardly one of them stands in the theory at all, and what its statements say is read only then.
    """
    standing = names & frozenset().union(*map(_words, _sources(proofs).values()))
    return standing & library_names(proofs) if standing else standing


@cache
def _words(text: bytes) -> frozenset[str]:
    return frozenset(COQ_NAME.findall(text.decode()))


@cache
def _stated(text: bytes) -> frozenset[str]:
    found: set[str] = set()
    proving = False
    for _, words in sentences(text.decode()):
        proving = words[0] == "Proof" or (proving and words[-1] not in {"Qed", "Defined"})
        if not proving:
            stated = words[:2] if words[0] == "Ltac" else words
            found |= {word for word in stated if COQ_NAME.fullmatch(word)}
    return frozenset(found)


@cache
def defined_names(proofs: Path) -> frozenset[str]:
    """Return the names of the theory's definitions, theorems and tactics."""
    texts = (text.decode() for text in _sources(proofs).values())
    return frozenset(name for text in texts for name in _DEFINED.findall(text))


def _sources(proofs: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in sorted((proofs / "lib").glob("*.v"))}
    if not found:
        raise SpecError("proofs", "must hold lib/*.v", str(proofs))
    return found


def _key(sources: dict[str, bytes]) -> str:
    """Return the digest of what the compiled theory depends on: the sources and Coq."""
    digest = hashlib.sha256(f"coqc {coq_version()} {shutil.which('coqc')}\n".encode())
    for name, text in sources.items():
        digest.update(f"{name} {hashlib.sha256(text).hexdigest()}\n".encode())
    return digest.hexdigest()


def _objects(sources: dict[str, bytes]) -> list[str]:
    return [f"{Path(name).stem}.vo" for name in sources]


def _taken(kept: Path, lib: Path, sources: dict[str, bytes]) -> bool:
    """Copy a kept theory; whether it was there, whole and unchanged."""
    try:
        digests = json.loads((kept / MANIFEST).read_text(encoding="utf-8"))
        contents = {name: (kept / name).read_bytes() for name in _objects(sources)}
    except (OSError, ValueError):
        return False
    if digests != {name: hashlib.sha256(c).hexdigest() for name, c in contents.items()}:
        return False
    for name, content in contents.items():
        (lib / name).write_bytes(content)
    return True


def _compile(sources: dict[str, bytes], build: Path) -> None:
    for name, text in sources.items():
        (build / "lib" / name).write_bytes(text)
    files = [f"lib/{name}" for name in sources]
    tell = _shown(len(files))
    tell(0)
    _, errors = compile_all(build, files, SECONDS_PER_FILE, tell)
    if errors:
        raise SpecError("proofs", "must compile", str(errors[0]))


def _shown(total: int) -> Callable[[int], None]:
    """Say on a terminal, every few files, how far the theory is: it takes minutes, once.

    Whole lines, since the command that asks may show a bar of its own.
    """
    shown = 0

    def tell(done: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and (done in (0, total) or done - shown >= EVERY):
            shown = done
            sys.stderr.write(f"Coq compiles its library, once: {done} of {total} files\n")

    return tell


def _keep(kept: Path, lib: Path, sources: dict[str, bytes]) -> None:
    """Put the compiled theory into the cache as a whole.

    Whoever else is at it puts the same there, so it does not matter who is first.
    """
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(
            dir=kept.parent, prefix=".new.", ignore_cleanup_errors=True
        ) as folder:
            new = Path(folder) / "compiled"
            new.mkdir()
            digests = {}
            for name in _objects(sources):
                content = (lib / name).read_bytes()
                digests[name] = hashlib.sha256(content).hexdigest()
                (new / name).write_bytes(content)
            (new / MANIFEST).write_text(json.dumps(digests), encoding="utf-8")
            with contextlib.suppress(OSError):
                kept.rename(Path(folder) / "damaged")
            new.rename(kept)
