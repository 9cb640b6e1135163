"""The peers' virtual environments, one each, so that no package bends another's versions."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Package:
    """One measured package.

    Attributes:
        name: as on PyPI.
        worker: the module that measures it.
        requirements: what its environment needs, its own undeclared dependencies included; empty
            for this package, which runs in the environment of the benchmark itself.
    """

    name: str
    worker: str
    requirements: tuple[str, ...] = ()

    def python(self) -> Path:
        """Its interpreter, in an environment made on first use and kept in build/peers."""
        if not self.requirements:
            return Path(sys.executable)
        folder = ROOT / "build" / "peers" / self.name
        python = folder / "bin" / "python"
        ready = folder / "ready"
        wanted = "\n".join(self.requirements)
        if not ready.is_file() or ready.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            install = ["-m", "pip", "install", "--quiet", *self.requirements]
            try:
                subprocess.run(
                    [str(python), *install], check=True, stderr=subprocess.PIPE, text=True
                )
            except subprocess.CalledProcessError as error:
                error.add_note(error.stderr)
                raise
            ready.write_text(wanted)
        return python


OURS = Package("ldp-verified", "benchmarks.workers.ours")
# Both hash text, which xxhash 4 refuses. pure-ldp imports scikit-learn and statsmodels for RAPPOR
# whatever oracle is used, multi-freq-ldpy scipy for histogram encoding, and neither declares them;
# the sketches of pure-ldp ask numpy for an array of shape None, which numpy 2.3 refuses.
PEERS = (
    Package(
        "pure-ldp",
        "benchmarks.workers.pure_ldp",
        ("pure-ldp==1.2.0", "xxhash<4", "numpy<2.3", "scikit-learn", "statsmodels"),
    ),
    Package(
        "multi-freq-ldpy",
        "benchmarks.workers.multi_freq_ldpy",
        ("multi-freq-ldpy==0.2.5", "xxhash<4", "scipy"),
    ),
)

# Both hash text, which xxhash 4 refuses; the second imports tqdm without declaring it, and
# statsmodels 0.14.4, which later versions of the other packages break.
LDP_TOOLBOX = Package("ldp-toolbox", "", ("ldp-toolbox==0.1.3", "xxhash<4"))
HIERARCHICAL = Package(
    "ldp-hierarchical-mechanism",
    "",
    (
        *("ldp-hierarchical-mechanism==0.1.3", "xxhash<4", "tqdm"),
        *("numpy<2.3", "scipy<1.16", "pandas<3"),
    ),
)

OPENDP = Package("opendp", "benchmarks.workers.opendp", ("opendp==0.16.0",))
"""A library of central mechanisms: nothing is timed, its draws are compared with ours."""
