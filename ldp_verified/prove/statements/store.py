"""The texts of certificates and SMT files, written to disk when asked for."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language import Mechanism
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.prepared import Prepared, case, certificate_for
from ldp_verified.prove.smt import queries, script


@lru_cache(maxsize=16)
def _case(mechanism: Mechanism) -> Prepared:
    """Derived once for the certificate and for the solver's questions."""
    return case(mechanism)


def document(mechanism: Mechanism) -> str:
    """The text of a mechanism's certificate file."""
    return json.dumps(certificate_for(mechanism, _case(mechanism)), indent=1, sort_keys=True) + "\n"


def smt_document(mechanism: Mechanism) -> str:
    """The text of a mechanism's SMT-LIB file."""
    this = _case(mechanism)
    asked = queries(this.obligations, this.certificate["proofs"])
    return script(asked, mechanism.spec_hash, mechanism.name)


def write_certificates(mechanisms: Iterable[Mechanism], directory: Path) -> list[Path]:
    """Write one file NAME.json per mechanism, each replaced as a whole or not at all.

    Args:
        mechanisms: whose certificates are written. directory: where to; it is made.

    Returns:
        The files, in order.

    Raises:
        SpecError: the directory cannot be made or written to.
    """
    return _write({f"{m.name}.json": document(m) for m in mechanisms}, directory)


def write_smt(mechanisms: Iterable[Mechanism], directory: Path) -> list[Path]:
    """Write one file NAME.smt2 per mechanism, each replaced as a whole or not at all.

    Args:
        mechanisms: about whom questions are written. directory: where to; it is made.

    Returns:
        The files, in order.

    Raises:
        SpecError: the directory cannot be made or written to.
    """
    return _write({f"{m.name}.smt2": smt_document(m) for m in mechanisms}, directory)


def recheck(certificates: dict[str, Any]) -> list[str]:
    """Return the obligations that a certificate document does not show; empty if it shows all.

    Needs no sympy.

    Args:
        certificates: a document as `certificate_for` makes it, read from JSON.
    """
    return [
        f"{part}: {outcome.obligation.name}: {outcome.reason}"
        for part, certificate in certificates.items()
        if certificate is not None
        for outcome in checker.check(certificate["statement"], certificate)
        if not outcome.shown
    ]


def _write(texts: Mapping[str, str], directory: Path) -> list[Path]:
    written = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = directory / name
            handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{name}.")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
            written.append(path)
    except OSError as error:
        raise SpecError(str(directory), f"cannot be written to: {error}") from error
    return written
