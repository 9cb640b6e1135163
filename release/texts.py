"""The texts that are printed from the specs: certificates, questions to z3, and files for Coq.

They are made, not kept: `proofs/manifest.sha256` has one line for each, as `sha256sum` writes it,
and what is printed must have the hash that stands there. `make proofs` prints them where they are
missing, `make drift` prints all of them again, and `make generated` writes the manifest anew.

What compares hashes alone is in `release/manifest.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from release.manifest import MANIFEST, lacking, listed, manifest, sha256, strangers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROOFS = Path(__file__).resolve().parents[1] / "proofs"


def printed(proofs: Path) -> Iterator[tuple[str, str]]:
    """Print every text of the catalogue anew; a certificate is found and checked.

    Args:
        proofs: the folder whose `not_in_coq.txt` says of which mechanisms there is no file for Coq.

    Yields:
        Its path below the folder of proofs, and the text.

    Raises:
        ValueError: a certificate does not show what it is for, or a mechanism cannot be printed for
            Coq although no reason is listed.
    """
    from ldp_verified.language import load_catalogue
    from ldp_verified.prove.coq.drift import WITHOUT, read_without
    from ldp_verified.prove.coq.printer import Unsupported, coq_text
    from ldp_verified.prove.statements.store import document, recheck, smt_document

    without = read_without(proofs / WITHOUT)
    for mechanism in load_catalogue():
        certificate = document(mechanism)
        if faults := recheck(json.loads(certificate)):
            raise ValueError(f"certificate of {mechanism.name}: {'; '.join(faults)}")
        yield f"certificates/{mechanism.name}.json", certificate
        yield f"smt/{mechanism.name}.smt2", smt_document(mechanism)
        if mechanism.name not in without:
            text = coq_text(mechanism)
            if isinstance(text, Unsupported):
                raise ValueError(f"{mechanism.name}: is {text}")
            yield f"generated/{mechanism.name}.v", text


def make(proofs: Path, texts: Iterable[tuple[str, str]]) -> list[str]:
    """Write the texts that have the hashes of the manifest.

    Args:
        proofs: the folder. texts: as `printed` gives them.

    Returns:
        One line for each difference: a text with another hash (it is not written), one that the
        manifest lacks, one that was not printed, and a file that nothing printed.
    """
    known, problems, seen = listed(proofs), [], set()
    for path, text in texts:
        seen.add(path)
        if path not in known:
            problems.append(f"proofs/{path}: is not in proofs/{MANIFEST}")
        elif hashlib.sha256(text.encode()).hexdigest() != known[path]:
            problems.append(f"proofs/{path}: is printed with another hash than in the manifest")
        else:
            _write(proofs / path, text)
    problems += [f"proofs/{path}: was not printed" for path in known.keys() - seen]
    problems += [f"proofs/{path}: is not printed any more" for path in strangers(proofs)]
    return sorted(problems)


def remake(proofs: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Write the texts and their manifest, and take away what is not among them."""
    digests = {}
    for path, text in texts:
        _write(proofs / path, text)
        digests[path] = hashlib.sha256(text.encode()).hexdigest()
    _write(proofs / MANIFEST, manifest(digests))
    for path in strangers(proofs):
        (proofs / path).unlink()


def _write(path: Path, text: str) -> None:
    if sha256(path) == hashlib.sha256(text.encode()).hexdigest():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.part")
    half.write_text(text, encoding="utf-8", newline="\n")
    half.replace(path)


def main() -> None:
    """Make the texts, and say what came out."""
    parser = argparse.ArgumentParser(prog="python -m release.texts", description=__doc__)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="print all, also what is there already")
    how.add_argument("--write", action="store_true", help="write the manifest anew as well")
    given = parser.parse_args()
    if given.write:
        remake(PROOFS, _told(printed(PROOFS)))
    elif (given.again or lacking(PROOFS) or strangers(PROOFS)) and (
        problems := make(PROOFS, _told(printed(PROOFS)))
    ):
        after = "`make generated` writes the manifest anew, once what changed is meant"
        sys.exit("\n".join([*problems, after]))
    print(f"{len(listed(PROOFS))} texts, as proofs/{MANIFEST} says")


def _told(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Say on a terminal which text is at hand."""
    for path, text in texts:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{path}")
        yield path, text
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


if __name__ == "__main__":
    main()
