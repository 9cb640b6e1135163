"""Make an environment for each engine and run its tests there: `make test-engines`.

An engine that cannot be installed fails, and so does Spark without Java, which is asked of apt-get
where that may install. The versions are those of `locks/`, one file for each engine, since Beam
wants an older pyarrow than `constraints.txt` has; `--lock` writes them anew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = Path(__file__).resolve().parent / "locks"
TOOLS = ("pytest", "hypothesis")
ENGINES = {
    "pandas": (),
    "polars": (),
    "duckdb": (),
    "beam": (),
    "spark": ("pandas",),  # PySpark's Arrow functions ask for it, and do not require it
}
"""Engine, which is also the name of the extra, and what else its environment has."""

_JAVA = "default-jre-headless"


def environment(engine: str, *, lock: bool) -> Path:
    """The interpreter of an engine's environment, in build/engines.

    Raises:
        subprocess.CalledProcessError: it cannot be made.
    """
    folder, locked = ROOT / "build" / "engines" / engine, LOCKS / f"{engine}.txt"
    python, ready = folder / "bin" / "python", folder / "ready"
    wanted = (ROOT / "pyproject.toml").read_text() + (locked.read_text() if not lock else "")
    if lock or not ready.is_file() or ready.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        install += [] if lock else ["--constraint", str(locked)]
        install += ["--editable", f"{ROOT}[{engine}]", *TOOLS, *ENGINES[engine]]
        subprocess.run(install, check=True)
    if lock:
        freeze = [str(python), "-m", "pip", "freeze", "--exclude-editable"]
        found = subprocess.run(freeze, check=True, capture_output=True, text=True)
        locked.write_text(found.stdout)
        wanted = (ROOT / "pyproject.toml").read_text() + found.stdout
    ready.write_text(wanted)
    return python


def java() -> None:
    """Install Java where it is missing.

    Raises:
        SystemExit: it is missing, and cannot be installed from here.
    """
    if shutil.which("java"):
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", _JAVA]
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"Spark needs Java: {' '.join(command)}")
    subprocess.run(["apt-get", "update", "-q"], check=True)
    subprocess.run(command, check=True)


def main() -> None:
    """Run the tests of the engines that are named, or of all; fail if any fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.on_engines")
    parser.add_argument("engines", nargs="*", metavar="ENGINE")
    parser.add_argument("--lock", action="store_true", help="write the locks, and run no test")
    given = parser.parse_args()
    unknown = sorted(set(given.engines) - set(ENGINES))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(ENGINES)}")
    wanted = given.engines or list(ENGINES)
    failed = [engine for engine in wanted if not run(engine, lock=given.lock)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def run(engine: str, *, lock: bool) -> bool:
    """Return whether the tests of an engine pass, or its lock could be written."""
    if engine == "spark":
        java()
    try:
        python = environment(engine, lock=lock)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{engine} cannot be installed: {error}\n")
        return False
    if lock:
        return True
    # Warnings of the engines are theirs.
    test = [str(python), "-m", "pytest", "-W", "default", "-p", "no:cacheprovider"]
    test.append(f"tests/on_engines/test_{engine}.py")
    return subprocess.run(test, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    main()
