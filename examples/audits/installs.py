"""What is installed or compiled for an audit, and whose fault it is where that fails.

Only a package that its registry does not have any more, or that does not install, is a fact about
the package. Whatever else fails (no network, no space, no memory, no process) is a `LocalError`.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.environments import OPENDP, ROOT
from examples.audits.apart import LocalError
from examples.audits.cases import DIFFPRIVLIB, HERE, MULTI, NPM, OLD, PURE, PYDP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from examples.audits.cases import Case

PACKAGES = (OLD, PURE, MULTI, DIFFPRIVLIB, OPENDP, PYDP)

LOCAL = (
    *("no space left", "errno 28", "errno 12", "errno 11", "errno 24", "cannot allocate"),
    *("resource temporarily unavailable", "memoryerror", "killed", "read-only file system"),
    *("permission denied", "newconnectionerror", "connection", "timed out", "timeout"),
    *("name resolution", "max retries", "ssl", "proxyerror", "enospc", "enomem", "eagain"),
    *("econnre", "enotfound", "etimedout", "eai_again", "eacces", "503", "502", "429"),
)
"""What installers say, in small letters, where this machine or its network is at fault."""

REFUSED = (
    *("no matching distribution found", "could not find a version", "resolutionimpossible"),
    *("failed building wheel", "failed to build", "metadata-generation-failed"),
    *("subprocess-exited-with-error", "requires-python", "code e404", "code etarget"),
    *("code eresolve", "hash mismatch", "do not match the hashes"),
)
"""What they say where the package is."""


class InstallError(Exception):
    """A public package cannot be installed any more."""


def blamed(error: subprocess.CalledProcessError) -> InstallError | LocalError:
    """Return whose fault it is that an installer failed: this machine's, unless it says otherwise.

    Args:
        error: with what it wrote to stderr.
    """
    told = (error.stderr or "").strip()
    low, last = told.lower(), told.splitlines()[-1] if told else "it said nothing"
    ours = error.returncode < 0 or any(word in low for word in LOCAL)
    if not ours and any(word in low for word in REFUSED):
        return InstallError(last)
    return LocalError(f"an installation failed here ({error.returncode}): {told[-2000:]}")


def made(case: Case) -> Case:
    """With the interpreter, the packages of npm, or a compiled program in their places.

    Raises:
        InstallError: a package cannot be installed any more. LocalError: this machine is at fault.
    """
    command = case.command
    try:
        for package in PACKAGES:
            if f"{{{package.name}}}" in command:
                command = command.replace(f"{{{package.name}}}", str(package.python()))
        if "{npm}" in command:
            command = command.replace("{npm}", str(_npm()))
    except subprocess.CalledProcessError as error:
        raise blamed(error) from error
    except OSError as error:
        raise LocalError(f"an installation failed here ({error})") from error
    for leak in ("leaky", "mended"):
        if command == f"{{{leak}}}":
            command = str(_compiled(leak))
    return replace(case, command=command)


def pinned(case: Case) -> Sequence[str]:
    """What is installed for a case, at which versions."""
    found = [
        word
        for each in PACKAGES
        if f"{{{each.name}}}" in case.command
        for word in each.requirements
    ]
    return [*found, *NPM] if "{npm}" in case.command else found


def _npm() -> Path:
    """The folder of the packages from npm."""
    folder = ROOT / "build" / "peers" / "npm"
    ready, wanted = folder / "ready", "\n".join(NPM)
    if not ready.is_file() or ready.read_text() != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}\n")
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *NPM]
        subprocess.run(words, check=True, cwd=folder, stderr=subprocess.PIPE, text=True)
        ready.write_text(wanted)
    return folder


def _compiled(leak: str) -> Path:
    built = ROOT / "build" / f"client-{leak}"
    built.parent.mkdir(exist_ok=True)
    flags = ["-DLEAKY"] if leak == "leaky" else []
    words = ["cc", "-O2", *flags, "-o", str(built), str(HERE / "client.c"), "-lm"]
    try:
        subprocess.run(words, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LocalError(f"client.c was not compiled ({error})") from error
    return built
