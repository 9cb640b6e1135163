"""The files that a verdict depends on: where they lie, and their hashes.

A file has one name in a checkout and in a wheel: its path in the checkout. So a transcript that was
made in a checkout can be held against what somebody installed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.spec_files import catalogue_folder

PACKAGE = "ldp_verified"
SPEC = "spec"
PROOFS = "proofs"
CERTIFICATES = "certificates"
TRANSCRIPT = "transcript.json"

CHECKERS = ("language", "derive", "prove")
"""The folders of the package that read a declaration and decide what is claimed of it."""

_PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Installation:
    """The places of one installed or checked-out copy.

    Attributes:
        package: the folder of the package itself.
        spec: of the catalogue's spec files.
        proofs: of the theory, the certificates and the transcript.
    """

    package: Path
    spec: Path
    proofs: Path

    @classmethod
    def here(cls) -> Installation:
        """The copy that is running: the checkout that it lies in, or what the wheel brought."""
        checkout = _PACKAGE.parent / PROOFS
        own = checkout.is_dir() and (_PACKAGE.parent / "pyproject.toml").is_file()
        return cls(_PACKAGE, catalogue_folder(), checkout if own else _PACKAGE / "_proofs")

    @property
    def transcript(self) -> Path:
        """The file that says who proved what."""
        return self.proofs / TRANSCRIPT

    def path(self, name: str) -> Path:
        """Return the path of a file.

        Args:
            name: its path in a checkout ("spec/grr.py").

        Raises:
            SpecError: it is no such path.
        """
        folders = {PACKAGE: self.package, SPEC: self.spec, PROOFS: self.proofs}
        first, *rest = name.split("/")
        if first not in folders or not rest or any(part in ("", ".", "..") for part in rest):
            raise SpecError("file", f"must be a path in {', '.join(folders)}", name)
        return folders[first].joinpath(*rest)

    def checkers(self) -> dict[str, str]:
        """Name -> sha256 of every file that derives or checks, and of what it shares with all."""
        shared = sorted(self.package.glob("*.py"))
        own = [p for folder in CHECKERS for p in sorted((self.package / folder).rglob("*.py"))]
        return self._hashes(PACKAGE, self.package, [*shared, *own])

    def theory(self) -> dict[str, str]:
        """Name -> sha256 of Coq's hand-written theory and of the lists that bind it."""
        kinds = ("lib/*.v", "*.txt", "expected_theorems/*.txt")
        found = [path for kind in kinds for path in sorted(self.proofs.glob(kind))]
        return self._hashes(PROOFS, self.proofs, found)

    def specs(self) -> dict[str, str]:
        """Name -> sha256 of every spec file of the catalogue."""
        return self._hashes(SPEC, self.spec, sorted(self.spec.glob("*.py")))

    def certificates(self) -> dict[str, str]:
        """Name -> sha256 of every certificate."""
        found = sorted((self.proofs / CERTIFICATES).glob("*.json"))
        return self._hashes(PROOFS, self.proofs, found)

    @staticmethod
    def _hashes(first: str, folder: Path, paths: list[Path]) -> dict[str, str]:
        return {f"{first}/{p.relative_to(folder).as_posix()}": sha256(p) for p in paths}


def sha256(path: Path) -> str:
    """The hash of a file's bytes, in hex; a spec's text may end its lines in any way.

    Raises:
        SpecError: it cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    except OSError as error:
        raise SpecError(str(path), f"cannot be read: {error.strerror}") from None
