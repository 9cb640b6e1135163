"""An in-toto statement about a recheck: a payload without a signature, for an auditor to sign.

The form is that of the in-toto Attestation Framework, Statement v1 (in-toto/attestation,
spec/v1/statement.md): the subjects are the files with their hashes, the predicate is what was
found. Who signs it vouches for it; this package signs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:ldp-verified:recheck:1"
"""Our predicate and its version; the name is registered nowhere."""


def statement_text(files: Mapping[str, str], predicate: Mapping[str, Any]) -> str:
    """The statement as it is written to a file: the same for the same contents.

    Args:
        files: name -> sha256 in hex of what it is about.
        predicate: what was found, as JSON.
    """
    subjects: Sequence[Any] = [
        {"name": name, "digest": {"sha256": digest}} for name, digest in sorted(files.items())
    ]
    found = {
        "_type": TYPE,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": dict(predicate),
    }
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
