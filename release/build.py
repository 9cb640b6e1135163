"""Two builds of one commit in different places, and whether they have one hash."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

BACKEND = (sys.executable, "-m", "hatchling", "build")


class ReleaseError(Exception):
    """The release is not made."""


def said(command: list[str], folder: Path, **variables: str) -> str:
    """The standard output of a command.

    Raises:
        ReleaseError: it fails; the message is what it said.
    """
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def export(root: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder that is made for them.

    Raises:
        ReleaseError: there is no such commit.
    """
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    said(["git", "archive", "--output", str(archive), commit], root)
    unpack(archive, folder)
    archive.unlink()


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar file that was made here."""
    # As a command: the call's argument `filter` is required by new Pythons and unknown to 3.11.2.
    said([sys.executable, "-m", "tarfile", "-e", str(archive), str(folder)], archive.parent)


def build(source: Path, out: Path, seconds: str) -> list[Path]:
    """Build the source distribution, and the wheel from it.

    Args:
        source: the files of a commit. out: where both are put. seconds: SOURCE_DATE_EPOCH.

    Returns:
        The source distribution and the wheel.

    Raises:
        ReleaseError: a build fails.
    """
    time = {"SOURCE_DATE_EPOCH": seconds}
    said([*BACKEND, "-t", "sdist", "-d", str(out)], source, **time)
    (sdist,) = out.glob("*.tar.gz")
    unpacked = out / "unpacked"
    unpack(sdist, unpacked)
    (folder,) = unpacked.iterdir()
    said([*BACKEND, "-t", "wheel", "-d", str(out)], folder, **time)
    (wheel,) = out.glob("*.whl")
    return [sdist, wheel]


def differing(first: list[Path], second: list[Path]) -> list[str]:
    """One line for each file of the first build that the second did not make with the same hash."""
    others = {path.name: digest(path) for path in second}
    return [
        f"{path.name}: {digest(path)} and {others.get(path.name)}"
        for path in first
        if digest(path) != others.get(path.name)
    ]


def digest(path: Path) -> str:
    """The sha256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
